package schema

import (
	"slices"
	"strings"
)

// Bounds of judging edits one by one, beside those of the whole comparison.
const (
	blameSteps   = 60_000
	propsPerStep = 4 // properties of an object that count as one step when it is rebuilt
)

const (
	ignoredEffect  = "accepted but ignored"
	strictInput    = "Breaks only callers that send undeclared arguments."
	strictOutput   = "Breaks only readers when results carry undeclared properties."
	stillFine      = "Everything that was valid stays valid."
	tooManyToJudge = "Too many edits to judge this one by itself."
)

// say adds to the note.
func (e *edit) say(text string) {
	if e.Note != nil {
		text = *e.Note + " " + text
	}
	e.Note = &text
}

// blame gives every edit a verdict of its own: would the old schema with only
// this edit reject a value that worked, and does the new one reject it too?
func (p *pair) blame(edits []*edit) []*edit {
	p.solver.more(blameSteps)
	if p.old.wrong != "" || p.new.wrong != "" {
		return p.unjudged(edits)
	}
	edits = p.collapse(edits)
	for _, e := range edits {
		if e.apply != nil {
			p.judgeEdit(e)
		}
	}
	return p.unblamed(edits)
}

// unjudged is for a side that is no schema: what it means is anyone's guess.
func (p *pair) unjudged(edits []*edit) []*edit {
	for _, e := range edits {
		if e.apply != nil || !e.Annotation {
			e.Verdict, e.VerdictDeclared = Undecided, Undecided
			e.say(doubtful(p.strict.why))
		}
	}
	for _, e := range edits {
		if !e.Annotation {
			return edits
		}
	}
	if p.old.doc.key() == p.new.doc.key() {
		return edits
	}
	e := &edit{}
	e.ID, e.Direction, e.Sentence = "engine.unknown", p.dir, doubtful(p.strict.why)
	e.Verdict, e.VerdictDeclared = Undecided, Undecided
	e.say(doubtful(p.strict.why))
	return append(edits, e)
}

// collapse joins the edits of a place that together change nothing, such as a
// union that was drawn into a list of types.
func (p *pair) collapse(edits []*edit) []*edit {
	perPlace := map[*place]int{}
	for _, e := range edits {
		if e.apply != nil {
			perPlace[e.at]++
		}
	}
	var out []*edit
	for _, e := range edits {
		n := perPlace[e.at]
		switch {
		case e.apply == nil || n == 1:
			out = append(out, e)
		case n > 1 && p.solver.solve(e.at.a, e.at.b.not()).outcome == none && p.solver.solve(e.at.b, e.at.a.not()).outcome == none:
			perPlace[e.at] = -1
			e.ID, e.apply = "schema.equivalent", nil
			e.Old, e.New, e.Pointer = e.at.old[0].raw(), e.at.new[0].raw(), e.at.new[0].at
			e.Verdict, e.VerdictDeclared = Equivalent, Equivalent
			e.Sentence = p.samePlace(e)
			out = append(out, e)
		case n > 1:
			perPlace[e.at] = 0
			out = append(out, e)
		case n == 0:
			out = append(out, e)
		}
	}
	return out
}

func (p *pair) samePlace(e *edit) string {
	return upper(p.walker.name(e.at)) + " is written differently; it accepts the same values."
}

// trial is one edit as the solver sees it.
type trial struct {
	before, after lit // flat node of the place, without and with the edit
	closed        lit // after, and as closed as the new schema: for properties that are gone
}

func (p *pair) trial(e *edit) trial {
	n := *e.at.flatA
	t := trial{before: p.solver.intern(e.at.flatA)}
	e.apply(&n)
	t.after = p.solver.intern(&n)
	t.closed = t.after
	if e.closing != nil {
		e.closing(&n)
		t.closed = p.solver.intern(&n)
	}
	p.solver.steps += len(n.props) / propsPerStep
	return t
}

