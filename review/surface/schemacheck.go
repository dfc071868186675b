package surface

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// dialect is the JSON Schema dialect of a schema, as far as the structure of
// keywords depends on it.
type dialect int

const (
	dialectOpen dialect = iota // nothing says: what any dialect allows is allowed
	dialect2020
	dialect2019
	dialect7
	dialect6
	dialect4
)

var dialects = map[string]dialect{
	"json-schema.org/draft/2020-12/schema": dialect2020,
	"json-schema.org/draft/2019-09/schema": dialect2019,
	"json-schema.org/draft-07/schema":      dialect7,
	"json-schema.org/draft-06/schema":      dialect6,
	"json-schema.org/draft-04/schema":      dialect4,
}

// shapeOf says what stands under a keyword.
type shapeOf int

const (
	aSchema       shapeOf = iota + 1 // one schema
	aSchemaOrList                    // one schema, or a list before 2020-12
	schemaMap                        // an object whose values are schemas
	schemaList                       // a list of schemas
	aText
	aCount // an integer from 0
	aNumber
	aLimit // a number, or a boolean in draft 4
	aBool
	aType
	aList
	nameList // strings that differ
	nameListMap
)

var keywords = map[string]shapeOf{
	"properties": schemaMap, "patternProperties": schemaMap, "$defs": schemaMap, "definitions": schemaMap, "dependentSchemas": schemaMap,
	"allOf": schemaList, "anyOf": schemaList, "oneOf": schemaList, "prefixItems": schemaList,
	"additionalProperties": aSchema, "not": aSchema, "if": aSchema, "then": aSchema, "else": aSchema, "contains": aSchema,
	"propertyNames": aSchema, "unevaluatedItems": aSchema, "unevaluatedProperties": aSchema, "additionalItems": aSchema, "contentSchema": aSchema,
	"items": aSchemaOrList,
	"title": aText, "description": aText, "$comment": aText, "pattern": aText, "format": aText, "$ref": aText, "$id": aText,
	"$schema": aText, "$anchor": aText, "$dynamicAnchor": aText, "$dynamicRef": aText, "contentEncoding": aText, "contentMediaType": aText,
	"minLength": aCount, "maxLength": aCount, "minItems": aCount, "maxItems": aCount, "minProperties": aCount, "maxProperties": aCount,
	"minContains": aCount, "maxContains": aCount,
	"minimum": aNumber, "maximum": aNumber, "multipleOf": aNumber, "exclusiveMinimum": aLimit, "exclusiveMaximum": aLimit,
	"uniqueItems": aBool, "readOnly": aBool, "writeOnly": aBool, "deprecated": aBool,
	"type": aType, "enum": aList, "required": nameList, "dependentRequired": nameListMap,
}

var typeNames = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// pythonTypes are what people write by habit, with what they mean.
var pythonTypes = map[string]string{"str": "string", "int": "integer", "float": "number", "bool": "boolean", "dict": "object", "list": "array", "None": "null", "any": "no type at all"}

