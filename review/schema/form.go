package schema

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/countersign/countersign/review/schema/internal/lang"
)

// form is what a schema demands of values of one type: a formula over atoms.
type form struct {
	op   formOp
	subs []*form
	atom *atom
	neg  *form // its negation, once asked for
}

type formOp uint8

const (
	formTrue formOp = iota
	formFalse
	formAtom
	formAnd
	formOr
)

var (
	formYes = &form{op: formTrue}
	formNo  = &form{op: formFalse}
)

// atom is one elementary demand.
type atom struct {
	op       atomOp
	num      *big.Rat
	min, max int             // counts, lengths, positions; max < 0 is unbounded
	values   []*value        // of atomIn and atomNotIn
	listed   map[string]bool // keys of values, once asked for
	language lang.ID
	lit      lit
	region   *region
	reason   string // of atomOpaque
	form     *form
}

type atomOp uint8

const (
	atomIn         atomOp = iota // one of values
	atomNotIn                    // none of values
	atomAtLeast                  // >= num
	atomAbove                    // > num
	atomAtMost                   // <= num
	atomBelow                    // < num
	atomMultiple                 // of num
	atomNoMultiple               // of num
	atomLength                   // min to max characters
	atomLanguage                 // in language
	atomEveryItem                // items at positions min to max (exclusive) satisfy lit
	atomSomeItem                 // one of them does
	atomCount                    // min to max items satisfy lit
	atomItems                    // min to max items
	atomUnique
	atomNotUnique
	atomEveryProp // properties with names in region satisfy lit
	atomSomeProp  // there is a property with a name in region that does
	atomSize      // min to max properties
	atomOpaque    // something that can't be analysed
)

// region is a set of property names.
type region struct {
	op      regionOp
	name    string   // regionName
	names   []string // regionRest: sorted
	pats    []string // regionPattern: one; regionRest: sorted
	lit     lit      // regionLit: names that satisfy it
	members map[string]bool
}

type regionOp uint8

const (
	regionName regionOp = iota
	regionPattern
	regionRest // all names but names and those matching pats
	regionLit
)

// forms makes forms and keeps each once, so that equal demands are one pointer.
type forms struct {
	*graph
	langs    *lang.Store
	atoms    map[string]*form
	groups   map[string]*form
	regions  map[string]*region
	lowered  map[lowerKey]*form
	lowering map[lowerKey]int // depth of those in progress
	loop     int              // shallowest schema in progress that was met again
	ids      map[*form]int
	searches map[string]searched
	steps    int // taken
	limit    int // may be taken
	size     int // members of all groups made
	looks    int // see looked
	flats    map[lit]*node
}

// Bounds of the formulas of one comparison.
const (
	maxFormSize = 4_000_000 // members of all groups
	perStep     = 16        // parts of something large that are one step of work
	maxInPlace  = 1_000     // schemas applied to one value, each within the other
	maxLooks    = 100_000   // schemas looked at for other ends than lowering
	maxOneOf    = 200       // branches of one oneOf that aren't just values
)

type searched struct {
	id  lang.ID
	err error
}

type lowerKey struct {
	lit  lit
	kind kind
}

func newForms(g *graph, limit int) *forms {
	return &forms{graph: g, langs: lang.NewStore(), atoms: map[string]*form{}, groups: map[string]*form{}, regions: map[string]*region{},
		lowered: map[lowerKey]*form{}, lowering: map[lowerKey]int{}, loop: noAssumption, ids: map[*form]int{}, searches: map[string]searched{}, flats: map[lit]*node{}, limit: limit}
}

// looked counts schemas that are looked at one within the other without being
// remembered; it says true when there were too many.
func (f *forms) looked(n int) bool {
	f.looks += n
	return f.looks > maxLooks
}

func (f *forms) id(x *form) int {
	n, ok := f.ids[x]
	if !ok {
		n = len(f.ids)
		f.ids[x] = n
	}
	return n
}

