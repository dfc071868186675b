package schema

import "slices"

// maxGuards bounds how many conditional parts may decide which members count as
// evaluated: every combination of them is a case of its own.
const maxGuards = 6

// share is what one part of a schema evaluates, if its guard holds.
type share struct {
	guard *form
	names []string
	pats  []string
	items int   // leading items
	marks []lit // and the items that satisfy one of these
	all   bool  // everything
}

// unevaluated demands unevaluatedProperties or unevaluatedItems: for each
// combination of conditional parts that hold, what none of them evaluates must
// satisfy the schema.
func (f *forms) unevaluated(n *node, k kind, self lit) *form {
	shares, ok := f.shares(n, k, formYes, 0)
	if !ok {
		return f.opaqueAtom("unevaluated members that depend on recursion", int(self>>1))
	}
	var guards []*form
	for _, s := range shares {
		if s.guard != formYes && s.guard != formNo && !slices.Contains(guards, s.guard) {
			guards = append(guards, s.guard)
		}
	}
	if len(guards) > maxGuards {
		return f.opaqueAtom("unevaluated members that depend on more than 6 alternatives", int(self>>1))
	}
	var cases []*form
	for set := range 1 << len(guards) {
		parts := make([]*form, len(guards))
		for i, g := range guards {
			parts[i] = g
			if set&(1<<i) == 0 {
				parts[i] = f.not(g)
			}
		}
		holds := func(s share) bool {
			i := slices.Index(guards, s.guard)
			return s.guard == formYes || i >= 0 && set&(1<<i) != 0
		}
		cases = append(cases, f.and(append(parts, f.left(n, k, shares, holds))...))
	}
	return f.or(cases...)
}

// left demands what the shares that hold leave over.
func (f *forms) left(n *node, k kind, shares []share, holds func(share) bool) *form {
	r := &region{op: regionRest}
	items := 0
	ways := []lit{f.resolve(n.leftItems)}
	for _, s := range shares {
		if !holds(s) {
			continue
		}
		if s.all {
			return formYes
		}
		r.names = append(r.names, s.names...)
		r.pats = append(r.pats, s.pats...)
		items = max(items, s.items)
		ways = append(ways, s.marks...)
	}
	if k == kindArray {
		return f.atom(&atom{op: atomEveryItem, min: items, max: -1, lit: f.any(ways)})
	}
	slices.Sort(r.names)
	slices.Sort(r.pats)
	r.names, r.pats = slices.Compact(r.names), slices.Compact(r.pats)
	return f.every(f.region(r), f.resolve(n.leftProps))
}

// any is the union of schemas.
func (f *forms) any(ls []lit) lit {
	if len(ls) == 1 {
		return ls[0]
	}
	n := newNode()
	n.anyOf, n.hasAny = ls, true
	return f.intern(n)
}

// shares lists what n and everything applied in place with it evaluates. It
// says false when that can't be told from the schema alone.
func (f *forms) shares(n *node, k kind, guard *form, depth int) ([]share, bool) {
	if depth > 12 || n.opaque != "" || f.looked(1) {
		return nil, false
	}
	own := share{guard: guard}
	if k == kindObject {
		for _, p := range n.props {
			own.names = append(own.names, p.name)
		}
		for _, p := range n.patProps {
			own.pats = append(own.pats, p.name)
		}
		own.all = n.hasExtra || n.hasLeftP && depth > 0
	} else {
		if n.marks {
			own.marks = []lit{f.resolve(n.contains)}
		}
		own.items = len(n.prefix)
		own.all = n.hasRest || n.hasLeftI && depth > 0
	}
	out := []share{own}
	ok := true
	in := func(l lit, g *form) {
		l = f.resolve(l)
		if l == always || l == never || !ok {
			return
		}
		if l.negative() {
			return // a negation evaluates nothing
		}
		var more []share
		more, ok = f.shares(f.node(l), k, f.and(guard, g), depth+1)
		out = append(out, more...)
	}
	for _, l := range n.allOf {
		in(l, formYes)
	}
	for _, l := range slices.Concat(n.anyOf, n.oneOf) {
		in(l, f.form(l, k))
	}
	for _, d := range n.needs {
		if k == kindObject && d.names == nil {
			in(d.lit, f.present(d.name))
		}
	}
	if n.cond {
		test := f.form(n.ifL, k)
		in(n.ifL, test)
		in(n.thenL, test)
		in(n.elseL, f.not(test))
	}
	return out, ok
}
