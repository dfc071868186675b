package report

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review/change"
)

// Changelog is what a release tells its users, made of the comparison with the
// release before and of what people wrote down while they reviewed it.
type Changelog struct {
	Title    string // version
	Base     string // version that it is compared with, "" for the first
	Released string // day, "" while it is not
	Report   *change.Report
	Remarks  []Remark
	Aliases  []AliasNote

	Overrides []string // sentences: who let it pass without approval
}

// Remark is a reason that somebody gave with an answer, and what they tried.
type Remark struct {
	Change   string // id of the change
	Edit     string // "" for the whole change
	By       string
	Note     string
	Evidence []string // one line each
}

// AliasNote is an old name that the server still answers to.
type AliasNote struct {
	Old, New string
	Until    string // day, "" for no end
}

// changelogLimit bounds a changelog in characters; a page still shows it.
const changelogLimit = 1 << 20

// Markdown writes the changelog: what changed, strongest first, each with what
// backs it up, the names that still answer, and the reasons given.
func (c Changelog) Markdown() string {
	w := c.writer()
	w.block("## " + Markdown(c.Title) + "\n\n" + c.lead() + "\n")
	for _, o := range c.Overrides {
		w.block("\n**Not approved:** " + Markdown(o) + "\n")
	}
	if len(c.Report.Changes) == 0 {
		w.block("\nNothing changed.\n")
		return w.String()
	}
	for _, class := range strongFirst {
		c.class(w, class)
	}
	w.folded(c.Report.Folded)
	return w.String()
}

// Migration writes what callers have to do, "" when nothing breaks and no old name has
// to answer for them.
func (c Changelog) Migration() string {
	old := c.stillAnswer()
	if c.Base == "" || len(old) == 0 && !slices.ContainsFunc(c.Report.Decisions, breaks) {
		return ""
	}
	w := c.writer()
	w.block("## Migrating from " + Markdown(c.Base) + " to " + Markdown(c.Title) + "\n")
	for _, d := range c.Report.Decisions {
		if breaks(d) {
			c.item(w, "\n", d)
		}
	}
	if len(old) > 0 {
		w.block("\n### Old names that still answer\n\nNothing fails yet: call them by their new names from now on.\n\n- " + strings.Join(old, "\n- ") + "\n")
	}
	return w.String()
}

func breaks(d change.Decision) bool { return d.Class.Rank() >= change.Undecided.Rank() }

func (c Changelog) writer() *markdownWriter {
	return &markdownWriter{limit: changelogLimit - tailRoom, details: detailsByEdit(c.Report)}
}

func (c Changelog) lead() string {
	var parts []string
	if c.Released != "" {
		parts = append(parts, "Released "+c.Released+".")
	} else {
		parts = append(parts, "Not released yet.")
	}
	if c.Base == "" {
		return strings.Join(append(parts, "The first release."), " ")
	}
	parts = append(parts, "Compared with "+Markdown(c.Base)+": "+Sentence(summary(c.Report)))
	return strings.Join(parts, " ")
}

func (c Changelog) class(w *markdownWriter, class change.Class) {
	heading := "\n### " + classTitles[class] + "\n\n"
	for _, d := range c.Report.Decisions {
		if d.Class == class && c.item(w, heading, d) {
			heading = ""
		}
	}
}

// item writes one decision with its names and reasons, whole or not at all.
func (c Changelog) item(w *markdownWriter, heading string, d change.Decision) bool {
	lines := append(c.names(d), c.reasons(d)...)
	ok := w.block(heading + w.decision(d) + strings.Join(lines, ""))
	if !ok {
		w.left++
	}
	return ok
}

// names say which old names of a decision still answer, and what does the work of those
// that don't.
func (c Changelog) names(d change.Decision) []string {
	var out []string
	for i := range c.Report.Changes {
		ch := &c.Report.Changes[i]
		if !slices.Contains(d.Changes, ch.ID) || ch.Subject != change.SubjectTool {
			continue
		}
		for _, a := range c.Aliases {
			if a.Old == oldName(ch) {
				out = append(out, "\n  "+a.sentence()+"\n")
			}
		}
		if s := c.instead(ch); s != "" {
			out = append(out, "\n  "+s+"\n")
		}
	}
	return out
}

// stillAnswer are the sentences of the old names that the step leaves behind and that
// an alias answers for.
func (c Changelog) stillAnswer() []string {
	gone := map[string]bool{}
	for i := range c.Report.Changes {
		ch := &c.Report.Changes[i]
		if ch.Subject == change.SubjectTool && (ch.Kind == change.Renamed || ch.Kind == change.Removed) {
			gone[oldName(ch)] = true
		}
	}
	var out []string
	for _, a := range c.Aliases {
		if gone[a.Old] {
			out = append(out, a.sentence())
		}
	}
	return out
}

// oldName is the name that callers of the base know.
func oldName(ch *change.Change) string {
	if ch.FromTool != nil {
		return *ch.FromTool
	}
	return ch.Name()
}

// instead says what to call in place of a tool whose work a person mapped to another.
func (c Changelog) instead(ch *change.Change) string {
	if ch.Kind != change.Removed {
		return ""
	}
	for _, m := range c.Report.Merged {
		for _, f := range m.From {
			if f.Tool != ch.Name() {
				continue
			}
			s := "Instead of " + Code(f.Tool) + " call " + Code(m.To)
			if f.Action != "" {
				s += " with " + Code(f.Action)
			}
			if len(f.Lost) > 0 {
				s += "; lost, it seems: " + strings.Join(each(f.Lost, Code), ", ")
			}
			return s + "."
		}
	}
	return ""
}

func (a AliasNote) sentence() string {
	s := Code(a.Old) + " still answers, with " + Code(a.New)
	if a.Until != "" {
		s += ", until " + a.Until
	}
	return s + "."
}

// reasons are what people wrote down about a decision, each once.
func (c Changelog) reasons(d change.Decision) []string {
	var out []string
	for _, r := range c.Remarks {
		if !slices.Contains(d.Changes, r.Change) || r.Edit != "" && !slices.Contains(d.Edits, r.Edit) {
			continue
		}
		var lines []string
		if note := strings.TrimSpace(r.Note); note != "" {
			lines = append(lines, "\n  Reason: "+Markdown(note)+" ("+Markdown(r.By)+")\n")
		}
		for _, e := range r.Evidence {
			lines = append(lines, "\n  Tried: "+Markdown(e)+" ("+Markdown(r.By)+")\n")
		}
		for _, line := range lines {
			if !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}
