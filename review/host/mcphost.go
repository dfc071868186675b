package host

// draft4 is what mcphost makes of a schema: properties and required only, in the
// keywords of draft-04, keys sorted.
func draft4(s *node) *node {
	props := s.get("properties")
	if !props.is('{') {
		props = emptyNode
	}
	required := s.get("required")
	if !required.is('[') {
		required = array()
	}
	return object(
		member{"properties", each(props, draft4Node).sorted()},
		member{"required", required},
		member{"type", str("object")},
	)
}

// draft4Node rewrites one schema and those inside it.
func draft4Node(s *node) *node {
	if !s.is('{') {
		return s
	}
	s = draft4Inside(s)
	if r := s.get("required"); r != nil && !r.is('[') {
		s = s.without("required")
	}
	for _, k := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if v := s.get(k[0]); v.is('0') {
			s = s.with(k[0], trueNode).with(k[1], v)
		}
	}
	if types := s.get("type"); types.is('[') {
		union := array()
		for _, t := range types.elems {
			union.elems = append(union.elems, draft4Items(object(member{"type", t})))
		}
		return s.without("type").with("anyOf", union)
	}
	return draft4Items(s)
}

// draft4Items gives an array items.
func draft4Items(s *node) *node {
	if s.get("type").isText("array") && !s.has("items") {
		return s.with("items", emptyNode)
	}
	return s
}

func draft4Inside(s *node) *node {
	return s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "properties", "$defs", "definitions", "patternProperties":
			return each(v, draft4Node)
		case "items", "additionalProperties", "not":
			return draft4Node(v)
		case "anyOf", "oneOf", "allOf":
			if v.is('[') {
				return v.mapElems(draft4Node)
			}
		}
		return v
	})
}
