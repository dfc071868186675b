package lint

import (
	"encoding/json"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// view is one tool while its rules run: what they ask for again and again, read once.
type view struct {
	tool   surface.Tool
	root   *node
	name   string
	words  []string // of the name
	desc   *text    // nil when there is no description
	texts  []*text  // every string, names of members included
	room   []text   // for the next ones
	params []*param // of the input schema, nested ones included
	input  *node
	output *node
	effect effect
	head   string // verb that the effect comes from

	decoded  int   // hidden texts that were added to texts
	said     *hay  // everything in words, see prose
	hits     []hit // passages that the text rules found
	findings []Finding
}

// param is a parameter of the input schema.
type param struct {
	name     string
	words    []string
	schema   *node
	node     *node // the object that holds it
	desc     string
	said     *hay // desc in lower case
	types    []string
	required bool
	depth    int // 0 at the top
}

func newView(t surface.Tool) *view {
	v := &view{tool: t, root: parse(t.Raw), name: t.Name, words: nameWords(t.Name)}
	names := schemaNames[t.Form]
	v.input, v.output = v.root.firstOf(names.input...), v.root.firstOf(names.output...)
	v.collect()
	v.listParams(v.input, 0, 0)
	v.effect, v.head = effectOf(v)
	return v
}

// schemaNames are the members that hold the schemas, by the form of a definition; as the
// accessors of surface.Tool know them, without reading the definition again.
var schemaNames = map[surface.Form]struct{ input, output []string }{
	surface.FormWire:       {[]string{"inputSchema"}, []string{"outputSchema"}},
	surface.FormSnake:      {[]string{"input_schema"}, []string{"output_schema"}},
	surface.FormParameters: {[]string{"parameters", "parametersJsonSchema", "parameters_json_schema"}, nil},
}

// firstOf returns the first member of these names that is not null.
func (n *node) firstOf(names ...string) *node {
	for _, name := range names {
		if m := n.get(name); m != nil && m.kind != 'n' {
			return m
		}
	}
	return nil
}

// title is the name for people, "" when there is none.
func (v *view) title() string {
	if t := v.root.text("title"); t != "" {
		return t
	}
	return v.root.get("annotations").text("title")
}

// maxParamDepth bounds nesting: deeper parameters are not judged.
const maxParamDepth = 8

// listParams lists the parameters below a schema, depth first. Alternatives and
// references are not followed: what stands there is judged where it is written.
func (v *view) listParams(schema *node, depth, guard int) {
	if schema == nil || depth > maxParamDepth || guard > 4*maxParamDepth {
		return
	}
	required := map[string]bool{}
	for _, name := range schema.get("required").strings() {
		required[name] = true
	}
	props := schema.get("properties")
	if props.is('{') {
		for _, k := range props.kids {
			p := &param{
				name: k.key, words: nameWords(k.key), schema: k, node: schema,
				desc: k.text("description"), types: typesOf(k), required: required[k.key], depth: depth,
			}
			v.params = append(v.params, p)
			v.listParams(k, depth+1, guard+1)
		}
	}
	if items := schema.get("items"); items.is('{') {
		v.listParams(items, depth, guard+1)
	}
}

// typesOf are the types that a schema names, null left out; those of its alternatives
// when it has none itself.
func typesOf(n *node) []string {
	var out []string
	add := func(s string) {
		if s != "null" {
			out = append(out, s)
		}
	}
	if t := n.get("type"); t.is('"') {
		add(t.str)
	} else {
		for _, s := range t.strings() {
			add(s)
		}
	}
	if out == nil {
		for _, key := range []string{"anyOf", "oneOf"} {
			if alt := n.get(key); alt.is('[') {
				for _, k := range alt.kids {
					add(k.text("type"))
				}
			}
		}
	}
	return out
}

// low is the description in lower case, to look for many words in.
func (p *param) low() hay {
	if p.said == nil {
		h := newHay(lower(p.desc))
		p.said = &h
	}
	return *p.said
}

func (p *param) is(typ string) bool {
	for _, t := range p.types {
		if t == typ {
			return true
		}
	}
	return false
}

// isOnly reports whether the parameter has one type, this one.
func (p *param) isOnly(typ string) bool { return len(p.types) == 1 && p.types[0] == typ }

// values are the values that the parameter is limited to, as literals: of enum, const,
// or alternatives that are constants; those of array items too.
func (p *param) values() []*node {
	for n, i := p.schema, 0; n != nil && i < 3; n, i = n.get("items"), i+1 {
		if e := n.get("enum"); e.is('[') {
			return e.kids
		}
		if c := n.get("const"); c != nil {
			return []*node{c}
		}
		for _, key := range []string{"anyOf", "oneOf"} {
			if vals := constants(n.get(key)); vals != nil {
				return vals
			}
		}
	}
	return nil
}

func constants(alternatives *node) []*node {
	if !alternatives.is('[') {
		return nil
	}
	var out []*node
	for _, k := range alternatives.kids {
		switch c, e := k.get("const"), k.get("enum"); {
		case c != nil:
			out = append(out, c)
		case e.is('['):
			out = append(out, e.kids...)
		case k.text("type") == "null":
		default:
			return nil
		}
	}
	return out
}

// hint returns a behaviour hint as written: value, and whether it stands there as a
// boolean.
func (v *view) hint(name string) (value, set bool) {
	h := v.root.get("annotations").get(name)
	return h.isTrue(), h.isTrue() || h.isFalse()
}

func (v *view) annotated() bool {
	a := v.root.get("annotations")
	for _, name := range hintNames {
		if a.has(name) {
			return true
		}
	}
	return false
}

var hintNames = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// description is the folded description, "" when there is none.
func (v *view) description() string {
	if v.desc == nil {
		return ""
	}
	return v.desc.fold()
}

// prose is everything that is said about the tool and its parameters, folded.
func (v *view) prose() string { return v.proseHay().s }

// proseHay is prose, to look for many words in.
func (v *view) proseHay() hay {
	if v.said == nil {
		var b strings.Builder
		b.WriteString(v.description())
		for _, p := range v.params {
			b.WriteByte('\n')
			b.WriteString(p.low().s)
		}
		h := newHay(b.String())
		v.said = &h
	}
	return *v.said
}

// found reports a finding at a node; extra fields are set by the caller's function.
func (v *view) found(rule string, sev Severity, at *node, message string) *Finding {
	r := catalogue().byID[rule]
	pointer := at.pointer()
	v.findings = append(v.findings, Finding{
		Rule: rule, Severity: sev, Message: message, Fix: r.Fix,
		Excerpt: excerpt(excerptOf(at)),
		Place: Place{
			Tool: v.name, Position: v.tool.Position, Pointer: pointer,
			Fingerprint: fingerprint(r, v.name, pointer, valueOf(at)),
		},
	})
	return &v.findings[len(v.findings)-1]
}

func excerptOf(n *node) string {
	if n == nil {
		return ""
	}
	if n.up == nil {
		return n.text("name")
	}
	return n.literal()
}

// nameNode is where a finding about the name stands.
func (v *view) nameNode() *node { return orRoot(v.root.get("name"), v.root) }

// descNode is where a finding about the description stands.
func (v *view) descNode() *node {
	if v.desc != nil {
		return v.desc.node
	}
	return v.root
}

func orRoot(n, root *node) *node {
	if n == nil {
		return root
	}
	return n
}

func isNumber(s string) bool {
	return json.Valid([]byte(s)) && s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9')
}
