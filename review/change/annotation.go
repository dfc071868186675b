package change

import (
	"github.com/go-json-experiment/json/jsontext"
	"slices"

	"github.com/countersign/countersign/review/surface"
)

// hint is one annotation that the protocol defines, with the value that holds
// when a server says nothing, and what a host may do differently.
type hint struct {
	absent       bool
	whenTrue     string
	whenFalse    string
	writableOnly bool // has a meaning only while readOnlyHint is false
}

var hints = map[string]hint{
	"readOnlyHint": {
		whenTrue:  "Hosts may now run it without asking.",
		whenFalse: "It no longer says that it only reads; hosts may ask before they run it.",
	},
	"destructiveHint": {
		absent:       true,
		whenTrue:     "It now says that it may destroy data; hosts may ask before they run it.",
		whenFalse:    "It now says that it never destroys data; hosts may stop asking.",
		writableOnly: true,
	},
	"idempotentHint": {
		whenTrue:     "Hosts may now repeat a call that failed.",
		whenFalse:    "A repeated call may now have another effect; hosts may stop repeating.",
		writableOnly: true,
	},
	"openWorldHint": {
		absent:    true,
		whenTrue:  "It now says that it reaches out to others, such as the web.",
		whenFalse: "It now says that it touches nothing outside its own data.",
	},
}

// wireNames maps what people write by mistake to the name on the wire.
var wireNames = map[string]string{
	"read_only_hint": "readOnlyHint", "destructive_hint": "destructiveHint",
	"idempotent_hint": "idempotentHint", "open_world_hint": "openWorldHint",
	"readOnly": "readOnlyHint", "destructive": "destructiveHint", "idempotent": "idempotentHint", "openWorld": "openWorldHint",
}

// annotationDetails compares hints by what they mean: a hint that is absent has
// the protocol's default.
func annotationDetails(old, new jsontext.Value) []Detail {
	if (old != nil && old.Kind() != '{' && old.Kind() != 'n') || (new != nil && new.Kind() != '{' && new.Kind() != 'n') {
		return valueDetails("field", Behaviour, "/annotations", old, new)
	}
	a, b := membersOf(asObject(old)), membersOf(asObject(new))
	var all []Detail
	for _, name := range differing(a, b) {
		pointer := "/annotations/" + escapePointer(name)
		switch h, known := hints[name]; {
		case known:
			all = append(all, hintDetail(name, h, a, b)...)
		case name == "title":
			f := titleField
			f.pointer = pointer
			all = append(all, stringDetails(f, a.values[name], b.values[name], "")...)
		default:
			all = append(all, unknownAnnotation(name, pointer, a.values[name], b.values[name])...)
		}
	}
	if len(all) == 0 {
		return emptyAnnotations(old, new)
	}
	return all
}

// asObject reads null as absent.
func asObject(v jsontext.Value) jsontext.Value {
	if v == nil || v.Kind() != '{' {
		return nil
	}
	return v
}

// emptyAnnotations names the one difference that no member shows: an object that
// says nothing came or went.
func emptyAnnotations(old, new jsontext.Value) []Detail {
	ds := valueDetails("field", None, "/annotations", old, new)
	for i := range ds {
		ds[i].ID = "annotation.default-made-explicit"
		ds[i].Sentence = "The annotations say nothing beyond the defaults. No effect."
		ds[i] = ds[i].keyed("")
	}
	return ds
}

func hintDetail(name string, h hint, a, b fields) []Detail {
	old, new := a.values[name], b.values[name]
	was, okOld := boolOr(old, h.absent)
	is, okNew := boolOr(new, h.absent)
	d := Detail{Pointer: "/annotations/" + name, Old: nullable(old), New: nullable(new)}
	switch {
	case !okOld || !okNew:
		d.ID, d.Class = "annotation.invalid", Behaviour
		d.Sentence = quoteName(name) + " is no boolean on both sides; hosts read such a hint as they like."
	case was != is:
		d.ID, d.Class = "annotation.changed", Behaviour
		d.Sentence = hintSentence(name, h, is, new == nil)
		if h.writableOnly && readOnly(a) && readOnly(b) {
			d.Note = ptr("It has no meaning while readOnlyHint is true.")
		}
	case new == nil || new.Kind() == 'n':
		d.ID, d.Class = "annotation.default-made-implicit", None
		d.Sentence = quoteName(name) + " is no longer written out; the default is the same. No effect."
	default:
		d.ID, d.Class = "annotation.default-made-explicit", None
		d.Sentence = quoteName(name) + " is now written out at its default. No effect."
	}
	return []Detail{d.keyed("")}
}

