package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// KinTime is how long an inviter and the person they invited count once.
const KinTime = 30 * 24 * time.Hour

// key names bytes (From is zero) or a step. Digests cover the name of a tool.
type key struct {
	subject  change.Subject
	from, to surface.Hash
}

func contentKey(s *Subject) key { return key{subject: s.Subject, to: s.To} }
func stepKey(s *Subject) key    { return key{s.Subject, s.From, s.To} }

// Standing is what every person's answers add up to.
type Standing struct {
	content map[key]*opinions // on bytes, whatever they came from
	step    map[key]*opinions // on exact steps, removals among them
}

// opinions are the people's answers to one thing, in order of first answer.
type opinions struct {
	people   []string
	byPerson map[string]*opinion
}

// opinion is one person's: an answer to the whole, or answers edit by edit.
type opinion struct {
	whole *Verdict
	edits map[string]*Verdict
	ended *Verdict // their newest answer, when it is over
}

// NewStanding adds up verdicts, oldest first.
func NewStanding(vs []Verdict) Standing {
	st := Standing{content: map[key]*opinions{}, step: map[key]*opinions{}}
	for i := range vs {
		v := &vs[i]
		add(st.step, key{v.Subject, v.From, v.To}, v)
		if !v.To.IsZero() {
			add(st.content, key{subject: v.Subject, to: v.To}, v)
		}
	}
	return st
}

func add(m map[key]*opinions, k key, v *Verdict) {
	os := m[k]
	if os == nil {
		os = &opinions{byPerson: map[string]*opinion{}}
		m[k] = os
	}
	o := os.byPerson[v.Person]
	if o == nil {
		o = &opinion{edits: map[string]*Verdict{}}
		os.byPerson[v.Person] = o
		os.people = append(os.people, v.Person)
	}
	o.answer(v)
}

// answer takes a newer verdict in. An answer to the whole replaces all earlier
// ones; an answer to an edit that is no approval unmakes an approval of the whole.
func (o *opinion) answer(v *Verdict) {
	o.ended = nil
	if v.Ended != nil {
		o.ended = v
	}
	switch kind := v.kind(); {
	case v.Edit == "" && kind == Withdraw:
		o.whole, o.edits = nil, map[string]*Verdict{}
	case v.Edit == "":
		o.whole, o.edits = v, map[string]*Verdict{}
	case kind == Withdraw:
		delete(o.edits, v.Edit)
		o.unapprove()
	default:
		o.edits[v.Edit] = v
		if v.Kind == Reject {
			o.unapprove()
		}
	}
}

func (o *opinion) unapprove() {
	if o.whole != nil && o.whole.Kind == Approve {
		o.whole = nil
	}
}

// approval returns the person's approval of the whole, nil when there is none.
// That all edits are approved is stored as an approval of the whole when the last
// one is given, so that it needs no list of edits here.
func (o *opinion) approval() *Verdict {
	if o.whole != nil && o.whole.Kind == Approve && o.rejection() == nil {
		return o.whole
	}
	return nil
}

// rejection returns the person's active rejection: of the whole, else the oldest
// of an edit.
func (o *opinion) rejection() *Verdict {
	if o.whole != nil && o.whole.Kind == Reject {
		return o.whole
	}
	var oldest *Verdict
	for _, v := range o.edits {
		if v.Kind == Reject && (oldest == nil || v.At.Before(oldest.At) || v.At.Equal(oldest.At) && v.Edit < oldest.Edit) {
			oldest = v
		}
	}
	return oldest
}

// rejection returns an active rejection of the subject: of its bytes, or of its
// removal. A rejection counts whoever gives it and however long they are gone.
func (st Standing) rejection(s *Subject) *Verdict {
	return st.on(s).rejection()
}

// rejectedLast is when the newest active rejection of the subject was given: one
// that joins others is news, too.
func (st Standing) rejectedLast(s *Subject) (at time.Time) {
	later := func(v *Verdict) {
		if v != nil && v.Kind == Reject && v.At.After(at) {
			at = v.At
		}
	}
	if os := st.on(s); os != nil {
		for _, o := range os.byPerson {
			later(o.whole)
			for _, v := range o.edits {
				later(v)
			}
		}
	}
	return at
}

