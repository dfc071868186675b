package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

type purgeCmd struct {
	TextFile string `help:"File that holds the text and nothing else; - is standard input. A line end at its end doesn't count." required:""`
	Reason   string `help:"Why, in one line: it is shown where the text was, so it should not hold it." required:""`
	DryRun   bool   `help:"Only count."`
	JSON     bool   `help:"Print JSON."`
}

// Run writes over a text wherever the database holds it. The text comes from a
// file: what stands on a command line can be read by others on the machine.
func (c *purgeCmd) Run(e *env) error {
	text, err := c.text(e)
	if err != nil {
		return err
	}
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	answer := struct {
		DryRun   bool           `json:"dry_run"`
		Rows     map[string]int `json:"rows"`
		Listings []string       `json:"listings"`
	}{DryRun: c.DryRun}
	done, err := in.svc.Purge(e.ctx, actor, text, c.Reason, c.DryRun)
	if err != nil {
		return err
	}
	answer.Rows, answer.Listings = done.Rows, append([]string{}, done.Listings...)
	return say(e.stdout, c.JSON, answer, "%s", purgeWords(c.DryRun, answer.Rows, answer.Listings))
}

func (c *purgeCmd) text(e *env) (string, error) {
	var b []byte
	var err error
	if c.TextFile == "-" {
		b, err = io.ReadAll(e.stdin)
	} else {
		b, err = os.ReadFile(c.TextFile)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

func purgeWords(dry bool, rows map[string]int, listings []string) string {
	if len(rows) == 0 {
		return "Nothing holds this text, as it was given."
	}
	did := "Purged"
	if dry {
		did = "A purge would reach"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", did, count(len(listings), "listing"))
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "\n  %s: %s", table, count(rows[table], "row"))
	}
	if rows["audit"] > 0 {
		b.WriteString("\nThe audit can't be changed, so its rows keep the text: replace the secret.")
	}
	b.WriteString("\nBackups that were made before hold it still; PostgreSQL keeps old rows until VACUUM. A secret that was seen by others has to be replaced all the same.")
	return b.String()
}