func (p *pair) judgeEdit(e *edit) {
	if p.strict.verdict == Equivalent {
		e.Verdict, e.VerdictDeclared = Equivalent, Equivalent
		p.ignored(e)
		p.phrase(e)
		if e.Effect != nil {
			return // the same values are valid, but what this one said is lost
		}
		if t := p.trial(e); p.solver.solve(t.before, t.after.not()).outcome != none || p.solver.solve(t.after, t.before.not()).outcome != none {
			e.Sentence = p.sameWhole(e)
		}
		return
	}
	if p.solver.steps > p.solver.limit {
		e.Verdict, e.VerdictDeclared = Undecided, Undecided
		e.say(tooManyToJudge)
		return
	}
	t := p.trial(e)
	narrowed := p.solver.solve(t.before, t.closed.not()).outcome != none
	widened := p.solver.solve(t.after, t.before.not()).outcome != none
	hurts := narrowed && p.dir == Input || widened && p.dir == Output
	switch {
	case !narrowed && !widened:
		e.Verdict, e.VerdictDeclared = Equivalent, Equivalent
	case p.strict.verdict == Compatible, !hurts && !e.at.inNegation:
		e.Verdict, e.VerdictDeclared = Compatible, Compatible
		e.harmless = hurts
	default:
		p.judgeWhole(e, t)
	}
	p.ignored(e)
	p.phrase(e)
}