// on returns the answers to a subject's bytes, or to its removal; nil for none.
func (st Standing) on(s *Subject) *opinions {
	if s.removal() {
		return st.step[stepKey(s)]
	}
	return st.content[contentKey(s)]
}

// Opinion is what one person's answers come to.
type Opinion struct {
	Person    string
	Approval  *Verdict            // of the whole, nil for none
	Rejection *Verdict            // nil for none
	Edits     map[string]*Verdict // answers that stand for an edit
}

// On returns the people's opinions of bytes (to), or of a removal when to is zero,
// in order of their first answer.
func (st Standing) On(subject change.Subject, from, to surface.Hash) []Opinion {
	if to.IsZero() {
		return st.step[key{subject, from, to}].list()
	}
	return st.content[key{subject: subject, to: to}].list()
}

// OnStep returns the people's opinions of exactly the step between two digests.
func (st Standing) OnStep(subject change.Subject, from, to surface.Hash) []Opinion {
	return st.step[key{subject, from, to}].list()
}

func (os *opinions) list() []Opinion {
	if os == nil {
		return nil
	}
	var out []Opinion
	for _, id := range os.people {
		o := os.byPerson[id]
		out = append(out, Opinion{Person: id, Approval: o.approval(), Rejection: o.rejection(), Edits: o.edits})
	}
	return out
}

func (os *opinions) rejection() *Verdict {
	if os == nil {
		return nil
	}
	for _, p := range os.people {
		if v := os.byPerson[p].rejection(); v != nil {
			return v
		}
	}
	return nil
}

// groundKind says by what a subject stands.
type groundKind int

const (
	byPeople groundKind = iota
	byRule
	byBaseline
	byEarlier // a release other than the base
	byBase    // as in the base, or in this very release
	grounds
)

// ground is why bytes stand without a new answer.
type ground struct {
	kind groundKind
	by   string
	at   time.Time
	why  string
	own  bool // an author's own answer, to this push or to what brought the bytes
}

// ground finds what already vouches for the subject's bytes.
func (e *evaluation) ground(s *Subject, line Line) (ground, bool) {
	b := e.facts.Baseline
	switch {
	case s.removal():
	case s.Released.Title != "" && !e.expired(s, s.Released.At):
		return ground{byEarlier, "release " + s.Released.Title, s.Released.At, fmt.Sprintf("Reverts to %s.", s.Released.Title), s.Released.Alone}, true
	case s.Baseline && !e.expired(s, b.At):
		return ground{byBaseline, "baseline by " + b.By, b.At, fmt.Sprintf("Accepted as starting point by %s, not read tool by tool.", b.By), e.authors[b.ByID]}, true
	case line.Rule && !s.Findings.asksSomebody() && !s.From.IsZero() && e.stands.content[key{subject: s.Subject, to: s.From}].rejection() == nil:
		return ground{byRule, fmt.Sprintf("rule %s (engine %s)", s.Class, e.facts.Engine), e.facts.Listing.At, ruleWhy(s, e.facts.Policy), s.Alone}, true
	}
	return ground{}, false
}

// count returns the approvals that count, oldest first and others' before one's
// own, at most as many as the line asks for and its owners. It counts persons: who
// invited another lately is the same person.
func (e *evaluation) count(s *Subject, os *opinions, line Line, rules []ownerSet, reason bool) []*Verdict {
	if os == nil {
		return nil
	}
	var others, own []*Verdict
	for _, id := range os.people {
		v := os.byPerson[id].approval()
		switch {
		case v == nil || reason && blank(v.Note) || v.Shell && e.facts.Policy.NoShellTokens || e.expired(s, v.At):
		case !e.own(v):
			others = append(others, v)
		case line.Self:
			own = append(own, v)
		}
	}
	ownersFirst(others, rules)
	var counted []*Verdict
	for _, v := range append(others, own...) {
		kin := slices.ContainsFunc(counted, func(c *Verdict) bool { return e.kin(c, v) })
		if !kin && (len(counted) < line.Approvals || meets(v, unmet(rules, counted))) {
			counted = append(counted, v)
		}
	}
	return counted
}

