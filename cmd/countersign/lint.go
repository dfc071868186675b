package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

type lintCmd struct {
	File    string   `arg:"" optional:"" help:"The listing: a file, a folder of one-tool files, - for standard input, stdio:CMD, http(s)://…, or git:REF:PATH."`
	Base    string   `help:"The listing that is to be replaced: findings that are new against it come first, and only they count for --fail-on." placeholder:"OLD"`
	Context string   `help:"JSON file with what stands beside the listing: server, siblings, other_servers, previous, hosts." placeholder:"FILE.json"`
	Host    []string `help:"A host that the tools are served to, by the id of its profile; may be given more than once." placeholder:"ID"`
	Batch   string   `help:"File of lines {\"id\",\"tool\"|\"tools\",\"context\"?}, or -: one answer a line, in order." placeholder:"FILE.jsonl"`
	Rules   string   `name:"config" help:"File with rules and waivers of the team, instead of .countersign.yaml in this folder." placeholder:"FILE.yaml"`
	Format  string   `help:"How to print: text, json, sarif, junit or markdown." enum:"text,json,sarif,junit,markdown" default:"text"`
	JSON    bool     `help:"The same as --format json."`
	FailOn  string   `help:"Exit 1 on a finding of this severity or graver that nobody accepted." enum:"info,warn,high,critical," default:""`
}

// Run prints what a good reviewer would have noticed.
func (c *lintCmd) Run(e *env) error {
	opt, err := c.options()
	if err != nil {
		return err
	}
	if err := lint.CheckHosts(c.Host); err != nil {
		return err
	}
	opt.Hosts = append(opt.Hosts, c.Host...)
	switch {
	case c.Batch != "" && c.File != "":
		return errors.New("give FILE or --batch, not both")
	case c.Batch != "":
		return c.batch(e, opt)
	case c.File == "":
		return errors.New("no listing given: name FILE or --batch")
	}
	l, base, err := c.listings(e, &opt)
	if err != nil {
		return err
	}
	var found []lint.Finding
	if base != nil {
		found = lint.Change(base, l, nil, opt)
	} else {
		found = lint.Listing(l, opt)
	}
	if err := c.print(e, found, lint.IdleWaivers(found, opt), l, base != nil); err != nil {
		return err
	}
	return c.verdict(found, base != nil)
}

// options reads the team's word on findings: the file that was named, else the one in
// this folder if there is one.
func (c *lintCmd) options() (lint.Options, error) {
	opt, _, err := teamConfig(c.Rules)
	opt.Today = today()
	return opt, err
}

// teamConfig reads the file of that name, "" for the one in this folder if there is one.
func teamConfig(name string) (opt lint.Options, found bool, err error) {
	named := name != ""
	if !named {
		name = lint.ConfigFile
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return lint.Options{}, false, nil
	}
	if err != nil {
		return lint.Options{}, false, err
	}
	if opt, err = lint.ParseConfig(b); err != nil {
		return opt, true, fmt.Errorf("%s: %w", name, err)
	}
	return opt, true, nil
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// listings reads the listing, its base, and what stands beside it.
func (c *lintCmd) listings(e *env, opt *lint.Options) (l, base *surface.Listing, err error) {
	if c.Context != "" {
		b, err := os.ReadFile(c.Context)
		if err != nil {
			return nil, nil, err
		}
		if opt.Context, base, err = lint.ParseContext(b); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.Context, err)
		}
	}
	if c.Base != "" {
		if base, err = e.base(c.Base); err != nil {
			return nil, nil, err
		}
	}
	l, err = e.listing(c.File)
	return l, base, err
}

