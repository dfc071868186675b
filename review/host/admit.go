package host

import (
	"fmt"
	"slices"
	"strings"
)

// unreadable says where and why the host can't read a definition; why is "" when
// it can.
func (r *renderer) unreadable(it *item) (pointer, why string) {
	return readers[r.p.Listing.Reader](r.p.Listing, it.def)
}

// reader judges one definition the way a host's library does.
type reader func(rules ListingRules, def *node) (pointer, why string)

// readers are the libraries that hosts read listings with.
var readers = map[string]reader{
	"":         readAnything,
	"sdk":      readSDK,
	"ai":       readAI,
	"rust":     readRust,
	"go":       readGo,
	"object":   readObject,
	"draft-07": readDraft7,
}

func readAnything(ListingRules, *node) (pointer, why string) { return "", "" }

// readSDK is the schema of the MCP SDK for TypeScript.
func readSDK(rules ListingRules, def *node) (pointer, why string) {
	if !def.is('{') {
		return "", "it is no object"
	}
	if !def.get("name").is('"') {
		return "/name", "the name is no text"
	}
	for _, n := range []string{"title", "description"} {
		if v := def.get(n); v != nil && !v.is('"') {
			return "/" + n, "it is " + v.kindName() + ", not text"
		}
	}
	in := def.get("inputSchema")
	if in == nil {
		return "/inputSchema", "there is no input schema"
	}
	if p, why := readRoot(in, rules.Values); why != "" {
		return "/inputSchema" + p, why
	}
	if out := def.get("outputSchema"); out != nil {
		if p, why := readRoot(out, rules.Values); why != "" {
			return "/outputSchema" + p, why
		}
	}
	return readHints(def)
}

// readRoot checks the root of a schema: an object of type "object" whose properties
// are schemas and whose required is a list of names.
func readRoot(s *node, values string) (pointer, why string) {
	switch {
	case !s.is('{'):
		return "", "the schema is " + s.kindName() + ", not an object"
	case !s.has("type"):
		return "/type", `the type "object" is missing`
	case !s.get("type").isText("object"):
		return "/type", fmt.Sprintf(`the type is %.40s and has to be "object"`, s.get("type").bytes())
	}
	if p := s.get("properties"); p != nil {
		if !p.is('{') {
			return "/properties", "properties is " + p.kindName() + ", not an object"
		}
		for _, m := range p.members {
			if !isValue(m.value, values) {
				return "/properties/" + escapePointer(m.name), "the schema of a property is " + m.value.kindName()
			}
		}
	}
	if req := s.get("required"); req != nil && !req.allTexts() {
		return "/required", "required is no list of names"
	}
	return "", ""
}

func isValue(v *node, values string) bool {
	switch values {
	case "any":
		return true
	case "schemas":
		return v.is('{') || v.is('[') || v.isBool()
	}
	return v.is('{') || v.is('[')
}

// readHints checks the other fields that the SDK knows.
func readHints(def *node) (pointer, why string) {
	if a := def.get("annotations"); a != nil {
		if !a.is('{') {
			return "/annotations", "annotations is " + a.kindName() + ", not an object"
		}
		for _, m := range a.members {
			if m.name == "title" && !m.value.is('"') || strings.HasSuffix(m.name, "Hint") && isHint(m.name) && !m.value.isBool() {
				return "/annotations/" + m.name, "it is " + m.value.kindName()
			}
		}
	}
	if m := def.get("_meta"); m != nil && !m.is('{') {
		return "/_meta", "_meta is " + m.kindName() + ", not an object"
	}
	return "", ""
}

func isHint(name string) bool {
	return slices.Contains([]string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}, name)
}

// readAI wants schemas and properties to be objects, and asks nothing of the type.
func readAI(_ ListingRules, def *node) (pointer, why string) {
	in := def.get("inputSchema")
	switch {
	case !def.get("name").is('"'):
		return "/name", "the name is no text"
	case in == nil:
		return "/inputSchema", "there is no input schema"
	case !in.is('{'):
		return "/inputSchema", "the schema is " + in.kindName() + ", not an object"
	case in.has("properties") && !in.get("properties").is('{'):
		return "/inputSchema/properties", "properties is " + in.get("properties").kindName() + ", not an object"
	}
	return "", ""
}

// readRust wants a name and an input schema that is an object; null stands for an
// absent text.
func readRust(_ ListingRules, def *node) (pointer, why string) {
	if !def.get("name").is('"') {
		return "/name", "the name is no text"
	}
	for _, n := range []string{"title", "description"} {
		if v := def.get(n); v != nil && !v.is('"') && !v.is('n') {
			return "/" + n, "it is " + v.kindName() + ", not text"
		}
	}
	in := def.get("inputSchema")
	switch {
	case in == nil:
		return "/inputSchema", "there is no input schema"
	case !in.is('{'):
		return "/inputSchema", "the schema is " + in.kindName() + ", not an object"
	}
	if out := def.get("outputSchema"); out != nil && !out.is('{') && !out.is('n') {
		return "/outputSchema", "the schema is " + out.kindName() + ", not an object"
	}
	return "", ""
}

// readGo decodes into a struct in which type is a text and properties a map.
func readGo(_ ListingRules, def *node) (pointer, why string) {
	in := def.get("inputSchema")
	switch typ, props := in.get("type"), in.get("properties"); {
	case !def.get("name").is('"'):
		return "/name", "the name is no text"
	case in != nil && !in.is('{') && !in.is('n'):
		return "/inputSchema", "the schema is " + in.kindName() + ", not an object"
	case typ != nil && !typ.is('"') && !typ.is('n'):
		return "/inputSchema/type", "the type is " + typ.kindName() + ", not text"
	case props != nil && !props.is('{') && !props.is('n'):
		return "/inputSchema/properties", "properties is " + props.kindName() + ", not an object"
	}
	return "", ""
}

// readObject wants any input schema at all.
func readObject(_ ListingRules, def *node) (pointer, why string) {
	if in := def.get("inputSchema"); in == nil || in.is('n') {
		return "/inputSchema", "there is no input schema"
	}
	return "", ""
}

// readDraft7 wants an input schema that the meta-schema of draft-07 accepts.
func readDraft7(_ ListingRules, def *node) (pointer, why string) {
	in := def.get("inputSchema")
	if in == nil || in.is('n') {
		return "", "" // it is given an empty one
	}
	if p, why := checkSchema(in, draft7); why != "" {
		return "/inputSchema" + p, why
	}
	return "", ""
}

// kindName names the kind of a value for a sentence.
func (n *node) kindName() string {
	if n == nil {
		return "missing"
	}
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	}
	return "null"
}
