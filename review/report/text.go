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
		parts := shares(d, details)
		fmt.Fprintf(&b, "\n%s  %s\n", classWords(d, parts), Line(d.Sentence))
		for _, p := range parts {
			fmt.Fprintf(&b, "  %s%s\n", p.label(": ", len(parts) > 1), strings.Join(each(p.tools, Line), ", "))
		}
		for _, edit := range listed(d, details) {
			textEdit(&b, details[edit], d, parts)
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

// listed are the edits of a decision that say more than its sentence and its
// tools. That tools came or went is all said.
func listed(d change.Decision, details map[string]detail) []string {
	var more []string
	for _, e := range d.Edits {
		if id := details[e].ID; len(d.Edits) == 1 || id != "tool.added" && id != "tool.removed" {
			more = append(more, e)
		}
	}
	return more
}

func textEdit(b *strings.Builder, d detail, decision change.Decision, parts []share) {
	if ownLine(d, decision) {
		fmt.Fprintf(b, "  - %s%s", otherClass(d, decision), Line(d.Sentence))
		switch {
		case len(d.tools) == len(decision.Tools):
		case namedAbove(d.tools, parts):
			fmt.Fprintf(b, " (%d tools)", len(d.tools))
		default:
			fmt.Fprintf(b, " (%s)", Line(strings.Join(d.tools, ", ")))
		}
		b.WriteByte('\n')
	}
	for _, line := range evidence(d, len(decision.Tools) > 1) {
		fmt.Fprintf(b, "    %s\n", Line(line.what+line.value))
	}
	if d.Lost != "" && d.Gained != "" {
		fmt.Fprintf(b, "    - %s\n    + %s\n", Line(d.Lost), Line(d.Gained))
	}
}

// detail is the first detail of an edit, the tool that has it, and all that do.
type detail struct {
	change.Detail
	tool  string
	tools []string
}

func detailsByEdit(r *change.Report) map[string]detail {
	m := map[string]detail{}
	for i := range r.Changes {
		c := &r.Changes[i]
		for _, d := range c.Details {
			if _, ok := m[d.Edit]; !ok {
				m[d.Edit] = detail{Detail: d, tool: c.Name()}
			}
		}
	}
	for _, e := range r.Edits {
		d := m[e.Edit]
		d.tools = e.Tools
		m[e.Edit] = d
	}
	return m
}

// proof is a line that backs a sentence up; value is somebody else's JSON.
type proof struct{ what, value string }

// evidence lists what backs an edit up. What is shown holds for one tool, which is
// named where there are several.
func evidence(d detail, several bool) []proof {
	var lines []proof
	of := ""
	if several {
		of = " of `" + d.tool + "`"
	}
	switch {
	case len(d.Witness) > 0 && d.Direction == "output":
		lines = append(lines, proof{"A result" + of + " that could not come before: ", string(d.Witness)})
	case len(d.Witness) > 0:
		lines = append(lines, proof{"This call" + of + " worked and now fails: ", string(d.Witness)})
	}
	if d.Effect != nil {
		lines = append(lines, proof{"Effect: " + *d.Effect + ".", ""})
	}
	if d.Note != nil && d.Class.Rank() >= change.Behaviour.Rank() {
		lines = append(lines, proof{*d.Note, ""})
	}
	return lines
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
	"null.made-explicit":               "spell out null for a field that was absent",
	"null.made-implicit":               "no longer spell out null for a field that is absent",
	"range.narrowed":                   "spell out bounds that numbers in use keep anyway",
	"range.widened":                    "no longer spell out bounds that numbers in use keep anyway",
}

func foldedLine(folds []change.Fold) string {
	parts := each(folds, func(f change.Fold) string {
		tools := fmt.Sprintf("%d tools", f.Tools)
		s, ok := foldSentences[f.ID]
		if f.Tools == 1 {
			tools, s = "1 tool", strings.Replace(s, "spell out", "spells out", 1)
		}
		if ok {
			return tools + " " + s
		}
		return f.ID + " on " + tools
	})
	return strings.Join(parts, "; ") + "."
}
