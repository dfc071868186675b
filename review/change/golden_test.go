package change_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

var update = flag.Bool("update", false, "rewrite what the golden files want")

// read reads a listing; a bare array of tools is the shortest form.
func read(t testing.TB, s string) *surface.Listing {
	t.Helper()
	l, err := surface.Read([]byte(s), surface.Options{Complete: true})
	if err != nil {
		t.Fatalf("read listing: %v", err)
	}
	return l
}

// outline writes what a report says, one line a fact, without its ids.
func outline(r *change.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "class %s, bump %s, cache prefix %d\n", r.Class, r.Bump.Level, r.CachePrefixKept)
	fmt.Fprintf(&b, "counts %+v\n", r.Counts)
	if r.Partial {
		fmt.Fprintf(&b, "partial: %s\n", r.PartialWhy)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for i := range r.Changes {
		outlineChange(&b, &r.Changes[i])
	}
	for _, d := range r.Decisions {
		fmt.Fprintf(&b, "decide %s, %d edits, %d changes: %s\n", d.Class, len(d.Edits), len(d.Changes), d.Sentence)
	}
	for _, f := range r.Folded {
		fmt.Fprintf(&b, "folded %s on %d\n", f.ID, f.Tools)
	}
	for _, x := range r.Raised {
		fmt.Fprintf(&b, "raised %s %s: %s\n", x.Class, x.ID, x.Sentence)
	}
	for _, o := range r.Offered {
		fmt.Fprintf(&b, "offered %s %.2f: %s\n", o.Kind, o.Confidence, o.Sentence)
	}
	for _, m := range r.Moved {
		fmt.Fprintf(&b, "moved %q %d to %d\n", m.Tool, m.From, m.To)
	}
	return b.String()
}

func outlineChange(b *strings.Builder, c *change.Change) {
	fmt.Fprintf(b, "%s %s %q %s", c.Kind, c.Subject, c.Name(), c.Class)
	if c.FromTool != nil {
		fmt.Fprintf(b, " from %q at %.2f", *c.FromTool, *c.Confidence)
	}
	b.WriteString("\n")
	for _, d := range c.Details {
		fmt.Fprintf(b, "  %s %s %s%s\n", d.Class, d.ID, d.Direction, d.Pointer)
		fmt.Fprintf(b, "    %s\n", d.Sentence)
		if d.Witness != nil {
			fmt.Fprintf(b, "    witness %s\n", d.Witness)
		}
		if d.Effect != nil {
			fmt.Fprintf(b, "    effect %s\n", *d.Effect)
		}
		if d.Note != nil {
			fmt.Fprintf(b, "    note %s\n", *d.Note)
		}
		if d.Hidden {
			b.WriteString("    hidden\n")
		}
	}
}

// Each file holds old.json and new.json, perhaps aliases.json, and what the
// comparison says of them. The comment at its top says what to look for.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	for _, f := range ar.Files {
		part[f.Name] = string(f.Data)
	}
	var opt change.Options
	if a := part["aliases.json"]; a != "" {
		if err := json.Unmarshal([]byte(a), &opt.Aliases); err != nil {
			t.Fatal(err)
		}
	}
	got := outline(change.Compare(read(t, part["old.json"]), read(t, part["new.json"]), opt))
	if *update {
		rewrite(t, file, ar, got)
		return
	}
	if diff := cmp.Diff(part["want"], got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func rewrite(t *testing.T, file string, ar *txtar.Archive, want string) {
	t.Helper()
	files := ar.Files[:0]
	for _, f := range ar.Files {
		if f.Name != "want" {
			files = append(files, f)
		}
	}
	ar.Files = append(files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
