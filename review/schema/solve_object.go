package schema

import (
	"errors"
	"slices"

	"github.com/countersign/countersign/review/schema/internal/lang"
)

// Bounds of objects made up for a witness.
const (
	maxMembers    = 1_000 // members added only to reach a minimal number
	maxSignatures = 64    // ways in which the patterns of an object can overlap
	maxRetries    = 64    // made-up names that turned out to be taken
)

// plainNames are the names that a property nobody declared gets in a witness.
var plainNames = []string{"extra", "other", "more"}

// objectIndex sorts the atoms about an object.
type objectIndex struct {
	order           []string         // names that atoms mention, in order
	named           map[string][]lit // what the property must satisfy if present
	required        map[string]bool
	requiredInOrder []string
	general         []*atom // every property of a region that is no single name
	demands         []*atom // some property of such a region
	least, most     int
	doubt           string
}

func (s *solver) indexObject(atoms []*form) *objectIndex {
	ix := &objectIndex{named: map[string][]lit{}, required: map[string]bool{}, most: -1}
	s.steps += len(atoms) / perStep
	for _, x := range atoms {
		ix.take(x.atom)
	}
	return ix
}

func (ix *objectIndex) take(a *atom) {
	switch a.op {
	case atomSize:
		ix.least = max(ix.least, a.min)
		if a.max >= 0 && (ix.most < 0 || a.max < ix.most) {
			ix.most = a.max
		}
	case atomEveryProp, atomSomeProp:
		ix.takeProp(a)
	case atomOpaque:
		ix.doubt = reasonText(a.reason)
	}
}

func (ix *objectIndex) takeProp(a *atom) {
	switch {
	case a.region.op == regionName:
		ix.mention(a.region.name, a.lit)
		if a.op == atomSomeProp && !ix.required[a.region.name] {
			ix.required[a.region.name] = true
			ix.requiredInOrder = append(ix.requiredInOrder, a.region.name)
		}
	case a.op == atomEveryProp:
		ix.general = append(ix.general, a)
	default:
		ix.demands = append(ix.demands, a)
	}
	for _, n := range a.region.names {
		ix.mention(n)
	}
}

func (ix *objectIndex) mention(name string, ls ...lit) {
	if _, ok := ix.named[name]; !ok {
		ix.order = append(ix.order, name)
	}
	ix.named[name] = append(ix.named[name], ls...)
}

// member returns what the property must satisfy if it is present; it says false
// when a pattern that can't be analysed may demand more.
func (s *solver) member(ix *objectIndex, name string) ([]lit, bool) {
	out := slices.Clone(ix.named[name])
	sure := true
	for _, g := range ix.general {
		switch s.contains(g.region, name) {
		case yes:
			out = append(out, g.lit)
		case maybe:
			sure = false
		}
	}
	return out, sure
}

// objectSearch looks for an object: every demand needs a property, which may be
// one that is there anyway, one that is mentioned, or a new name.
type objectSearch struct {
	s  *solver
	ix *objectIndex
}

func (s *solver) leafObject(st *state) answer {
	ix := s.indexObject(st.atoms)
	if ix.most >= 0 && (ix.least > ix.most || len(ix.requiredInOrder) > ix.most) {
		return answer{}
	}
	o := &objectSearch{s, ix}
	// A required property without a value closes the leaf before any demand is
	// placed.
	for _, name := range ix.requiredInOrder {
		ls, _ := s.member(ix, name)
		if s.solve(ls...).outcome == none {
			return answer{}
		}
	}
	return o.place(ix.demands, map[string][]lit{}, nil)
}

// option is a property that can meet a demand.
type option struct {
	name string
	lits []lit
}

// place gives the first demand a property, trying all that differ, and goes on
// with the rest. extra holds what the chosen ones must satisfy beside.
func (o *objectSearch) place(demands []*atom, extra map[string][]lit, added []string) answer {
	if len(demands) == 0 {
		return o.finish(extra, added)
	}
	if o.s.steps++; o.s.steps > o.s.limit {
		return noAnswer(whySteps)
	}
	d := demands[0]
	options, doubt := o.options(d, added)
	out := answer{}
	for _, op := range options {
		ls := slices.Concat(op.lits, extra[op.name], []lit{d.lit})
		if o.s.solve(ls...).outcome == none {
			continue
		}
		next := make(map[string][]lit, len(extra)+1)
		for k, v := range extra {
			next[k] = v
		}
		next[op.name] = append(slices.Clip(next[op.name]), d.lit)
		names := added
		if !o.ix.required[op.name] && !slices.Contains(added, op.name) {
			names = append(slices.Clip(added), op.name)
		}
		a := o.place(demands[1:], next, names)
		if a.outcome == found {
			return a
		}
		out = worse(out, a)
	}
	if out.outcome == none && doubt != "" {
		return noAnswer(doubt)
	}
	return out
}