// own reports whether a verdict was given by who wrote or pushed it.
func (e *evaluation) own(v *Verdict) bool { return v.Own || e.authors[v.Person] }

// Kin reports whether one of two people invited the other within KinTime before
// now: then they count as one person.
func Kin(people []Person, a, b string, now time.Time) bool {
	for _, p := range people {
		pair := p.ID == a && p.InvitedBy == b || p.ID == b && p.InvitedBy == a
		if pair && now.Before(p.Since.Add(KinTime)) {
			return true
		}
	}
	return false
}

// kin reports whether one of two invited the other within KinTime before their
// answer.
func (e *evaluation) kin(a, b *Verdict) bool {
	return e.invited(a, b) || e.invited(b, a)
}

func (e *evaluation) invited(inviter, guest *Verdict) bool {
	p := e.people[guest.Person]
	return p != nil && p.InvitedBy != "" && p.InvitedBy == inviter.Person && guest.At.Before(p.Since.Add(KinTime))
}

// takersBack names who can take a rejection back: its author, or a maintainer
// when that person left.
func (e *evaluation) takersBack(v *Verdict) []string {
	by := e.people[v.Person]
	gone := by == nil || by.Left
	return labels(e.who(func(p *Person) bool { return MayTakeBack(e.facts.Policy, *p, *v, e.authors[p.ID], gone) }))
}

// MayTakeBack reports whether p may take a rejection back: who gave it, or a
// maintainer when that person left. Who wrote or pushed the candidate may not,
// but for what one said about one's own push and where one reviews oneself.
func MayTakeBack(pol Policy, p Person, v Verdict, author, gone bool) bool {
	if author && !pol.SelfReview() && (p.ID != v.Person || !v.Own) {
		return false
	}
	return p.Decides && (p.ID == v.Person || gone && p.Maintainer)
}

// deciders names who can still answer.
func (e *evaluation) deciders(line Line, counted []*Verdict) []*Person {
	i := 0
	if line.Self {
		i = 1
	}
	if e.everyone[i] == nil {
		e.everyone[i] = e.who(func(p *Person) bool { return p.Decides && (line.Self || !e.authors[p.ID]) })
	}
	if len(counted) == 0 {
		return e.everyone[i]
	}
	return slices.DeleteFunc(slices.Clone(e.everyone[i]), func(p *Person) bool {
		return slices.ContainsFunc(counted, func(v *Verdict) bool { return v.Person == p.ID })
	})
}

func (e *evaluation) who(keep func(*Person) bool) []*Person {
	found := []*Person{}
	for i := range e.facts.People {
		if p := &e.facts.People[i]; keep(p) {
			found = append(found, p)
		}
	}
	return found
}

func labels(who []*Person) []string {
	names := make([]string, len(who))
	for i, p := range who {
		names[i] = p.Label
	}
	return names
}

// missing says why nobody can answer, and whom to add. owner says that it takes an
// owner, where others may decide.
func (e *evaluation) missing(owner bool) string {
	deciders := e.who(func(p *Person) bool { return p.Decides })
	all := labels(deciders)
	switch {
	case len(all) == 0 && e.facts.Policy.SecondFactor:
		return "Nobody with the role reviewer or maintainer on this server has the second factor that is required: add somebody, or let them set one up."
	case len(all) == 0:
		return "Nobody has the role reviewer or maintainer on this server: add somebody."
	}
	if owner {
		return "None of them can answer: each has no role that decides here, or wrote or pushed this. Give an owner a role, or have the policy name another."
	}
	if slices.ContainsFunc(deciders, func(p *Person) bool { return !e.authors[p.ID] }) {
		return fmt.Sprintf("Only %s may decide here, and answered, count as one person with who did, or wrote or pushed this: add another reviewer.", and(all))
	}
	return fmt.Sprintf("Only %s may decide here and wrote or pushed this: add another reviewer.", and(all))
}