// judgeWhole asks about whole documents.
func (p *pair) judgeWhole(e *edit, t trial) {
	hybrid := p.walker.hybrid(e.at, t.after)
	strict := p.because(hybrid)
	declared := strict
	if strict.verdict != Compatible || t.closed != t.after {
		// In the declared reading nothing but the property that is gone becomes
		// undeclared, so the closing can be counted in.
		closed := p.walker.hybrid(e.at, t.closed)
		if declared = p.because(closed, p.solver.declared(p.source.lit)); declared.verdict == Breaking {
			strict, hybrid = declared, closed
		}
	}
	e.Verdict, e.VerdictDeclared = strict.verdict, declared.verdict
	if strict.verdict == Compatible && declared.verdict == Compatible {
		e.harmless = true
		return
	}
	switch {
	case e.Verdict == Undecided || e.VerdictDeclared == Undecided:
		e.say(doubtful(either(strict.why, declared.why)))
	case e.VerdictDeclared == Compatible:
		e.say(p.walker.either(strictInput, strictOutput))
	}
	if strict.witness != nil {
		fails := truthOf(p.dir == Output)
		e.Witness = p.shrink(strict.witness, func(v *value) bool { return p.solver.recheck(hybrid, v) == fails }).appendJSON(nil)
	}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// because looks for a value that fails now and would fail, or for output be
// let through, by this edit alone.
func (p *pair) because(edited lit, conditions ...lit) judgement {
	if p.dir == Input {
		edited = edited.not()
	}
	return p.contained(p.source.lit, p.target.lit, append(conditions, edited)...)
}

// ignored tells a property that is gone from an object that takes anything: no
// call fails, but what callers send is lost.
func (p *pair) ignored(e *edit) {
	if !e.removed || p.dir == Output || e.VerdictDeclared == Breaking || e.VerdictDeclared == Undecided {
		return
	}
	name := e.gone
	if l, ok := findProp(e.at.flatA.props, name); !ok || p.solver.resolve(l) == never || p.described(e.at.b, name) {
		return
	}
	e.explains = e.Witness != nil
	effect := ignoredEffect
	e.Effect = &effect
	e.Verdict, e.VerdictDeclared = Breaking, Breaking
	e.Witness, e.Note = nil, nil
	if e.ID == "property.removed" {
		e.Sentence = p.walker.property(e.at, name) + " is no longer declared; calls that send it are accepted, but it is ignored."
	}
}

// ofProperty reports whether e is about a property coming, going or being
// required, which its sentence says truly whatever the verdict is.
func (e *edit) ofProperty() bool { return strings.HasPrefix(e.ID, "property.") }

// sameWhole is for an edit that another one makes up for.
func (p *pair) sameWhole(e *edit) string {
	return upper(p.walker.name(e.at)) + p.walker.either(" is described differently; the same input is accepted.", " is described differently; the same results are possible.")
}

// described reports whether a schema still says something about a property.
func (p *pair) described(l lit, name string) bool {
	for _, n := range p.solver.inPlace([]lit{l}) {
		if hasProp(n, name) {
			return true
		}
		for _, pat := range n.patProps {
			if p.solver.contains(&region{op: regionPattern, pats: []string{pat.name}}, name) != no {
				return true
			}
		}
		if n.hasExtra && n.extra != always && p.solver.resolve(n.extra) != never {
			return true
		}
	}
	return false
}

// phrase chooses the sentence that is true for the verdict.
func (p *pair) phrase(e *edit) {
	switch {
	case e.VerdictDeclared == Breaking && e.Effect == nil && e.breaks != "":
		e.Sentence = e.breaks
	case e.Verdict == Equivalent && !e.ofProperty():
		e.Sentence = p.samePlace(e)
	case e.Verdict == Compatible && !e.harmless && e.widens != "":
		e.Sentence = e.widens
	case e.harmless && e.narrows && p.dir == Input && !e.ofProperty():
		e.Sentence = upper(p.walker.name(e.at)) + " is described differently; what was accepted still is."
	}
}

// unblamed handles a break that no edit explains alone: those without which it
// would not happen are blamed for it together, else an edit of its own is.
func (p *pair) unblamed(edits []*edit) []*edit {
	if p.explained(edits) {
		return edits
	}
	for _, e := range edits {
		if e.harmless && p.solver.steps <= p.solver.limit {
			p.judgeNeeded(e, edits)
		}
	}
	if p.explained(edits) {
		return edits
	}
	e := &edit{}
	e.ID, e.Direction = "schema.changed", p.dir
	e.Verdict, e.VerdictDeclared = Breaking, p.declared.verdict
	e.Witness = p.strict.witness.appendJSON(nil)
	e.Sentence = p.walker.either("Together these changes reject calls that worked.", "Together these changes allow results that were not allowed.")
	if p.declared.verdict == Compatible {
		e.say(p.walker.either(strictInput, strictOutput))
	}
	return append(edits, e)
}

// explained reports whether some edit carries a witness in each reading that
// breaks.
func (p *pair) explained(edits []*edit) bool {
	proven := func(get func(e *edit) Verdict) bool {
		return slices.ContainsFunc(edits, func(e *edit) bool { return get(e) == Breaking && e.Witness != nil })
	}
	strict := p.strict.verdict != Breaking || proven(func(e *edit) Verdict { return e.Verdict }) ||
		slices.ContainsFunc(edits, func(e *edit) bool { return e.explains })
	return strict && (p.declared.verdict != Breaking || proven(func(e *edit) Verdict { return e.VerdictDeclared }))
}

// judgeNeeded asks the other way round: with all edits but e, would the value
// that fails still be accepted (for output: still be ruled out)?
func (p *pair) judgeNeeded(e *edit, edits []*edit) {
	rest := p.walker.allBut(e, edits)
	if p.dir == Output {
		rest = rest.not()
	}
	conditions := []lit{rest}
	if p.declared.verdict == Breaking {
		conditions = append(conditions, p.solver.declared(p.source.lit))
	}
	j := p.contained(p.source.lit, p.target.lit, conditions...)
	if j.verdict != Breaking {
		return
	}
	e.harmless = false
	e.Verdict, e.VerdictDeclared = Breaking, p.declared.verdict
	keep := func(v *value) bool { return p.solver.recheck(rest, v) == yes }
	e.Witness = p.shrink(j.witness, keep).appendJSON(nil)
	if p.declared.verdict == Compatible {
		e.say(p.walker.either(strictInput, strictOutput))
	}
	p.phrase(e)
}
