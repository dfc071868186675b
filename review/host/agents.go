package host

import (
	"net/url"
	"slices"
	"strings"
)

// agentsSchema fills a schema in and opens it.
func agentsSchema(_ *renderer, it *item) {
	it.schema = agentsOpen(agentsFilled(it.schema))
}

// agentsFilled gives the root a type, properties and required.
func agentsFilled(s *node) *node {
	if !s.is('{') {
		s = object()
	}
	for _, m := range []member{{"type", str("object")}, {"properties", emptyNode}, {"required", array()}} {
		if v := s.get(m.name); v == nil || v.is('n') {
			s = s.with(m.name, m.value)
		}
	}
	return s
}

func agentsOpen(s *node) *node { return s.with("additionalProperties", trueNode) }

// agentsStrict asks the provider for strict arguments where the schema can be
// written that way without accepting anything else; other schemas stay as they are.
func agentsStrict(_ *renderer, it *item) {
	s := agentsFilled(it.schema)
	c := &strictness{root: s, seen: map[*node]bool{}}
	if c.provider(s) && c.open(s) {
		if strict := c.convert(s, true); !c.failed {
			it.schema, it.strict = strict, true
			return
		}
	}
	it.schema = s
	if !s.has("additionalProperties") {
		it.schema = agentsOpen(s)
	}
}

// strictness judges and converts one schema.
type strictness struct {
	root   *node
	seen   map[*node]bool
	failed bool
}

// unstrict are the keywords that have no strict form.
var unstrict = strings.Fields(`$dynamicRef $recursiveRef additionalItems allOf contains contentSchema dependencies
	dependentRequired dependentSchemas else if maxContains minContains not oneOf patternProperties prefixItems
	propertyNames then unevaluatedItems unevaluatedProperties`)

// besideRef are the keywords that may stand beside a reference; beside a union too.
var besideRef = strings.Fields(`$anchor $comment $defs $id $ref $schema default deprecated description definitions
	examples readOnly title writeOnly`)

// inside calls f for every schema directly inside s until one gives false.
func (c *strictness) inside(s *node, f func(*node) bool) bool {
	for _, k := range []string{"properties", "$defs", "definitions"} {
		for _, m := range s.get(k).membersOf() {
			if !f(m.value) {
				return false
			}
		}
	}
	if items := s.get("items"); items.is('[') {
		for _, e := range items.elems {
			if !f(e) {
				return false
			}
		}
	} else if items != nil && !f(items) {
		return false
	}
	for _, b := range elemsOf(s.get("anyOf")) {
		if !f(b) {
			return false
		}
	}
	return true
}

// provider reports whether the provider's strict mode knows everything in s.
func (c *strictness) provider(s *node) bool {
	if s.isBool() {
		return true
	}
	if !s.is('{') {
		return false
	}
	if c.seen[s] {
		return true
	}
	c.seen[s] = true
	if s != c.root && s.has("$id") || s.hasAny(unstrict...) {
		return false
	}
	if s.has("$ref") && c.target(s) == nil {
		return false
	}
	if u := s.get("anyOf"); u != nil && (!u.is('[') || len(u.elems) == 0) {
		return false
	}
	if a := s.get("additionalProperties"); a != nil && !c.provider(a) {
		return false
	}
	return c.inside(s, c.provider)
}

