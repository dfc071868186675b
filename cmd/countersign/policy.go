package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

type policyCmd struct {
	Export policyExportCmd `cmd:"" help:"Print a server's policy in full, as YAML."`
	Import policyImportCmd `cmd:"" help:"Make a YAML file the server's policy, at once."`
	Try    policyTryCmd    `cmd:"" help:"Say what the gate would answer under a policy; nothing is saved."`
}

type policyExportCmd struct {
	Slug string `arg:"" help:"The server."`
}

// Run prints what import and try read.
func (c *policyExportCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	v, err := in.svc.Policy(e.ctx, actor, c.Slug)
	if err != nil {
		return err
	}
	text, err := v.Server.Policy.YAML()
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(text)
	return err
}

type policyImportCmd struct {
	Slug string `arg:"" help:"The server."`
	File string `arg:"" help:"The policy, as YAML." type:"existingfile"`
	Yes  bool   `help:"Save it also where it asks for less than the policy in force."`
	JSON bool   `help:"Print JSON."`
}

// Run saves the policy. It is the operator's act, so no second person is asked; where it
// asks for less it is told first, and saved only with --yes. Exits 1 when it was not.
func (c *policyImportCmd) Run(e *env) error {
	p, err := readPolicy(c.File)
	if err != nil {
		return err
	}
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	v, err := in.svc.Policy(e.ctx, actor, c.Slug)
	if err != nil {
		return err
	}
	if loosens := p.Loosens(v.Server.Policy); len(loosens) > 0 && !c.Yes {
		return c.unsaved(e, v.Server.Policy.Version, loosens)
	}
	made, err := in.svc.SetPolicy(e.ctx, actor, c.Slug, p, v.Server.Policy.Version)
	if err != nil {
		return err
	}
	has := "has"
	if made.Unchanged {
		has = "is unchanged: it has"
	}
	return say(e.stdout, c.JSON, struct {
		Version   int      `json:"version"`
		Loosens   []string `json:"loosens"`
		Unchanged bool     `json:"unchanged,omitempty"`
	}{made.Policy.Version, append([]string{}, made.Loosens...), made.Unchanged}, "%s %s version %d of its policy.%s", c.Slug, has, made.Policy.Version, looser(made.Loosens))
}

// unsaved tells where the policy asks for less than the version in force, which stays.
func (c *policyImportCmd) unsaved(e *env, version int, loosens []string) error {
	err := say(e.stdout, c.JSON, struct {
		Version int      `json:"version"`
		Loosens []string `json:"loosens"`
		Saved   bool     `json:"saved"`
	}{version, loosens, false}, "Nothing was saved, version %d of the policy of %s stays in force. Save it all the same with --yes.%s", version, c.Slug, looser(loosens))
	if err == nil {
		return exit(exitNo)
	}
	return err
}

// looser lists below a line where a policy asks for less, "" where it does not.
func looser(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\nIt asks for less than the policy in force:\n  " + strings.Join(lines, "\n  ")
}

// triedShown is how many requirements are printed of one release.
const triedShown = 5

type policyTryCmd struct {
	Slug string `arg:"" help:"The server."`
	File string `arg:"" help:"The policy, as YAML." type:"existingfile"`
	JSON bool   `help:"Print JSON."`
}

// Run tries a policy on the open releases. Exits 1 when the gate would answer one
// of them otherwise.
func (c *policyTryCmd) Run(e *env) error {
	p, err := readPolicy(c.File)
	if err != nil {
		return err
	}
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	tried, err := in.svc.TryPolicy(e.ctx, actor, c.Slug, p)
	if err != nil {
		return err
	}
	v, err := in.svc.Policy(e.ctx, actor, c.Slug)
	if err != nil {
		return err
	}
	return c.print(e, tried, p.Loosens(v.Server.Policy), p.Unsatisfiable(v.Present))
}

func (c *policyTryCmd) print(e *env, tried []review.Tried, loosens []string, unsatisfiable string) error {
	type line struct {
		Release string      `json:"release"`
		Now     gate.Result `json:"now"`
		Then    gate.Result `json:"then"`
		Why     string      `json:"why"`
		Differs []string    `json:"differs"` // what requirements ask now and then
	}
	lines, differ := []line{}, false
	var text strings.Builder
	for _, t := range tried {
		says := []string{}
		for _, d := range t.Differs() {
			says = append(says, d.Says())
		}
		lines = append(lines, line{t.Release.Title(), t.Now.Result, t.Then.Result, t.Then.Why, says})
		differ = differ || t.Now.Result != t.Then.Result
		fmt.Fprintf(&text, "%s\t%s -> %s\t%s\n", t.Release.Title(), t.Now.Result, t.Then.Result, t.Then.Why)
		for _, s := range says[:min(len(says), triedShown)] {
			fmt.Fprintf(&text, "  %s\n", s)
		}
		if n := len(says) - triedShown; n > 0 {
			fmt.Fprintf(&text, "  and %d more\n", n)
		}
	}
	if len(lines) == 0 {
		text.WriteString("No release is open.\n")
	}
	if unsatisfiable != "" {
		fmt.Fprintln(&text, unsatisfiable)
	}
	err := say(e.stdout, c.JSON, struct {
		Releases      []line   `json:"releases"`
		Loosens       []string `json:"loosens"`
		Unsatisfiable string   `json:"unsatisfiable"`
	}{lines, append([]string{}, loosens...), unsatisfiable}, "%s%s", strings.TrimSuffix(text.String(), "\n"), looser(loosens))
	if err == nil && differ {
		return exit(exitNo)
	}
	return err
}

func readPolicy(file string) (gate.Policy, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return gate.Policy{}, err
	}
	p, err := gate.ParseYAML(b)
	if err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
