package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/countersign/countersign/review/schema/internal/lang"
)

// outcome is what the search for an instance came to.
type outcome uint8

const (
	none    outcome = iota // proved: there is no instance
	found                  // value is one
	unknown                // neither; value may be a guess worth testing
)

type answer struct {
	outcome outcome
	value   *value
	why     string // of unknown
}

func noAnswer(why string) answer { return answer{outcome: unknown, why: why} }

// maxNesting bounds how deep the search goes into instances.
const maxNesting = 160

const whySteps = "the step limit"

// solver looks for instances of conjunctions of schemas.
//
// While a conjunction is being searched it is assumed to have no instance. That
// is sound: a smallest instance never holds a smaller instance of the same
// conjunction, so a search that needs one can be left out. What was concluded
// under such an assumption is kept only as long as the assumption is made.
type solver struct {
	*forms
	memo   map[string]answer
	under  map[string]assumed // answers that rest on an assumption
	active map[string]int     // conjunctions being searched -> depth
	stack  []int              // serial numbers of the active searches
	serial int
	low    int // shallowest assumption used by the current search
	ticks  int // formulas evaluated
	held   map[heldKey]truth
}

type assumed struct {
	depth, serial int
}

const noAssumption = 1 << 30

func newSolver(g *graph, limit int) *solver {
	return &solver{forms: newForms(g, limit), memo: map[string]answer{}, under: map[string]assumed{}, active: map[string]int{}, low: noAssumption, held: map[heldKey]truth{}}
}

