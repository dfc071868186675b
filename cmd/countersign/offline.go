package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

// fileArg is the FILE of the contract.
type fileArg struct {
	File string `arg:"" help:"A file, a folder of one-tool files, - for standard input, stdio:CMD, http(s)://…, or git:REF:PATH."`
}

type inspectCmd struct {
	fileArg
	JSON bool `help:"Print JSON."`
}

// Run prints what was read; 1 if a problem has level error.
func (c *inspectCmd) Run(e *env) error {
	l, err := e.listing(c.File)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(e.stdout, report.Inspect, l)
	} else {
		err = printInspection(e.stdout, l)
	}
	if err != nil {
		return err
	}
	for _, p := range l.Problems {
		if p.Level == surface.LevelError {
			return exit(exitNo)
		}
	}
	return nil
}

func printInspection(w io.Writer, l *surface.Listing) error {
	complete := "complete"
	if !l.Complete {
		complete = "incomplete"
	}
	fmt.Fprintf(w, "%s, %s, %s: %s\n%s\n", l.Kind, l.Shape, complete, count(len(l.Tools), "tool"), l.Digest)
	for _, t := range l.Tools {
		fmt.Fprintf(w, "%4d  %s  %s\n", t.Position, t.Digest.Short(), report.Line(t.Name))
	}
	for _, p := range l.Problems {
		fmt.Fprintf(w, "%s %s%s: %s\n", p.Level, p.Code, placeOf(p), report.Line(p.Message))
	}
	return nil
}

// placeOf names where a problem is: the tool, the pointer and the line.
func placeOf(p surface.Problem) string {
	var parts []string
	switch {
	case p.Tool != "":
		parts = append(parts, report.Line(p.Tool))
	case p.Position > 0:
		parts = append(parts, fmt.Sprintf("tool %d", p.Position))
	}
	if p.Pointer != "" {
		parts = append(parts, report.Line(p.Pointer))
	}
	if p.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d:%d", p.Line, p.Column))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

type familiesCmd struct {
	fileArg
	JSON bool `help:"Print JSON."`
}

// Run prints the families of a listing.
func (c *familiesCmd) Run(e *env) error {
	l, err := e.listing(c.File)
	if err != nil {
		return err
	}
	f := surface.NewFamilies(names(l))
	if c.JSON {
		return printJSON(e.stdout, report.Families, f)
	}
	fmt.Fprintf(e.stdout, "%s in %s, %s\n", count(len(l.Tools), "tool"), count(len(f.Families), "family"), f.Convention)
	for _, fam := range f.Families {
		fmt.Fprintf(e.stdout, "  %-24s %3d  %s\n", report.Line(fam.Name), len(fam.Tools), report.Line(strings.Join(fam.Tools, " ")))
	}
	for _, o := range f.Outliers {
		fmt.Fprintf(e.stdout, "  outside: %s (%s)\n", report.Line(o.Tool), o.Cost)
	}
	return nil
}

func names(l *surface.Listing) []string {
	out := make([]string, len(l.Tools))
	for i, t := range l.Tools {
		out[i] = t.Name
	}
	return out
}

type digestCmd struct {
	fileArg
	JSON bool `help:"Print JSON."`
}

// Run prints the digest that an approval binds.
func (c *digestCmd) Run(e *env) error {
	l, err := e.listing(c.File)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, map[string]surface.Hash{"digest": l.Digest}, "%s", l.Digest)
}

type diffCmd struct {
	Files   []string `arg:"" help:"OLD and NEW, each as FILE of inspect; with --window every older version, then NEW; with --to only NEW."`
	Aliases string   `help:"JSON object of old names to new ones that the server still answers to." type:"existingfile"`
	FailOn  string   `help:"Exit 1 on a decided change of this class or stronger: breaking, behaviour, text or any." enum:"breaking,behaviour,text,any," default:""`
	Window  bool     `help:"Say which older clients still call validly."`
	To      string   `help:"Compare with the gate base of a server, without pushing." placeholder:"URL"`
	Server  string   `help:"Slug of that server." placeholder:"SLUG"`
	Profile string   `help:"Profile of that server." placeholder:"default"`
	Token   string   `help:"Token with scope read." env:"COUNTERSIGN_TOKEN" placeholder:"cs_…"`
	Format  string   `help:"How to print: text, json or markdown." enum:"text,json,markdown" default:"text"`
	JSON    bool     `help:"The same as --format json."`
}

// Run compares listings; see failOn for the exit code.
func (c *diffCmd) Run(e *env) error {
	if c.JSON {
		c.Format = "json"
	}
	opt, err := readAliases(c.Aliases)
	if err != nil {
		return err
	}
	if c.Window {
		return c.window(e, opt)
	}
	old, next, err := c.sides(e)
	if err != nil {
		return err
	}
	r := change.Compare(old, next, opt)
	if err := printDiff(e.stdout, r, c.Format); err != nil {
		return err
	}
	return failOn(r, c.FailOn)
}

