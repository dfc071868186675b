package schema

import (
	"fmt"
	"slices"
	"strconv"
)

// alignUnions prepares places where only one side is a union: the other is
// looked at as a union of one, so that "a string" against "a string or a list of
// strings" is a variant more.
func (w *walker) alignUnions(p *place) {
	s := w.p.solver
	wrap := func(bare *node, other **node, l lit) {
		if !bare.onlyUnion() || (*other).hasAny || (*other).hasOne || (*other).types == 0 {
			return
		}
		n := newNode()
		if bare.hasAny {
			n.anyOf, n.hasAny = []lit{s.resolve(l)}, true
		} else {
			n.oneOf, n.hasOne = []lit{s.resolve(l)}, true
		}
		*other = n
	}
	wrap(p.flatA, &p.flatB, p.b)
	wrap(p.flatB, &p.flatA, p.a)
}

// onlyUnion reports whether n says nothing but a union.
func (n *node) onlyUnion() bool {
	bare := *newNode()
	bare.anyOf, bare.oneOf, bare.hasAny, bare.hasOne = n.anyOf, n.oneOf, n.hasAny, n.hasOne
	return n.hasAny != n.hasOne && n.key() == bare.key()
}

// branch is one schema of a union.
type branch struct {
	view
	lit   lit
	index int
}

// unionOf returns the union of a place as far as its flat node still has one.
func (w *walker) unionOf(d *document, n *node, parts []view) (word string, bs []branch) {
	switch {
	case n.hasAny:
		word = "anyOf"
	case n.hasOne:
		word = "oneOf"
	default:
		return "", nil
	}
	u := find(parts, word)
	if u.v == nil || u.v.kind != kindArray {
		if one := slices.Concat(n.anyOf, n.oneOf); len(one) == 1 { // see alignUnions
			return word, []branch{{parts[0], one[0], 0}}
		}
		return word, nil
	}
	for i := range u.v.items {
		v := u.child(strconv.Itoa(i))
		bs = append(bs, branch{v, d.at(v.at), i})
	}
	return word, bs
}

// unions compares anyOf and oneOf.
func (w *walker) unions(p *place) {
	wordA, a := w.unionOf(w.oldDoc, p.flatA, p.old)
	wordB, b := w.unionOf(w.newDoc, p.flatB, p.new)
	if !p.flatA.hasAny && !p.flatA.hasOne && !p.flatB.hasAny && !p.flatB.hasOne {
		return
	}
	if wordA == "" || wordB == "" || p.flatA.hasAny && p.flatA.hasOne || p.flatB.hasAny && p.flatB.hasOne {
		w.wholeUnion(p)
		return
	}
	matched, restA, restB := w.pairBranches(a, b)
	if wordA != wordB {
		w.exclusive(p, wordA, wordB)
	}
	for _, m := range matched {
		w.variant(p, m[0], m[1], wordA)
	}
	w.variantsGone(p, wordA, restA)
	w.variantsNew(p, wordA, wordB, restB)
	if wordA == wordB && len(restA)+len(restB) == 0 && !slices.IsSortedFunc(matched, func(x, y [2]branch) int { return x[1].index - y[1].index }) {
		w.note(p, "union.reordered", find(p.old, wordA), find(p.new, wordB), "The variants of "+w.name(p)+" are listed in another order.")
	}
}

// pairBranches pairs equal branches first, then those that look alike.
func (w *walker) pairBranches(a, b []branch) (matched [][2]branch, restA, restB []branch) {
	s := w.p.solver
	usedB := map[int]bool{}
	pairWith := map[int]branch{}
	for _, alike := range []func(x, y branch) bool{
		func(x, y branch) bool { return s.resolve(x.lit) == s.resolve(y.lit) },
		func(x, y branch) bool { t := w.tag(x); return t != "" && t == w.tag(y) },
		func(x, y branch) bool { return typeNow(s.flat(x.lit)) == typeNow(s.flat(y.lit)) },
	} {
		for _, x := range a {
			if _, done := pairWith[x.index]; done {
				continue
			}
			for _, y := range b {
				if !usedB[y.index] && alike(x, y) {
					pairWith[x.index], usedB[y.index] = y, true
					break
				}
			}
		}
	}
	for _, x := range a {
		if y, ok := pairWith[x.index]; ok {
			matched = append(matched, [2]branch{x, y})
		} else {
			restA = append(restA, x)
		}
	}
	for _, y := range b {
		if !usedB[y.index] {
			restB = append(restB, y)
		}
	}
	return matched, restA, restB
}

// tag is what tells a branch from its siblings: its title, the target's name,
// or the one value of a property.
func (w *walker) tag(x branch) string {
	if t := x.v.get("title").text(); t != "" {
		return "title " + t
	}
	if r := x.v.get("$ref").text(); r != "" {
		return "ref " + r
	}
	for _, p := range w.p.solver.flat(x.lit).props {
		if vals, ok := w.p.solver.flat(p.lit).values(); ok && len(vals) == 1 {
			return "tag " + p.name + "=" + vals[0].key()
		}
	}
	return ""
}

