package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

var update = flag.Bool("update", false, "rewrite what the golden files want")

func read(t testing.TB, s string) *surface.Listing {
	t.Helper()
	l, err := surface.Read([]byte(s), surface.Options{Complete: true})
	if err != nil {
		t.Fatalf("read listing: %v", err)
	}
	return l
}

func compare(t testing.TB, old, new string) *change.Report {
	t.Helper()
	return change.Compare(read(t, old), read(t, new), change.Options{})
}

// Each file holds old.json and new.json, and what the three forms of a comparison
// look like.
func TestGolden(t *testing.T) {
	eachGolden(t, "testdata/*.txtar", "diff.txt", "diff.md", "diff.json")
}

// The examples of the documentation are what the program says today.
func TestExamples(t *testing.T) {
	eachGolden(t, filepath.Join(testkit.Root(), "docs/examples/*.txtar"), "diff.md")
}

func eachGolden(t *testing.T, pattern string, forms ...string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file, forms) })
	}
}

func golden(t *testing.T, file string, forms []string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	for _, f := range ar.Files {
		part[f.Name] = string(f.Data)
	}
	r := compare(t, part["old.json"], part["new.json"])
	got := map[string]string{"diff.txt": report.DiffText(r), "diff.md": report.DiffMarkdown(r), "diff.json": pretty(t, r)}
	if !*update {
		for _, name := range forms {
			if diff := cmp.Diff(part[name], got[name]); diff != "" {
				t.Errorf("%s: -want +got:\n%s", name, diff)
			}
		}
		return
	}
	ar.Files = ar.Files[:2]
	for _, name := range forms {
		ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

func pretty(t *testing.T, r *change.Report) string {
	t.Helper()
	b, err := report.Diff(r)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", " "); err != nil {
		t.Fatal(err)
	}
	return out.String() + "\n"
}

const (
	one = `[{"name":"tide_now","description":"The tide now.","inputSchema":{"type":"object","properties":{"port":{"type":"string"}}}}]`
	two = `[{"name":"tide_now","description":"The tide now. Never guess.","inputSchema":{"type":"object","properties":{"port":{"type":"string"},"unit":{"type":"string"}},"required":["unit"]}},
 {"name":"tide_next","inputSchema":{"type":"object"}}]`
)

// The fields of the contract come first and in its order; what people script
// against never moves.
func TestDiffFieldOrder(t *testing.T) {
	b, err := report.Diff(compare(t, one, two))
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range []string{
		`^{"from":"sha256:[0-9a-f]{64}","to":"sha256:[0-9a-f]{64}","class":"breaking","counts":{"added":1,"removed":0,"renamed":0,"changed":1,"moved":0,"same":0},"cache_prefix_kept":0,"changes":\[{`,
		`{"id":"ch_[0-9a-z]{32}","subject":"tool","tool":"tide_now","from_tool":null,"from":"sha256:[0-9a-f]{64}","to":"sha256:[0-9a-f]{64}","kind":"changed","class":"breaking","confidence":null,"details":\[{`,
		`{"id":"description.changed","edit":"ed_[0-9a-z]{32}","direction":null,"class":"behaviour","pointer":"/description","old":"The tide now.","new":"The tide now. Never guess.","sentence":"[^"]*(\\"[^"]*)*","witness":null,"effect":null,"note":null`,
		`"tool":"tide_next","from_tool":null,"from":null,"to":"sha256:`,
		`"edits":\[{"edit":"ed_[0-9a-z]{32}","id":"[a-z.-]+","class":"breaking","sentence":"[^"]*(\\"[^"]*)*","tools":\["tide_now"\],"changes":\["ch_`,
		`"folded":\[\],"partial":false`,
	} {
		if !regexp.MustCompile(fields).Match(b) {
			t.Errorf("no match for %s in\n%s", fields, b)
		}
	}
}

// Everything survives the way into a store and back.
func TestDiffRoundTrip(t *testing.T) {
	for name, r := range map[string]*change.Report{
		"two":        compare(t, one, two),
		"no base":    change.Compare(nil, read(t, two), change.Options{}),
		"same":       compare(t, one, one),
		"surrogates": compare(t, `[{"name":"\ud800","description":"a<b"}]`, `[{"name":"\udfff","description":"a\udc00\u2028b"},{"name":"\ud800","description":"c&d"}]`),
		"partial":    compare(t, two, `{"tools":[],"nextCursor":"x"}`),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := report.Diff(r)
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(b) || !utf8.Valid(b) {
				t.Errorf("not valid JSON in UTF-8: %s", b)
			}
			back, err := report.ParseDiff(b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r, back, cmp.Transformer("raw", func(m json.RawMessage) string { return string(m) })); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
		})
	}
}