// print writes the findings, and which waivers cover nothing: beside the findings where
// the format has a place for it, else on standard error.
func (c *lintCmd) print(e *env, found []lint.Finding, idle []lint.IdleWaiver, l *surface.Listing, hasBase bool) error {
	var b []byte
	var err error
	aside := ""
	format := c.Format
	if c.JSON {
		format = "json"
	}
	switch format {
	case "json":
		b, err = report.Lint(found, idle)
		b = append(b, '\n')
	case "sarif":
		b, err = report.FindingsSARIF(found, report.Origin{URI: sarifURI(c.File), Listing: l, HasBase: hasBase})
		b, aside = append(b, '\n'), report.IdleWaiversText(idle)
	case "junit":
		least := lint.Severity(c.FailOn)
		if least == "" {
			least = lint.Warn
		}
		b, err = report.FindingsJUnit(found, l, least)
		aside = report.IdleWaiversText(idle)
	case "markdown":
		b = []byte(report.FindingsMarkdown(found) + report.IdleWaiversMarkdown(idle))
	default:
		b = []byte(report.FindingsText(found) + report.IdleWaiversText(idle))
	}
	if err != nil {
		return err
	}
	if err := write(e.stderr, aside); err != nil {
		return err
	}
	_, err = e.stdout.Write(b)
	return err
}

// sarifURI is the file as a code host knows it; what is no file has its own name.
func sarifURI(file string) string {
	if file == "-" {
		return "stdin"
	}
	if ref, ok := strings.CutPrefix(file, "git:"); ok {
		if _, path, ok := strings.Cut(ref, ":"); ok {
			return path
		}
	}
	return filepath.ToSlash(file)
}

// verdict is 1 when a finding of the level asked for is there that nobody accepted. With
// a base only what is new counts: the rest was released.
func (c *lintCmd) verdict(found []lint.Finding, hasBase bool) error {
	if c.FailOn == "" {
		return nil
	}
	for _, f := range found {
		if f.Waiver == nil && (f.New || !hasBase) && f.Severity.Rank() >= lint.Severity(c.FailOn).Rank() {
			return exit(exitNo)
		}
	}
	return nil
}

// batch answers line by line, in order, as the lines come.
func (c *lintCmd) batch(e *env, opt lint.Options) error {
	in, err := e.stream(c.Batch)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(e.stdout)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxInput)
	var verdict error
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		b, found, err := lintLine(lines.Bytes(), opt)
		if err != nil {
			return errors.Join(out.Flush(), fmt.Errorf("%s: line %d: %w", c.Batch, n, err))
		}
		if _, err := fmt.Fprintf(out, "%s\n", b); err != nil {
			return err
		}
		if verdict == nil {
			verdict = c.verdict(found, false)
		}
	}
	if err := errors.Join(lines.Err(), out.Flush()); err != nil {
		return err
	}
	return verdict
}

func lintLine(line []byte, opt lint.Options) ([]byte, []lint.Finding, error) {
	q, err := lint.ParseCase(line)
	if err != nil {
		return nil, nil, err
	}
	found := q.Find(opt)
	b, err := report.FindingsLine(q.ID, found)
	return b, found, err
}

type rulesCmd struct {
	ID       string `arg:"" optional:"" help:"A rule, such as desc.missing; without it all are listed."`
	JSON     bool   `help:"Print JSON."`
	Markdown bool   `help:"Print the page of the documentation."`
	Schema   bool   `help:"Print the JSON Schema of .countersign.yaml, for editors."`
}

// Run prints the catalogue, or all about one rule.
func (c *rulesCmd) Run(e *env) error {
	if c.Schema {
		return write(e.stdout, string(lint.ConfigSchema()))
	}
	rules := lint.Rules()
	if c.ID != "" {
		r, ok := lint.RuleByID(c.ID)
		if !ok {
			return fmt.Errorf("no rule %q: countersign rules lists them", c.ID)
		}
		rules = []lint.Rule{r}
	}
	switch {
	case c.JSON:
		return printJSON(e.stdout, report.Rules, rules)
	case c.Markdown:
		return write(e.stdout, report.RulesMarkdown(rules))
	case c.ID != "":
		return write(e.stdout, report.RuleText(rules[0]))
	}
	return write(e.stdout, report.RulesText(rules))
}

func write(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}
