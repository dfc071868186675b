package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
)

// lineEnds are drawn in a name as pages draw them: as a blank, two names would look
// alike.
var lineEnds = strings.NewReplacer("\n", "[U+000A]", "\r", "[U+000D]", "\t", "[U+0009]")

// show makes a name of a listing safe to print in one line.
func show(name string) string { return lineEnds.Replace(prose.Show(name).String()) }

// label is how a subject is named in evidence.
func label(s *Subject) string {
	if s.Subject != change.SubjectTool {
		return string(s.Subject)
	}
	if s.Name == "" {
		return fmt.Sprintf("tool %d", s.Position)
	}
	return show(s.Name)
}

func requirementID(s *Subject) string {
	switch {
	case s.Subject != change.SubjectTool:
		return string(s.Subject)
	case s.removal():
		return "removal:" + label(s)
	}
	return "approval:" + label(s)
}

// blank reports whether a reason says nothing that can be seen.
func blank(s string) bool { return prose.Blank(s) }

// sentence ends a text with a full stop, so that another can follow.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?:") {
		return s
	}
	return s + "."
}

// and joins names: "Ana", "Ana and Ben", "Ana, Ben and 3 others".
func and(names []string) string { return join(names, "and") }

func join(names []string, word string) string {
	switch n := len(names); n {
	case 0:
		return "nobody"
	case 1:
		return names[0]
	case 2:
		return names[0] + " " + word + " " + names[1]
	case 3:
		return names[0] + ", " + names[1] + " " + word + " " + names[2]
	default:
		return fmt.Sprintf("%s, %s %s %d others", names[0], names[1], word, n-2)
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func rejectedWhy(v *Verdict) string {
	why := fmt.Sprintf("Rejected by %s.", v.Label)
	if !blank(v.Note) {
		why = fmt.Sprintf("Rejected by %s: %s", v.Label, sentence(v.Note))
	}
	return why + " Push a new text, or have the rejection taken back."
}

// endedWhy says what ended the approval of a subject's removal.
func endedWhy(s *Subject, e *Ending) string {
	switch e.How {
	case EndedByRelease:
		return fmt.Sprintf("it ended when %s was released without %s, which used it up", show(e.Title), label(s))
	case EndedByReturn:
		return fmt.Sprintf("it ended when %s was released with %s in it", show(e.Title), label(s))
	case EndedByPush:
		return fmt.Sprintf("it ended when push %d of %s had %s again", e.Revision, show(e.Title), label(s))
	}
	return fmt.Sprintf("it ended when a release used it up, or when %s was back", label(s))
}

func ruleWhy(s *Subject, p Policy) string {
	if s.Class == change.None {
		return "Accepted by rule: nothing that a model reads or a caller sends differs."
	}
	return fmt.Sprintf("Accepted by rule: the policy %q lets changes of class %s pass.", p.Preset, s.Class)
}

// openWhy says what is asked for and how much of it is there.
func openWhy(p Policy, s *Subject, line Line, n int, lack string) string {
	what := ""
	switch {
	case s.removal():
		what = "It is gone and callers lose it. "
	case lack != "":
		what = lack
	case s.Hidden:
		what = "Hidden characters came in. "
	case s.Findings.High():
		what = foundWhy(p, s) + " "
	case s.Kind == change.Added:
		what = "It is new. "
	case s.Kind == change.Renamed:
		what = "It was renamed and old calls fail. "
	case breaks(s.Class):
		what = "Old calls can fail. "
	case s.Class == change.Undecided:
		what = "We can't prove that old calls still work. "
	}
	switch {
	case line.Approvals == 1:
		what += "Needs an approval"
	case n == 0:
		what += fmt.Sprintf("Needs %d approvals", line.Approvals)
	default:
		what += fmt.Sprintf("%d of %d approvals", n, line.Approvals)
	}
	if line.Reason {
		what += " with a reason"
	}
	return what + "."
}

func foundWhy(p Policy, s *Subject) string {
	return fmt.Sprintf("New finding: %s, %s.", s.Findings.NewRule, p.byPolicy(s.Findings.NewRule, s.Findings.New))
}

func blockWhy(p Policy, s *Subject) string {
	if !s.Hidden && s.Findings.High() {
		return foundWhy(p, s) + " This policy lets nobody approve that: ask for another text, or accept the finding with a reason."
	}
	return "Hidden characters came in, and this policy lets nobody approve them. Ask for a listing without them."
}

func problemPlace(p Problem) string {
	switch {
	case p.Position == 0:
		return "The listing has an error."
	case p.Tool == "":
		return fmt.Sprintf("Tool %d has an error.", p.Position)
	}
	return fmt.Sprintf("%s (tool %d) has an error.", show(p.Tool), p.Position)
}

// tally counts subjects by what satisfied them, and requirements that are open.
type tally struct {
	settled                                [grounds]int
	decisions, rejected, problems, threads int
	withdrawn, superseded, outdated        int
	findings, limits, alarms               int
	nobody                                 int      // open decisions that nobody can take
	who                                    []takers // of the open decisions that somebody can take
	open                                   []string // ids of the changes that wait for a decision
}

// takers are people who can take the same open decisions, by change id.
type takers struct {
	who  []string
	open []string
}

// answers counts the decisions that a reviewer takes on open changes: one for those
// that one answer can cover, however many they are.
func answers(open []string, matters [][]string) int {
	waits, covered := map[string]bool{}, map[string]bool{}
	for _, id := range open {
		waits[id] = true
	}
	n := 0
	for _, changes := range matters {
		is := false
		for _, id := range changes {
			if waits[id] {
				is, covered[id] = true, true
			}
		}
		if is {
			n++
		}
	}
	for _, id := range open {
		if !covered[id] {
			n++
		}
	}
	return n
}

// block counts a decision that the policy lets nobody take: who can lift the block does
// it otherwise.
func (t *tally) block(id string, who []string) {
	t.decisions++
	if len(who) == 0 {
		t.nobody++
	}
	t.open = append(t.open, id)
	t.can(who, id)
}

// can keeps who can take the decision on a change: not the same people for each,
// where owners are asked for or somebody answered already.
func (t *tally) can(who []string, id string) {
	if len(who) == 0 {
		return
	}
	i := slices.IndexFunc(t.who, func(g takers) bool { return slices.Equal(g.who, who) })
	if i < 0 {
		i, t.who = len(t.who), append(t.who, takers{who: who})
	}
	t.who[i].open = append(t.who[i].open, id)
}

// maxTakers bounds how many groups of people the summary names; each requirement
// names its own.
const maxTakers = 3

// takersWhy says who can take the open decisions, who can take most of them first.
func (t *tally) takersWhy(decisions int, matters [][]string) string {
	if len(t.who) == 1 && len(t.who[0].open) == len(t.open) {
		return fmt.Sprintf(" %s can take %s.", join(t.who[0].who, "or"), them(decisions))
	}
	slices.SortStableFunc(t.who, func(a, b takers) int { return len(b.open) - len(a.open) })
	why := ""
	for i, g := range t.who {
		if i == maxTakers {
			return why + " Each of the others names below who can take it."
		}
		why += fmt.Sprintf(" %s can take %d of them.", join(g.who, "or"), answers(g.open, matters))
	}
	return why
}

func (t *tally) blockedWhy(matters [][]string) string {
	decisions := answers(t.open, matters)
	var parts []string
	part := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	part(decisions, "decision open", "decisions open")
	part(t.rejected, "rejection", "rejections")
	part(t.problems, "tool with errors", "tools with errors")
	part(t.threads, "thread to resolve", "threads to resolve")
	part(t.alarms, "alarm to look into", "alarms to look into")
	part(t.findings, "finding to answer", "findings to answer")
	part(t.limits, "limit not kept", "limits not kept")
	part(t.withdrawn, "withdrawn release", "withdrawn releases")
	part(t.superseded, "superseded version", "superseded versions")
	part(t.outdated, "older push of its version", "older pushes of their versions")
	why := "Blocked: " + strings.Join(parts, ", ") + "."
	why += t.takersWhy(decisions, matters)
	switch {
	case t.nobody > 0 && t.nobody == t.decisions:
		why += " Nobody who may decide is left: see why below."
	case t.nobody > 0:
		why += fmt.Sprintf(" Of %s nobody is left who may decide: see why below.", plural(t.nobody, "change", "changes"))
	}
	return why
}

// setAside tells of requirements that an override covers while others are open.
func setAside(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" An override covers %d of them.", n)
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// passWhy says on what the pass stands.
func (t *tally) passWhy(base, released, baselineBy string) string {
	if released != "" {
		return fmt.Sprintf("Safe to publish. Released as %s.", released)
	}
	var parts []string
	part := func(n int, how string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, how))
		}
	}
	part(t.settled[byPeople], "approved by people")
	part(t.settled[byRule], "accepted by rule")
	part(t.settled[byBaseline], "accepted as starting point by "+baselineBy)
	part(t.settled[byEarlier], "as in an earlier release")
	part(t.settled[byBase], "as in "+base)
	if len(parts) == 0 {
		if base == "" {
			return "Safe to publish. An empty listing."
		}
		return "Safe to publish. An empty listing, as before."
	}
	return "Safe to publish. " + strings.Join(parts, ", ") + "."
}