func setBranch(n *node, old, l lit) {
	swap := func(ls []lit) []lit {
		out := slices.Clone(ls)
		if i := slices.Index(out, old); i >= 0 {
			out[i] = l
		}
		return out
	}
	n.anyOf, n.oneOf = swap(n.anyOf), swap(n.oneOf)
}

func (w *walker) variant(p *place, x, y branch, word string) {
	child := w.place(p, x.view, y.view, p.path)
	child.where = fmt.Sprintf("variant %d", x.index+1)
	if p.where != "" {
		child.where = p.where + "." + strconv.Itoa(x.index+1)
	}
	child.inNegation = child.inNegation || word == "oneOf"
	child.put = func(n *node, l lit) { setBranch(n, x.lit, l) }
	w.compare(child)
}

func (w *walker) exclusive(p *place, wordA, wordB string) {
	old, new := find(p.old, wordA), find(p.new, wordB)
	name := upper(w.name(p))
	swap := func(n *node) {
		n.anyOf, n.oneOf = n.oneOf, n.anyOf
		n.hasAny, n.hasOne = n.hasOne, n.hasAny
	}
	if wordB == "oneOf" {
		w.rule(p, "union.exclusive.added", old, new, name+" must fit exactly one of its variants now.", "", swap)
		return
	}
	w.rule(p, "union.exclusive.removed", old, new, name+" may fit several of its variants now.", "", swap)
}

func (w *walker) variantsGone(p *place, word string, bs []branch) {
	for _, x := range bs {
		id, sentence := "union.variant.removed", fmt.Sprintf("%s lost a variant: %s.", upper(w.name(p)), w.variantWords(x))
		if w.p.solver.flat(x.lit).onlyNull() {
			id, sentence = "type.nullable.removed", w.nullGone(p)
		}
		w.rule(p, id, x.view, view{}, sentence, "", func(n *node) {
			drop := func(l lit) bool { return l == x.lit }
			n.anyOf, n.oneOf = slices.DeleteFunc(slices.Clone(n.anyOf), drop), slices.DeleteFunc(slices.Clone(n.oneOf), drop)
			if len(n.anyOf)+len(n.oneOf) == 0 {
				n.types = 0
			}
		})
	}
}

func (w *walker) variantsNew(p *place, wordA, wordB string, bs []branch) {
	for _, y := range bs {
		overlaps := ""
		if wordB == "oneOf" && w.p.dir == Input {
			overlaps = fmt.Sprintf("%s has a new variant, %s; values that also fit another one are now rejected.", upper(w.name(p)), w.variantWords(y))
		}
		id, sentence := "union.variant.added", fmt.Sprintf("%s has a new variant: %s.", upper(w.name(p)), w.variantWords(y))
		if w.p.solver.flat(y.lit).onlyNull() {
			id, sentence = "type.nullable.added", w.nullAllowed(p)
		}
		w.rule(p, id, view{}, y.view, sentence, overlaps, func(n *node) {
			if wordA == "anyOf" {
				n.anyOf = append(slices.Clip(n.anyOf), y.lit)
			} else {
				n.oneOf = append(slices.Clip(n.oneOf), y.lit)
			}
		})
	}
}

func (w *walker) variantWords(x branch) string {
	if t := x.v.get("title").text(); t != "" {
		return t
	}
	n := w.p.solver.flat(x.lit)
	if vals, ok := n.values(); ok {
		return list(vals, "and")
	}
	if len(n.required) > 0 {
		words := make([]string, len(n.required))
		for i, r := range n.required {
			words[i] = "`" + r + "`"
		}
		return "with " + and(words, "and")
	}
	return typeWords(n.types)
}

// wholeUnion is for unions that have no counterpart.
func (w *walker) wholeUnion(p *place) {
	a, b := p.flatA, p.flatB
	if slices.Equal(a.anyOf, b.anyOf) && slices.Equal(a.oneOf, b.oneOf) {
		return
	}
	pick := func(n *node, parts []view) view {
		for _, word := range []string{"anyOf", "oneOf"} {
			if v := find(parts, word); v.v != nil {
				return v
			}
		}
		return view{}
	}
	old, new := pick(a, p.old), pick(b, p.new)
	id, sentence := "union.changed", "The variants of %s changed."
	switch {
	case !a.hasAny && !a.hasOne:
		id, sentence = "union.added", "%s must fit one of several variants now."
	case !b.hasAny && !b.hasOne:
		id, sentence = "union.removed", "%s has no variants any more."
	}
	name := upper(w.name(p))
	if id == "union.changed" {
		name = w.name(p)
	}
	// The other keywords of the place move in and out of the variants with them.
	w.rule(p, id, old, new, fmt.Sprintf(sentence, name), "", func(n *node) { *n = *b })
}
