package schema

import (
	"maps"
	"slices"
	"strings"
)

// flat returns a node that accepts the same values as l, with everything that
// applies in place drawn together as far as that keeps the meaning: allOf parts
// and $refs, a union with null, a union of constants. Two ways of writing one
// schema mostly have the same flat node, and a difference between two flat nodes
// has a keyword to its name.
func (f *forms) flat(l lit) *node {
	l = f.resolve(l)
	n := f.flats[l]
	if n == nil {
		n = f.flatWithin(l, map[lit]bool{})
		f.flats[l] = n
	}
	out := *n
	return &out
}

func (f *forms) flatWithin(l lit, active map[lit]bool) *node {
	l = f.resolve(l)
	out := newNode()
	switch {
	case l == always:
		return out
	case l == never:
		out.types = 0
		return out
	case l.negative():
		out.not = []lit{l.not()}
		return out
	case f.node(l).opaque != "" || f.node(l).shape != nil || active[l] || len(active) > 32 || f.looked(1):
		out.allOf = []lit{l}
		return out
	}
	active[l] = true
	defer delete(active, l)
	n := *f.node(l)
	n.allOf = nil
	for _, part := range f.node(l).allOf {
		if part = f.resolve(part); !n.merge(f, f.flatWithin(part, active)) {
			n.allOf = append(n.allOf, part)
		}
	}
	if n.hasAny && f.fold(&n, n.anyOf, active) {
		n.hasAny, n.anyOf = false, nil
	}
	if n.hasOne && f.fold(&n, n.oneOf, active) {
		n.hasOne, n.oneOf = false, nil
	}
	return &n
}

// merge conjoins m into n when one node can say both; else it leaves n alone
// and says false.
func (n *node) merge(f *forms, m *node) bool {
	if !n.canMerge(m) {
		return false
	}
	n.types = meetTypes(n.types, m.types)
	n.enums = append(slices.Clip(n.enums), m.enums...)
	n.mergeNumbers(m)
	n.minLen, n.maxLen = max(n.minLen, m.minLen), lesser(n.maxLen, m.maxLen)
	n.patterns = append(slices.Clip(n.patterns), m.patterns...)
	slices.Sort(n.patterns)
	n.patterns = slices.Compact(n.patterns)
	n.minItems, n.maxItems = max(n.minItems, m.minItems), lesser(n.maxItems, m.maxItems)
	n.minProps, n.maxProps = max(n.minProps, m.minProps), lesser(n.maxProps, m.maxProps)
	n.unique = n.unique || m.unique
	if m.hasArrays() {
		n.prefix, n.rest, n.hasRest = m.prefix, m.rest, m.hasRest
	}
	if m.hasContain {
		n.contains, n.hasContain, n.minContain, n.maxContain, n.marks = m.contains, true, m.minContain, m.maxContain, m.marks
	}
	n.props = mergeProps(f, n.props, m.props)
	n.patProps = mergeProps(f, n.patProps, m.patProps)
	if m.hasExtra {
		n.extra, n.hasExtra = m.extra, true
	}
	n.required = union(n.required, m.required)
	if m.hasNames {
		n.names, n.hasNames = m.names, true
	}
	n.needs = append(slices.Clip(n.needs), m.needs...)
	n.not = append(slices.Clip(n.not), m.not...)
	n.allOf = append(slices.Clip(n.allOf), m.allOf...)
	if m.hasAny {
		n.anyOf, n.hasAny = m.anyOf, true
	}
	if m.hasOne {
		n.oneOf, n.hasOne = m.oneOf, true
	}
	if m.cond {
		n.cond, n.ifL, n.thenL, n.elseL = true, m.ifL, m.thenL, m.elseL
	}
	return true
}

func (n *node) hasArrays() bool { return len(n.prefix) > 0 || n.hasRest }

func (n *node) canMerge(m *node) bool {
	switch {
	case m.hasLeftP || m.hasLeftI, n.hasArrays() && m.hasArrays(), n.hasContain && m.hasContain,
		n.hasNames && m.hasNames, n.hasAny && m.hasAny, n.hasOne && m.hasOne, n.cond && m.cond:
		return false
	case (n.hasExtra || m.hasExtra) && !(n.governs(m) && m.governs(n)):
		return false
	case n.hasLeftI && m.hasArrays():
		return true
	}
	return true
}

// governs reports whether the properties of m don't escape additionalProperties
// of n when both are written in one schema.
func (n *node) governs(m *node) bool {
	if !n.hasExtra {
		return true
	}
	return subsetNames(m.props, n.props) && subsetNames(m.patProps, n.patProps)
}

func subsetNames(a, b []property) bool {
	for _, p := range a {
		if _, ok := findProp(b, p.name); !ok {
			return false
		}
	}
	return true
}

// findProp looks in a list that is sorted by name.
func findProp(ps []property, name string) (lit, bool) {
	i, ok := slices.BinarySearchFunc(ps, name, func(p property, s string) int { return strings.Compare(p.name, s) })
	if !ok {
		return always, false
	}
	return ps[i].lit, true
}

