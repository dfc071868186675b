package schema

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
)

// form returns what l demands of values of type k.
func (f *forms) form(l lit, k kind) *form {
	l = f.resolve(l)
	if l == always {
		return formYes
	}
	if l == never {
		return formNo
	}
	key := lowerKey{l &^ 1, k}
	x := f.lowered[key]
	if x == nil {
		x = f.lowerOnce(key, l)
	}
	if l.negative() {
		return f.not(x)
	}
	return x
}

// lowerOnce lowers a schema that is not known yet. A schema that applies itself
// in place, without descending into the value, is what the validator makes of
// it: the inner application fails. What was computed on that condition holds
// only below the outer one, so it is not kept.
func (f *forms) lowerOnce(key lowerKey, l lit) *form {
	if d, ok := f.lowering[key]; ok {
		f.loop = min(f.loop, d)
		return formNo
	}
	depth := len(f.lowering)
	if f.steps++; f.steps > f.limit || depth > maxInPlace {
		return f.opaqueAtom(whySteps, int(l>>1))
	}
	outer := f.loop
	f.loop = noAssumption
	f.lowering[key] = depth
	x := f.lower(f.node(l), key.kind, l)
	delete(f.lowering, key)
	if f.loop >= depth {
		f.lowered[key] = x
	} else {
		outer = min(outer, f.loop)
	}
	f.loop = outer
	return x
}

func (f *forms) lower(n *node, k kind, l lit) *form {
	if n.opaque != "" {
		return f.opaqueAtom(n.opaque, int(l>>1))
	}
	if n.shape != nil {
		return f.shapeForm(n, k)
	}
	if n.types&typeOf(k) == 0 && !(k == kindNumber && n.types&typeInteger != 0) {
		return formNo
	}
	var subs []*form
	for _, e := range n.enums {
		subs = append(subs, f.enum(e, k))
	}
	switch k {
	case kindNumber:
		subs = append(subs, f.numberForms(n)...)
	case kindString:
		subs = append(subs, f.stringForms(n)...)
	case kindArray:
		subs = append(subs, f.arrayForms(n)...)
	case kindObject:
		subs = append(subs, f.objectForms(n)...)
	}
	subs = append(subs, f.logicForms(n, k)...)
	if n.hasLeftP && k == kindObject || n.hasLeftI && k == kindArray {
		subs = append(subs, f.unevaluated(n, k, l))
	}
	return f.and(subs...)
}

// enum demands one of the values that have type k.
func (f *forms) enum(vals []*value, k kind) *form {
	var mine []*value
	for _, v := range vals {
		if v.kind == k {
			mine = append(mine, v)
		}
	}
	if k == kindNull {
		if len(mine) > 0 {
			return formYes
		}
		return formNo
	}
	if k != kindArray && k != kindObject {
		return f.atom(&atom{op: atomIn, values: sortValues(mine)})
	}
	subs := make([]*form, len(mine))
	for i, v := range mine {
		subs[i] = f.exactly(v)
	}
	return f.or(subs...)
}

func sortValues(vs []*value) []*value {
	keys := make(map[string]*value, len(vs))
	var order []string
	for _, v := range vs {
		k := v.key()
		if keys[k] == nil {
			keys[k] = v
			order = append(order, k)
		}
	}
	sort.Strings(order)
	out := make([]*value, len(order))
	for i, k := range order {
		out[i] = keys[k]
	}
	return out
}

// exactly demands one array or object, member by member.
func (f *forms) exactly(v *value) *form {
	var subs []*form
	if v.kind == kindArray {
		subs = append(subs, f.atom(&atom{op: atomItems, min: len(v.items), max: len(v.items)}))
		for i, it := range v.items {
			subs = append(subs, f.atom(&atom{op: atomEveryItem, min: i, max: i + 1, lit: f.constant(it)}))
		}
		return f.and(subs...)
	}
	var names []string
	for _, m := range v.members {
		names = append(names, m.name)
		subs = append(subs, f.atom(&atom{op: atomSomeProp, region: f.nameRegion(m.name), lit: f.constant(m.value)}))
	}
	slices.Sort(names)
	return f.and(append(subs, f.every(f.region(&region{op: regionRest, names: names}), never))...)
}

func (f *forms) numberForms(n *node) []*form {
	var out []*form
	add := func(op atomOp, r *big.Rat) { out = append(out, f.atom(&atom{op: op, num: r})) }
	integer := n.types&typeOf(kindNumber) == 0
	if integer {
		add(atomMultiple, big.NewRat(1, 1))
	}
	if n.lo != nil {
		op := atomAtLeast
		if n.loX {
			op = atomAbove
		}
		add(op, n.lo)
	}
	if n.hi != nil {
		op := atomAtMost
		if n.hiX {
			op = atomBelow
		}
		add(op, n.hi)
	}
	for _, m := range n.multiples {
		add(atomMultiple, m)
	}
	return out
}

func (f *forms) stringForms(n *node) []*form {
	out := []*form{f.atom(&atom{op: atomLength, min: n.minLen, max: n.maxLen})}
	for _, p := range n.patterns {
		out = append(out, f.pattern(p))
	}
	return out
}

