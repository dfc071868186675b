package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// schemaRules judge the schemas as such. What only a validator can tell is in package
// schema; here stands what breaks callers and is plain to see.
func (v *view) schemaRules() {
	v.inputRoot()
	v.schemaShape(v.input, 0)
	v.schemaShape(v.output, 0)
	v.openObjects()
	v.load()
	for _, p := range v.params {
		v.paramSchema(p)
	}
}

func (v *view) inputRoot() {
	if v.tool.Form != "" && v.tool.Form != "snake" && v.tool.Form != "parameters" {
		return
	}
	in := v.input
	switch {
	case in == nil:
		if v.root.has("inputSchema") {
			v.found("schema.invalid", Critical, v.root.get("inputSchema"), "The input schema is null: clients refuse the tool, some the whole list.")
		}
		return
	case !in.is('{'):
		v.found("schema.invalid", Critical, in, "The input schema is no object: clients refuse the tool, some the whole list.")
		return
	}
	if t := in.get("type"); t != nil && t.str != "object" || t == nil && in.has("properties") && v.tool.Form == "" {
		v.found("schema.invalid", Critical, orRoot(in.get("type"), in), "The root of an input schema must have the type object.")
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		if k := in.get(key); k != nil {
			v.found("schema.root-combinator", Warn, k, fmt.Sprintf("%s stands at the root: some providers then refuse the whole list.", key))
		}
	}
	props := in.get("properties")
	for _, name := range in.get("required").strings() {
		if props.is('{') && !props.has(name) && !isOpen(in) {
			v.found("schema.unsatisfiable", Critical, in.get("required"), fmt.Sprintf("%q is required, is not among the properties, and nothing else is allowed.", short(name, 60)))
		}
	}
	if (props == nil && v.tool.Form == surface.FormWire && bare(in) || props.is('{') && len(props.kids) == 0) && isOpen(in) {
		v.found("schema.no-arg-open", Info, in, "Takes no arguments, and any argument is accepted and ignored.")
	}
}

// bare reports whether a schema says no more than that it is an object.
func bare(in *node) bool {
	for _, k := range in.kids {
		if name := k.key; name != "type" && name != "$schema" && name != "title" && name != "description" {
			return false
		}
	}
	return true
}

var jsonTypes = setOf("string number integer boolean object array null")

// maxSchemaDepth bounds the walk over one schema.
const maxSchemaDepth = 40

// schemaShape finds keywords of the wrong kind, and schemas that nothing satisfies.
func (v *view) schemaShape(n *node, depth int) {
	if !n.is('{') || depth > maxSchemaDepth {
		return
	}
	if why, at := malformed(n); why != "" {
		v.found("schema.invalid", Critical, at, why)
	} else if why, at := unsatisfiable(n); why != "" {
		v.found("schema.unsatisfiable", Critical, at, why)
	}
	for _, k := range n.kids {
		switch name := k.key; {
		case namesSchemas[name]:
			for _, sub := range k.kids {
				if !strings.ContainsRune("{tf", rune(sub.kind)) {
					v.found("schema.invalid", Critical, sub, fmt.Sprintf("What stands for %q is %s and no schema: strict clients refuse the whole list.", short(sub.key, 60), kindName(sub.kind)))
				}
				v.schemaShape(sub, depth+1)
			}
		case name == "anyOf" || name == "oneOf" || name == "allOf" || name == "prefixItems" || name == "items" && k.is('['):
			for _, sub := range k.kids {
				v.schemaShape(sub, depth+1)
			}
		case oneSchema[name]:
			v.schemaShape(k, depth+1)
		}
	}
}

// oneSchema are keywords that hold one schema.
var oneSchema = setOf("items additionalProperties not if then else contains propertyNames unevaluatedProperties unevaluatedItems")

