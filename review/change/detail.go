package change

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// keyed fills in the edit's id. The tool's own name is taken out of the texts
// first, so that "Deletes with delete_tag" and "Deletes with delete_branch" can be
// one edit on two tools.
func (d Detail) keyed(tool string) Detail {
	d.Edit = d.editID(d.Class, tool)
	return d
}

func (d Detail) editID(class Class, tool string) string {
	old, new := d.editSides()
	place := sum("place", d.Pointer, d.Property)
	return EditID(d.ID, d.Direction, place, class, withoutName(old, tool), withoutName(new, tool))
}

// editSides returns what an edit is keyed by: the passage of a text, else the
// canonical values. That a property became required is the same edit whatever
// other names stand in the list.
func (d Detail) editSides() (old, new []byte) {
	switch {
	case d.Lost != "" || d.Gained != "":
		return []byte(d.Lost), []byte(d.Gained)
	case d.Property != "" && strings.HasSuffix(d.Pointer, "/required"):
		return nil, nil
	}
	return canonical(d.Old), canonical(d.New)
}

// canonical falls back to the bytes as received: a value that has no canonical
// form is equal only to itself.
func canonical(raw []byte) []byte {
	if len(raw) == 0 {
		return nil
	}
	if c, err := surface.Canonical(raw); err == nil {
		return c
	}
	return raw
}

// shortestOwnName keeps a tool named "get" from being taken out of every sentence.
const shortestOwnName = 4

func withoutName(text []byte, name string) []byte {
	if len(name) < shortestOwnName || len(text) == 0 {
		return text
	}
	s := string(text)
	var b strings.Builder
	for {
		i := strings.Index(s, name)
		if i < 0 {
			break
		}
		end := i + len(name)
		b.WriteString(s[:i])
		if wordEdge(s, i, true) && wordEdge(s, end, false) {
			b.WriteString("\x00")
		} else {
			b.WriteString(name)
		}
		s = s[end:]
	}
	b.WriteString(s)
	return []byte(b.String())
}

