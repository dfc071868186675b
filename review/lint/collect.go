package lint

import "strings"

// collect gathers every string of the definition, with its role. What decides the role
// is where a string stands: below a schema's "properties" a member is a parameter.
func (v *view) collect() {
	if !v.root.is('{') {
		return
	}
	for _, k := range v.root.kids {
		switch name := k.key; {
		case k == v.input:
			v.schemaTexts(k, false)
		case k == v.output:
			v.schemaTexts(k, true)
		case name == "name":
			v.add(k, roleName, false)
		case name == "title":
			v.add(k, roleTitle, false)
		case name == "description":
			v.desc = v.add(k, roleDescription, false)
		case name == "annotations":
			v.anyTexts(k, roleAnnotation)
		default:
			v.key(k, roleOther, false)
			v.anyTexts(k, roleOther)
		}
	}
}

// add takes a string; it is nil for anything else.
func (v *view) add(n *node, r role, output bool) *text {
	if !n.is('"') || n.str == "" {
		return nil
	}
	t := v.newText()
	t.node, t.role, t.output, t.s = n, r, output, n.str
	v.texts = append(v.texts, t)
	return t
}

// textsAtOnce is how many texts are made in one go.
const textsAtOnce = 16

func (v *view) newText() *text {
	if len(v.room) == 0 {
		v.room = make([]text, textsAtOnce)
	}
	t := &v.room[0]
	v.room = v.room[1:]
	return t
}

// key takes the name of a member.
func (v *view) key(n *node, r role, output bool) {
	t := v.newText()
	t.node, t.role, t.output, t.s = n, r, output, n.key
	v.texts = append(v.texts, t)
}

// keywords are the members of a schema that mean something; their names are not
// somebody's words.
var keywords = setOf(`type properties required items enum const default examples title description format pattern minimum maximum
	exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems uniqueItems multipleOf additionalProperties anyOf oneOf allOf not
	$ref $defs definitions $schema $id $comment $anchor if then else prefixItems contains minContains maxContains propertyNames patternProperties
	dependentRequired dependentSchemas dependencies unevaluatedProperties unevaluatedItems deprecated readOnly writeOnly nullable example
	additionalItems minProperties maxProperties contentEncoding contentMediaType contentSchema discriminator`)

// namesSchemas are keywords whose members are named by the author.
var namesSchemas = setOf("properties $defs definitions patternProperties dependentSchemas")

// values are keywords that hold what may be copied into a call.
var valueKeywords = setOf("enum const default examples example")

func (v *view) schemaTexts(n *node, output bool) {
	if n.is('[') {
		for _, k := range n.kids {
			v.schemaTexts(k, output)
		}
		return
	}
	if !n.is('{') {
		return
	}
	for _, k := range n.kids {
		v.schemaMember(k.key, k, output)
	}
}

func (v *view) schemaMember(name string, k *node, output bool) {
	switch {
	case namesSchemas[name] && k.is('{'):
		for _, sub := range k.kids {
			v.key(sub, roleProperty, output)
			v.schemaTexts(sub, output)
		}
	case valueKeywords[name]:
		v.valueTexts(k, output)
	case name == "description":
		v.add(k, roleParam, output)
	case name == "title":
		v.add(k, roleTitle, output)
	case name == "pattern" || name == "$comment" || strings.HasPrefix(name, "x-"):
		v.hiddenTexts(k, output)
	case name == "required", name == "type" && jsonTypes[k.str]:
		// repeats names of properties, or is a word of the standard
	case k.is('"'):
		v.add(k, roleOther, output)
	default:
		if !keywords[name] {
			v.key(k, roleProperty, output)
		}
		v.schemaTexts(k, output)
	}
}

func (v *view) valueTexts(n *node, output bool) {
	if n.kind == '"' {
		v.add(n, roleValue, output)
	}
	for _, k := range n.kids {
		if n.kind == '{' {
			v.key(k, roleValue, output)
		}
		v.valueTexts(k, output)
	}
}

func (v *view) hiddenTexts(n *node, output bool) {
	if n.kind == '"' {
		v.add(n, roleHidden, output)
	}
	for _, k := range n.kids {
		v.hiddenTexts(k, output)
	}
}

func (v *view) anyTexts(n *node, r role) {
	if n.kind == '"' {
		v.add(n, r, false)
	}
	for _, k := range n.kids {
		if n.kind == '{' {
			v.key(k, r, false)
		}
		v.anyTexts(k, r)
	}
}