// wants are keywords with the kinds that they must have.
var wants = map[string]string{
	"properties": "{", "patternProperties": "{", "$defs": "{", "definitions": "{", "required": "[", "enum": "[", "anyOf": "[", "oneOf": "[", "allOf": "[",
	"description": `"`, "title": `"`, "pattern": `"`, "format": `"`, "$ref": `"`, "minimum": "0", "maximum": "0", "minLength": "0", "maxLength": "0", "minItems": "0", "maxItems": "0", "multipleOf": "0",
	"items": "{[tf", "additionalProperties": "{tf", "not": "{tf", "type": `"[`,
}

func malformed(n *node) (string, *node) {
	for _, k := range n.kids {
		name := k.key
		if want, ok := wants[name]; ok && !strings.ContainsRune(want, rune(k.kind)) {
			if name == "required" && (k.isTrue() || k.isFalse()) {
				return "required: true inside of a property means nothing, and strict clients refuse it: name the property in the list of its object.", k
			}
			return fmt.Sprintf("%s is %s, which no schema may have there: strict clients refuse the whole list.", name, kindName(k.kind)), k
		}
		switch name {
		case "type":
			for _, typ := range append(k.strings(), k.asList()...) {
				if !jsonTypes[typ] {
					return fmt.Sprintf("%q is no type.", short(typ, 40)), k
				}
			}
		case "required":
			if len(k.strings()) != len(k.kids) {
				return "required must be a list of names.", k
			}
		}
	}
	return "", nil
}

// asList is the string itself as a list, nil for anything else.
func (n *node) asList() []string {
	if n.is('"') {
		return []string{n.str}
	}
	return nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	}
	return "a list"
}

// unsatisfiable says why no value fits, "" when one may.
func unsatisfiable(n *node) (string, *node) {
	for _, key := range []string{"enum", "anyOf", "oneOf"} {
		if k := n.get(key); k.is('[') && len(k.kids) == 0 {
			return fmt.Sprintf("%s is empty, so no value is allowed.", key), k
		}
	}
	for _, pair := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}} {
		lo, ok1 := n.get(pair[0]).number()
		hi, ok2 := n.get(pair[1]).number()
		if ok1 && ok2 && lo > hi {
			return fmt.Sprintf("%s is above %s, so no value is allowed.", pair[0], pair[1]), n.get(pair[0])
		}
	}
	if lo, ok := n.get("exclusiveMinimum").number(); ok {
		for _, key := range []string{"exclusiveMaximum", "maximum"} {
			if hi, ok := n.get(key).number(); ok && lo >= hi {
				return fmt.Sprintf("exclusiveMinimum is not below %s, so no value is allowed.", key), n.get("exclusiveMinimum")
			}
		}
	}
	if e := n.get("enum"); e.is('[') && n.text("type") != "" && jsonTypes[n.text("type")] && n.text("type") != "null" {
		if !slices.ContainsFunc(e.kids, func(k *node) bool { return fitsType(n.text("type"), k) }) && len(e.kids) > 0 {
			return fmt.Sprintf("none of the values is a %s, so no value is allowed.", n.text("type")), e
		}
	}
	if not := n.get("not"); not.is('{') && len(not.kids) == 0 {
		return "not: {} refuses every value.", not
	}
	if c := n.get("const"); c != nil {
		if typ := n.text("type"); typ != "" && !fitsType(typ, c) && typ != "null" {
			return fmt.Sprintf("const is no %s, so no value is allowed.", typ), c
		}
	}
	return "", nil
}

// isOpen reports whether an object schema takes arguments that it doesn't name and says
// nothing about them.
func isOpen(n *node) bool {
	return n.is('{') && !n.has("additionalProperties") && !n.has("unevaluatedProperties") && !n.has("$ref") && !n.has("patternProperties")
}

