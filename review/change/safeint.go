package change

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// Generators of schemas bound every integer at ±(2^53-1), the largest that a double
// counts up to, and stop or start to do so from one version to the next. Strictly such
// a bound rejects 2^53, and `countersign schema` says so with a witness. Between two
// listings it is a style: it only writes down "an integer that survives JSON readers
// in use". So what is compared has no such bound on either side, and the bounds are
// told by themselves, folded.
const (
	safeMaximum = "9007199254740991"
	safeMinimum = "-9007199254740991"
)

// safeBound is a bound of an integer at the edge of the safe ones that one of two
// schemas has and the other has not.
type safeBound struct {
	pointer  string // of the keyword
	property string // as in Detail
	old, new jsontext.Value
}

// safeBounds lists the safe bounds that came or went, and returns both schemas
// without them. A schema that is an integer on one side only keeps its bounds.
func safeBounds(old, new jsontext.Value) (bounds []safeBound, a, b jsontext.Value) {
	if !strings.Contains(string(old)+string(new), safeMaximum) {
		return nil, old, new
	}
	var w safeWalker
	w.walk(old, new, "", "")
	if len(w.bounds) == 0 {
		return nil, old, new
	}
	drop := map[string]bool{}
	for _, s := range w.bounds {
		drop[s.pointer] = true
	}
	return w.bounds, withoutBounds(old, "", drop), withoutBounds(new, "", drop)
}

type safeWalker struct{ bounds []safeBound }

// walk follows the keywords below which a schema only ever allows: a bound below
// "not" or "if" is none of a style.
func (w *safeWalker) walk(old, new jsontext.Value, pointer, property string) {
	if len(old) == 0 || len(new) == 0 || old.Kind() != '{' || new.Kind() != '{' || string(old) == string(new) {
		return
	}
	a, b := membersOf(old), membersOf(new)
	if onlyInteger(a.values["type"]) && onlyInteger(b.values["type"]) {
		w.bound("minimum", safeMinimum, a, b, pointer, property)
		w.bound("maximum", safeMaximum, a, b, pointer, property)
	}
	for _, name := range a.names {
		w.below(name, a.values[name], b.values[name], pointer+"/"+name, property)
	}
}

func (w *safeWalker) below(keyword string, old, new jsontext.Value, pointer, property string) {
	switch keyword {
	case "properties":
		a, b := membersOf(asObject(old)), membersOf(asObject(new))
		for _, name := range a.names {
			path := strings.TrimPrefix(property+"."+name, ".")
			w.walk(a.values[name], b.values[name], pointer+"/"+escapePointer(name), path)
		}
	case "$defs", "definitions":
		a, b := membersOf(asObject(old)), membersOf(asObject(new))
		for _, name := range a.names {
			w.walk(a.values[name], b.values[name], pointer+"/"+escapePointer(name), property)
		}
	case "items":
		w.walk(old, new, pointer, property+"[]")
	case "additionalProperties":
		w.walk(old, new, pointer, strings.TrimPrefix(property+".*", "."))
	case "anyOf", "oneOf", "allOf":
		a, b := slices.Collect(surface.Elements(old)), slices.Collect(surface.Elements(new))
		for i := range min(len(a), len(b)) {
			w.walk(a[i], b[i], pointer+"/"+strconv.Itoa(i), property)
		}
	}
}

// bound notes a safe bound that stands on one side, where the other has no bound
// at all.
func (w *safeWalker) bound(keyword, edge string, a, b fields, pointer, property string) {
	exclusive := "exclusive" + upperFirst(keyword)
	if a.values[exclusive] != nil || b.values[exclusive] != nil {
		return
	}
	old, new := a.values[keyword], b.values[keyword]
	if old == nil && string(new) == edge || new == nil && string(old) == edge {
		w.bounds = append(w.bounds, safeBound{pointer + "/" + keyword, property, old, new})
	}
}

// onlyInteger reports whether a type lets integers in and no other number.
func onlyInteger(v jsontext.Value) bool {
	types := []jsontext.Value{v}
	if v.Kind() == '[' {
		types = slices.Collect(surface.Elements(v))
	}
	integer := false
	for _, t := range types {
		integer = integer || string(t) == `"integer"`
		if string(t) == `"number"` {
			return false
		}
	}
	return integer
}

// withoutBounds writes a schema again without the members at some pointers.
func withoutBounds(v jsontext.Value, pointer string, drop map[string]bool) jsontext.Value {
	switch v.Kind() {
	case '{':
		out := []byte{'{'}
		for name, m := range surface.Members(v) {
			at := pointer + "/" + escapePointer(name)
			if drop[at] {
				continue
			}
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(out, encoded(name)...), ':')
			out = append(out, withoutBounds(m, at, drop)...)
		}
		return append(out, '}')
	case '[':
		out, i := []byte{'['}, 0
		for e := range surface.Elements(v) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, withoutBounds(e, pointer+"/"+strconv.Itoa(i), drop)...)
			i++
		}
		return append(out, ']')
	}
	return v
}

const safeNote = "Only integers beyond 2^53-1 are concerned, which JSON readers in use may round."

func (s safeBound) detail(dir schema.Direction, root, tool string) Detail {
	d := Detail{
		ID: "range.narrowed", Direction: string(dir), Class: None, Pointer: root + s.pointer, Property: s.property,
		Old: nullable(s.old), New: nullable(s.new),
	}
	what, edge := "from", s.new
	if strings.HasSuffix(s.pointer, "/maximum") {
		what = "up to"
	}
	verb := " is bounded now: "
	if s.new == nil {
		d.ID, edge, verb = "range.widened", s.old, " is no longer bounded: "
	}
	name := "The " + string(dir) + " schema"
	if s.property != "" {
		name = quoteName(s.property)
	}
	note := safeNote
	d.Sentence, d.Note = name+verb+what+" "+string(edge)+".", &note
	return d.keyed(tool)
}
