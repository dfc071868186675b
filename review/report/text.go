package report

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/change"
)

// DiffText writes a comparison for people at a terminal and for logs.
func DiffText(r *change.Report) string {
	var b strings.Builder
	details := detailsByEdit(r)
	fmt.Fprintf(&b, "%s: %s\n", r.Class, Line(summary(r)))
	for _, why := range warnings(r) {
		fmt.Fprintf(&b, "  %s\n", Line(why))
	}
	for _, d := range r.Decisions {
		fmt.Fprintf(&b, "\n%s  %s\n", d.Class, Line(d.Sentence))
		fmt.Fprintf(&b, "  %s\n", strings.Join(each(d.Tools, Line), ", "))
		for _, edit := range d.Edits {
			textEdit(&b, details[edit], len(d.Edits) > 1, d.Sentence)
		}
	}
	for _, o := range r.Offered {
		fmt.Fprintf(&b, "\nperhaps  %s\n", Line(o.Sentence))
	}
	if len(r.Folded) > 0 {
		fmt.Fprintf(&b, "\nNo effect: %s\n", Line(foldedLine(r.Folded)))
	}
	return b.String()
}

func textEdit(b *strings.Builder, d change.Detail, several bool, said string) {
	if several && d.Sentence != said {
		fmt.Fprintf(b, "  - %s\n", Line(d.Sentence))
	}
	if len(d.Witness) > 0 && d.Direction == "output" {
		fmt.Fprintf(b, "    a result that could not come before: %s\n", Line(string(d.Witness)))
	} else if len(d.Witness) > 0 {
		fmt.Fprintf(b, "    worked and now fails: %s\n", Line(string(d.Witness)))
	}
	if d.Effect != nil {
		fmt.Fprintf(b, "    effect: %s\n", Line(*d.Effect))
	}
	if d.Note != nil {
		fmt.Fprintf(b, "    %s\n", Line(*d.Note))
	}
	if d.Lost != "" && d.Gained != "" {
		fmt.Fprintf(b, "    - %s\n    + %s\n", Line(d.Lost), Line(d.Gained))
	}
}

func detailsByEdit(r *change.Report) map[string]change.Detail {
	m := map[string]change.Detail{}
	for _, c := range r.Changes {
		for _, d := range c.Details {
			if _, ok := m[d.Edit]; !ok {
				m[d.Edit] = d
			}
		}
	}
	return m
}

// summary counts what happened to tools, and says which step of the version
// number that is.
func summary(r *change.Report) string {
	n := r.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{n.Added, "added"}, {n.Removed, "removed"}, {n.Renamed, "renamed"}, {n.Changed, "changed"}, {n.Moved, "moved"}, {n.Same, "the same"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no tools"}
	}
	s := "Tools: " + strings.Join(parts, ", ") + "."
	if r.Bump.Reason != "" {
		s += " " + r.Bump.Reason
	}
	return s
}

// warnings are what a reader must know before the changes.
func warnings(r *change.Report) []string {
	var all []string
	if r.Partial {
		all = append(all, r.PartialWhy)
	}
	all = append(all, r.Notes...)
	for _, b := range r.Raised {
		all = append(all, b.Sentence)
	}
	return all
}

var foldSentences = map[string]string{
	"annotation.default-made-explicit": "spell out a hint at its default",
	"annotation.default-made-implicit": "no longer spell out a hint at its default",
	"execution.default-made-explicit":  "spell out execution settings at their default",
	"execution.default-made-implicit":  "no longer spell out execution settings at their default",
}

func foldedLine(folds []change.Fold) string {
	parts := each(folds, func(f change.Fold) string {
		tools := fmt.Sprintf("%d tools", f.Tools)
		if f.Tools == 1 {
			tools = "1 tool"
		}
		if s, ok := foldSentences[f.ID]; ok {
			return tools + " " + s
		}
		return f.ID + " on " + tools
	})
	return strings.Join(parts, "; ") + "."
}
