package schema_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/schema"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// block is one pair of testdata/edits.txt.
type block struct{ name, old, new string }

func blocks(t testing.TB) []block {
	t.Helper()
	b, err := os.ReadFile("testdata/edits.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	for _, line := range strings.Split(string(b), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "#":
			out = append(out, block{name: rest})
		case "old":
			out[len(out)-1].old = rest
		case "new":
			out[len(out)-1].new = rest
		}
	}
	return out
}

// report writes a result as the golden file shows it.
func report(r schema.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, declared %s: %s", r.Verdict, r.Declared, r.Reason)
	if r.Witness != nil {
		fmt.Fprintf(&b, " %s\n  rejected at %s", r.Witness, r.Rejected)
	}
	for _, e := range r.Edits {
		fmt.Fprintf(&b, "\n  %s %s: %s", e.ID, e.Pointer, e.Sentence)
		if !e.Annotation {
			fmt.Fprintf(&b, " [%s, declared %s]", e.Verdict, e.VerdictDeclared)
		}
		if e.Effect != nil {
			fmt.Fprintf(&b, " (%s)", *e.Effect)
		}
		if e.Note != nil {
			fmt.Fprintf(&b, "\n    note: %s", *e.Note)
		}
		if e.Witness != nil {
			fmt.Fprintf(&b, "\n    witness: %s", e.Witness)
		}
	}
	return b.String() + "\n"
}

// Every pair is judged in both directions; the file is read by people.
func TestEdits(t *testing.T) {
	var b strings.Builder
	for _, c := range blocks(t) {
		fmt.Fprintf(&b, "# %s\nold %s\nnew %s\n", c.name, c.old, c.new)
		for _, dir := range []schema.Direction{schema.Input, schema.Output} {
			r := schema.Compare([]byte(c.old), []byte(c.new), dir, schema.Options{})
			fmt.Fprintf(&b, "%s: %s", dir, report(r))
			checkResult(t, corpusPair{c.name, dir, []byte(c.old), []byte(c.new), ""}, r)
		}
		b.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile("testdata/edits.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("testdata/edits.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("testdata/edits.txt (-want +got), run with -update to accept:\n%s", diff)
	}
}
