package gate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// Evaluate answers from the facts, in time linear in them.
func Evaluate(f Facts) Outcome {
	e := evaluation{
		facts:       &f,
		stands:      NewStanding(f.Verdicts),
		people:      map[string]*Person{},
		authors:     map[string]bool{},
		ids:         map[string]int{},
		turn:        map[string]bool{},
		since:       map[string]time.Time{},
		independent: true,
	}
	for i := range f.People {
		e.people[f.People[i].ID] = &f.People[i]
	}
	for _, id := range f.Authors {
		e.authors[id] = true
	}
	undecided := e.listing()
	if f.Listing.Known {
		for i := range f.Subjects {
			e.subject(&f.Subjects[i])
		}
		e.problems()
		e.threads()
		e.alarms()
		e.findings()
		e.severity()
		e.limits()
		e.withdrawn()
		e.overtaken()
	}
	if undecided == "" {
		e.override()
	}
	return e.outcome(undecided)
}

// evaluation is one run of [Evaluate].
type evaluation struct {
	facts   *Facts
	stands  Standing
	people  map[string]*Person
	authors map[string]bool
	ids     map[string]int // how often a requirement's id was used

	requirements []Requirement
	approvals    []Approval
	tally        tally
	independent  bool
	everyone     [2][]*Person    // who can decide: others only, with authors
	turn         map[string]bool // who can take an open decision

	since     map[string]time.Time // when a rejection made a requirement, by its id
	overrides []Override           // those that cover something
	rules     []ownerSet           // of the policy, once they are asked for
	barred    []string
}

// add appends a requirement, with an id of its own and never a null list.
func (e *evaluation) add(r Requirement) {
	e.ids[r.ID]++
	if n := e.ids[r.ID]; n > 1 {
		r.ID = fmt.Sprintf("%s (%d)", r.ID, n)
	}
	if r.WhoCan == nil {
		r.WhoCan = []string{}
	}
	if r.URL == "" {
		r.URL = e.facts.URL
	}
	e.requirements = append(e.requirements, r)
}

// listing says why the listing as a whole can't be judged, "" when it can.
func (e *evaluation) listing() string {
	l := e.facts.Listing
	id, why := "", ""
	switch {
	case !l.Known && e.facts.Version != "":
		id, why = "known", fmt.Sprintf("This was not pushed to this server and profile as version %s. Push it, then ask again.", show(e.facts.Version))
	case !l.Known:
		id, why = "known", "No listing with this digest was pushed to this server and profile. Push it, then ask again."
	case l.Kind != surface.KindListing:
		id, why = "listing", fmt.Sprintf("This is a %s and not what a server answered to tools/list. Push the server's own listing.", l.Kind)
	case l.Emptied:
		id, why = "complete", "This listing is empty and the one before was not: servers list nothing when a setting is missing. If it is meant, push it again with complete=true."
	case !l.Complete:
		id, why = "complete", "A part of this listing never arrived. Push the whole listing."
	case !l.Analysed:
		id, why = "analysis", "The comparison with the gate base is not there yet. Ask again in a moment."
	default:
		return ""
	}
	e.add(Requirement{ID: id, State: Open, Why: why})
	return why
}

// subject adds what one subject needs, and the evidence when it has it.
func (e *evaluation) subject(s *Subject) {
	switch v := e.stands.rejection(s); {
	case s.Subject == change.SubjectOrder && !e.facts.Policy.AsksOrder():
		e.requirement(s, NotApplicable, "The order of the tools changed. This policy does not ask for an approval of it.", nil)
	case v != nil:
		e.tally.rejected++
		e.requirement(s, Open, rejectedWhy(v), e.takersBack(v))
		e.since[e.requirements[len(e.requirements)-1].ID] = e.stands.rejectedLast(s)
	case e.facts.ReleasedAs != "":
		e.settle(s, ground{by: "release " + e.facts.ReleasedAs, kind: byBase, at: e.facts.BaseAt, own: s.Alone})
	case s.Kind == "":
		e.settle(s, ground{by: "release " + e.facts.Base, kind: byBase, at: e.facts.BaseAt, own: s.Alone})
	default:
		e.decide(s)
	}
}

func (e *evaluation) requirement(s *Subject, state State, why string, who []string) {
	e.add(Requirement{ID: requirementID(s), State: state, Why: why, WhoCan: who, URL: s.URL, Change: s.Change, Class: s.Class})
}

