package host

import (
	"slices"
	"strings"
)

// folded are the constraints that Copilot CLI turns into words, in its order.
var folded = strings.Fields(`minLength maxLength pattern format minimum maximum multipleOf exclusiveMinimum exclusiveMaximum
	minItems maxItems uniqueItems contains minContains maxContains minProperties maxProperties patternProperties
	unevaluatedProperties propertyNames dependentRequired dependentSchemas if then else not contentEncoding contentMediaType`)

// foldConstraints is the whole of Copilot CLI's rewrite: keys sorted, the root made
// an object without unions, constraints put into descriptions.
func foldConstraints(s *node) *node {
	if !s.is('{') {
		s = object()
	}
	s = s.sorted().without("enum", "not")
	if !s.get("type").isText("object") {
		s = s.with("type", str("object"))
	}
	s = foldRoot(s)
	if !s.get("properties").is('{') {
		s = s.with("properties", emptyNode)
	}
	return foldNode(s)
}

// foldRoot joins the branches of a union at the root.
func foldRoot(s *node) *node {
	if all := s.get("allOf"); all.is('[') {
		s = foldAll(s.without("allOf"), all.elems)
	}
	var words []string
	for _, k := range []string{"anyOf", "oneOf"} {
		union := s.get(k)
		if !union.is('[') {
			continue
		}
		s = foldUnion(s.without(k), union.elems)
		words = append(words, k+": "+string(union.bytes()))
	}
	return withWords(s, words)
}

// foldAll merges branches that all apply.
func foldAll(s *node, branches []*node) *node {
	props, required := s.get("properties"), s.get("required").texts()
	for _, b := range branches {
		props = over(props, b.get("properties"))
		required = unite(required, b.get("required").texts())
	}
	if props != nil {
		s = s.with("properties", props)
	}
	if len(required) > 0 {
		s = s.with("required", strs(required))
	}
	return s
}

// foldUnion adds the properties of alternative branches. One that is not in every
// branch is left without any type.
func foldUnion(s *node, branches []*node) *node {
	var names []string
	variants := map[string][]*node{}
	for _, b := range branches {
		for _, m := range b.get("properties").membersOf() {
			if variants[m.name] == nil {
				names = append(names, m.name)
			}
			variants[m.name] = append(variants[m.name], m.value)
		}
	}
	if len(names) == 0 {
		return s
	}
	added := object()
	for _, n := range names {
		added.members = append(added.members, member{n, joinVariants(variants[n], len(branches))})
	}
	base := s.get("properties")
	return s.with("properties", over(over(base, added), base)) // the base stays first, and as it is
}

// joinVariants makes one schema of those that a property has in n branches.
func joinVariants(variants []*node, n int) *node {
	if len(variants) < n {
		return object()
	}
	consts, same := array(), true
	for _, v := range variants {
		if c := v.get("const"); c != nil {
			consts.elems = append(consts.elems, c)
		}
		same = same && v.same(variants[0])
	}
	switch {
	case same:
		return variants[0]
	case len(consts.elems) == n:
		return object(member{"enum", consts})
	}
	return object()
}

// foldNode folds the constraints of a schema and of those inside it.
func foldNode(s *node) *node {
	switch {
	case s.is('t'):
		return object()
	case s.is('f'):
		return object(member{"description", str("{schema: false}")})
	case !s.is('{'):
		return s
	}
	var words []string
	for _, k := range folded {
		if v := s.get(k); v != nil {
			words = append(words, k+": "+string(v.bytes()))
		}
	}
	s = foldChildren(s.without(folded...))
	return withWords(foldItems(s), words)
}

// foldChildren folds what stays a schema.
func foldChildren(s *node) *node {
	return s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "properties", "$defs", "definitions":
			return each(v, foldNode)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if v.is('[') {
				return v.mapElems(foldNode)
			}
		case "items":
			if !v.is('[') {
				return foldNode(v)
			}
		case "additionalProperties":
			if !v.isBool() {
				return foldNode(v)
			}
		}
		return v
	})
}

// foldItems gives an array items, and makes one schema of a tuple.
func foldItems(s *node) *node {
	items := s.get("items")
	switch {
	case items == nil && s.get("type").isText("array"):
		return s.with("items", emptyNode)
	case !items.is('['):
		return s
	}
	all := items.mapElems(foldNode)
	if len(all.elems) == 1 {
		return s.with("items", all.elems[0])
	}
	return s.with("items", object(member{"anyOf", all}))
}

// withWords puts constraints after the description.
func withWords(s *node, words []string) *node {
	if len(words) == 0 {
		return s
	}
	text := "{" + strings.Join(words, ", ") + "}"
	if d := s.get("description").string(); d != "" {
		text = d + "\n\n" + text
	}
	return s.with("description", str(text))
}

// kept are the keywords that are left on the way to Anthropic.
var kept = strings.Fields(`$ref $defs type title description enum const required additionalProperties anyOf allOf`)

// foldMore is the second rewrite, for requests to Anthropic: it folds whatever the
// provider's own helper does not know, and calls every union anyOf.
func foldMore(s *node) *node {
	if !s.is('{') {
		return s
	}
	if s.has("oneOf") && !s.has("anyOf") {
		s = s.renamed("oneOf", "anyOf")
	}
	var words []string
	s = s.mapMembers(func(name string, v *node) *node {
		if slices.Contains(kept, name) || name == "properties" && s.get("type").isText("object") || name == "items" && s.get("type").isText("array") {
			return moreInside(name, v)
		}
		words = append(words, name+": "+string(v.bytes()))
		return nil
	})
	return withWords(s, words)
}

// renamed returns n with a member under another name, in its place.
func (n *node) renamed(from, to string) *node {
	o := object(slices.Clone(n.members)...)
	for i := range o.members {
		if o.members[i].name == from {
			o.members[i].name = to
		}
	}
	return o
}

func moreInside(name string, v *node) *node {
	switch name {
	case "properties", "$defs":
		return each(v, foldMore)
	case "anyOf", "allOf":
		if v.is('[') {
			return v.mapElems(foldMore)
		}
	case "items", "additionalProperties":
		return foldMore(v)
	}
	return v
}
