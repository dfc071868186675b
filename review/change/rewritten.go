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
	text     bool // a model reads what stands there, and no validator does
	value    bool // no schema stands there
}

// complete adds to the details of a schema what they leave out: texts and defaults
// within something that no detail shows, and places that are written differently. What
// has no effect on calls is of no effect only while a model reads the same in it.
func complete(all []Detail, dir schema.Direction, root string, old, new jsontext.Value, tool string) []Detail {
	a, b := readingsOf(old), readingsOf(new)
	lost, gained := readingsWithout(a, b), readingsWithout(b, a)
	t := newTeller(all, dir, root, tool, old, new)
	told := t.takeNotes(lost, gained)
	t.takeNames(lost, gained)
	t.instructed(all, gained)
	all = append(all, rewritten(all, told, dir, root, old, new, func(l leaf) []Detail {
		return t.noteDetails(noteAt(l.pointer, b), l.old, l.new)
	})...)
	return append(t.say(all), told...)
}

// noteAt finds the note that stands at a place.
func noteAt(pointer string, all []reading) reading {
	for _, r := range all {
		if r.pointer == pointer {
			return r
		}
	}
	_, keyword, _ := cutLast(pointer, "/")
	return reading{keyword: readablePointer(keyword), pointer: pointer}
}

// rewritten lists the places of a schema that differ and that none of the details
// is about: what was moved into a shared definition, spelled in another keyword, or
// said where it was implied. They have no effect that package schema could find, and
// are shown all the same, folded: nothing that differs is ever left out. A text that is
// another one at the same place is more than a spelling, be it that two changed places:
// describe makes details of it. Texts that came or went are told already, where they
// didn't just move.
func rewritten(all, told []Detail, dir schema.Direction, root string, old, new jsontext.Value, describe func(leaf) []Detail) []Detail {
	var out []Detail
	for _, l := range differingLeaves(old, new) {
		pointer := root + l.pointer
		reworded := l.text && l.old != nil && l.new != nil
		about := func(d Detail) bool { return d.covers(pointer) && !(reworded && d.Class == None) }
		if slices.ContainsFunc(all, about) || l.text && slices.ContainsFunc(told, about) {
			continue
		}
		if len(out) == maxRewritten {
			return append(out, rewrittenDetail(dir, leaf{pointer: root, old: old, new: new, text: true}))
		}
		if reworded {
			out = append(out, describe(l)...)
			continue
		}
		l.pointer, l.text = pointer, false
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
		d.Sentence = "The texts at " + quoteName(l.pointer) + " changed in many places."
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
	w.walk(leaf{old: old, new: new}, false)
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
	case l.text || l.value || len(l.old) == 0 || len(l.new) == 0 || l.old.Kind() != l.new.Kind():
	case l.old.Kind() == '{':
		a, b := membersOf(l.old), membersOf(l.new)
		for _, name := range differing(a, b) {
			at := leaf{pointer: l.pointer + "/" + escapePointer(name), old: a.values[name], new: b.values[name], text: !names && noteKeyword(name)}
			at.value = !names && (name == "const" || name == "enum")
			inner := slices.Contains(namesInside, name) || name == "dependencies" || name == "dependentRequired"
			w.walk(at, !names && inner)
		}
		return
	case l.old.Kind() == '[':
		a, b := slices.Collect(surface.Elements(l.old)), slices.Collect(surface.Elements(l.new))
		if len(a) == len(b) && a[0].Kind() == '{' {
			for i := range a {
				w.walk(leaf{pointer: l.pointer + "/" + strconv.Itoa(i), old: a[i], new: b[i]}, false)
			}
			return
		}
	}
	w.leaves = append(w.leaves, l)
}
