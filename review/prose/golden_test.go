package prose

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares the two texts of each archive in testdata/diff. A part named
// "old.q" or "new.q" is a Go string literal, for characters that an editor would
// not show.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			old, new := goldenText(t, archive, "old"), goldenText(t, archive, "new")
			want := setPart(archive, "want", goldenReport(old, new))
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, goldenReport(old, new)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// goldenText reads a part. The newline that ends it in the archive is not part of
// the text.
func goldenText(t *testing.T, a *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range a.Files {
		data := strings.TrimSuffix(string(f.Data), "\n")
		switch f.Name {
		case name:
			return data
		case name + ".q":
			s, err := strconv.Unquote(data)
			if err != nil {
				t.Fatalf("%s.q: %v", name, err)
			}
			return s
		}
	}
	t.Fatalf("no part %q", name)
	return ""
}

// setPart returns what a part holds and sets it to data.
func setPart(a *txtar.Archive, name, data string) string {
	for i, f := range a.Files {
		if f.Name == name {
			a.Files[i].Data = []byte(data)
			return string(f.Data)
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
	return ""
}

// goldenReport writes down everything that a reader of the comparison is told.
func goldenReport(old, new string) string {
	d := Compare(old, new)
	var b strings.Builder
	b.WriteString(marked(d.Unified) + "\n")
	if d.Sentence != "" {
		b.WriteString("SAYS " + d.Sentence + "\n")
	}
	fmt.Fprintf(&b, "NEW WORDS %d\n", NewWords(d))
	for _, delta := range ContractDelta(old, new) {
		b.WriteString("CONTRACT " + Show(delta.Message()).String() + "\n")
	}
	if len(d.Rows) > 1 {
		for _, row := range d.Rows {
			fmt.Fprintf(&b, "ROW %s | %s\n", cell(row.Old), cell(row.New))
		}
	}
	return b.String()
}

func cell(pieces []Piece) string {
	if pieces == nil {
		return "(none)"
	}
	return strings.ReplaceAll(marked(pieces), "\n", "⏎")
}

// marked writes pieces with marks: [-deleted-], {+inserted+}, <1<moved from here>,
// >1>moved to here<.
func marked(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		text := p.Text.String()
		switch p.Op {
		case Equal:
			b.WriteString(text)
		case Delete:
			b.WriteString("[-" + text + "-]")
		case Insert:
			b.WriteString("{+" + text + "+}")
		case MovedFrom:
			fmt.Fprintf(&b, "<%d<%s>", p.Move, text)
		case MovedTo:
			fmt.Fprintf(&b, ">%d>%s<", p.Move, text)
		}
	}
	return b.String()
}