// group makes a conjunction or disjunction.
func (f *forms) group(op formOp, subs []*form) *form {
	unit, zero := formYes, formNo
	if op == formOr {
		unit, zero = formNo, formYes
	}
	flat := f.flatten(op, subs, unit)
	f.steps += len(flat) / perStep
	if f.size += len(flat); f.size > maxFormSize {
		return f.opaqueAtom("schemas this large", 0)
	}
	if slices.Contains(flat, zero) {
		return zero
	}
	if len(flat) < 64 {
		for _, s := range flat {
			if s.neg != nil && slices.Contains(flat, s.neg) {
				return zero
			}
		}
	}
	switch len(flat) {
	case 0:
		return unit
	case 1:
		return flat[0]
	}
	k := []byte{byte(op)}
	for _, s := range flat {
		k = strconv.AppendInt(append(k, ','), int64(f.id(s)), 36)
	}
	if g := f.groups[string(k)]; g != nil {
		return g
	}
	g := &form{op: op, subs: flat}
	f.groups[string(k)] = g
	return g
}

func (f *forms) flatten(op formOp, subs []*form, unit *form) []*form {
	var flat []*form
	seen := map[*form]bool{}
	add := func(s *form) {
		if s != unit && !seen[s] {
			seen[s] = true
			flat = append(flat, s)
		}
	}
	for _, s := range subs {
		if s.op != op {
			add(s)
			continue
		}
		for _, t := range s.subs {
			add(t)
		}
	}
	return flat
}

func (f *forms) and(subs ...*form) *form { return f.group(formAnd, subs) }
func (f *forms) or(subs ...*form) *form  { return f.group(formOr, subs) }

func (f *forms) not(x *form) *form {
	if x.neg == nil {
		x.neg = f.negate(x)
		if x.neg.neg == nil {
			x.neg.neg = x
		}
	}
	return x.neg
}

func (f *forms) negate(x *form) *form {
	switch x.op {
	case formTrue:
		return formNo
	case formFalse:
		return formYes
	case formAtom:
		return f.negateAtom(x.atom)
	}
	subs := make([]*form, len(x.subs))
	for i, s := range x.subs {
		subs[i] = f.not(s)
	}
	if x.op == formAnd {
		return f.or(subs...)
	}
	return f.and(subs...)
}

// opposites pairs atoms that differ from their negation only in op.
var opposites = map[atomOp]atomOp{
	atomIn: atomNotIn, atomNotIn: atomIn, atomAtLeast: atomBelow, atomBelow: atomAtLeast,
	atomAbove: atomAtMost, atomAtMost: atomAbove, atomMultiple: atomNoMultiple, atomNoMultiple: atomMultiple,
	atomUnique: atomNotUnique, atomNotUnique: atomUnique,
}

func (f *forms) negateAtom(a *atom) *form {
	if op, ok := opposites[a.op]; ok {
		b := *a
		b.op = op
		return f.atom(&b)
	}
	switch a.op {
	case atomLength, atomItems, atomSize, atomCount:
		return f.outside(a)
	case atomLanguage:
		return f.atom(&atom{op: atomLanguage, language: f.langs.Not(a.language)})
	case atomEveryItem:
		return f.atom(&atom{op: atomSomeItem, min: a.min, max: a.max, lit: a.lit.not()})
	case atomSomeItem:
		return f.atom(&atom{op: atomEveryItem, min: a.min, max: a.max, lit: a.lit.not()})
	case atomEveryProp:
		return f.atom(&atom{op: atomSomeProp, region: a.region, lit: a.lit.not()})
	case atomSomeProp:
		return f.atom(&atom{op: atomEveryProp, region: a.region, lit: a.lit.not()})
	}
	b := *a // opaque: min is its sign
	b.min = 1 - a.min
	return f.atom(&b)
}