// settle records what stands without an answer of a person to this change.
func (e *evaluation) settle(s *Subject, g ground) {
	e.tally.settled[g.kind]++
	e.independent = e.independent && !g.own
	e.approve(s, Approval{By: g.by, At: g.at, Independent: !g.own})
	if g.why != "" {
		e.requirement(s, Satisfied, g.why, nil)
	}
}

func (e *evaluation) approve(s *Subject, a Approval) {
	a.Tool, a.Digest = label(s), s.To
	if s.removal() {
		a.Digest, a.Kind = s.From, change.Removed
	}
	e.approvals = append(e.approvals, a)
}

// decide asks for content and, where the step breaks callers or takes something
// away, for an approval of exactly that step.
func (e *evaluation) decide(s *Subject) {
	line := e.facts.Policy.Line(Ask{Class: s.Class, Removal: s.removal(), Hidden: s.Hidden, High: s.Findings.High(), Default: s.Default})
	rules := e.rulesFor(s, line)
	exact := s.removal() || s.transition()
	g, settled := e.ground(s, line)
	if settled && !exact {
		e.settle(s, g)
		return
	}
	if line.Block {
		who := e.confirmers(s.waitsFor())
		e.tally.block(s.Change, who)
		e.barred = append(e.barred, label(s))
		e.requirement(s, Open, blockWhy(e.facts.Policy, s)+e.waits(s.waitsFor()), who)
		return
	}
	said := e.stands.content[contentKey(s)]
	content := e.count(s, said, line, rules, line.Reason && !exact)
	counted := content
	if exact {
		said = e.stands.step[stepKey(s)]
		counted = e.count(s, said, line, rules, line.Reason)
	}
	enough := e.enough(content, line, rules)
	if e.enough(counted, line, rules) && (s.removal() || settled || enough) {
		e.independent = e.independent && (enough || !g.own)
		e.approved(s, counted)
		return
	}
	lack, reason := "", line.Reason
	switch {
	case settled || exact && enough:
		lack = stepLacks
	case exact && e.enough(counted, line, rules):
		said, counted, lack, reason = e.stands.content[contentKey(s)], content, bytesLack, false
	}
	e.open(s, line, rules, counted, lack, e.uncounted(s, said, line, reason, counted))
}

// approved records the answers that satisfied a subject.
func (e *evaluation) approved(s *Subject, counted []*Verdict) {
	e.tally.settled[byPeople]++
	var names []string
	for _, v := range counted {
		names = append(names, v.Label)
		own := e.own(v)
		e.independent = e.independent && !own
		e.approve(s, Approval{By: v.Label, At: v.At, Note: v.Note, Independent: !own, Evidence: v.Evidence})
	}
	e.requirement(s, Satisfied, "Approved by "+and(names)+".", nil)
}

// What is missing of a change, when a part of it is there.
const (
	stepLacks = "These bytes are approved, but the step from the base breaks callers and needs its own approval. "
	bytesLack = "This step is approved, but approvals of the bytes that it leads to were taken back elsewhere. "
)

// open asks for what is missing and names who can give it. lack says what of it is there
// already, uncounted why an approval that is there does not do.
func (e *evaluation) open(s *Subject, line Line, rules []ownerSet, counted []*Verdict, lack, uncounted string) {
	who, unmet := e.owners(line, rules, counted)
	why := openWhy(e.facts.Policy, s, line, len(counted), lack) + uncounted + unmet
	e.tally.decisions++
	e.tally.open = append(e.tally.open, s.Change)
	if len(who) == 0 {
		e.tally.nobody++
		why += " " + e.missing(unmet != "")
	}
	for _, p := range who {
		e.turn[p.ID] = true
	}
	e.tally.can(labels(who), s.Change)
	e.requirement(s, Open, why, labels(who))
}

// problems adds one requirement for each tool with errors.
func (e *evaluation) problems() {
	seen := map[int]int{} // position -> index of its requirement
	for _, p := range e.facts.Problems {
		if i, ok := seen[p.Position]; ok {
			e.problem(i, p)
			continue
		}
		seen[p.Position] = len(e.requirements)
		e.add(Requirement{ID: fmt.Sprintf("problem:%d", p.Position), State: Satisfied, URL: p.URL, Why: problemPlace(p)})
		e.problem(seen[p.Position], p)
	}
	for _, i := range seen {
		if e.requirements[i].State == Open {
			e.tally.problems++
		}
	}
}

// problem adds one error to the requirement of its tool.
func (e *evaluation) problem(i int, p Problem) {
	r := &e.requirements[i]
	r.Why += " " + sentence(p.Message)
	if p.Acknowledged {
		r.Why += " Acknowledged in the baseline."
		return
	}
	r.State = Open
	r.Why += " Put it right and push again" + e.orAcknowledge() + "."
}

