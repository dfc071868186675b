package host

import (
	"regexp"
	"slices"
)

// refPattern finds the definition that a reference names.
var refPattern = regexp.MustCompile(`^#/(?:\$defs|definitions)/(.+)$`)

// inlineSteps bounds how many values inlining may make in one rendering:
// references to references grow without end.
const inlineSteps = 200_000

// inlineRefs puts definitions in the place of references to them. A reference into
// itself, and one for which no steps are left, becomes an object of which nothing is
// known.
func inlineRefs(r *renderer, it *item) {
	s := addProperties(it.schema)
	in := &inliner{defs: s.get("$defs"), steps: &r.steps}
	if in.defs == nil || in.defs.is('n') {
		in.defs = s.get("definitions")
	}
	it.schema = in.resolve(s, nil)
}

type inliner struct {
	defs  *node
	steps *int
}

func (in *inliner) resolve(n *node, seen []string) *node {
	if *in.steps--; *in.steps < 0 {
		return typed("object")
	}
	if !n.is('{') {
		return n.mapped(func(_ string, v *node) *node { return in.resolve(v, seen) })
	}
	if ref := n.get("$ref").string(); ref != "" {
		return in.follow(n, ref, seen)
	}
	return n.mapMembers(func(name string, v *node) *node {
		if name == "$defs" || name == "definitions" {
			return nil
		}
		return in.resolve(v, seen)
	})
}

func (in *inliner) follow(n *node, ref string, seen []string) *node {
	m := refPattern.FindStringSubmatch(ref)
	if m == nil {
		return n
	}
	def := in.defs.get(m[1])
	if !def.is('{') {
		return n
	}
	if slices.Contains(seen, ref) {
		return typed("object")
	}
	return over(in.resolve(def, append(slices.Clip(seen), ref)), n.without("$ref"))
}

// mergeUnions joins every union into one object, as the adapter for JavaScript does.
func mergeUnions(s *node) *node {
	if !s.is('{') {
		return s
	}
	out := s.without("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$schema", "unevaluatedProperties")
	if s.hasAny("if", "then", "else") {
		out = merge(out, conditional(s))
	}
	for _, b := range elemsOf(s.get("allOf")) {
		if b.hasAny("if", "then", "else") {
			out = merge(out, conditional(b))
		}
		out = merge(out, mergeUnions(b))
	}
	union := s.get("anyOf")
	if union == nil || union.is('n') {
		union = s.get("oneOf")
	}
	if branches := objectsOf(union); branches != nil {
		out = mergeBranches(out, branches)
	}
	if out.has("properties") && !out.has("type") {
		out = out.with("type", str("object"))
	}
	return out.mapMembers(func(name string, v *node) *node {
		switch name {
		case "properties":
			return each(v, mergeUnions)
		case "items":
			if v.is('[') {
				return v.mapElems(mergeUnions)
			}
			return mergeUnions(v)
		case "additionalProperties":
			return mergeUnions(v)
		}
		return v
	})
}

func elemsOf(n *node) []*node {
	if !n.is('[') {
		return nil
	}
	return n.elems
}

// objectsOf returns the branches of a union that are objects.
func objectsOf(union *node) []*node {
	var out []*node
	for _, b := range elemsOf(union) {
		if b.get("type").isText("object") || b.has("properties") {
			out = append(out, b)
		}
	}
	return out
}

// mergeBranches adds what alternative branches have; a later one replaces what an
// earlier one says of a property.
func mergeBranches(out *node, branches []*node) *node {
	props := object()
	var simple []*node
	for _, b := range branches {
		b = mergeUnions(b)
		props = over(props, b.get("properties"))
		if b.get("required").is('[') {
			simple = append(simple, b)
		}
		if t := b.get("type"); t != nil && !out.has("type") {
			out = out.with("type", t)
		}
	}
	if len(props.members) > 0 {
		out = out.with("properties", over(out.get("properties"), props))
	}
	if common := intersection(simple); len(common) > 0 {
		out = out.with("required", strs(unite(out.get("required").texts(), common)))
	}
	return out
}

// conditional returns what then and else name.
func conditional(s *node) *node {
	o := object()
	for _, k := range []string{"then", "else"} {
		b := s.get(k)
		if p := b.get("properties"); p.is('{') {
			o = merge(o, object(member{"properties", p}))
		}
		if r := b.get("required"); r.is('[') {
			o = o.with("required", strs(unite(o.get("required").texts(), r.texts())))
		}
	}
	return o
}

// merge lays a schema over another: lists grow, objects merge, constants and enums
// become one enum, and of anything else the later one stays.
func merge(a, b *node) *node {
	if !b.is('{') {
		return a
	}
	o := newBuilder(a)
	for _, m := range b.members {
		old := o.get(m.name)
		switch {
		case m.name == "required" && old.is('['):
			o.set(m.name, strs(unite(old.texts(), m.value.texts())))
		case m.name == "const" || m.name == "enum" && m.value.is('['):
			o.setEnum(m.value)
		case old.is('{') && m.value.is('{'):
			o.set(m.name, merge(old, m.value))
		case old.is('[') && m.value.is('['):
			o.set(m.name, array(append(slices.Clone(old.elems), m.value.elems...)...))
		default:
			o.set(m.name, m.value)
		}
	}
	return o.node()
}

// setEnum adds a constant, or the values of an enum, to what is allowed already.
func (b *builder) setEnum(v *node) {
	values := slices.Clone(elemsOf(b.get("enum")))
	if c := b.get("const"); c != nil {
		values = append(values, c)
		b.remove("const")
	}
	more := []*node{v}
	if v.is('[') {
		more = v.elems
	}
	b.set("enum", distinct(values, more...))
}

// distinct returns the values without repetitions.
func distinct(values []*node, more ...*node) *node {
	seen := map[string]bool{}
	o := array()
	for _, v := range append(values, more...) {
		if k := string(v.bytes()); !seen[k] {
			seen[k] = true
			o.elems = append(o.elems, v)
		}
	}
	return o
}
