package schema

import (
	"slices"
)

// The declared reading asks only about callers that send what the source schema
// names. What it names is itself a schema, built from the source: at each place
// the properties that any schema applying there mentions, and nothing else,
// unless the place is open on purpose. A node with a shape stands for that
// schema; it is only ever conjoined, never negated.

// declared returns the shape of l.
func (f *forms) declared(l lit) lit { return f.shapeOf([]lit{l}) }

// shapeOf returns the node for the shape of a place to which ls apply.
func (f *forms) shapeOf(ls []lit) lit {
	var shape []lit
	for _, l := range ls {
		if l = f.resolve(l); l != always && l != never && !l.negative() {
			shape = append(shape, l)
		}
	}
	if len(shape) == 0 {
		return always
	}
	slices.Sort(shape)
	n := newNode()
	n.shape = slices.Compact(shape)
	return f.intern(n)
}

// inPlace returns the nodes that apply to the same value as ls.
func (f *forms) inPlace(ls []lit) []*node {
	var out []*node
	seen := map[lit]bool{}
	var visit func(l lit)
	visit = func(l lit) {
		l = f.resolve(l)
		if seen[l] || l == always || l == never || l.negative() {
			return
		}
		seen[l] = true
		n := f.node(l)
		out = append(out, n)
		for _, sub := range slices.Concat(n.allOf, n.anyOf, n.oneOf) {
			visit(sub)
		}
		if n.cond {
			visit(n.ifL)
			visit(n.thenL)
			visit(n.elseL)
		}
		for _, d := range n.needs {
			visit(d.lit)
		}
	}
	for _, l := range ls {
		visit(l)
	}
	return out
}

// names reports whether every object that l describes has named properties, so
// that whatever else a caller sends is undeclared.
func (f *forms) named(l lit, depth int) bool {
	l = f.resolve(l)
	if l == never {
		return true
	}
	if l == always || l.negative() || depth > 12 || f.looked(1) {
		return false
	}
	n := f.node(l)
	if n.types&typeOf(kindObject) == 0 {
		return true
	}
	if len(n.props) > 0 || len(n.patProps) > 0 {
		return true
	}
	for _, sub := range n.allOf {
		if f.named(sub, depth+1) {
			return true
		}
	}
	return f.allNamed(n.anyOf, depth) || f.allNamed(n.oneOf, depth)
}

func (f *forms) allNamed(ls []lit, depth int) bool {
	for _, l := range ls {
		if !f.named(l, depth+1) {
			return false
		}
	}
	return len(ls) > 0
}

func (f *forms) shapeForm(n *node, k kind) *form {
	switch k {
	case kindArray:
		return f.arrayShape(f.inPlace(n.shape))
	case kindObject:
		return f.objectShape(n.shape, f.inPlace(n.shape))
	}
	return formYes
}

func (f *forms) arrayShape(nodes []*node) *form {
	var rest []lit
	longest := 0
	for _, n := range nodes {
		rest = append(rest, n.rest, n.leftItems)
		if n.hasContain {
			rest = append(rest, n.contains)
		}
		longest = max(longest, len(n.prefix))
	}
	var out []*form
	for i := range longest {
		at := slices.Clone(rest)
		for _, n := range nodes {
			if i < len(n.prefix) {
				at = append(at, n.prefix[i])
			}
		}
		out = append(out, f.atom(&atom{op: atomEveryItem, min: i, max: i + 1, lit: f.shapeOf(at)}))
	}
	out = append(out, f.atom(&atom{op: atomEveryItem, min: longest, max: -1, lit: f.shapeOf(rest)}))
	return f.and(out...)
}

func (f *forms) objectShape(shape []lit, nodes []*node) *form {
	byName := map[string][]lit{}
	byPat := map[string]bool{}
	var names []string
	var loose []lit // what patterns and additional properties say
	closed := true
	mention := func(name string) {
		if _, ok := byName[name]; !ok {
			names = append(names, name)
			byName[name] = nil
		}
	}
	for _, n := range nodes {
		for _, p := range n.props {
			mention(p.name)
			byName[p.name] = append(byName[p.name], p.lit)
		}
		for _, r := range n.required {
			mention(r)
		}
		for _, d := range n.needs {
			mention(d.name)
			for _, r := range d.names {
				mention(r)
			}
		}
		for _, p := range n.patProps {
			byPat[p.name] = true
			loose = append(loose, p.lit)
		}
		if n.hasExtra && n.extra != never {
			closed = false
			loose = append(loose, n.extra)
		}
		if n.hasLeftP && n.leftProps != never {
			closed = false
			loose = append(loose, n.leftProps)
		}
	}
	for _, l := range shape {
		closed = closed && f.named(l, 0)
	}
	return f.and(f.shapeOfMembers(names, byName, byPat, loose, closed)...)
}

func (f *forms) shapeOfMembers(names []string, byName map[string][]lit, byPat map[string]bool, loose []lit, closed bool) []*form {
	slices.Sort(names)
	rest := &region{op: regionRest, names: names}
	var out []*form
	for _, name := range names {
		out = append(out, f.every(f.nameRegion(name), f.shapeOf(append(byName[name], loose...))))
	}
	for p := range byPat {
		rest.pats = append(rest.pats, p)
	}
	slices.Sort(rest.pats)
	for _, p := range rest.pats {
		out = append(out, f.every(f.region(&region{op: regionPattern, pats: []string{p}}), f.shapeOf(loose)))
	}
	others := never
	if !closed {
		others = f.shapeOf(loose)
	}
	return append(out, f.every(f.region(rest), others))
}