// sides returns what is compared; with --to the older one is the server's, nil
// while the profile has no release.
func (c *diffCmd) sides(e *env) (old, next *surface.Listing, err error) {
	want := 2
	if c.To != "" {
		want = 1
	}
	if len(c.Files) != want {
		return nil, nil, fmt.Errorf("diff got %s: give OLD and NEW, or NEW alone with --to URL --server SLUG", count(len(c.Files), "file"))
	}
	next, err = e.listing(c.Files[len(c.Files)-1])
	if err != nil {
		return nil, nil, err
	}
	if c.To != "" {
		old, err = c.gateBase(e)
	} else {
		old, err = e.base(c.Files[0])
	}
	return old, next, err
}

func (c *diffCmd) gateBase(e *env) (*surface.Listing, error) {
	cl, err := remoteFlags{To: c.To, Server: c.Server, Token: c.Token}.client("")
	if err != nil {
		return nil, remote(err)
	}
	base, err := cl.GateBase(e.ctx, c.Profile)
	if err != nil {
		return nil, remote(err)
	}
	if base == nil {
		return nil, nil
	}
	in := input{name: "the gate base " + base.Version, body: base.Raw}
	return in.listing(surface.Options{})
}

// window measures the last file against all before it.
func (c *diffCmd) window(e *env, opt change.Options) error {
	if len(c.Files) < 2 {
		return errors.New("--window wants the older versions, then NEW")
	}
	var olds []change.Known
	last := len(c.Files) - 1
	for _, file := range c.Files[:last] {
		l, err := e.base(file)
		if err != nil {
			return err
		}
		olds = append(olds, change.Known{Label: file, Listing: l})
	}
	next, err := e.listing(c.Files[last])
	if err != nil {
		return err
	}
	rows := change.Window(olds, next, opt)
	if c.Format == "json" {
		return printJSON(e.stdout, report.Window, rows)
	}
	_, err = io.WriteString(e.stdout, report.WindowText(rows))
	return err
}

func readAliases(file string) (change.Options, error) {
	if file == "" {
		return change.Options{}, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return change.Options{}, err
	}
	var aliases map[string]string
	if err := json.Unmarshal(b, &aliases); err != nil {
		return change.Options{}, fmt.Errorf(`%s: want a JSON object of old names to new ones, such as {"get":"fetch"}: %w`, file, err)
	}
	return change.Options{Aliases: aliases}, nil
}

func printDiff(w io.Writer, r *change.Report, format string) error {
	switch format {
	case "json":
		return printJSON(w, report.Diff, r)
	case "markdown":
		_, err := io.WriteString(w, report.DiffMarkdown(r))
		return err
	default:
		_, err := io.WriteString(w, report.DiffText(r))
		return err
	}
}

// failOn is 1 when a decided change is at the level or stronger: what is decided stays
// so, also of a listing of which a part never came. Else it is 2 when any change is
// undecided or NEW is known to be a part of a surface, for what is absent from it nobody
// can judge; else fine. Without a level it is fine.
func failOn(r *change.Report, level string) error {
	if level == "" {
		return nil
	}
	least := change.Class(level)
	if level == "any" {
		least = change.Compatible
	}
	code := exit(exitFine)
	if r.Partial {
		code = exitUnsure
	}
	for _, c := range r.Changes {
		for _, class := range classesOf(c) {
			switch {
			case class == change.Undecided:
				if code == exitFine {
					code = exitUnsure
				}
			case class.Rank() >= least.Rank():
				code = exitNo
			}
		}
	}
	if code == exitFine {
		return nil
	}
	return code
}

// classesOf returns the classes of a change's details, so that an undecided one
// does not hide a decided one; a change without details has its own.
func classesOf(c change.Change) []change.Class {
	classes := []change.Class{c.Class}
	for _, d := range c.Details {
		classes = append(classes, d.Class)
	}
	return classes
}

type pullCmd struct {
	Stdio  string   `help:"Command of a server that speaks over standard input and output; no shell is involved." placeholder:"'CMD ARGS'" xor:"source" required:""`
	URL    string   `name:"url" help:"Address of a server that speaks Streamable HTTP." xor:"source" required:""`
	Header []string `help:"Header to send with every request, as K:V." placeholder:"K:V" sep:"none"`
	Raw    bool     `help:"Print only the results of tools/list, as they came."`
}

// Run prints what a live server lists; 2 when it can't be reached.
func (c *pullCmd) Run(e *env) error {
	header, err := headers(c.Header)
	if err != nil {
		return err
	}
	live, err := e.pull(source{Stdio: c.Stdio, URL: c.URL, Header: header})
	if err != nil {
		return err
	}
	text := live.Text()
	if c.Raw {
		text = live.Raw()
	}
	_, err = e.stdout.Write(text)
	return err
}

func headers(pairs []string) (http.Header, error) {
	h := http.Header{}
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, ":")
		if !ok || strings.TrimSpace(k) == "" {
			return nil, fmt.Errorf("--header %.40q: want K:V, such as 'Authorization: Bearer …'", p)
		}
		h.Add(strings.TrimSpace(k), strings.TrimSpace(v))
	}
	return h, nil
}

// printJSON prints what marshal makes of v, on a line of its own.
func printJSON[T any](w io.Writer, marshal func(T) ([]byte, error), v T) error {
	b, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", b)
	return err
}

// count words a number of things.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}