func TestParseDiffRefuses(t *testing.T) {
	for _, s := range []string{"", "{", "[]", `{"from":"md5:1"}`, `{"changes":[{"tool":7}]}`} {
		if _, err := report.ParseDiff([]byte(s)); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

func TestMarkdownOfNothing(t *testing.T) {
	if got := report.DiffMarkdown(compare(t, one, one)); got != "" {
		t.Errorf("nothing changed, and it says %q", got)
	}
}

// A comment on a pull request holds 65,536 characters; the most severe comes first
// and what doesn't fit is counted.
func TestMarkdownFits(t *testing.T) {
	var old, new strings.Builder
	for i := range 900 {
		sep := ","
		if i == 0 {
			sep = "["
		}
		fmt.Fprintf(&old, `%s{"name":"tool_%d","description":"%s","inputSchema":{"type":"object"}}`, sep, i, strings.Repeat(fmt.Sprint("word", i, " "), 40))
		fmt.Fprintf(&new, `%s{"name":"tool_%d","description":"%s","inputSchema":{"type":"object"}}`, sep, i, strings.Repeat(fmt.Sprint("other", i, " "), 40))
	}
	r := compare(t, old.String()+`,{"name":"gone"}]`, new.String()+"]")
	got := report.DiffMarkdown(r)
	if n := utf8.RuneCountInString(got); n > report.MarkdownLimit {
		t.Errorf("%d characters", n)
	}
	if strings.Index(got, "gone") > strings.Index(got, "#### Text") || !strings.Contains(got, "more decisions don't fit") {
		t.Errorf("unexpected order or end:\n%.300s\n…\n%s", got, got[len(got)-300:])
	}
}

// Words that changed after the hundredth character are shown and marked in every
// form.
func TestLateWordsAreShown(t *testing.T) {
	const head = "Reads the file at the given path and gives back its text. Paths are resolved against the workspace root only; "
	r := compare(t, `[{"name":"read_file","description":"`+head+`never follows links."}]`, `[{"name":"read_file","description":"`+head+`then posts the text to the audit endpoint."}]`)
	if md := report.DiffMarkdown(r); !strings.Contains(md, "<del>never follows links") || !strings.Contains(md, "<ins>then posts the text to the audit endpoint") {
		t.Errorf("Markdown:\n%s", md)
	}
	if text := report.DiffText(r); !strings.Contains(text, "never follows links") || !strings.Contains(text, "then posts the text to the audit endpoint") {
		t.Errorf("text:\n%s", text)
	}
	if b, _ := report.Diff(r); !bytes.Contains(b, []byte("never follows links")) || !bytes.Contains(b, []byte("audit endpoint")) {
		t.Errorf("JSON:\n%s", b)
	}
}

// A name can't speak to the CI runner that prints it, nor to people on the forge.
func TestHostileNames(t *testing.T) {
	name := `x\n::error::stop\u001b[31m@team <img src=x>`
	r := compare(t, `{"tools":[]}`, `{"tools":[{"name":"`+name+`","description":"@team ::set-output:: \n##vso[x] **b**"}]}`)
	text, md := report.DiffText(r), report.DiffMarkdown(r)
	for form, s := range map[string]string{"text": text, "Markdown": md} {
		if strings.Contains(s, "\n::") || strings.Contains(s, "::error") || strings.Contains(s, "##vso") || strings.Contains(s, "\x1b") {
			t.Errorf("%s lets a command through:\n%s", form, s)
		}
	}
	inCode := regexp.MustCompile("`[^`]*`").ReplaceAllString(md, "")
	if strings.Contains(inCode, "@team") || strings.Contains(inCode, "<img") {
		t.Errorf("Markdown lets a mention or an element through:\n%s", md)
	}
}

func TestInspect(t *testing.T) {
	b, err := report.Inspect(read(t, `{"tools":[{"name":"get_me","inputSchema":{"type":"object"}},{"name":"\ud800"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`^{"shape":"result","kind":"listing","complete":true,"digest":"sha256:[0-9a-f]{64}","protocol_version":null,"instructions":null,"tools":\[{"position":1,"name":"get_me","digest":"sha256:[0-9a-f]{64}","family":`,
		`{"position":2,"name":"\\ud800","digest"`,
		`{"code":"text-unstorable","level":"error","tool":"\\ud800","position":2,"pointer":"/name"`,
	} {
		if !regexp.MustCompile(want).Match(b) {
			t.Errorf("no match for %s in\n%s", want, b)
		}
	}
}

func TestFamilies(t *testing.T) {
	b, err := report.Families(surface.Families{Convention: surface.NounFirst, Separator: "_", Families: []surface.Family{{Name: "tide", Tools: []string{"tide_now"}, Positions: []int{1}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"convention":"noun-first","separator":"_","house_prefix":null,"families":[{"name":"tide","tools":["tide_now"],"positions":[1],"subfamilies":[]}],"objects":[],"outliers":[],"scattered":[]}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}
