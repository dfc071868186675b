package report

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
)

// MarkdownLimit is the most characters that [DiffMarkdown] writes: a comment on a
// pull request holds 65,536.
const MarkdownLimit = 65_000

// DiffMarkdown writes a comparison as a comment for a pull request, most severe
// first. It is empty when nothing changed. What doesn't fit is counted at the end,
// never cut in the middle.
func DiffMarkdown(r *change.Report) string {
	if len(r.Changes) == 0 && !r.Partial && len(r.Notes) == 0 {
		return ""
	}
	m := markdownWriter{limit: MarkdownLimit - tailRoom, details: detailsByEdit(r)}
	m.block("### Tool surface: " + string(r.Class) + "\n\n" + Sentence(summary(r)) + "\n")
	for _, why := range warnings(r) {
		m.block("\n> " + Sentence(why) + "\n")
	}
	for _, class := range strongFirst {
		m.class(class, r)
	}
	m.offers(r.Offered)
	m.folded(r.Folded)
	return m.String()
}

// tailRoom is kept for the line that says what was left out.
const tailRoom = 300

var strongFirst = []change.Class{change.Breaking, change.Undecided, change.Behaviour, change.Text, change.Compatible}

var classTitles = map[change.Class]string{
	change.Breaking:   "Breaking",
	change.Undecided:  "Not proved either way",
	change.Behaviour:  "Behaviour",
	change.Text:       "Text",
	change.Compatible: "Compatible",
}

type markdownWriter struct {
	strings.Builder
	limit   int
	runes   int
	left    int // decisions that didn't fit
	details map[string]detail
}

// block writes a piece whole or not at all.
func (m *markdownWriter) block(s string) bool {
	n := len([]rune(s))
	if m.left > 0 || m.runes+n > m.limit {
		return false
	}
	m.runes += n
	m.WriteString(s)
	return true
}

func (m *markdownWriter) String() string {
	if m.left > 0 {
		fmt.Fprintf(&m.Builder, "\n_%d more decisions don't fit into a comment. `countersign diff` lists them all._\n", m.left)
	}
	return m.Builder.String()
}

func (m *markdownWriter) class(class change.Class, r *change.Report) {
	heading := fmt.Sprintf("\n#### %s\n\n", classTitles[class])
	for _, d := range r.Decisions {
		if d.Class != class {
			continue
		}
		if !m.block(heading + m.decision(d)) {
			m.left++
			continue
		}
		heading = ""
	}
}

// decision is a list item: the sentence, its tools, and what backs it up.
func (m *markdownWriter) decision(d change.Decision) string {
	var b strings.Builder
	parts := shares(d, m.details)
	b.WriteString("- " + Sentence(d.Sentence))
	switch {
	case len(parts) > 1:
		fmt.Fprintf(&b, " _%s_\n", classWords(d, parts))
		for _, p := range parts {
			fmt.Fprintf(&b, "  - %s%s\n", p.class, toolsMarkdown(p.tools, "    "))
		}
	case len(d.Tools) > 1 || !strings.Contains(d.Sentence, "`"+d.Tools[0]+"`"):
		b.WriteString(toolsMarkdown(d.Tools, "  ") + "\n")
	default:
		b.WriteString("\n")
	}
	for _, edit := range listed(d, m.details) {
		b.WriteString(m.edit(m.details[edit], d, parts))
	}
	return b.String()
}

// edit is one of a decision's edits with what backs it up.
func (m *markdownWriter) edit(d detail, decision change.Decision, parts []share) string {
	line, indent := "", "  "
	if ownLine(d, decision) {
		indent = "    "
		line = "  - " + otherClass(d, decision) + Sentence(d.Sentence)
		switch {
		case len(d.tools) == len(decision.Tools):
		case namedAbove(d.tools, parts):
			line += fmt.Sprintf(" (%d tools)", len(d.tools))
		default:
			line += toolsMarkdown(d.tools, indent)
		}
		line += "\n"
	}
	return line + evidenceMarkdown(d, len(decision.Tools) > 1, indent)
}

// namedTools bounds how many tools stand in the line itself; the others are
// folded under it.
const namedTools = 6

func toolsMarkdown(tools []string, indent string) string {
	names := each(tools, Code)
	switch {
	case len(names) <= namedTools:
		return " (" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("\n%[1]s<details><summary>%[2]d tools</summary>\n\n%[1]s%[3]s\n\n%[1]s</details>", indent, len(names), strings.Join(names, ", "))
}

func evidenceMarkdown(d detail, several bool, indent string) string {
	var b strings.Builder
	for _, line := range evidence(d, several) {
		b.WriteString("\n" + indent + Sentence(line.what))
		if line.value != "" {
			b.WriteString(" " + Code(line.value))
		}
		b.WriteString("\n")
	}
	if d.Lost != "" && d.Gained != "" {
		b.WriteString("\n" + indent + "> " + wordMarks(d.Lost, d.Gained) + "\n")
	}
	return b.String()
}

// wordMarks shows two passages as one, words that went struck out and words that
// came underlined.
func wordMarks(old, new string) string {
	var b strings.Builder
	for _, p := range prose.Compare(old, new).Unified {
		s := Markdown(p.Raw)
		before, after := edgeBlanks(p.Raw)
		switch {
		case s == "":
			b.WriteString(" ")
			continue
		case p.Op == prose.Equal:
		case p.Op.Old():
			s = "<del>" + s + "</del>"
		default:
			s = "<ins>" + s + "</ins>"
		}
		b.WriteString(before + s + after)
	}
	return b.String()
}

// edgeBlanks says whether a piece begins and ends with a blank, which Markdown
// escaping took off.
func edgeBlanks(s string) (before, after string) {
	if strings.TrimLeft(s, " \t\r\n") != s {
		before = " "
	}
	if strings.TrimRight(s, " \t\r\n") != s {
		after = " "
	}
	return before, after
}

func (m *markdownWriter) offers(offers []change.Offer) {
	if len(offers) == 0 {
		return
	}
	m.block("\n#### Perhaps the same tool\n\n")
	for _, o := range offers {
		if !m.block("- " + Sentence(o.Sentence) + "\n") {
			m.left++
		}
	}
}

func (m *markdownWriter) folded(folds []change.Fold) {
	if len(folds) == 0 {
		return
	}
	m.block("\n_No effect: " + Sentence(foldedLine(folds)) + "_\n")
}