func (f *forms) pattern(p string) *form {
	id, err := f.matching(p)
	switch {
	case err != nil:
		return f.opaqueAtom(fmt.Sprintf("%v %s", err, p), 0)
	case id == f.langs.All:
		return formYes
	}
	return f.atom(&atom{op: atomLanguage, language: id})
}

func (f *forms) arrayForms(n *node) []*form {
	out := []*form{f.atom(&atom{op: atomItems, min: n.minItems, max: n.maxItems})}
	for i, l := range n.prefix {
		out = append(out, f.atom(&atom{op: atomEveryItem, min: i, max: i + 1, lit: f.resolve(l)}))
	}
	if n.hasRest && n.rest == never {
		out = append(out, f.atom(&atom{op: atomItems, max: len(n.prefix)}))
	} else if n.hasRest {
		out = append(out, f.atom(&atom{op: atomEveryItem, min: len(n.prefix), max: -1, lit: f.resolve(n.rest)}))
	}
	if n.hasContain {
		out = append(out, f.atom(&atom{op: atomCount, min: n.minContain, max: n.maxContain, lit: f.resolve(n.contains)}))
	}
	if n.unique {
		out = append(out, f.atom(&atom{op: atomUnique}))
	}
	return out
}

func (f *forms) objectForms(n *node) []*form {
	out := []*form{f.atom(&atom{op: atomSize, min: n.minProps, max: n.maxProps})}
	for _, r := range n.required {
		out = append(out, f.present(r))
	}
	for _, p := range n.props {
		out = append(out, f.every(f.nameRegion(p.name), f.resolve(p.lit)))
	}
	for _, p := range n.patProps {
		out = append(out, f.every(f.region(&region{op: regionPattern, pats: []string{p.name}}), f.resolve(p.lit)))
	}
	if n.hasExtra {
		out = append(out, f.every(f.restOf(n), f.resolve(n.extra)))
	}
	if n.hasNames {
		out = append(out, f.every(f.region(&region{op: regionLit, lit: f.resolve(n.names).not()}), never))
	}
	for _, d := range n.needs {
		then := f.form(d.lit, kindObject)
		for _, name := range d.names {
			then = f.and(then, f.present(name))
		}
		out = append(out, f.or(f.absent(d.name), then))
	}
	return out
}

// restOf is the region that additionalProperties of n governs.
func (f *forms) restOf(n *node) *region {
	r := &region{op: regionRest}
	for _, p := range n.props {
		r.names = append(r.names, p.name)
	}
	for _, p := range n.patProps {
		r.pats = append(r.pats, p.name)
	}
	return f.region(r)
}

func (f *forms) logicForms(n *node, k kind) []*form {
	var out []*form
	for _, l := range n.allOf {
		out = append(out, f.form(l, k))
	}
	if n.hasAny {
		var subs []*form
		for _, l := range n.anyOf {
			subs = append(subs, f.form(l, k))
		}
		out = append(out, f.merge(f.or(subs...)))
	}
	if n.hasOne {
		out = append(out, f.exactlyOne(n.oneOf, k))
	}
	for _, l := range n.not {
		out = append(out, f.not(f.form(l, k)))
	}
	if n.cond {
		test := f.form(n.ifL, k)
		out = append(out, f.or(f.not(test), f.form(n.thenL, k)), f.or(test, f.form(n.elseL, k)))
	}
	return out
}

// merge joins the allowed values of a disjunction into one atom.
func (f *forms) merge(x *form) *form {
	if x.op != formOr {
		return x
	}
	var vals []*value
	var rest []*form
	for _, s := range x.subs {
		if s.op == formAtom && s.atom.op == atomIn {
			vals = append(vals, s.atom.values...)
		} else {
			rest = append(rest, s)
		}
	}
	if len(vals) == 0 || len(rest) == len(x.subs)-1 {
		return x
	}
	return f.or(append(rest, f.atom(&atom{op: atomIn, values: sortValues(vals)}))...)
}

// exactlyOne demands exactly one of the schemas.
func (f *forms) exactlyOne(ls []lit, k kind) *form {
	var subs []*form
	values := true
	for _, l := range ls {
		if x := f.form(l, k); x != formNo {
			subs = append(subs, x)
			values = values && x.op == formAtom && x.atom.op == atomIn
		}
	}
	if values && len(subs) > 0 {
		return f.oneValue(subs)
	}
	if len(subs) > maxOneOf {
		return f.opaqueAtom("a oneOf of more than 200 forms", int(ls[0]))
	}
	var out []*form
	for i, x := range subs {
		all := []*form{x}
		for j, y := range subs {
			if i != j {
				all = append(all, f.not(y))
			}
		}
		out = append(out, f.and(all...))
	}
	return f.or(out...)
}

// oneValue is exactlyOne of sets of values: those that are in one set only.
func (f *forms) oneValue(subs []*form) *form {
	times := map[string]int{}
	var all []*value
	for _, s := range subs {
		for _, v := range s.atom.values {
			times[v.key()]++
			all = append(all, v)
		}
	}
	all = slices.DeleteFunc(all, func(v *value) bool { return times[v.key()] > 1 })
	return f.atom(&atom{op: atomIn, values: sortValues(all)})
}

// reasonText makes the reason of an opaque atom fit for a sentence.
func reasonText(s string) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}
