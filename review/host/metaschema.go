package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dialect says which meta-schema judges a schema.
type dialect int

const (
	draft2020 dialect = iota
	draft7
)

// shapes says what the meta-schemas want a keyword to be. Keywords that are not
// here may be anything.
var shapes = map[string]string{}

func init() {
	for shape, names := range map[string]string{
		"schema":  "additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties contentSchema additionalItems",
		"schemas": "allOf anyOf oneOf prefixItems",
		"map":     "properties patternProperties $defs definitions dependentSchemas",
		"text":    "title description $comment pattern format contentEncoding contentMediaType $ref $schema $id $anchor $dynamicRef $dynamicAnchor",
		"number":  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
		"count":   "maxLength minLength maxItems minItems maxProperties minProperties maxContains minContains",
		"bool":    "uniqueItems deprecated readOnly writeOnly",
		"list":    "enum examples",
		"names":   "required",
		"type":    "type",
	} {
		for _, n := range strings.Fields(names) {
			shapes[n] = shape
		}
	}
}

// checkSchema says where and why a meta-schema rejects s; why is "" when it does
// not. Patterns, formats and references are not looked into, as no host does.
func checkSchema(s *node, d dialect) (pointer, why string) {
	if s.isBool() {
		return "", ""
	}
	if !s.is('{') {
		return "", "a schema is " + s.kindName()
	}
	for _, m := range s.members {
		if d == draft7 && strings.Contains(" prefixItems $defs dependentSchemas unevaluatedItems unevaluatedProperties maxContains minContains deprecated ", " "+m.name+" ") {
			continue // names that the draft does not know
		}
		if p, why := checkKeyword(m.name, m.value, d); why != "" {
			return "/" + escapePointer(m.name) + p, why
		}
	}
	return "", ""
}

func checkKeyword(name string, v *node, d dialect) (pointer, why string) {
	switch shapes[name] {
	case "schema":
		if name == "items" && d == draft7 && v.is('[') {
			return checkAll(v, d)
		}
		return checkSchema(v, d)
	case "schemas":
		if !v.is('[') || len(v.elems) == 0 {
			return "", name + " has to be a list of schemas that is not empty"
		}
		return checkAll(v, d)
	case "map":
		return checkMap(name, v, d)
	case "text":
		return want(v.is('"'), name+" has to be text")
	case "number":
		return want(v.is('0'), name+" has to be a number")
	case "count":
		return want(isCount(v), name+" has to be a whole number, 0 or more")
	case "bool":
		return want(v.isBool(), name+" has to be true or false")
	case "list":
		return want(v.is('['), name+" has to be a list")
	case "names":
		return checkNames(v)
	case "type":
		return checkType(v)
	}
	return "", ""
}

func want(ok bool, why string) (pointer, reason string) {
	if ok {
		return "", ""
	}
	return "", why
}

func checkAll(v *node, d dialect) (pointer, why string) {
	for i, e := range v.elems {
		if p, why := checkSchema(e, d); why != "" {
			return "/" + strconv.Itoa(i) + p, why
		}
	}
	return "", ""
}

func checkMap(name string, v *node, d dialect) (pointer, why string) {
	if !v.is('{') {
		return "", name + " has to be an object of schemas"
	}
	for _, m := range v.members {
		if p, why := checkSchema(m.value, d); why != "" {
			return "/" + escapePointer(m.name) + p, why
		}
	}
	return "", ""
}

func checkNames(v *node) (pointer, why string) {
	if !v.allTexts() {
		return "", "required has to be a list of names"
	}
	names := v.texts()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(v.elems) {
		return "", "required names a property twice"
	}
	return "", ""
}

// typeNames are the types of JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func checkType(v *node) (pointer, why string) {
	if v.is('"') && slices.Contains(typeNames, v.str) {
		return "", ""
	}
	if v.allTexts() && len(v.elems) > 0 {
		names := v.texts()
		slices.Sort(names)
		if len(slices.Compact(names)) == len(v.elems) && !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(typeNames, n) }) {
			return "", ""
		}
	}
	return "", fmt.Sprintf("%.40s is no type", v.bytes())
}

func isCount(v *node) bool {
	if !v.is('0') {
		return false
	}
	f := parseDouble(v.bytes())
	return f >= 0 && f == float64(int64(f))
}
