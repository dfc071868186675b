package host

import "slices"

// relax takes away what constrained decoding can't do: identifiers, uniqueItems, and
// the closing of an object that has optional properties.
func relax(s *node) *node {
	if s.is('[') {
		return s.mapElems(relax)
	}
	if !s.is('{') {
		return s
	}
	open := hasOptional(s)
	return s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "$schema", "$id", "uniqueItems":
			return nil
		case "additionalProperties":
			if v.is('f') && open {
				return nil
			}
		case "const", "default", "enum", "example", "examples":
			return v
		case "properties", "patternProperties", "$defs", "definitions", "dependencies", "dependentSchemas", "dependentRequired":
			if v.is('{') {
				return v.mapMembers(func(_ string, v *node) *node { return relax(v) })
			}
		}
		return relax(v)
	})
}

// hasOptional reports whether an object has a property that is not required.
func hasOptional(s *node) bool {
	props := s.get("properties")
	if !props.is('{') || len(props.members) == 0 {
		return false
	}
	required := setOf(s.get("required").texts())
	return slices.ContainsFunc(props.members, func(m member) bool { return !required[m.name] })
}

// qwenEmpty sends no schema at all for a tool that takes nothing.
func qwenEmpty(_ *renderer, it *item) {
	if p := it.schema.get("properties"); p.is('{') && len(p.members) == 0 {
		it.schema = nil
	}
}
