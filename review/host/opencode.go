package host

import (
	"slices"
)

// geminiSubset is what opencode sends to a Gemini model: first its own rewrite, then
// that of the library which speaks to the API.
func geminiSubset(s *node) *node {
	return openAPI(plainGemini(s), true)
}

// plainGemini makes what Gemini refuses acceptable: values of an enum become texts,
// unions of types become anyOf, required names only what there is.
func plainGemini(s *node) *node {
	if !s.is('{') {
		return s.mapped(func(_ string, v *node) *node { return plainGemini(v) })
	}
	o := newBuilder(nil)
	for _, m := range s.members {
		switch {
		case m.name == "enum" && m.value.is('['):
			o.set("enum", m.value.mapElems(asText))
			if t := o.get("type").string(); t == "integer" || t == "number" {
				o.set("type", str("string"))
			}
		case m.name == "type" && m.value.is('['):
			o.set("anyOf", anyOfTypes(m.value))
		default:
			o.set(m.name, plainGemini(m.value))
		}
	}
	return geminiRepair(o.node())
}

// anyOfTypes writes a list of types as a union, without null.
func anyOfTypes(types *node) *node {
	union := array()
	for _, t := range types.elems {
		if !t.isText("null") {
			union.elems = append(union.elems, object(member{"type", t}))
		}
	}
	return union
}

// asText writes a value as JavaScript's String does.
func asText(v *node) *node {
	switch v.kind {
	case '"':
		return v
	case '{':
		return str("[object Object]")
	case '[':
		text := ""
		for i, e := range v.elems {
			if i > 0 {
				text += ","
			}
			if e.kind != 'n' {
				text += asText(e).str
			}
		}
		return str(text)
	}
	return str(string(v.bytes()))
}

// geminiRepair drops from a schema what does not go with its type. It is applied to
// everything, so a map of properties with one that is called type loses those that
// are called properties and required.
func geminiRepair(o *node) *node {
	typ := o.get("type")
	union := o.get("anyOf").is('[') || o.get("oneOf").is('[') || o.get("allOf").is('[')
	if props := o.get("properties"); typ.isText("object") && props.is('{') && o.get("required").is('[') {
		o = o.with("required", declared(o.get("required"), props))
	}
	if typ.isText("array") && !union {
		o = geminiItems(o)
	}
	if typ != nil && !typ.is('n') && !typ.isText("") && !typ.isText("object") && !union {
		o = o.without("properties", "required")
	}
	return o
}

// declared keeps of a list of required names those that are properties.
func declared(required, props *node) *node {
	names := map[string]bool{}
	for _, m := range props.membersOf() {
		names[m.name] = true
	}
	return required.mapElems(func(e *node) *node {
		if names[e.string()] {
			return e
		}
		return nil
	})
}

// intent are the keywords by which a schema says anything of its values.
var intent = []string{"type", "properties", "items", "prefixItems", "enum", "const", "$ref", "additionalProperties",
	"patternProperties", "required", "not", "if", "then", "else", "anyOf", "oneOf", "allOf"}

// geminiItems gives an array items with a type.
func geminiItems(o *node) *node {
	items := o.get("items")
	if items == nil || items.is('n') {
		items = object()
	}
	if items.is('{') && !items.hasAny(intent...) {
		items = items.with("type", str("string"))
	}
	return o.with("items", items)
}

// openAPI writes a schema in the keywords of OpenAPI 3.0, in the library's order.
// It returns nil for an object of which nothing is said.
func openAPI(s *node, root bool) *node {
	switch {
	case s == nil || s.is('n'):
		return nil
	case s.isBool():
		return object(member{"type", str("boolean")}, member{"properties", emptyNode})
	case !s.is('{'):
		return s
	case saysNothing(s):
		return openEmpty(s, root)
	}
	o := newBuilder(nil)
	for _, k := range []string{"description", "required", "format"} {
		if v := s.get(k); truthy(v) {
			o.set(k, v)
		}
	}
	if c := s.get("const"); c != nil {
		o.set("enum", array(c))
	}
	if t := s.get("type"); truthy(t) {
		o.set("type", t)
	}
	if e := s.get("enum"); e != nil {
		o.set("enum", e)
	}
	openChildren(o, s)
	return o.node()
}