// options lists the properties that may meet d, and why the list may lack some.
func (o *objectSearch) options(d *atom, added []string) ([]option, string) {
	var out []option
	doubt := ""
	seen := map[string]bool{}
	try := func(names []string) {
		for _, n := range names {
			in := o.s.contains(d.region, n)
			if seen[n] || in == no {
				continue
			}
			seen[n] = true
			if in == maybe {
				doubt = "a pattern that can't be analysed"
			}
			ls, _ := o.s.member(o.ix, n)
			out = append(out, option{n, ls})
		}
	}
	try(o.ix.requiredInOrder)
	try(added)
	try(o.ix.order)
	fresh, why := o.fresh(d.region, added, 1)
	if why != "" {
		doubt = why
	}
	return append(out, fresh...), doubt
}

// fresh makes up names in a region that nothing mentions: up to n of each way in
// which they can fall into the regions of the object. A nil region is every name.
func (o *objectSearch) fresh(r *region, added []string, n int) ([]option, string) {
	f := &freshNames{o: o, added: added, n: n}
	ids := []lang.ID{}
	if r != nil {
		id, err := o.s.nameLanguage(r)
		if err != nil {
			return nil, limitText(err)
		}
		ids = append(ids, id)
	}
	var gs []*atom
	for _, g := range o.ix.general {
		if r != g.region || r == nil {
			gs = append(gs, g)
		} else {
			f.base = append(f.base, g.lit)
		}
	}
	f.split(gs, ids, f.base)
	return f.out, f.doubt
}

type freshNames struct {
	o     *objectSearch
	added []string
	n     int
	base  []lit
	out   []option
	doubt string
	leafs int
}

// split decides for each general region whether the names are in it.
func (f *freshNames) split(gs []*atom, ids []lang.ID, ls []lit) {
	s := f.o.s
	_, ok, err := s.langs.Find(s.langs.And(ids...), 0, -1)
	if err != nil {
		f.doubt = limitText(err)
		return
	}
	if !ok {
		return
	}
	if len(gs) == 0 {
		if f.leafs++; f.leafs > maxSignatures {
			f.doubt = "too many overlapping name patterns"
			return
		}
		f.spell(s.langs.And(ids...), ls)
		return
	}
	id, err := s.nameLanguage(gs[0].region)
	if err != nil {
		f.doubt = limitText(err)
		return
	}
	f.split(gs[1:], append(slices.Clip(ids), s.langs.Not(id)), ls)
	f.split(gs[1:], append(slices.Clip(ids), id), append(slices.Clip(ls), gs[0].lit))
}

// spell finds names of the language that nothing mentions.
func (f *freshNames) spell(id lang.ID, ls []lit) {
	s := f.o.s
	if s.solve(ls...).outcome == none {
		return
	}
	got := 0
	for _, name := range plainNames {
		if got < f.n && s.langs.Matches(id, name) && f.free(name) {
			f.out = append(f.out, option{name, ls})
			id = s.langs.And(id, s.langs.Not(s.langs.Literal(name)))
			got++
		}
	}
	for range maxRetries + f.n {
		if got == f.n {
			return
		}
		text, ok, err := s.langs.Find(id, 0, -1)
		if err != nil {
			f.doubt = limitText(err)
		}
		if err != nil || !ok {
			return
		}
		id = s.langs.And(id, s.langs.Not(s.langs.Literal(text)))
		if !f.free(text) || text == "" && got == 0 && f.another(id) {
			continue
		}
		f.out = append(f.out, option{text, ls})
		got++
	}
	f.doubt = "names that are all taken"
}

// free reports whether nothing mentions a name yet.
func (f *freshNames) free(name string) bool {
	_, known := f.o.ix.named[name]
	return !known && !slices.Contains(f.added, name)
}

// another reports whether the language has more to offer than the empty name,
// which reads badly in a witness.
func (f *freshNames) another(id lang.ID) bool {
	_, ok, err := f.o.s.langs.Find(id, 0, -1)
	return ok && err == nil
}

