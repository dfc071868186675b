package change

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// maxRewritten bounds the places that are listed one by one. Beyond it the whole
// schema is named.
const maxRewritten = 200

// leaf is a place at which two documents differ.
type leaf struct {
	pointer  string
	old, new jsontext.Value
	text     bool // a model reads what stands there
}

// rewritten lists the places of a schema that differ and that none of the details
// is about: what was moved into a shared definition, spelled in another keyword, or
// said where it was implied. They have no effect that package schema could find, and
// are shown all the same, folded: nothing that differs is ever left out. A text is
// more than a spelling.
func rewritten(all []Detail, dir schema.Direction, root string, old, new jsontext.Value) []Detail {
	var out []Detail
	for _, l := range differingLeaves(old, new) {
		pointer := root + l.pointer
		if slices.ContainsFunc(all, func(d Detail) bool { return d.covers(pointer) }) {
			continue
		}
		if len(out) == maxRewritten {
			return append(out, rewrittenDetail(dir, leaf{root, old, new, !sameTexts(old, new)}))
		}
		l.pointer = pointer
		out = append(out, rewrittenDetail(dir, l))
	}
	return out
}

func rewrittenDetail(dir schema.Direction, l leaf) Detail {
	d := Detail{
		ID: "schema.rewritten", Direction: string(dir), Class: None, Pointer: l.pointer, Old: nullable(l.old), New: nullable(l.new),
		Sentence: quoteName(l.pointer) + " is written differently. No effect.",
	}
	if l.text {
		d.Class = Text
		d.Sentence = "The text at " + quoteName(l.pointer) + " changed."
	}
	d.markHidden()
	return d.keyed("")
}

// covers reports whether a detail is about a place: at it, above it or below it.
// A list of required names is told property by property, and the old place of a
// renamed property at its new one.
func (d Detail) covers(pointer string) bool {
	if within(pointer, d.Pointer) || within(d.Pointer, pointer) {
		return true
	}
	if parent, ok := strings.CutSuffix(pointer, "/required"); ok && within(d.Pointer, parent+"/properties") {
		return strings.HasPrefix(d.ID, "property.")
	}
	return d.ID == "property.renamed" && pointer[:strings.LastIndexByte(pointer, '/')] == d.Pointer[:strings.LastIndexByte(d.Pointer, '/')]
}

// within reports whether a pointer is place or below it.
func within(pointer, place string) bool {
	return strings.HasPrefix(pointer, place) && (len(pointer) == len(place) || pointer[len(place)] == '/')
}

// differingLeaves lists where two schemas differ, as deep as both have the same
// shape.
func differingLeaves(old, new jsontext.Value) []leaf {
	w := &leafWalker{}
	w.walk(leaf{"", old, new, false}, false)
	return w.leaves
}

type leafWalker struct{ leaves []leaf }

// namesInside are the keywords whose members are named by the author and are no
// keywords.
var namesInside = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}

// walk descends while both sides are objects or lists of one length. names says
// that the members of l are names and not keywords.
func (w *leafWalker) walk(l leaf, names bool) {
	if string(l.old) == string(l.new) || string(canonical(l.old)) == string(canonical(l.new)) {
		return
	}
	switch {
	case l.text || len(l.old) == 0 || len(l.new) == 0 || l.old.Kind() != l.new.Kind():
	case l.old.Kind() == '{':
		a, b := membersOf(l.old), membersOf(l.new)
		for _, name := range differing(a, b) {
			text := !names && slices.Contains(readByModel, name)
			inner := !names && slices.Contains(namesInside, name)
			w.walk(leaf{l.pointer + "/" + escapePointer(name), a.values[name], b.values[name], text}, inner)
		}
		return
	case l.old.Kind() == '[':
		a, b := slices.Collect(surface.Elements(l.old)), slices.Collect(surface.Elements(l.new))
		if len(a) == len(b) && a[0].Kind() == '{' {
			for i := range a {
				w.walk(leaf{l.pointer + "/" + strconv.Itoa(i), a[i], b[i], false}, false)
			}
			return
		}
	}
	w.leaves = append(w.leaves, l)
}