// saysNothing reports whether s is an object without properties, and not open.
func saysNothing(s *node) bool {
	props := s.get("properties")
	return s.get("type").isText("object") && len(props.membersOf()) == 0 && (props == nil || props.is('{') || props.is('n')) &&
		!truthy(s.get("additionalProperties"))
}

func openEmpty(s *node, root bool) *node {
	if root {
		return nil
	}
	if d := s.get("description"); truthy(d) {
		return object(member{"type", str("object")}, member{"description", d})
	}
	return typed("object")
}

// truthy reports what JavaScript takes for true.
func truthy(v *node) bool {
	return v != nil && !v.is('n') && !v.is('f') && !v.isText("") && (!v.is('0') || parseDouble(v.bytes()) != 0)
}

func openChildren(o *builder, s *node) {
	inside := func(_ string, v *node) *node {
		if c := openAPI(v, false); c != nil {
			return c
		}
		return nil
	}
	if p := s.get("properties"); p.is('{') {
		o.set("properties", p.mapMembers(inside))
	}
	if i := s.get("items"); truthy(i) {
		if i.is('[') {
			i = i.mapped(inside)
		} else {
			i = openAPI(i, false)
		}
		o.set("items", i)
	}
	if a := s.get("allOf"); a.is('[') {
		o.set("allOf", a.mapped(inside))
	}
	openUnion(o, s.get("anyOf"), inside)
	if a := s.get("oneOf"); a.is('[') {
		o.set("oneOf", a.mapped(inside))
	}
	if m := s.get("minLength"); m != nil {
		o.set("minLength", m)
	}
}

// openUnion writes a union, and one with null as nullable.
func openUnion(o *builder, union *node, inside func(string, *node) *node) {
	if !union.is('[') {
		return
	}
	isNull := func(e *node) bool { return e.get("type").isText("null") }
	if !slices.ContainsFunc(union.elems, isNull) {
		o.set("anyOf", union.mapped(inside))
		return
	}
	rest := array(slices.DeleteFunc(slices.Clone(union.elems), isNull)...)
	if len(rest.elems) != 1 {
		o.set("anyOf", rest.mapped(inside))
		o.set("nullable", trueNode)
		return
	}
	if one := openAPI(rest.elems[0], false); one.is('{') {
		o.set("nullable", trueNode)
		for _, m := range one.members {
			o.set(m.name, m.value)
		}
	}
}

// openaiKeys are the keywords that opencode sends to OpenAI, in its order; the type
// follows them, and then what it fills in.
var openaiKeys = []string{"$ref", "description", "enum", "items", "properties", "required", "additionalProperties",
	"anyOf", "oneOf", "allOf", "$defs", "definitions"}

// openaiSubset is what opencode sends to an OpenAI model.
func openaiSubset(s *node) *node {
	switch {
	case s.isBool():
		return typed("string")
	case s.is('['):
		return s.mapElems(openaiSubset)
	case !s.is('{'):
		return s
	}
	if c := s.get("const"); c != nil {
		s = s.without("const").with("enum", array(c))
	}
	o := object()
	for _, k := range openaiKeys {
		if v := s.get(k); v != nil {
			o.members = append(o.members, member{k, openaiChild(k, v)})
		}
	}
	types := codexTypes(s.get("type"))
	if len(types) == 0 {
		if s.hasAny("$ref", "anyOf", "oneOf", "allOf") {
			return o
		}
		guess := codexGuess(s)
		if guess == "" {
			return object()
		}
		types = []string{guess}
	}
	return codexFill(o, types)
}

func openaiChild(name string, v *node) *node {
	switch name {
	case "items", "anyOf", "oneOf", "allOf":
		return openaiSubset(v)
	case "additionalProperties":
		if !v.isBool() {
			return openaiSubset(v)
		}
	case "properties", "$defs", "definitions":
		return each(v, openaiSubset)
	}
	return v
}