// boundPairs are keywords of which the first must not be above the second.
var boundPairs = [][2]string{
	{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"},
	{"minProperties", "maxProperties"}, {"minContains", "maxContains"},
}

// schemaChecker looks at the structure of one schema: keywords of the wrong type,
// bounds that exclude everything, references that lead nowhere or outside. It
// computes nothing, compiles no pattern and never follows a reference outside.
type schemaChecker struct {
	*checker
	root    value
	dialect dialect
	ids     map[string]bool // of schemas inside
	headers map[string]bool // x-mcp-header values so far, lower case
	input   bool
}

// schemas checks input and output schema of a definition.
func (c *checker) schemas(v value) {
	switch {
	case c.wire:
		c.inputSchema(v)
		c.outputSchema(v.field("outputSchema"))
	case c.form == FormSnake:
		c.schema(v.field("input_schema"), at(nil, "input_schema"), true)
		c.schema(v.field("output_schema"), at(nil, "output_schema"), false)
	}
}

func (c *checker) inputSchema(tool value) {
	v, p := tool.field("inputSchema"), at(nil, "inputSchema")
	notObject := func(what string) {
		c.add(c.subject, v, p, "schema-not-object", LevelError,
			what+` A tool without arguments has {"type":"object"}. Strict clients refuse the whole list.`)
	}
	switch {
	case !v.present():
		c.add(c.subject, tool, nil, "schema-missing", LevelError, `the definition has no `+"`inputSchema`"+`, which every version of the protocol requires. A tool without arguments has {"type":"object"}.`)
		return
	case !v.is(kindObject):
		notObject("`inputSchema` is " + v.kind().String() + ", not an object.")
		return
	case v.empty():
		notObject("`inputSchema` is {}, which says nothing, not even that arguments are an object.")
	case v.field("type").text() != "object":
		place, where := v, p
		if t := v.field("type"); t.present() {
			place, where = t, at(p, "type")
		}
		c.add(c.subject, place, where, "schema-root-type", LevelError, "the root of `inputSchema` must say `\"type\": \"object\"`"+isInstead(v.field("type"))+".")
	}
	c.schema(v, p, true)
}

// isInstead says what stands where something else should.
func isInstead(v value) string {
	switch {
	case !v.present():
		return ", and says nothing"
	case v.is(kindString):
		return ", not `" + shorten(v.text()) + "`"
	}
	return ", and has " + v.kind().String()
}

func (c *checker) outputSchema(v value) {
	p := at(nil, "outputSchema")
	if v.null() {
		return
	}
	if v.field("type").text() != "object" && c.version < version2026July {
		assumed := "this listing speaks " + c.version
		if c.version == "" {
			assumed = "nothing says which version this listing speaks (push it with its protocolVersion), and most clients are older"
		}
		c.add(c.subject, v, p, "output-root-type", LevelWarning,
			"the root of `outputSchema` must say `\"type\": \"object\"` before 2026-07-28; "+assumed+". Strict clients refuse the whole list.")
	}
	c.schema(v, p, false)
}

// schema checks a schema from its root.
func (c *checker) schema(v value, p *path, input bool) {
	if !v.present() || v.null() {
		return
	}
	s := schemaChecker{checker: c, root: v, ids: map[string]bool{}, headers: map[string]bool{}, input: input}
	s.setDialect(v, p)
	if bytes.Contains(v.raw(), []byte(`"$id"`)) {
		s.collectIDs(v)
	}
	s.visit(v, p, atRoot)
}

func (s *schemaChecker) setDialect(v value, p *path) {
	if s.version >= version2025Nov {
		s.dialect = dialect2020
	}
	f := v.field("$schema")
	if !f.is(kindString) {
		return
	}
	uri := strings.TrimSuffix(f.text(), "#")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	d, known := dialects[uri]
	s.dialect = d
	if !known {
		s.add(s.subject, f, at(p, "$schema"), "dialect-unknown", LevelWarning, "`$schema` names a dialect that we don't know, so clients may not either. What any dialect allows is let pass.")
	}
}

// collectIDs notes the identifiers inside, to which a reference is local.
func (s *schemaChecker) collectIDs(v value) {
	if id := v.field("$id"); id.is(kindString) {
		s.ids[strings.TrimSuffix(id.text(), "#")] = true
	}
	for _, m := range v.members() {
		s.collectIDs(m)
	}
	for _, e := range v.elements() {
		s.collectIDs(e)
	}
}

func (s *schemaChecker) invalid(v value, p *path, message string) {
	s.add(s.subject, v, p, "schema-invalid", LevelError, message+" Clients that check schemas drop the tool, or refuse the whole list.")
}

// place is how a schema is reached from the root, as far as x-mcp-header asks.
type place int

const (
	atRoot  place = iota
	inChain       // through properties alone
	behind        // through any other keyword
)

// visit checks one schema and those below it.
func (s *schemaChecker) visit(v value, p *path, where place) {
	if v.is(kindBool) && s.dialect != dialect4 {
		return
	}
	if !v.is(kindObject) {
		s.invalid(v, p, "a schema stands here, and it is "+v.kind().String()+", not an object"+orBoolean(s.dialect)+".")
		return
	}
	bounded, required := false, false
	for n, m := range v.members() {
		shape, known := keywords[n]
		if known {
			s.keyword(n, shape, m, at(p, n), where)
		}
		bounded = bounded || shape == aCount || shape == aNumber || shape == aLimit
		required = required || n == "required"
		if n == "x-mcp-header" && s.input {
			s.header(v, m, at(p, n), where)
		}
	}
	if bounded {
		s.bounds(v, p)
	}
	if required {
		s.required(v, p)
	}
}

func orBoolean(d dialect) string {
	if d == dialect4 {
		return ""
	}
	return " or a boolean"
}

// keyword checks what stands under a keyword.
func (s *schemaChecker) keyword(n string, shape shapeOf, v value, p *path, where place) {
	switch shape {
	case aSchema:
		if n == "additionalProperties" || n == "additionalItems" {
			if v.is(kindBool) {
				return // a boolean here is older than boolean schemas
			}
		}
		s.visit(v, p, behind)
	case aSchemaOrList:
		s.items(v, p)
	case schemaMap:
		s.schemaMap(n, v, p, where)
	case schemaList:
		s.schemaList(n, v, p)
	case aType:
		s.typeKeyword(v, p)
	case nameList:
		s.names(n, v, p)
	case nameListMap:
		s.expect(v.is(kindObject), n, "an object of lists of names", v, p)
		for m, e := range v.members() {
			s.names(n, e, at(p, m))
		}
	default:
		s.plain(n, shape, v, p)
	}
}

// plain checks a keyword that has no schema below it.
func (s *schemaChecker) plain(n string, shape shapeOf, v value, p *path) {
	switch shape {
	case aText:
		s.expect(v.is(kindString), n, "a string", v, p)
		if strings.HasSuffix(strings.ToLower(n), "ref") && v.is(kindString) {
			s.reference(v, p)
		}
	case aCount:
		whole := v.is(kindNumber) && v.raw()[0] != '-' && parseDecimal(v.raw()).isInteger()
		s.expect(whole, n, "a whole number from 0 on", v, p)
	case aNumber:
		s.expect(v.is(kindNumber), n, "a number", v, p)
		if n == "multipleOf" && v.is(kindNumber) && parseDecimal(v.raw()).sign() <= 0 {
			s.invalid(v, p, "`multipleOf` must be greater than 0.")
		}
	case aLimit:
		old := s.dialect == dialectOpen || s.dialect == dialect4
		s.expect(v.is(kindNumber) || old && v.is(kindBool), n, "a number", v, p)
	case aBool:
		s.expect(v.is(kindBool), n, "true or false", v, p)
	case aList:
		s.expect(v.is(kindArray), n, "a list of values", v, p)
	}
}

func (s *schemaChecker) expect(ok bool, n, want string, v value, p *path) {
	if !ok {
		s.invalid(v, p, fmt.Sprintf("`%s` is %s; it has to be %s. Leave it out if there is nothing to say.", n, described(v), want))
	}
}

// described says what v is, exactly enough to see why something else is wanted.
func described(v value) string {
	switch {
	case v.is(kindNumber):
		return shorten(string(v.raw()))
	case v.is(kindArray) && v.empty():
		return "an empty list"
	}
	return v.kind().String()
}

func (s *schemaChecker) items(v value, p *path) {
	if !v.is(kindArray) {
		s.visit(v, p, behind)
		return
	}
	if s.dialect == dialect2020 {
		s.invalid(v, p, "`items` is a list, which ended with dialect 2020-12: use `prefixItems`, or say `$schema`.")
	}
	for i, e := range v.elements() {
		s.visit(e, nth(p, i), behind)
	}
}

func (s *schemaChecker) schemaMap(n string, v value, p *path, where place) {
	s.expect(v.is(kindObject), n, "an object", v, p)
	if n == "properties" && where != behind {
		where = inChain
	} else {
		where = behind
	}
	for m, e := range v.members() {
		s.visit(e, at(p, m), where)
	}
}

func (s *schemaChecker) schemaList(n string, v value, p *path) {
	s.expect(v.is(kindArray) && !v.empty(), n, "a list with at least one schema", v, p)
	for i, e := range v.elements() {
		s.visit(e, nth(p, i), behind)
	}
}

func (s *schemaChecker) typeKeyword(v value, p *path) {
	switch {
	case v.is(kindString):
		s.typeName(v, p)
	case v.is(kindArray) && !v.empty():
		var seen []string
		for i, e := range v.elements() {
			s.typeName(e, nth(p, i))
			switch t := e.text(); {
			case slices.Contains(seen, t):
				s.invalid(e, nth(p, i), "`type` names `"+t+"` twice.")
			case slices.Contains(typeNames, t):
				seen = append(seen, t)
			}
		}
	default:
		s.expect(false, "type", "the name of a type, or a list of such names", v, p)
	}
}

func (s *schemaChecker) typeName(v value, p *path) {
	t := v.text()
	if slices.Contains(typeNames, t) {
		return
	}
	if meant := pythonTypes[t]; meant != "" {
		s.invalid(v, p, "`"+t+"` is no type of JSON Schema; it is written "+meant+".")
		return
	}
	if !v.is(kindString) {
		s.expect(false, "type", "the name of a type", v, p)
		return
	}
	s.invalid(v, p, "`"+shorten(t)+"` is no type of JSON Schema. There are null, boolean, object, array, number, string and integer.")
}

// names checks a list of property names.
func (s *schemaChecker) names(n string, v value, p *path) {
	if !v.is(kindArray) {
		s.expect(false, n, "a list of names", v, p)
		return
	}
	seen := map[string]bool{}
	for i, e := range v.elements() {
		switch {
		case !e.is(kindString):
			s.expect(false, n, "a list of names", e, nth(p, i))
		case seen[e.text()]:
			s.invalid(e, nth(p, i), "`"+n+"` names `"+shorten(e.text())+"` twice.")
		}
		seen[e.text()] = true
	}
}

// bounds checks that a lower bound is not above its upper one.
func (s *schemaChecker) bounds(v value, p *path) {
	for _, pair := range boundPairs {
		low, high := v.field(pair[0]), v.field(pair[1])
		if low.is(kindNumber) && high.is(kindNumber) && compareDecimals(low.raw(), high.raw()) > 0 {
			s.add(s.subject, low, at(p, pair[0]), "schema-bounds", LevelWarning,
				fmt.Sprintf("`%s` is above `%s`: no value fits.", pair[0], pair[1]))
		}
	}
	low, high := v.field("exclusiveMinimum"), v.field("exclusiveMaximum")
	if low.is(kindNumber) && high.is(kindNumber) && compareDecimals(low.raw(), high.raw()) >= 0 {
		s.add(s.subject, low, at(p, "exclusiveMinimum"), "schema-bounds", LevelWarning, "`exclusiveMinimum` is not below `exclusiveMaximum`: no value fits.")
	}
}

// required looks for names that are required and not described, where nothing else
// in the schema could describe them.
func (s *schemaChecker) required(v value, p *path) {
	properties, required := v.field("properties"), v.field("required")
	if !required.is(kindArray) || !properties.is(kindObject) {
		return
	}
	for _, n := range []string{"patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if", "$dynamicRef", "dependentSchemas"} {
		if v.has(n) {
			return
		}
	}
	known := map[string]bool{}
	for n := range properties.members() {
		known[n] = true
	}
	for i, e := range required.elements() {
		if e.is(kindString) && !known[e.text()] {
			s.add(s.subject, e, nth(at(p, "required"), i), "required-unknown", LevelWarning,
				"`"+shorten(e.text())+"` is required, but `properties` doesn't describe it: a caller has to guess what it is.")
		}
	}
}

// reference checks that a reference leads to a place inside of the schema.
func (s *schemaChecker) reference(v value, p *path) {
	ref := v.text()
	base, fragment, _ := strings.Cut(ref, "#")
	if base != "" {
		if !s.ids[base] {
			s.add(s.subject, v, p, "ref-external", LevelWarning, "the reference leads outside of the definition and is never fetched. Callers see an empty place here: put the schema inside.")
		}
		return
	}
	if len(s.ids) > 0 || fragment != "" && fragment[0] != '/' {
		return // a name, or relative to an identifier inside: not looked up
	}
	target := s.root
	for _, token := range strings.Split(fragment, "/")[min(1, len(fragment)):] {
		target = s.step(target, unescapePointer(token))
	}
	if *s.steps < 0 {
		return // too many to look up; none of them is called wrong
	}
	if fragment != "" && !target.present() {
		s.invalid(v, p, "the reference `"+shorten(ref)+"` leads nowhere in this schema. References start at the root of the tool's own schema.")
	}
}

// step goes down one token of a pointer, while there are steps left.
func (s *schemaChecker) step(v value, token string) value {
	for n, m := range v.members() {
		if *s.steps--; *s.steps < 0 || n == token {
			return m
		}
	}
	for i, e := range v.elements() {
		if *s.steps--; *s.steps < 0 || strconv.Itoa(i) == token {
			return e
		}
	}
	return value{}
}

// unescapePointer reads one token of a pointer in a URI fragment.
func unescapePointer(token string) string {
	if s, err := url.PathUnescape(token); err == nil {
		token = s
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
