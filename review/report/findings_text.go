package report

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/lint"
)

// FindingsText writes findings for people at a terminal and for logs, in their order.
func FindingsText(found []lint.Finding) string {
	var b strings.Builder
	section := ""
	for _, f := range found {
		if head := heading(found, f); head != section {
			section = head
			fmt.Fprintf(&b, "%s\n", head)
		}
		fmt.Fprintf(&b, "%-8s %s%s\n  %s\n", f.Severity, f.Rule, findingPlace(f), Line(f.Message))
		if w := f.Waiver; w != nil {
			fmt.Fprintf(&b, "  %s\n", ShortLine(waiverLine(w)))
			continue
		}
		fmt.Fprintf(&b, "  Fix: %s\n", Line(f.Fix))
	}
	fmt.Fprintf(&b, "%s\n", countsLine(found))
	return b.String()
}

// heading tells what is new from what was there before, and what was accepted.
func heading(all []lint.Finding, f lint.Finding) string {
	switch {
	case f.Waiver != nil && f.Waiver.Kind == lint.CouldNotTell:
		return "Nobody could check:"
	case f.Waiver != nil:
		return "Accepted as a risk:"
	case f.New:
		return "New:"
	case len(all) > 0 && all[0].New:
		return "Before:"
	}
	return ""
}

func findingPlace(f lint.Finding) string {
	where := ""
	if f.Tool != "" {
		where += "  " + ShortLine(f.Tool)
	} else if f.Position > 0 {
		where += fmt.Sprintf("  tool %d", f.Position)
	}
	if f.Pointer != "" {
		where += " " + ShortLine(f.Pointer)
	}
	return where
}

func waiverLine(w *lint.Waiver) string {
	s := "Accepted as a risk"
	if w.Kind == lint.CouldNotTell {
		s = "Accepted, since nobody could check it"
	}
	if w.By != "" {
		s += " by " + w.By
	}
	if w.Expires != "" {
		s += " until " + w.Expires
	}
	return s + ": " + w.Reason
}

// countsLine counts what nobody accepted.
func countsLine(found []lint.Finding) string {
	c := lint.Count(found)
	waived := waivedParts(found)
	if c == (lint.Counts{}) {
		return strings.Join(append([]string{"No findings"}, waived...), "; ") + "."
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word lint.Severity
	}{{c.Critical, lint.Critical}, {c.High, lint.High}, {c.Warn, lint.Warn}, {c.Info, lint.Info}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return "Findings: " + strings.Join(append(parts, waived...), ", ") + "."
}

// waivedParts tell risks that somebody took from what nobody could check.
func waivedParts(found []lint.Finding) []string {
	risks, unchecked := countWaived(found)
	var parts []string
	if risks > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted as a risk", risks))
	}
	if unchecked > 0 {
		parts = append(parts, fmt.Sprintf("%d that nobody could check", unchecked))
	}
	return parts
}

func countWaived(found []lint.Finding) (risks, unchecked int) {
	for i := range found {
		switch w := found[i].Waiver; {
		case w == nil:
		case w.Kind == lint.CouldNotTell:
			unchecked++
		default:
			risks++
		}
	}
	return risks, unchecked
}

// IdleWaiversText says which waivers cover nothing, and why; "" when all of them do.
func IdleWaiversText(idle []lint.IdleWaiver) string {
	if len(idle) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Waivers that cover nothing:\n")
	for i := range idle {
		fmt.Fprintf(&b, "%s\n  %s\n", ShortLine(waiverPlace(&idle[i].Waiver)), ShortLine(idleLine(&idle[i])))
	}
	return b.String()
}

// IdleWaiversMarkdown says the same in a comment.
func IdleWaiversMarkdown(idle []lint.IdleWaiver) string {
	if len(idle) == 0 {
		return ""
	}
	m := markdownWriter{limit: idleRoom - tailRoom}
	m.block("\n#### Waivers that cover nothing\n\n")
	for i := range idle {
		line := fmt.Sprintf("- %s: %s\n", Code(cut(waiverPlace(&idle[i].Waiver), longestInComment)), Markdown(cut(idleLine(&idle[i]), longestInComment)))
		if i == mostIdle || !m.block(line) {
			return m.String() + fmt.Sprintf("\n_%d more. `countersign lint` lists them all._\n", len(idle)-i)
		}
	}
	return m.String()
}

// What a comment holds of idle waivers: how many, their part of it in bytes, and
// characters of each name and reason.
const (
	mostIdle         = 20
	idleRoom         = 8 << 10
	longestInComment = 200
)

func idleLine(w *lint.IdleWaiver) string {
	s := "This waiver " + w.Why.Sentence() + "."
	if w.Expires != "" {
		s += " Its last day: " + w.Expires + "."
	}
	return s + " Its reason: " + w.Reason
}