func mergeProps(f *forms, a, b []property) []property {
	if len(b) == 0 {
		return a
	}
	byName := map[string]lit{}
	for _, p := range a {
		byName[p.name] = p.lit
	}
	for _, p := range b {
		if l, ok := byName[p.name]; ok && f.resolve(l) != f.resolve(p.lit) {
			byName[p.name] = f.both(l, p.lit)
		} else {
			byName[p.name] = p.lit
		}
	}
	out := make([]property, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, property{name, byName[name]})
	}
	return out
}

// both is the conjunction of two schemas.
func (f *forms) both(a, b lit) lit {
	n := newNode()
	n.allOf = []lit{min(a, b), max(a, b)}
	return f.intern(n)
}

// union merges two sorted lists.
func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// lesser is the smaller of two maxima, of which a negative one is none.
func lesser(a, b int) int {
	if a < 0 {
		return b
	}
	if b < 0 {
		return a
	}
	return min(a, b)
}

func meetTypes(a, b types) types {
	number := typeOf(kindNumber)
	wide := func(t types) types {
		if t&number != 0 {
			return t | typeInteger
		}
		return t
	}
	t := wide(a) & wide(b)
	if t&number != 0 {
		t &^= typeInteger
	}
	return t
}

func (n *node) mergeNumbers(m *node) {
	if m.lo != nil && (n.lo == nil || m.lo.Cmp(n.lo) > 0 || m.lo.Cmp(n.lo) == 0 && m.loX) {
		n.lo, n.loX = m.lo, m.loX
	}
	if m.hi != nil && (n.hi == nil || m.hi.Cmp(n.hi) < 0 || m.hi.Cmp(n.hi) == 0 && m.hiX) {
		n.hi, n.hiX = m.hi, m.hiX
	}
	n.multiples = append(slices.Clip(n.multiples), m.multiples...)
}

// fold draws a union into n when it only adds null to one schema, or only lists
// constants.
func (f *forms) fold(n *node, branches []lit, active map[lit]bool) bool {
	flats := make([]*node, len(branches))
	for i, l := range branches {
		flats[i] = f.flatWithin(l, active)
	}
	if vals, ok := constants(flats); ok {
		n.enums = append(slices.Clip(n.enums), vals)
		return true
	}
	if len(flats) != 2 {
		return false
	}
	for i, m := range flats {
		if other := flats[1-i]; m.onlyNull() && other.noNull() && n.plainForNull() {
			x := *other
			x.types |= typeOf(kindNull)
			x.enums = nil
			for _, e := range other.enums {
				x.enums = append(x.enums, append(slices.Clip(e), &value{kind: kindNull, raw: []byte("null")}))
			}
			return n.merge(f, &x)
		}
	}
	return false
}

// constants joins the values of branches that do nothing but list values, each
// of them once.
func constants(flats []*node) ([]*value, bool) {
	var out []*value
	for _, m := range flats {
		bare := *newNode()
		bare.types, bare.enums = m.types, m.enums
		if len(m.enums) != 1 || m.key() != bare.key() {
			return nil, false
		}
		for _, v := range m.enums[0] {
			if !m.types.admits(v) {
				return nil, false
			}
			out = append(out, v)
		}
	}
	return out, len(flats) > 1 && distinct(out)
}

func (t types) admits(v *value) bool {
	return t&typeOf(v.kind) != 0 || v.kind == kindNumber && t&typeInteger != 0 && v.num.IsInt()
}

func (n *node) onlyNull() bool {
	bare := *newNode()
	bare.types, bare.enums = n.types, n.enums
	if n.key() != bare.key() {
		return false
	}
	vals, limited := n.values()
	if !limited {
		return n.types == typeOf(kindNull)
	}
	return n.types&typeOf(kindNull) != 0 && len(vals) == 1 && vals[0].kind == kindNull
}

// noNull reports whether n rejects null by its type or values alone, and says
// nothing else about null.
func (n *node) noNull() bool {
	if len(n.not) > 0 || n.cond || n.hasAny || n.hasOne || len(n.allOf) > 0 {
		return false
	}
	if n.types&typeOf(kindNull) == 0 {
		return true
	}
	vals, limited := n.values()
	return limited && !slices.ContainsFunc(vals, func(v *value) bool { return v.kind == kindNull })
}

// plainForNull reports whether what stands beside the union says nothing about null.
func (n *node) plainForNull() bool {
	return n.types&typeOf(kindNull) != 0 && len(n.enums) == 0 && len(n.not) == 0 && !n.cond && !(n.hasAny && n.hasOne) && len(n.allOf) == 0
}

// values returns what n is limited to by its lists of values.
func (n *node) values() ([]*value, bool) {
	if len(n.enums) == 0 {
		return nil, false
	}
	out := n.enums[0]
	for _, e := range n.enums[1:] {
		in := map[string]bool{}
		for _, v := range e {
			in[v.key()] = true
		}
		out = slices.DeleteFunc(slices.Clone(out), func(v *value) bool { return !in[v.key()] })
	}
	return out, true
}