func hintSentence(name string, h hint, is, gone bool) string {
	value, effect := "false", h.whenFalse
	if is {
		value, effect = "true", h.whenTrue
	}
	if gone {
		return quoteName(name) + " is gone, so its default holds: " + value + ". " + effect
	}
	return quoteName(name) + " is now " + value + ". " + effect
}

func readOnly(f fields) bool {
	v, _ := boolOr(f.values["readOnlyHint"], false)
	return v
}

// Destroys reports whether the change brings a tool that says it may destroy.
func (c *Change) Destroys() bool {
	return slices.ContainsFunc(c.Details, func(d Detail) bool { return d.Destroys })
}

// Disarms reports whether any edit of the change does.
func (c *Change) Disarms() bool {
	return slices.ContainsFunc(c.Details, func(d Detail) bool { return d.Disarms() })
}

// Disarms reports whether a tool stops to say that it may destroy, in words or by
// saying nothing: hosts may stop asking before they run it. A tool that begins to say
// so is no danger that it was not before.
func (d *Detail) Disarms() bool {
	if d.Pointer != "/annotations/destructiveHint" || d.Class == None {
		return false
	}
	destroys, ok := boolOr(jsontext.Value(d.New), hints["destructiveHint"].absent)
	return !destroys || !ok
}

// boolOr reads a boolean; absent and null are the default, anything else is not ok.
func boolOr(v jsontext.Value, absent bool) (value, ok bool) {
	if v == nil {
		return absent, true
	}
	switch v.Kind() {
	case 'n':
		return absent, true
	case 't':
		return true, true
	case 'f':
		return false, true
	}
	return absent, false
}

func unknownAnnotation(name, pointer string, old, new jsontext.Value) []Detail {
	ds := valueDetails("annotation.unknown", Behaviour, pointer, old, new)
	for i := range ds {
		if wire, ok := wireNames[name]; ok && new != nil {
			ds[i].Note = ptr("Hosts don't know " + quoteName(name) + ". The name on the wire is " + quoteName(wire) + ".")
		}
	}
	return ds
}

// executionDetails compares the execution object. Its one defined member is
// taskSupport, "forbidden" when absent.
func executionDetails(old, new jsontext.Value) []Detail {
	ds := memberDetails("execution", "/execution", old, new)
	if string(executionMeaning(old)) != string(executionMeaning(new)) {
		return ds
	}
	if len(ds) == 0 {
		ds = valueDetails("execution", None, "/execution", old, new)
	}
	for i := range ds {
		ds[i].ID, ds[i].Class = "execution.default-made-explicit", None
		ds[i].Sentence = "The execution settings are now written out at their default. No effect."
		if len(ds[i].New) == 0 {
			ds[i].ID = "execution.default-made-implicit"
			ds[i].Sentence = "The execution settings are no longer written out; the default is the same. No effect."
		}
		ds[i] = ds[i].keyed("")
	}
	return ds
}

// executionMeaning is the canonical form with the default taken out.
func executionMeaning(v jsontext.Value) []byte {
	if v != nil && v.Kind() != '{' && v.Kind() != 'n' {
		return canonical(v)
	}
	v = asObject(v)
	out := []byte{'{'}
	for name, m := range membersOf(v).values {
		if s, ok := surface.DecodeString(m); name == "taskSupport" && (m.Kind() == 'n' || ok && s == "forbidden") {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, surface.EncodeString(name)...), ':'), m...)
	}
	return canonical(append(out, '}'))
}