// outside is "fewer than min or more than max".
func (f *forms) outside(a *atom) *form {
	out := formNo
	if a.min > 0 {
		b := *a
		b.min, b.max = 0, a.min-1
		out = f.atom(&b)
	}
	if a.max >= 0 {
		b := *a
		b.min, b.max = a.max+1, -1
		out = f.or(out, f.atom(&b))
	}
	return out
}

// atom returns the form of a, simplified and kept once.
func (f *forms) atom(a *atom) *form {
	if s := trivial(a); s != nil {
		return s
	}
	if a.op == atomCount && a.min == 1 && a.max < 0 {
		a = &atom{op: atomSomeItem, max: -1, lit: a.lit}
	}
	if a.op == atomCount && a.max == 0 {
		a = &atom{op: atomEveryItem, max: -1, lit: a.lit.not()}
	}
	k := a.key()
	if x := f.atoms[k]; x != nil {
		return x
	}
	b := *a
	x := &form{op: formAtom, atom: &b}
	b.form = x
	f.atoms[k] = x
	return x
}

// trivial recognises atoms that always or never hold.
func trivial(a *atom) *form {
	empty := a.max >= 0 && a.max < a.min
	switch a.op {
	case atomIn:
		if len(a.values) == 0 {
			return formNo
		}
	case atomNotIn:
		if len(a.values) == 0 {
			return formYes
		}
	case atomLength, atomItems, atomSize, atomCount:
		if empty {
			return formNo
		}
		if a.min == 0 && a.max < 0 {
			return formYes
		}
	case atomEveryItem, atomEveryProp:
		if a.lit == always || a.op == atomEveryItem && a.max >= 0 && a.max <= a.min {
			return formYes
		}
	case atomSomeItem, atomSomeProp:
		if a.lit == never || a.op == atomSomeItem && a.max >= 0 && a.max <= a.min {
			return formNo
		}
	}
	return nil
}

func (a *atom) key() string {
	k := &keyer{}
	k.num('a', int(a.op), a.min, a.max, int(a.language), int(a.lit))
	k.rat('n', a.num)
	for _, v := range a.values {
		k.text('v', v.key())
	}
	if a.region != nil {
		k.text('r', a.region.key())
	}
	k.text('o', a.reason)
	return string(k.b)
}

// lists reports whether v is one of the values. A list of thousands is asked about each
// of thousands.
func (a *atom) lists(v *value) bool {
	if a.listed == nil {
		a.listed = make(map[string]bool, len(a.values))
		for _, x := range a.values {
			a.listed[x.key()] = true
		}
	}
	return a.listed[v.key()]
}

func (r *region) key() string {
	k := &keyer{}
	k.num('r', int(r.op), int(r.lit))
	k.text('n', r.name)
	for _, s := range r.names {
		k.text('N', s)
	}
	for _, s := range r.pats {
		k.text('p', s)
	}
	return string(k.b)
}

func (f *forms) region(r *region) *region {
	k := r.key()
	if x := f.regions[k]; x != nil {
		return x
	}
	if r.op == regionRest {
		r.members = make(map[string]bool, len(r.names))
		for _, n := range r.names {
			r.members[n] = true
		}
	}
	f.regions[k] = r
	return r
}

func (f *forms) nameRegion(name string) *region {
	return f.region(&region{op: regionName, name: name})
}

func (f *forms) every(r *region, l lit) *form {
	return f.atom(&atom{op: atomEveryProp, region: r, lit: l})
}

func (f *forms) present(name string) *form {
	return f.atom(&atom{op: atomSomeProp, region: f.nameRegion(name), lit: always})
}

func (f *forms) absent(name string) *form { return f.every(f.nameRegion(name), never) }

func (f *forms) opaqueAtom(reason string, sub int) *form {
	return f.atom(&atom{op: atomOpaque, reason: reason, max: sub})
}

// matching returns the language of a pattern.
func (f *forms) matching(pattern string) (lang.ID, error) {
	s, ok := f.searches[pattern]
	if !ok {
		s.id, s.err = f.langs.Search(pattern)
		f.searches[pattern] = s
	}
	return s.id, s.err
}