// orAcknowledge offers the baseline as a way out while it is one.
func (e *evaluation) orAcknowledge() string {
	if e.facts.Baseline.Open {
		return ", or acknowledge it when you accept the baseline"
	}
	return ""
}

// findings adds one requirement for each finding about the listing as a whole that
// the policy does not let by: nobody decides a listing, so somebody must accept it.
// That is a high one that came in, where the policy asks more for such than for
// others, and any of a severity that blocks.
func (e *evaluation) findings() {
	if e.facts.ReleasedAs != "" {
		return
	}
	for _, f := range e.facts.Findings {
		high := e.facts.Policy.has(RowFinding) && !f.Old && f.Severity.Rank() >= lint.High.Rank()
		if !high && !e.facts.Policy.blocks(f.Severity) {
			continue
		}
		e.tally.findings++
		if high && e.facts.Policy.row(RowFinding).Block && !slices.Contains(e.barred, "the listing") {
			e.barred = append(e.barred, "the listing")
		}
		why := fmt.Sprintf("Rule %s found something of severity %s in the listing as a whole.", f.Rule, e.facts.Policy.byPolicy(f.Rule, f.Severity))
		e.finding("finding:"+f.Rule, f.URL, why, " Push a listing without it, or accept the finding with a reason.", f.Severity, f.Waits)
	}
}

// severity adds one requirement for each subject with a finding of a severity that
// blocks. An approval does not answer it: the finding has to go, or somebody has to
// accept it.
func (e *evaluation) severity() {
	if e.facts.Policy.FindingSeverity == "" || e.facts.ReleasedAs != "" {
		return
	}
	for i := range e.facts.Subjects {
		s := &e.facts.Subjects[i]
		if s.removal() || !e.facts.Policy.blocks(s.Findings.Worst) {
			continue
		}
		e.tally.findings++
		why := fmt.Sprintf("Rule %s found something of severity %s in %s, and this policy lets none of severity %s or graver by.",
			s.Findings.Rule, e.facts.Policy.byPolicy(s.Findings.Rule, s.Findings.Worst), label(s), e.facts.Policy.FindingSeverity)
		e.finding("findings:"+label(s), s.URL, why, " Push a text without it, or accept the finding with a reason.", s.Findings.Worst, s.Findings.Waits)
	}
}

// finding asks for an answer to a finding: of somebody who may accept it or, where
// somebody did and it waits, of a second person.
func (e *evaluation) finding(id, url, why, ask string, s lint.Severity, waits string) {
	r := Requirement{ID: id, State: Open, URL: url, Why: why + ask, WhoCan: e.waivers(s)}
	if waits != "" {
		r.Why, r.WhoCan = why+e.waits(waits), e.confirmers(waits)
	}
	e.add(r)
}

// waits says that an accepted finding waits for a second person, "" when by is nobody.
func (e *evaluation) waits(by string) string {
	if by == "" {
		return ""
	}
	name := "Somebody"
	if p := e.people[by]; p != nil {
		name = p.Label
	}
	why := " " + name + " accepted the finding, and that waits for a second person."
	if len(e.confirmers(by)) == 0 {
		why += " Nobody here can be that: it takes another maintainer, who did not write or push this."
	}
	return why
}

// confirmers names who can be the second person for a finding that somebody accepted;
// nil when that is nobody.
func (e *evaluation) confirmers(by string) []string {
	if by == "" {
		return nil
	}
	return labels(e.who(func(p *Person) bool {
		return e.mayWaive(p, lint.Critical) && p.ID != by && !Kin(e.facts.People, by, p.ID, e.facts.Now)
	}))
}

// waitsFor is who accepted the finding by which the subject is blocked, "" for nobody.
func (s *Subject) waitsFor() string {
	if s.Hidden {
		return ""
	}
	return s.Findings.NewWaits
}

// blocks reports whether findings of a severity block until somebody accepts them.
func (p Policy) blocks(s lint.Severity) bool {
	return p.FindingSeverity != "" && s != "" && s.Rank() >= p.FindingSeverity.Rank()
}

// waivers names who can accept a finding: for a grave one it takes a maintainer.
func (e *evaluation) waivers(s lint.Severity) []string {
	return labels(e.who(func(p *Person) bool { return e.mayWaive(p, s) }))
}