// openObjects reports the root and, when that is closed, the first nested object.
func (v *view) openObjects() {
	if isOpen(v.input) && v.input.get("properties").is('{') && len(v.input.get("properties").kids) > 0 {
		sev := Info
		for _, p := range v.params {
			if p.depth == 0 && p.desc == "" {
				sev = Warn // nothing else keeps a model to the names
			}
		}
		v.found("schema.open-object", sev, v.input, "The arguments are open: a name that a model invents is accepted and nobody sees it. additionalProperties: false makes it an error.")
		return
	}
	for _, p := range v.params {
		if isOpen(p.schema) && p.schema.get("properties").is('{') && len(p.schema.get("properties").kids) > 0 {
			v.found("schema.open-object", Info, p.schema, fmt.Sprintf("%q is open: a name that a model invents is accepted and nobody sees it.", short(p.name, 80)))
			return
		}
	}
}

// Bounds of what a model fills in reliably.
const (
	manyRequired = 4
	tooRequired  = 6
	manyParams   = 12
	tooParams    = 20
	deepParams   = 3
)

// load weighs how much a call asks of a model.
func (v *view) load() {
	if v.input == nil {
		return
	}
	required := v.input.get("required").strings()
	switch n := len(required); {
	case n > tooRequired, n > manyRequired && n == len(v.input.get("properties").memberNames()):
		v.found("schema.too-many-required", Warn, v.input.get("required"), fmt.Sprintf("%d parameters are required: %s.", n, short(strings.Join(required, ", "), 120)))
	case n > manyRequired:
		v.found("schema.too-many-required", Info, v.input.get("required"), fmt.Sprintf("%d parameters are required: %s.", n, short(strings.Join(required, ", "), 120)))
	}
	leaves, deepest := 0, 0
	for _, p := range v.params {
		deepest = max(deepest, p.depth)
		if !p.schema.get("properties").is('{') {
			leaves++
		}
	}
	if leaves > manyParams {
		sev := Info
		if leaves > tooParams {
			sev = Warn
		}
		v.found("schema.too-many-params", sev, v.input, fmt.Sprintf("A call may carry %d parameters.", leaves))
	}
	if deepest >= deepParams {
		sev := Info
		if deepest > deepParams && leaves <= tooParams {
			sev = Warn
		}
		v.found("schema.deep-nesting", sev, v.input, fmt.Sprintf("Parameters are nested %d levels deep.", deepest))
	}
}

func (n *node) memberNames() []string {
	if n == nil {
		return nil
	}
	names := make([]string, len(n.kids))
	for i, k := range n.kids {
		names[i] = k.key
	}
	return names
}

// nested weighs less what stands deep inside: it is sent seldom.
func nested(p *param, sev Severity) Severity {
	if p.depth > 0 {
		return Info
	}
	return sev
}

// anyKeys are keywords that say what a value may be.
var anyKeys = []string{"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties", "items", "not", "if"}

func (v *view) paramSchema(p *param) {
	n := p.schema
	if !n.is('{') {
		if n.isTrue() {
			v.found("schema.untyped", Warn, n, fmt.Sprintf("%q takes anything.", short(p.name, 80)))
		}
		return
	}
	if !slices.ContainsFunc(anyKeys, n.has) {
		v.found("schema.untyped", nested(p, Warn), n, fmt.Sprintf("%q has no type, so a model may send anything.", short(p.name, 80)))
		return
	}
	if p.isOnly("array") && !n.has("prefixItems") && n.has("type") {
		if items := n.get("items"); items == nil || items.is('{') && len(items.kids) == 0 {
			v.found("schema.array-no-items", Warn, n, fmt.Sprintf("%q is a list, and nothing says of what. Some providers refuse it.", short(p.name, 80)))
		}
	}
	if n.text("type") == "object" && !n.has("properties") && !n.get("additionalProperties").is('{') && !n.has("patternProperties") && !n.has("$ref") && !slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "propertyNames"}, n.has) && !atLeastWords(p.desc, 6) {
		v.found("schema.object-no-properties", nested(p, Warn), n, fmt.Sprintf("%q is an object, and nothing says which keys it takes.", short(p.name, 80)))
	}
}
