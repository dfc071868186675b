package host

import (
	"fmt"
	"slices"
	"strings"
)

// claudeSchema is what Claude Code does to a schema: texts made visible, the tool
// dropped when the provider would refuse it, unions at the root flattened into a
// sentence.
func claudeSchema(r *renderer, it *item) {
	s := sdkOrder(visibleAll(it.schema))
	for _, m := range s.get("properties").membersOf() {
		if !isPropertyName(m.name) {
			r.drop(it, "/inputSchema/properties/"+escapePointer(m.name), Dropped,
				"%s silently leaves the tool out: a property's name at the root has to match %s.", r.p.Name, propertyPattern).Rule = RuleProperty
			return
		}
	}
	if p, why := checkSchema(s, draft2020); why != "" {
		r.drop(it, "/inputSchema"+p, Dropped, "%s silently leaves the tool out: the schema is not valid under draft 2020-12 (%s).", r.p.Name, why).Rule = RuleSchema
		return
	}
	var constraint string
	it.schema, constraint = flatten(s)
	if constraint != "" {
		it.description = "Input constraint: " + constraint + "\n\n" + it.description
		it.hasDescription = true
	}
}

// propertyPattern is what Anthropic's API wants of the names of properties.
const propertyPattern = "^[a-zA-Z0-9_.-]{1,64}$"

var isPropertyChar = classOf("a-zA-Z0-9_.-")

func isPropertyName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool { return !isPropertyChar(r) })
}

// membersOf returns the members of an object; of anything else none.
func (n *node) membersOf() []member {
	if !n.is('{') {
		return nil
	}
	return n.members
}

// visibleAll makes every text and every name in a value visible.
func visibleAll(n *node) *node {
	switch {
	case n.is('"'):
		if v := visible(n.str); v != n.str {
			return str(v)
		}
		return n
	case !n.is('{'):
		return n.mapped(func(_ string, v *node) *node { return visibleAll(v) })
	}
	n = n.mapMembers(func(_ string, v *node) *node { return visibleAll(v) })
	if !slices.ContainsFunc(n.members, func(m member) bool { return visible(m.name) != m.name }) {
		return n
	}
	b := newBuilder(nil) // of names that become equal the last value stands in the first place
	for _, m := range n.members {
		b.set(visible(m.name), m.value)
	}
	return b.node()
}

// flatten takes a union away from the root and puts it in words. Of several unions
// the first of anyOf, oneOf, allOf is put in words, and all are merged.
func flatten(s *node) (*node, string) {
	if !s.is('{') || !s.hasAny("anyOf", "oneOf", "allOf") {
		return s, ""
	}
	props := newMerger(s.get("properties"))
	required := s.get("required").texts()
	var words []string
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		union := s.get(k)
		if !union.is('[') {
			continue
		}
		for _, b := range union.elems {
			props.add(b.get("properties"))
		}
		if k == "allOf" {
			for _, b := range union.elems {
				required = unite(required, b.get("required").texts())
			}
			words = append(words, "all listed parameters apply together (flattened from a JSON Schema allOf).")
			continue
		}
		required = unite(required, intersection(union.elems))
		words = append(words, choice(k, union.elems))
	}
	out := s.without("anyOf", "oneOf", "allOf", "additionalProperties").
		with("properties", props.node()).with("required", strs(required)).
		first("type", "properties", "required").with("additionalProperties", trueNode)
	return out, words[0]
}

// choice words a union by what each branch asks for.
func choice(keyword string, branches []*node) string {
	how := "at least one of"
	if keyword == "oneOf" {
		how = "exactly one of"
	}
	groups := make([]string, 0, len(branches))
	for _, b := range branches {
		names := b.get("required").texts()
		if len(names) == 0 {
			for _, m := range b.get("properties").membersOf() {
				names = append(names, m.name)
			}
		}
		groups = append(groups, "("+strings.Join(names, ", ")+")")
	}
	return fmt.Sprintf("Provide parameters for %s: %s.", how, strings.Join(groups, " or "))
}

// intersection returns the names that every branch requires, in the order of the
// first one.
func intersection(branches []*node) []string {
	var common []string
	for i, b := range branches {
		names := b.get("required").texts()
		if i == 0 {
			common = names
			continue
		}
		has := setOf(names)
		kept := common[:0:0]
		for _, n := range common {
			if has[n] {
				kept = append(kept, n)
			}
		}
		common = kept
	}
	return common
}

// unite appends to a the names of b that it lacks.
func unite(a, b []string) []string {
	has := setOf(a)
	out := append([]string{}, a...)
	for _, n := range b {
		if !has[n] {
			has[n] = true
			out = append(out, n)
		}
	}
	return out
}

// merger collects the properties of several branches. A property with several
// schemas gets a union of them.
type merger struct {
	names    []string
	variants map[string][]*node
	known    map[string]bool
}

func newMerger(base *node) *merger {
	m := &merger{variants: map[string][]*node{}, known: map[string]bool{}}
	m.add(base)
	return m
}

func (m *merger) add(props *node) {
	for _, p := range props.membersOf() {
		if m.variants[p.name] == nil {
			m.names = append(m.names, p.name)
		}
		key := p.name + "\x00" + string(p.value.bytes())
		if !m.known[key] {
			m.known[key] = true
			m.variants[p.name] = append(m.variants[p.name], p.value)
		}
	}
}

func (m *merger) node() *node {
	o := object()
	for _, n := range m.names {
		v := m.variants[n][0]
		if len(m.variants[n]) > 1 {
			v = object(member{"anyOf", array(m.variants[n]...)})
		}
		o.members = append(o.members, member{n, v})
	}
	return o
}
