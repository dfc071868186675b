package surface

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Form says under which names a definition keeps its parts. The zero value is the
// wire form of the protocol. Other forms come from captures and declarations.
type Form string

// The forms.
const (
	FormWire       Form = ""           // inputSchema, outputSchema
	FormSnake      Form = "snake"      // input_schema, output_schema
	FormParameters Form = "parameters" // parameters, or Gemini's parametersJsonSchema
	FormArguments  Form = "arguments"  // a list of arguments, from which a schema can be derived
)

// schemaNames are the members that hold the input schema in each form.
var schemaNames = map[Form][]string{
	FormWire:       {"inputSchema"},
	FormSnake:      {"input_schema"},
	FormParameters: {"parameters", "parametersJsonSchema", "parameters_json_schema"},
}

var outputNames = map[Form][]string{FormWire: {"outputSchema"}, FormSnake: {"output_schema"}}

// NewTool makes a Tool of the wire form from the exact bytes of a definition, as
// [Read] does, with Offset -1. The error, a [*ReadError], says that raw is no
// strict JSON. A definition without a usable name is a Tool without one.
func NewTool(position int, raw jsontext.Value) (Tool, error) {
	d, faults := parse(raw, Limits{Depth: canonicalDepth})
	if faults != nil {
		return Tool{}, newSource(raw).refuse(faults)
	}
	v := d.root()
	return Tool{
		Position: position,
		Name:     v.field("name").text(),
		Raw:      v.raw(),
		RawHash:  HashOf(v.raw()),
		Digest:   HashOf(v.appendCanonical(nil)),
		Offset:   -1,
	}, nil
}

// Members iterates an object's members in received order, with decoded names and
// exact values. Of anything else, and of broken JSON, it gives nothing. One pass
// over raw costs its length.
func Members(raw jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for n, v := range whole(raw).members() {
			if !yield(n, v.raw()) {
				return
			}
		}
	}
}

// Elements iterates an array's elements; of anything else, and of broken JSON, it
// gives nothing.
func Elements(raw jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		for _, v := range whole(raw).elements() {
			if !yield(v.raw()) {
				return
			}
		}
	}
}

// whole parses raw, which came out of a listing and so is known to be JSON.
func whole(raw jsontext.Value) value {
	d, faults := parse(raw, Limits{Depth: canonicalDepth})
	if faults != nil {
		return value{}
	}
	return d.root()
}

// Fields iterates the top-level fields of the definition in received order. It
// gives nothing when the definition is no object.
func (t Tool) Fields() iter.Seq2[string, jsontext.Value] { return Members(t.Raw) }

// Field returns the exact bytes of a top-level field. Names are case-sensitive.
// A field that is null is there.
func (t Tool) Field(name string) (jsontext.Value, bool) {
	for n, v := range t.Fields() {
		if n == name {
			return v, true
		}
	}
	return nil, false
}

// first returns the first of the named fields that is there and not null.
func (t Tool) first(names ...string) (jsontext.Value, bool) {
	root := whole(t.Raw)
	for _, n := range names {
		if v := root.field(n); !v.null() {
			return v.raw(), true
		}
	}
	return nil, false
}

// Description returns the description. It is false when there is none, when it is
// null, and when it is no string; "" with true is a description that is blank.
func (t Tool) Description() (string, bool) {
	v, _ := t.first("description")
	return DecodeString(v)
}

// Title returns the name for people: title, else annotations.title. It is false
// when there is neither; a reader then sees the name.
func (t Tool) Title() (string, bool) {
	v, _ := t.first("title")
	if s, ok := DecodeString(v); ok {
		return s, true
	}
	v, _ = t.first("annotations")
	for n, m := range Members(v) {
		if n == "title" {
			return DecodeString(m)
		}
	}
	return "", false
}

// InputSchema returns the input schema as received. It is false when there is none
// or it is null. It may be anything else: a boolean, say, which is a problem.
func (t Tool) InputSchema() (jsontext.Value, bool) { return t.first(schemaNames[t.Form]...) }

// OutputSchema returns the output schema as received; false when absent or null.
func (t Tool) OutputSchema() (jsontext.Value, bool) { return t.first(outputNames[t.Form]...) }

// Annotations returns the annotations object; false when there is none.
func (t Tool) Annotations() (jsontext.Value, bool) {
	v, ok := t.first("annotations")
	if !ok || v.Kind() != '{' {
		return nil, false
	}
	return v, true
}

// DerivedSchema returns the input schema that a list of arguments (see
// [FormArguments]) stands for. Nobody sent it: whoever shows it says so.
func (t Tool) DerivedSchema() (jsontext.Value, bool) {
	args := whole(t.Raw).field("arguments")
	if t.Form != FormArguments || !args.is(kindArray) {
		return nil, false
	}
	properties, required := []byte(`{`), []byte(`[`)
	for _, a := range args.elements() {
		name := a.field("name")
		if !name.is(kindString) {
			continue
		}
		properties = appendComma(properties)
		properties = append(append(properties, name.raw()...), ':')
		properties = appendArgument(properties, a)
		if !a.field("optional").isTrue() {
			required = append(appendComma(required), name.raw()...)
		}
	}
	b := append([]byte(`{"type":"object","properties":`), properties...)
	b = append(append(b, `},"required":`...), required...)
	return append(b, "]}"...), true
}

// appendArgument appends the schema of one argument: what it says of type, items
// and meaning, in its own bytes.
func appendArgument(dst []byte, a value) []byte {
	dst = append(dst, '{')
	for _, pair := range [][2]string{{"type", "type"}, {"items", "items"}, {"desc", "description"}} {
		if v := a.field(pair[0]); !v.null() {
			dst = append(appendComma(dst), `"`+pair[1]+`":`...)
			dst = append(dst, v.raw()...)
		}
	}
	return append(dst, '}')
}

// appendComma appends a comma unless a bracket was just opened.
func appendComma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '{' || last == '[' {
		return dst
	}
	return append(dst, ',')
}

// Hints are the behaviour hints that hold for a tool, the protocol's defaults
// filled in. Destructive and Idempotent mean something only when ReadOnly is false.
type Hints struct {
	ReadOnly    bool // default false
	Destructive bool // default true
	Idempotent  bool // default false
	OpenWorld   bool // default true
}

// hintDefaults are the values of hints that nobody wrote.
var hintDefaults = map[string]bool{
	"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true,
}

// Hints returns the hints of the tool. A hint that is null or no boolean counts as
// not written.
func (t Tool) Hints() Hints {
	h := make(map[string]bool, len(hintDefaults))
	for n, v := range hintDefaults {
		h[n] = v
	}
	annotations, _ := t.Annotations()
	for n, v := range Members(annotations) {
		if _, known := hintDefaults[n]; known && (v.Kind() == 't' || v.Kind() == 'f') {
			h[n] = v.Kind() == 't'
		}
	}
	return Hints{h["readOnlyHint"], h["destructiveHint"], h["idempotentHint"], h["openWorldHint"]}
}

// SaysDestructive reports whether the tool says itself that it may destroy. The
// protocol's default, that whatever is not read-only destroys, is not meant here.
func (t Tool) SaysDestructive() bool {
	annotations, _ := t.Annotations()
	for name, v := range Members(annotations) {
		if name == "destructiveHint" {
			return v.Kind() == 't'
		}
	}
	return false
}