// waiverPlace names a waiver by what it says of its place, or else by its fingerprint.
func waiverPlace(w *lint.Waiver) string {
	if w.Rule == "" && w.Tool == "" {
		return w.Fingerprint
	}
	return strings.Join(strings.Fields(w.Rule+" "+w.Tool+" "+w.Pointer), " ")
}

// FindingsMarkdown writes findings as a comment for a pull request: warnings and graver
// ones in full, notes counted, what doesn't fit counted at the end. It is empty when
// there are none.
func FindingsMarkdown(found []lint.Finding) string {
	if len(found) == 0 {
		return ""
	}
	m := markdownWriter{limit: MarkdownLimit - tailRoom - idleRoom}
	m.block("### " + Markdown(countsLine(found)) + "\n")
	section, left := "", 0
	for _, f := range found {
		if f.Severity == lint.Info && f.Waiver == nil && !f.New {
			continue
		}
		head := ""
		if h := heading(found, f); h != section {
			section, head = h, "\n#### "+strings.TrimSuffix(h, ":")+"\n"
		}
		if !m.block(head + findingMarkdown(f)) {
			left++
		}
	}
	out := m.String()
	if left > 0 {
		out += fmt.Sprintf("\n_%d more findings don't fit into a comment. `countersign lint` lists them all._\n", left)
	}
	return out
}

func findingMarkdown(f lint.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n- **%s** %s", f.Severity, Code(f.Rule))
	if f.Tool != "" {
		b.WriteString(" in " + Code(cut(f.Tool, longestInComment)))
	}
	if f.Pointer != "" {
		b.WriteString(" at " + Code(cut(f.Pointer, longestInComment)))
	}
	b.WriteString("\n  " + Markdown(f.Message) + "\n")
	if f.Waiver != nil {
		b.WriteString("  " + Markdown(cut(waiverLine(f.Waiver), longestName)) + "\n")
	} else {
		b.WriteString("  _Fix:_ " + Markdown(f.Fix) + "\n")
	}
	return b.String()
}

// RulesText lists rules for people, one a line.
func RulesText(rules []lint.Rule) string {
	var b strings.Builder
	for _, r := range rules {
		off := ""
		if r.Off {
			off = " (off)"
		}
		fmt.Fprintf(&b, "%-8s %-34s %s%s\n", r.Severity, r.ID, r.Title, off)
	}
	return b.String()
}

// RuleText says all about one rule.
func RuleText(r lint.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\nSeverity %s at most, looks at: %s, %s.\n\n%s\nFix: %s\nSource: %s\n", r.ID, r.Title, r.Severity, r.Scope, onOff(r), r.Why, r.Fix, r.Source)
	for _, group := range []struct {
		head  string
		lines []string
	}{{"Fires on:", r.Fires}, {"Silent on:", r.Silent}} {
		fmt.Fprintf(&b, "\n%s\n", group.head)
		for _, l := range group.lines {
			fmt.Fprintf(&b, "  %s\n", Line(l))
		}
	}
	return b.String()
}

func onOff(r lint.Rule) string {
	if r.Off {
		return "off unless a policy turns it on"
	}
	return "on"
}

// RulesMarkdown is the page of the documentation that lists the catalogue.
func RulesMarkdown(rules []lint.Rule) string {
	var b strings.Builder
	b.WriteString(rulesIntro)
	fmt.Fprintf(&b, "Version %s of the rule set: %d rules.\n", lint.Version, len(rules))
	family := ""
	for _, r := range rules {
		if f, _, _ := strings.Cut(r.ID, "."); f != family {
			family = f
			fmt.Fprintf(&b, "\n## %s\n", familyTitles[f])
		}
		fmt.Fprintf(&b, "\n### %s\n\n**%s.** %s\n\n*Severity* %s at most · *looks at* %s · %s\n\n*Fix:* %s\n\n*From:* %s\n\nFires on\n\n%s\nSilent on\n\n%s",
			r.ID, r.Title, r.Why, r.Severity, r.Scope, onOff(r), r.Fix, r.Source, examples(r.Fires), examples(r.Silent))
	}
	return b.String()
}

const rulesIntro = `# Rules

<!-- Written by go test ./review/report -run TestRulesPage -update: edit review/lint/catalogue.txt instead. -->

Every rule with why it matters, how to fix what it finds, and examples, which are its tests. [lint.md](lint.md) says
how findings are made, judged and lived with. A rule is switched off, or given another severity, in ` + "`.countersign.yaml`" + `.

`

// familyTitles name the first parts of the rules' ids.
var familyTitles = map[string]string{
	"unicode": "Characters", "poison": "Instructions that are none of a tool's business", "shadow": "Other servers", "secret": "Credentials",
	"flow": "Flows", "desc": "Descriptions", "param": "Parameters", "schema": "Schemas", "tool": "Tools", "annot": "Hints", "surface": "The listing as a whole", "diff": "Changes", "host": "Hosts",
}

func examples(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "    %s\n", l)
	}
	b.WriteString("\n")
	return b.String()
}