// wordEdge reports whether a name may begin (or end) at s[i].
func wordEdge(s string, i int, begin bool) bool {
	if begin {
		i--
	}
	return i < 0 || i >= len(s) || !nameByte(s[i])
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// details compares every field of a pair, in the order in which a model reads
// them: title, description, hints, schemas, then the rest.
func (c *comparer) details(p pair) []Detail {
	old, okOld := fieldsOf(p.old)
	new, okNew := fieldsOf(p.new)
	if !okOld || !okNew {
		d := Detail{
			ID: "definition.changed", Class: Undecided, Old: nullable(p.old.Raw), New: nullable(p.new.Raw),
			Sentence: "This definition changed and is not an object on both sides, so its fields can't be compared.",
		}
		return []Detail{d.keyed("")}
	}
	var all []Detail
	for _, name := range differing(old, new) {
		if name == "name" {
			continue // what the pairing is about
		}
		a, b := old.values[name], new.values[name]
		if optionalFields[name] {
			a, b = absentNull(a), absentNull(b)
			if a == nil && b == nil {
				all = append(all, nullDetail("/"+name, new.values[name]))
				continue
			}
		}
		all = append(all, c.field(name, a, b, p)...)
	}
	return all
}

// optionalFields are the fields that the protocol lets a tool leave out: many
// serialisers write null for what is absent. What null means in a field that nobody
// knows is anyone's guess.
var optionalFields = map[string]bool{
	"title": true, "description": true, "annotations": true, "inputSchema": true, "outputSchema": true,
	"execution": true, "icons": true, "_meta": true,
}

// nullDetail names the one difference between a field that is absent and null.
func nullDetail(pointer string, new jsontext.Value) Detail {
	d := Detail{ID: "null.made-explicit", Class: None, Pointer: pointer, New: nullable(new)}
	d.Sentence = quoteName(readablePointer(pointer)) + " is now written out as null, which says nothing. No effect."
	if new == nil {
		d.ID, d.Old = "null.made-implicit", []byte("null")
		d.Sentence = quoteName(readablePointer(pointer)) + " is no longer written out as null, which said nothing. No effect."
	}
	return d.keyed("")
}

// fields are the members of a definition.
type fields struct {
	names  []string
	values map[string]jsontext.Value
}

func fieldsOf(t *surface.Tool) (fields, bool) {
	if t.Raw.Kind() != '{' {
		return fields{}, false
	}
	f := fields{values: map[string]jsontext.Value{}}
	for name, v := range t.Fields() {
		if _, twice := f.values[name]; !twice {
			f.names = append(f.names, name)
		}
		f.values[name] = v
	}
	return f, true
}

// readingOrder is the order in which a model meets the fields.
var readingOrder = []string{"title", "description", "annotations", "inputSchema", "outputSchema", "execution"}

// differing lists the members whose bytes differ, in reading order.
func differing(old, new fields) []string {
	var order []string
	seen := map[string]bool{}
	for _, list := range [][]string{readingOrder, new.names, old.names} {
		for _, name := range list {
			if !seen[name] && string(old.values[name]) != string(new.values[name]) {
				order = append(order, name)
			}
			seen[name] = true
		}
	}
	return order
}

// field compares one field of a definition. A side that lacks it is nil.
func (c *comparer) field(name string, old, new jsontext.Value, p pair) []Detail {
	switch name {
	case "title":
		return stringDetails(titleField, old, new, p.new.Name)
	case "description":
		return stringDetails(descriptionField, old, new, p.new.Name)
	case "annotations":
		return annotationDetails(old, new)
	case "inputSchema", "outputSchema":
		return c.schemaDetails(name, old, new, p)
	case "execution":
		return executionDetails(old, new)
	case "icons":
		return valueDetails("icons", Text, "/icons", old, new)
	case "_meta":
		return memberDetails("meta", "/_meta", old, new)
	default:
		return valueDetails("field", Behaviour, "/"+escapePointer(name), old, new)
	}
}

// valueDetails compares two values as a whole: <noun>.added, .removed, .changed.
// Values of one canonical form are the same value and no detail, unless nothing
// else tells them apart.
func valueDetails(noun string, class Class, pointer string, old, new jsontext.Value) []Detail {
	if string(canonical(old)) == string(canonical(new)) {
		return nil
	}
	d := Detail{Class: class, Pointer: pointer, Old: nullable(old), New: nullable(new)}
	d.ID, d.Sentence = valueSentence(noun, quoteName(readablePointer(pointer)), old, new)
	d.markHidden()
	return []Detail{d.keyed("")}
}

func valueSentence(noun, what string, old, new jsontext.Value) (id, sentence string) {
	switch {
	case old == nil:
		return noun + ".added", "The field " + what + " is new: " + shortValue(new) + "."
	case new == nil:
		return noun + ".removed", "The field " + what + " is gone; it was " + shortValue(old) + "."
	}
	return noun + ".changed", "The field " + what + " changed from " + shortValue(old) + " to " + shortValue(new) + "."
}

// memberDetails compares two objects member by member, and as a whole when one of
// them is no object.
func memberDetails(noun, pointer string, old, new jsontext.Value) []Detail {
	if (old != nil && old.Kind() != '{') || (new != nil && new.Kind() != '{') {
		return valueDetails(noun, Behaviour, pointer, old, new)
	}
	a, b := membersOf(old), membersOf(new)
	var all []Detail
	for _, name := range differing(a, b) {
		all = append(all, valueDetails(noun, Behaviour, pointer+"/"+escapePointer(name), a.values[name], b.values[name])...)
	}
	return all
}

func membersOf(v jsontext.Value) fields {
	f := fields{values: map[string]jsontext.Value{}}
	if v == nil {
		return f
	}
	for name, m := range surface.Members(v) {
		f.names = append(f.names, name)
		f.values[name] = m
	}
	return f
}

// nullable turns an absent value into nil, which JSON writes as null.
func nullable(v jsontext.Value) []byte {
	if len(v) == 0 {
		return nil
	}
	return v
}

// Made once: they are asked for every name of every schema.
var pointerEscaper, pointerReader = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escapePointer(s string) string { return pointerEscaper.Replace(s) }

// readablePointer writes a pointer for people: no leading slash, no escapes.
func readablePointer(pointer string) string {
	return pointerReader.Replace(strings.TrimPrefix(pointer, "/"))
}

// quotedValue bounds how much of a value a sentence repeats. The whole value is
// in the detail beside it.
const quotedValue = 300

func shortValue(v jsontext.Value) string {
	if text, ok := textOf(v); ok && text != nil {
		return quoteText(*text)
	}
	s := string(canonical(v))
	if len(s) <= quotedValue {
		return s
	}
	switch v.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "a longer value"
}

func quoteName(s string) string { return "`" + s + "`" }

func encoded(s string) []byte { return surface.EncodeString(s) }
