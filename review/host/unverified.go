package host

import (
	"slices"
	"strings"
)

// The steps of this file were learned from source only: no request of these hosts
// has confirmed them.

// normaliseVSCode is what VS Code does to every schema, whatever the model.
func normaliseVSCode(s *node) *node {
	if !s.get("type").isText("object") {
		return object(member{"type", str("object")}, member{"properties", emptyNode})
	}
	s = s.without("oneOf", "anyOf", "allOf", "not", "if", "then", "else")
	if req := s.get("required"); req.is('[') {
		s = s.with("required", declared(req, s.get("properties")))
	}
	return s
}

// rooFormats are the formats that Roo Code keeps.
var rooFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// rooSchema lays the first object branch of a union over the root, and closes every
// object.
func rooSchema(s *node) *node {
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if branches := objectsOf(s.get(k)); len(branches) > 0 {
			s = over(s.without("anyOf", "oneOf", "allOf"), branches[0])
			break
		}
	}
	return rooNode(s)
}

func rooNode(s *node) *node {
	if !s.is('{') {
		return s
	}
	s = s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "properties", "$defs", "definitions":
			return each(v, rooNode)
		case "items":
			return rooNode(v)
		case "anyOf", "oneOf", "allOf":
			if v.is('[') {
				return v.mapElems(rooNode)
			}
		case "format":
			if !slices.Contains(rooFormats, v.string()) {
				return nil
			}
		}
		return v
	})
	if t := s.get("type"); t.is('[') {
		union := array()
		for _, e := range t.elems {
			union.elems = append(union.elems, object(member{"type", e}))
		}
		return s.without("type").with("anyOf", union)
	}
	if !s.get("type").isText("object") {
		return s
	}
	s = addProperties(s).with("additionalProperties", falseNode)
	if req := s.get("required"); req.is('[') {
		s = s.with("required", declared(req, s.get("properties")))
	}
	return s
}

// zodLoses are the constraints that a round trip through Zod loses in LibreChat.
var zodLoses = strings.Fields("pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems default const format")

// throughZod takes away what LibreChat loses, and lets what is optional be null.
func throughZod(s *node) *node {
	if !s.is('{') {
		return s
	}
	s = s.without(zodLoses...)
	required := setOf(s.get("required").texts())
	return s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "properties":
			return v.mapped(func(p string, v *node) *node {
				v = throughZod(v)
				if t := v.get("type"); !required[p] && t.is('"') {
					v = v.with("type", array(t, str("null")))
				}
				return v
			})
		case "items", "additionalProperties":
			return throughZod(v)
		case "anyOf", "oneOf", "allOf":
			return v.mapped(func(_ string, v *node) *node { return throughZod(v) })
		}
		return v
	})
}

// zedSubset is what Zed sends to models that know only a part of JSON Schema.
func zedSubset(s *node) *node {
	if !s.is('{') {
		return s.mapped(func(_ string, v *node) *node { return zedSubset(v) })
	}
	if s.get("default").is('n') && s.has("default") {
		s = s.with("nullable", trueNode)
	}
	s = s.without("default", "format")
	if s.has("oneOf") && !s.has("anyOf") {
		s = s.renamed("oneOf", "anyOf")
	}
	if s.get("description").is('"') && !s.hasAny(intent...) {
		s = s.with("type", str("string"))
	}
	return s.mapMembers(func(name string, v *node) *node {
		if name == "properties" {
			return each(v, zedSubset)
		}
		return zedSubset(v)
	})
}