// target returns what a reference inside the document points at.
func (c *strictness) target(s *node) *node {
	ref := s.get("$ref").string()
	if ref == "#" {
		return c.root
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	path, err := url.PathUnescape(path)
	if err != nil {
		return nil
	}
	at := c.root
	for step := range strings.SplitSeq(path, "/") {
		at = at.get(unescapePointer(step))
	}
	return at
}

// open reports whether strict mode would accept the same arguments.
func (c *strictness) open(s *node) bool {
	clear(c.seen)
	return c.opened(s)
}

func (c *strictness) opened(s *node) bool {
	if !s.is('{') || c.seen[s] {
		return true
	}
	c.seen[s] = true
	if s.has("$ref") && !onlyBeside(s, besideRef) {
		return false
	}
	if s.has("anyOf") {
		if !onlyBeside(s, append([]string{"anyOf"}, besideRef...)) {
			return false
		}
		for _, b := range s.get("anyOf").elems {
			if c.strips(b, map[*node]bool{}) {
				return false
			}
		}
	}
	props := s.get("properties")
	object := s.get("type").isText("object") || slices.Contains(s.get("type").texts(), "object")
	if a := s.get("additionalProperties"); object && !a.is('f') && (len(props.membersOf()) == 0 || a != nil) {
		return false
	}
	if converts(s) {
		required := setOf(s.get("required").texts())
		for _, m := range props.members {
			if !required[m.name] && c.nullability(m.value, nil) == maybeNull {
				return false
			}
		}
	}
	return c.inside(s, c.opened)
}

func onlyBeside(s *node, names []string) bool {
	return !slices.ContainsFunc(s.members, func(m member) bool { return !slices.Contains(names, m.name) })
}

// converts reports whether strict mode rewrites the properties of s.
func converts(s *node) bool {
	t := s.get("type")
	return s.get("properties").is('{') && (t == nil || t.isText("object") || slices.Contains(t.texts(), "object"))
}

// strips reports whether arguments for s would have nulls taken out again.
func (c *strictness) strips(s *node, seen map[*node]bool) bool {
	if !s.is('{') || seen[s] {
		return false
	}
	seen[s] = true
	if s.get("$ref").is('"') {
		return c.strips(c.target(s), seen)
	}
	if u := s.get("anyOf"); u.is('[') {
		return slices.ContainsFunc(u.elems, func(b *node) bool { return c.strips(b, seen) })
	}
	if converts(s) {
		required := setOf(s.get("required").texts())
		for _, m := range s.get("properties").members {
			if !required[m.name] && c.nullability(m.value, nil) == neverNull || c.strips(m.value, seen) {
				return true
			}
		}
	}
	items := s.get("items")
	return slices.ContainsFunc(elemsOf(items), func(e *node) bool { return c.strips(e, seen) }) || c.strips(items, seen)
}

// nulls says whether a schema accepts null.
type nulls int

const (
	maybeNull nulls = iota
	neverNull
	takesNull
)

func (c *strictness) nullability(s *node, refs []string) nulls {
	if s.is('t') {
		return takesNull
	}
	if s.is('f') {
		return neverNull
	}
	if !s.is('{') {
		return maybeNull
	}
	if n, known := nullByValue(s); known {
		return n
	}
	if s.has("$ref") {
		if n := c.nullOfRef(s, refs); n != takesNull {
			return n
		}
	}
	if u := s.get("anyOf"); u != nil {
		return c.nullOfUnion(u, refs)
	}
	if !s.has("type") && s.get("properties").is('{') {
		return neverNull
	}
	return takesNull
}

// nullByValue answers from type, enum and const alone, where they do.
func nullByValue(s *node) (nulls, bool) {
	if t := s.get("type"); t != nil {
		if !t.is('"') && !t.is('[') {
			return maybeNull, true
		}
		if !t.isText("null") && !slices.Contains(t.texts(), "null") {
			return neverNull, true
		}
	}
	if e := s.get("enum"); e != nil {
		if !e.is('[') {
			return maybeNull, true
		}
		if !slices.ContainsFunc(e.elems, func(v *node) bool { return v.is('n') }) {
			return neverNull, true
		}
	}
	if c := s.get("const"); c != nil && !c.is('n') {
		return neverNull, true
	}
	return takesNull, false
}

func (c *strictness) nullOfRef(s *node, refs []string) nulls {
	ref := s.get("$ref").string()
	target := c.target(s)
	if target == nil || slices.Contains(refs, ref) {
		return maybeNull
	}
	return c.nullability(target, append(slices.Clip(refs), ref))
}

func (c *strictness) nullOfUnion(union *node, refs []string) nulls {
	all := neverNull
	for _, b := range elemsOf(union) {
		switch c.nullability(b, refs) {
		case takesNull:
			return takesNull
		case maybeNull:
			all = maybeNull
		}
	}
	if !union.is('[') {
		return maybeNull
	}
	return all
}

// convert writes s for strict mode: every property required, optional ones
// nullable, objects closed.
func (c *strictness) convert(s *node, root bool) *node {
	if !s.is('{') {
		return s
	}
	props := s.get("properties")
	if !s.has("type") && (props.is('{') || s.has("additionalProperties")) && !s.get("additionalProperties").is('f') {
		c.failed = true
		return s
	}
	if !root && !s.has("type") && props.is('{') {
		s = s.with("type", str("object"))
	}
	if converts(s) {
		s = c.convertProperties(s)
	}
	inside := func(n *node) *node { return c.convert(n, false) }
	s = s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "$defs", "definitions":
			return each(v, inside)
		case "anyOf":
			return v.mapElems(inside)
		case "items":
			if v.is('[') {
				return v.mapElems(inside)
			}
			return inside(v)
		case "default":
			if v.is('n') {
				return nil
			}
		}
		return v
	})
	return s
}

func (c *strictness) convertProperties(s *node) *node {
	required := setOf(s.get("required").texts())
	names := array()
	props := s.get("properties").mapMembers(func(name string, v *node) *node {
		names.elems = append(names.elems, str(name))
		done := c.convert(v, false)
		if !required[name] && c.nullability(v, nil) == neverNull {
			return orNull(done)
		}
		return done
	})
	return s.with("properties", props).with("required", names).with("additionalProperties", falseNode)
}

// orNull lets a schema be null as well; its description stands outside too.
func orNull(s *node) *node {
	o := object()
	if d := s.get("description"); d.is('"') {
		o.members = append(o.members, member{"description", d})
	}
	o.members = append(o.members, member{"anyOf", array(s, typed("null"))})
	return o
}