// conjunction sorts and simplifies ls; it says false when no instance can exist.
func (s *solver) conjunction(ls []lit) ([]lit, bool) {
	out := make([]lit, 0, len(ls))
	for _, l := range ls {
		l = s.resolve(l)
		if l == never {
			return nil, false
		}
		if l != always {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	for i := 1; i < len(out); i++ {
		if out[i]>>1 == out[i-1]>>1 {
			return nil, false
		}
	}
	return out, true
}

// solve looks for a value that satisfies all of ls.
func (s *solver) solve(ls ...lit) answer {
	conj, ok := s.conjunction(ls)
	if !ok {
		return answer{}
	}
	if len(conj) == 0 {
		return answer{outcome: found, value: stringValue("a")}
	}
	key := conjKey(conj)
	if a, ok := s.memo[key]; ok {
		return a
	}
	if d, ok := s.active[key]; ok {
		s.low = min(s.low, d)
		return answer{}
	}
	if u, ok := s.under[key]; ok && u.depth < len(s.stack) && s.stack[u.depth] == u.serial {
		s.low = min(s.low, u.depth)
		return answer{}
	}
	return s.search(key, conj)
}

func conjKey(conj []lit) string {
	b := make([]byte, 0, 4*len(conj))
	for _, l := range conj {
		b = binary.AppendUvarint(b, uint64(l))
	}
	return string(b)
}

// search runs one search with its bookkeeping.
func (s *solver) search(key string, conj []lit) answer {
	depth := len(s.stack)
	if depth > maxNesting {
		return noAnswer(fmt.Sprintf("nesting deeper than %d", maxNesting))
	}
	outer := s.low
	s.low = noAssumption
	s.serial++
	s.active[key] = depth
	s.stack = append(s.stack, s.serial)
	a := s.anyType(conj)
	s.stack = s.stack[:depth]
	delete(s.active, key)
	switch {
	case a.outcome != none || s.low >= depth:
		s.memo[key] = a
	default:
		s.under[key] = assumed{s.low, s.stack[s.low]}
		outer = min(outer, s.low)
	}
	s.low = outer
	return a
}

// searchOrder is the order in which types are tried: what reads best and is
// cheap first.
var searchOrder = []kind{kindString, kindNumber, kindBool, kindNull, kindArray, kindObject}

func (s *solver) anyType(conj []lit) answer {
	out := answer{}
	for _, k := range searchOrder {
		st := &state{kind: k}
		possible := true
		for _, l := range conj {
			if !st.add(s.form(l, k)) {
				possible = false
				break
			}
		}
		if !possible {
			continue
		}
		a := s.branch(st)
		if a.outcome == found {
			return a
		}
		out = worse(out, a)
	}
	return out
}

// worse keeps the doubt of two failed searches, and a guess when one has it.
func worse(a, b answer) answer {
	if b.outcome != unknown {
		return a
	}
	if a.outcome != unknown || a.value == nil && b.value != nil {
		return b
	}
	return a
}

// state is a conjunction of atoms and clauses about a value of one type.
type state struct {
	kind    kind
	atoms   []*form
	clauses []*form
}

// add conjoins x; it says false when that is plainly impossible.
func (st *state) add(x *form) bool {
	switch x.op {
	case formFalse:
		return false
	case formAtom:
		st.atoms = append(st.atoms, x)
	case formAnd:
		for _, sub := range x.subs {
			if !st.add(sub) {
				return false
			}
		}
	case formOr:
		st.clauses = append(st.clauses, x)
	}
	return true
}

func (st *state) with(x *form, clauses []*form) (*state, bool) {
	out := &state{kind: st.kind, atoms: slices.Clip(st.atoms), clauses: slices.Clip(clauses)}
	return out, out.add(x)
}

// leaf solves the atoms of a state, without its clauses.
func (s *solver) leaf(st *state) answer {
	switch st.kind {
	case kindNull:
		return s.leafNull(st)
	case kindBool:
		return s.leafBool(st)
	case kindNumber:
		return s.leafNumber(st)
	case kindString:
		return s.leafString(st)
	case kindArray:
		return s.leafArray(st)
	}
	return s.leafObject(st)
}

// branch solves a state. The atoms alone give a candidate; only the clauses that
// it violates need a decision, and the clause with the fewest alternatives that
// are still possible goes first.
func (s *solver) branch(st *state) answer {
	if s.steps++; s.steps > s.limit {
		return noAnswer(whySteps)
	}
	a := s.leaf(st)
	if a.outcome == none || len(st.clauses) == 0 {
		return a
	}
	violated := st.clauses
	if a.value != nil {
		violated = slices.DeleteFunc(slices.Clone(st.clauses), func(c *form) bool { return s.holds(c, a.value) == yes })
		if len(violated) == 0 {
			return a
		}
	}
	pick, ways := s.pick(st, violated)
	if len(ways) == 0 {
		return answer{}
	}
	rest := slices.DeleteFunc(slices.Clone(st.clauses), func(c *form) bool { return c == pick })
	out := answer{}
	for _, w := range ways {
		next, ok := st.with(w, rest)
		if !ok {
			continue
		}
		b := s.branch(next)
		if b.outcome == found {
			return b
		}
		out = worse(out, b)
		if s.steps > s.limit {
			return worse(out, noAnswer(whySteps))
		}
	}
	return out
}

// pick chooses the clause with the fewest possible alternatives.
func (s *solver) pick(st *state, clauses []*form) (*form, []*form) {
	var best *form
	var ways []*form
	p := s.prober(st)
	for _, c := range clauses {
		s.steps += len(c.subs) / perStep
		var possible []*form
		for _, x := range c.subs {
			if p.possible(x) {
				possible = append(possible, x)
			}
			if best != nil && len(possible) >= len(ways) {
				break
			}
		}
		if best == nil || len(possible) < len(ways) {
			best, ways = c, possible
		}
		if len(ways) == 0 {
			break
		}
	}
	return best, ways
}

// prober tells cheaply whether an alternative is still possible in a state.
type prober struct {
	s     *solver
	st    *state
	index *objectIndex
}

func (s *solver) prober(st *state) *prober {
	p := &prober{s: s, st: st}
	if st.kind == kindObject {
		p.index = s.indexObject(st.atoms)
	}
	return p
}

func (p *prober) possible(x *form) bool {
	if x.op == formFalse {
		return false
	}
	if p.st.kind == kindObject {
		return p.possibleMember(x)
	}
	next, ok := p.st.with(x, nil)
	return ok && p.s.leaf(next).outcome != none
}

// possibleMember looks only at the one property that x is about.
func (p *prober) possibleMember(x *form) bool {
	switch x.op {
	case formAnd:
		for _, sub := range x.subs {
			if !p.possibleMember(sub) {
				return false
			}
		}
	case formAtom:
		a := x.atom
		if a.region == nil || a.region.op != regionName {
			return true
		}
		name := a.region.name
		if a.op == atomEveryProp && a.lit == never {
			return !p.index.required[name]
		}
		if a.op == atomSomeProp || p.index.required[name] {
			ls, sure := p.s.member(p.index, name)
			_ = sure // an unsure region only leaves demands out
			return p.s.solve(append(ls, a.lit)...).outcome != none
		}
	}
	return true
}

// truth is what is known about a value and a schema.
type truth uint8

const (
	no truth = iota
	yes
	maybe
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (t truth) not() truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return maybe
}

// satisfies reports whether v satisfies l.
func (s *solver) satisfies(l lit, v *value) truth { return s.holds(s.form(l, v.kind), v) }

// holds reports whether v, of the type that x is about, satisfies x.
func (s *solver) holds(x *form, v *value) truth {
	switch x.op {
	case formTrue:
		return yes
	case formFalse:
		return no
	case formAtom:
		return s.atomHolds(x.atom, v)
	}
	if s.ticks++; s.ticks%perStep == 0 {
		s.steps++
	}
	if s.steps > s.limit {
		return maybe
	}
	key := heldKey{x, v}
	if t, ok := s.held[key]; ok {
		return t
	}
	t := s.groupHolds(x, v)
	if len(s.held) > maxHeld {
		clear(s.held)
	}
	s.held[key] = t
	return t
}

// heldKey remembers what holds of a value. Values that the solver makes never
// change; see [solver.recheck] for those that do.
type heldKey struct {
	form  *form
	value *value
}

const maxHeld = 50_000

// more allows n further steps; what was left open for lack of them is forgotten.
func (s *solver) more(n int) {
	s.limit = s.steps + n
	clear(s.held)
	maps.DeleteFunc(s.memo, func(_ string, a answer) bool { return a.outcome == unknown && a.why == whySteps })
}

// recheck is satisfies for a value that was changed in place.
func (s *solver) recheck(l lit, v *value) truth {
	clear(s.held)
	return s.satisfies(l, v)
}

func (s *solver) groupHolds(x *form, v *value) truth {
	stop := no
	if x.op == formOr {
		stop = yes
	}
	out := stop.not()
	for _, sub := range x.subs {
		switch t := s.holds(sub, v); t {
		case stop:
			return stop
		case maybe:
			out = maybe
		}
	}
	return out
}

func (s *solver) atomHolds(a *atom, v *value) truth {
	switch a.op {
	case atomIn, atomNotIn:
		return truthOf(a.lists(v) == (a.op == atomIn))
	case atomAtLeast:
		return truthOf(v.num.Cmp(a.num) >= 0)
	case atomAbove:
		return truthOf(v.num.Cmp(a.num) > 0)
	case atomAtMost:
		return truthOf(v.num.Cmp(a.num) <= 0)
	case atomBelow:
		return truthOf(v.num.Cmp(a.num) < 0)
	case atomMultiple, atomNoMultiple:
		return truthOf(isMultiple(v.num, a.num) == (a.op == atomMultiple))
	case atomLength:
		return truthOf(within(lang.Runes(v.str), a))
	case atomLanguage:
		return truthOf(s.langs.Matches(a.language, v.str))
	case atomItems:
		return truthOf(within(len(v.items), a))
	case atomSize:
		return truthOf(within(len(v.members), a))
	case atomUnique, atomNotUnique:
		return truthOf(distinct(v.items) == (a.op == atomUnique))
	case atomEveryItem, atomSomeItem, atomCount:
		return s.itemsHold(a, v)
	case atomEveryProp, atomSomeProp:
		return s.membersHold(a, v)
	}
	return maybe
}

func within(n int, a *atom) bool { return n >= a.min && (a.max < 0 || n <= a.max) }

func distinct(items []*value) bool {
	seen := make(map[string]bool, len(items))
	for _, it := range items {
		k := it.key()
		if seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

func (s *solver) itemsHold(a *atom, v *value) truth {
	good, doubt := 0, 0
	total := 0
	for i, it := range v.items {
		if a.op != atomCount && (i < a.min || a.max >= 0 && i >= a.max) {
			continue
		}
		total++
		switch s.satisfies(a.lit, it) {
		case yes:
			good++
		case maybe:
			doubt++
		}
	}
	switch {
	case a.op == atomSomeItem && good > 0, a.op == atomEveryItem && good == total:
		return yes
	case a.op == atomSomeItem && doubt == 0, a.op == atomEveryItem && good+doubt < total:
		return no
	case a.op == atomCount && doubt == 0:
		return truthOf(within(good, a))
	}
	return maybe
}

func (s *solver) membersHold(a *atom, v *value) truth {
	end := truthOf(a.op == atomEveryProp) // when no member decides
	stop := end.not()
	doubt := false
	for _, m := range v.members {
		in := s.contains(a.region, m.name)
		if in == no {
			continue
		}
		t := s.satisfies(a.lit, m.value)
		if in == yes && t == stop {
			return stop
		}
		doubt = doubt || t != end
	}
	if doubt {
		return maybe
	}
	return end
}

// contains reports whether a name is in a region.
func (s *solver) contains(r *region, name string) truth {
	switch r.op {
	case regionName:
		return truthOf(r.name == name)
	case regionLit:
		return s.satisfies(r.lit, stringValue(name))
	}
	in, doubt := r.members[name], false
	for _, p := range r.pats {
		id, err := s.matching(p)
		if err != nil {
			doubt = true
			continue
		}
		in = in || s.langs.Matches(id, name)
	}
	switch {
	case doubt && !in:
		return maybe
	case r.op == regionRest:
		return truthOf(!in)
	}
	return truthOf(in)
}

// limitText says a bound of a sub-search in words.
func limitText(err error) string {
	if errors.Is(err, lang.ErrLimit) {
		return "a pattern with too many states"
	}
	return err.Error()
}