func (e *evaluation) mayWaive(p *Person, s lint.Severity) bool {
	role := p.Maintainer || p.Decides && s.Rank() < lint.High.Rank()
	return role && (e.facts.Policy.SelfReview() || !e.authors[p.ID])
}

// threads adds one requirement for each thread that blocks. The author of the
// push can't close what somebody else opened.
func (e *evaluation) threads() {
	for _, t := range e.facts.Threads {
		about := "the release"
		if t.Tool != "" {
			about = show(t.Tool)
		}
		by := "somebody"
		if p := e.people[t.OpenedBy]; p != nil {
			by = p.Label
		}
		e.tally.threads++
		e.add(Requirement{ID: "thread:" + t.ID, State: Open, URL: t.URL, WhoCan: e.resolvers(t),
			Why: fmt.Sprintf("A thread about %s, opened by %s, blocks until it is resolved.", about, by)})
	}
}

func (e *evaluation) resolvers(t Thread) []string {
	return labels(e.who(func(p *Person) bool { return MayResolve(e.facts.Policy, *p, t.OpenedBy, e.authors[p.ID]) }))
}

// MayResolve reports whether p may close a blocking thread: who opened it, or a
// maintainer who did not write or push the candidate, unless the policy lets
// people review themselves.
func MayResolve(pol Policy, p Person, openedBy string, author bool) bool {
	return p.Decides && (p.ID == openedBy || p.Maintainer && (!author || pol.SelfReview()))
}

// alarms adds one requirement for each release that the candidate is, or stands on, and
// whose answers were taken back: what nobody answers for any more is looked into by a
// maintainer before anything is published on it.
func (e *evaluation) alarms() {
	for _, a := range e.facts.Alarms {
		id := "alarm:" + a.Release
		if known := e.since[id]; !known.IsZero() {
			e.since[id] = a.At // the newest is news to an override
			continue
		}
		e.since[id] = a.At
		e.tally.alarms++
		e.add(Requirement{ID: id, State: Open, URL: a.URL, WhoCan: labels(e.who(func(p *Person) bool { return p.Maintainer })), Why: fmt.Sprintf(
			"%s was released on answers that do not stand any more. %s A maintainer looks into it and says on its page what they found.", show(a.Release), sentence(a.Why))})
	}
}

// withdrawn adds a requirement that nothing but another push can satisfy.
func (e *evaluation) withdrawn() {
	if e.facts.Withdrawn == "" {
		return
	}
	e.tally.withdrawn++
	e.add(Requirement{ID: withdrawnID, State: Open,
		Why: "This release was withdrawn: " + sentence(e.facts.Withdrawn) + " Push a new version."})
}

// overtaken adds requirements that nothing but another push can satisfy: what was pushed
// or released since is what can be released.
func (e *evaluation) overtaken() {
	if e.facts.Superseded != "" {
		e.tally.superseded++
		e.add(Requirement{ID: supersededID, State: Open, Why: sentence(e.facts.Superseded)})
	}
	if e.facts.Outdated != "" {
		e.tally.outdated++
		e.add(Requirement{ID: outdatedID, State: Open, Why: sentence(e.facts.Outdated)})
	}
}

// outcome turns what was found into the answer.
func (e *evaluation) outcome(undecided string) Outcome {
	a := Answer{Result: Pass, Requirements: e.requirements, Independent: e.independent}
	open, overridden := e.stillOpen()
	switch {
	case undecided != "":
		a.Result, a.Why = Undecided, "We can't tell: "+undecided
	case open > 0:
		a.Result, a.Why = Blocked, e.tally.blockedWhy(e.facts.Matters)+setAside(overridden)+e.hint()
	case overridden > 0:
		a.Why, a.Independent = e.overriddenWhy(overridden), false
	default:
		a.Why = e.tally.passWhy(e.facts.Base, e.facts.ReleasedAs, e.facts.Baseline.By)
	}
	if a.Requirements == nil {
		a.Requirements = []Requirement{}
	}
	return Outcome{Answer: a, Approvals: e.approvals, Turn: slices.Sorted(maps.Keys(e.turn)), Overrides: e.overrides, Barred: e.barred}
}

// hint tells of the shorter way that a first listing has, where nothing else would
// still block then.
func (e *evaluation) hint() string {
	t := &e.tally
	other := t.rejected + t.threads + t.alarms + t.findings + t.limits + t.withdrawn + t.superseded + t.outdated
	if !e.facts.Baseline.Open || other > 0 {
		return ""
	}
	return " Or a maintainer can accept this first listing as the starting point."
}