// nameLanguage is the language of the names of a region, as far as it doesn't
// depend on names that atoms mention: those are looked at one by one.
func (s *solver) nameLanguage(r *region) (lang.ID, error) {
	switch r.op {
	case regionName:
		return s.langs.Literal(r.name), nil
	case regionLit:
		return s.language(s.form(r.lit, kindString))
	}
	ids := make([]lang.ID, len(r.pats))
	for i, p := range r.pats {
		id, err := s.matching(p)
		if err != nil {
			return 0, err
		}
		ids[i] = id
	}
	if r.op == regionRest {
		return s.langs.Not(s.langs.Union(ids...)), nil
	}
	return s.langs.Union(ids...), nil
}

var errOpaque = errors.New("a schema for names that can't be analysed")

// language turns a demand on strings into a language.
func (s *solver) language(x *form) (lang.ID, error) {
	switch x.op {
	case formTrue:
		return s.langs.All, nil
	case formFalse:
		return s.langs.None, nil
	case formAtom:
		return s.atomLanguage(x.atom)
	}
	if s.looked(1) {
		return 0, lang.ErrLimit
	}
	ids := make([]lang.ID, len(x.subs))
	for i, sub := range x.subs {
		id, err := s.language(sub)
		if err != nil {
			return 0, err
		}
		ids[i] = id
	}
	if x.op == formAnd {
		return s.langs.And(ids...), nil
	}
	return s.langs.Union(ids...), nil
}

func (s *solver) atomLanguage(a *atom) (lang.ID, error) {
	switch a.op {
	case atomLanguage:
		return a.language, nil
	case atomLength:
		return s.langs.Length(a.min, a.max), nil
	case atomIn, atomNotIn:
		ids := make([]lang.ID, len(a.values))
		for i, v := range a.values {
			ids[i] = s.langs.Literal(v.str)
		}
		id := s.langs.Union(ids...)
		if a.op == atomNotIn {
			id = s.langs.Not(id)
		}
		return id, nil
	}
	return 0, errOpaque
}

// finish gives every chosen property a value and fills up to the least size.
func (o *objectSearch) finish(extra map[string][]lit, added []string) answer {
	names := slices.Concat(o.ix.requiredInOrder, added)
	if o.ix.most >= 0 && len(names) > o.ix.most {
		return answer{}
	}
	v := &value{kind: kindObject}
	doubt := o.ix.doubt
	complete := true
	for _, name := range names {
		ls, sure := o.s.member(o.ix, name)
		a := o.s.solve(slices.Concat(ls, extra[name])...)
		switch {
		case a.outcome == none:
			return answer{}
		case a.outcome == unknown:
			doubt = a.why
		case !sure:
			doubt = "a pattern that can't be analysed"
		}
		if a.value == nil {
			complete = false
			continue
		}
		v.members = append(v.members, member{name, a.value})
	}
	if !complete {
		return noAnswer(doubt)
	}
	if len(v.members) < o.ix.least {
		if a := o.fill(v, added); a.outcome != found {
			return a
		}
	}
	if doubt != "" {
		return answer{outcome: unknown, value: v, why: doubt}
	}
	return answer{outcome: found, value: v}
}

// fill adds properties until the object has its least size. All names that can
// have a value are tried, so running out of them proves that there are too few.
func (o *objectSearch) fill(v *value, added []string) answer {
	if o.ix.least > maxMembers {
		return noAnswer("an object too large for an example")
	}
	doubt := ""
	add := func(name string, ls []lit) {
		a := o.s.solve(ls...)
		if a.outcome == unknown {
			doubt = a.why
		}
		if a.outcome == found {
			v.members = append(v.members, member{name, a.value})
		}
	}
	for _, name := range o.ix.order {
		if len(v.members) == o.ix.least {
			return answer{outcome: found}
		}
		if o.ix.required[name] || slices.Contains(added, name) {
			continue
		}
		ls, sure := o.s.member(o.ix, name)
		if !sure {
			doubt = "a pattern that can't be analysed"
		}
		add(name, ls)
	}
	options, why := o.fresh(nil, added, o.ix.least-len(v.members))
	if why != "" {
		doubt = why
	}
	for _, op := range options {
		if len(v.members) == o.ix.least {
			break
		}
		add(op.name, op.lits)
	}
	switch {
	case len(v.members) == o.ix.least:
		return answer{outcome: found}
	case doubt != "":
		return noAnswer(doubt)
	}
	return answer{}
}
