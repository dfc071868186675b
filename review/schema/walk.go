package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Bounds of the list of edits. Beyond them a last edit says how much is missing.
const (
	maxEdits  = 3_000
	maxWalk   = 60  // nesting of places
	maxPlaces = 200 // places before a shared definition is compared only once
)

// place is a spot in both schemas that is compared: the two roots, two
// properties of one name, the items of two arrays.
type place struct {
	parent     *place
	children   []*place
	depth      int
	old, new   []view // what is written there: the schema itself, its $ref target, allOf parts
	a, b       lit
	flatA      *node
	flatB      *node
	path       string // as Property.Path
	label      string // what to call it instead of by its path
	where      string // in which variant, in words; "" when there are none
	inProp     bool
	inNegation bool                 // narrowing here may widen the whole
	put        func(n *node, l lit) // replaces this place in a copy of the parent's old flat node
}

// walker lists the edits between two documents.
type walker struct {
	p              *pair
	root           *place
	oldDoc, newDoc *document
	edits          []*edit
	active         map[string]bool // pairs of schemas that are being compared: recursion stops there
	visited        map[string]bool // pairs compared so far: used once there are too many places
	places         int
	skipped        int
}

// edit is an Edit with what judging it needs.
type edit struct {
	Edit
	at       *place
	apply    func(n *node) // makes the old flat node of the place say what the new one says
	narrows  bool          // its sentence says that less is accepted
	breaks   string        // the sentence when it breaks; "" for the same one
	widens   string        // the sentence when all that it took before still works; "" for the same one
	removed  bool          // a property is gone,
	gone     string        // this one
	came     string        // the property that is new
	closing  func(n *node) // what may make its absence a rejection
	harmless bool          // it narrows, but something else makes up for it
	explains bool          // a witness of the strict reading was found, though the edit shows its effect instead
}

func (p *pair) walk() *walker {
	w := &walker{p: p, oldDoc: p.old.document, newDoc: p.new.document, active: map[string]bool{}, visited: map[string]bool{}}
	p.walker = w
	root := w.place(nil, view{p.old.doc, ""}, view{p.new.doc, ""}, "")
	if p.opt.JoinObject {
		root.flatA.types = meetTypes(root.flatA.types, typeOf(kindObject))
		root.flatB.types = meetTypes(root.flatB.types, typeOf(kindObject))
	}
	w.root = root
	w.compare(root)
	w.moved()
	w.leftovers(root)
	return w
}

// place pairs two subschemas.
func (w *walker) place(parent *place, old, new view, path string) *place {
	p := &place{parent: parent, path: path}
	if parent != nil {
		p.depth, p.where, p.inNegation = parent.depth+1, parent.where, parent.inNegation
	}
	p.old, p.new = w.oldDoc.parts(old), w.newDoc.parts(new)
	p.a, p.b = w.oldDoc.at(old.at), w.newDoc.at(new.at)
	p.flatA, p.flatB = w.p.solver.flat(p.a), w.p.solver.flat(p.b)
	if parent != nil {
		parent.children = append(parent.children, p)
	}
	return p
}

// parts returns a subschema and what applies in place with it, the schema itself
// first, for looking up where a keyword is written.
func (d *document) parts(s view) []view {
	var out []view
	seen := map[string]bool{}
	var visit func(s view, depth int)
	visit = func(s view, depth int) {
		if s.v == nil || depth > maxTableDepth || seen[s.at] {
			return
		}
		seen[s.at] = true
		out = append(out, s)
		for _, word := range refWords {
			if ref := s.v.get(word).text(); ref != "" {
				if at, ok := d.target(s.at, ref); ok {
					visit(view{d.root.at(at), at}, depth+1)
				}
			}
		}
		if all := s.child("allOf"); all.v != nil && all.v.kind == kindArray {
			for i := range all.v.items {
				visit(all.child(strconv.Itoa(i)), depth+1)
			}
		}
		if b, ok := d.besideNull(s); ok {
			visit(b, depth+1)
		}
	}
	visit(s, 0)
	return out
}

// besideNull returns the other branch of a union of one schema with null.
func (d *document) besideNull(s view) (view, bool) {
	for _, word := range []string{"anyOf", "oneOf"} {
		u := s.child(word)
		if u.v == nil || u.v.kind != kindArray || len(u.v.items) != 2 {
			continue
		}
		for i := range 2 {
			if u.v.items[i].get("type").text() == "null" {
				return u.child(strconv.Itoa(1 - i)), true
			}
		}
	}
	return view{}, false
}

// target is the schema that the parts lead to: behind the first $ref.
func target(parts []view) string {
	for _, word := range refWords {
		if len(parts) > 1 && parts[0].v.get(word) != nil {
			return target(parts[1:])
		}
	}
	return parts[0].at
}

// find returns where a keyword is written at a place.
func find(parts []view, word string) view {
	for _, s := range parts {
		if c := s.child(word); c.v != nil {
			return c
		}
	}
	return view{}
}

// raw returns the text of a view, or nil.
func (s view) raw() json.RawMessage {
	if s.v == nil {
		return nil
	}
	return s.v.raw
}

// same reports whether nothing below two subschemas can differ: equal text that
// refers to nothing.
func same(a, b view) bool {
	return bytes.Equal(a.v.raw, b.v.raw) && !bytes.Contains(a.v.raw, []byte(`Ref"`)) && !bytes.Contains(a.v.raw, []byte(`"$ref"`))
}

// compare lists the edits at p and below it.
func (w *walker) compare(p *place) {
	if p.depth > maxWalk || same(p.old[0], p.new[0]) {
		return
	}
	w.annotations(p)
	key := target(p.old) + "\x00" + target(p.new)
	if w.active[key] || w.places > maxPlaces && w.visited[key] {
		return
	}
	w.active[key], w.visited[key] = true, true
	defer delete(w.active, key)
	w.places++
	if w.p.solver.resolve(p.a) != w.p.solver.resolve(p.b) {
		if w.replaced(p) {
			return
		}
		w.alignUnions(p)
		w.scalars(p)
	}
	w.objects(p)
	w.arrays(p)
	w.unions(p)
	w.conditions(p)
}

// add records an edit about the keyword that stands at old and new.
func (w *walker) add(p *place, id string, old, new view, sentence string) *edit {
	e := &edit{at: p}
	e.ID, e.Direction, e.Property = id, w.p.dir, p.path
	e.Old, e.New = old.raw(), new.raw()
	e.Pointer = new.at
	if new.v == nil {
		e.Pointer = old.at
	}
	e.Sentence = sentence
	if len(w.edits) >= maxEdits {
		w.skipped++
		return e
	}
	w.edits = append(w.edits, e)
	return e
}

// rule records an edit that a validator may notice. apply copies what changed
// from the new flat node; breaks is the sentence when callers are hurt.
func (w *walker) rule(p *place, id string, old, new view, sentence, breaks string, apply func(n *node)) *edit {
	e := w.add(p, id, old, new, sentence)
	e.apply, e.breaks = apply, breaks
	return e
}

// note records an edit that no validator looks at.
func (w *walker) note(p *place, id string, old, new view, sentence string) *edit {
	e := w.add(p, id, old, new, sentence)
	e.Annotation = true
	e.Verdict, e.VerdictDeclared = Equivalent, Equivalent
	return e
}

// hybrid returns the old root with p replaced by l.
func (w *walker) hybrid(p *place, l lit) lit {
	for ; p.parent != nil; p = p.parent {
		up := *p.parent.flatA
		p.put(&up, l)
		l = w.p.solver.intern(&up)
		w.p.solver.steps += 1 + len(up.props)/propsPerStep
	}
	return l
}

// allBut returns the old root with every edit applied but one.
func (w *walker) allBut(but *edit, edits []*edit) lit {
	perPlace := map[*place][]*edit{}
	for _, e := range edits {
		if e.apply != nil && e != but {
			perPlace[e.at] = append(perPlace[e.at], e)
		}
	}
	var build func(p *place) (lit, bool)
	build = func(p *place) (lit, bool) {
		n := *p.flatA
		changed := false
		for _, c := range p.children {
			if l, ok := build(c); ok {
				c.put(&n, l)
				changed = true
			}
		}
		for _, e := range perPlace[p] {
			e.apply(&n)
			changed = true
		}
		w.p.solver.steps += 1 + len(n.props)/propsPerStep
		return w.p.solver.intern(&n), changed
	}
	l, _ := build(w.root)
	return l
}

// leftovers makes sure that no difference of the text goes unmentioned.
func (w *walker) leftovers(root *place) {
	for _, word := range []string{"$defs", "definitions"} {
		old, new := root.old[0].child(word), root.new[0].child(word)
		if old.v == nil && new.v == nil || old.v != nil && new.v != nil && old.v.key() == new.v.key() {
			continue
		}
		if !w.touches("/" + word + "/") {
			w.note(root, "defs.changed", old, new, "The shared definitions are written differently.")
		}
	}
	if !w.worded() && texts(w.p.old.doc) != texts(w.p.new.doc) {
		w.note(root, "texts.changed", view{}, view{}, "Texts inside the schema changed.")
	}
	if len(w.edits) == 0 && w.p.old.doc.key() != w.p.new.doc.key() {
		w.note(root, "schema.equivalent", root.old[0], root.new[0], "The schema is written differently.")
	}
	if w.skipped > 0 {
		w.note(root, "limits.size", view{}, view{}, strconv.Itoa(w.skipped)+" more edits are not listed.").Verdict = Undecided
	}
}

// worded reports whether the edits account for texts that changed: one is about
// a text, or something with a text came or went.
func (w *walker) worded() bool {
	return slices.ContainsFunc(w.edits, func(e *edit) bool {
		return !e.Annotation || strings.HasPrefix(e.ID, "description.") || strings.HasPrefix(e.ID, "title.")
	})
}

// texts collects every title and description of a document, wherever it stands.
func texts(v *value) string {
	var out []string
	var visit func(v *value)
	visit = func(v *value) {
		for _, m := range v.members {
			if (m.name == "title" || m.name == "description") && m.value.kind == kindString {
				out = append(out, strconv.Quote(m.value.str))
			}
			visit(m.value)
		}
		for _, it := range v.items {
			visit(it)
		}
	}
	visit(v)
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}

func (w *walker) touches(prefix string) bool {
	return slices.ContainsFunc(w.edits, func(e *edit) bool { return strings.HasPrefix(e.Pointer, prefix) })
}

// annotations lists what changed in the keywords that no validator looks at.
func (w *walker) annotations(p *place) {
	if p.parent == nil {
		w.dialect(p)
	}
	w.reorderedValues(p)
	seen := map[string]bool{}
	for _, parts := range [][]view{p.old, p.new} {
		for _, s := range parts {
			if s.v.kind != kindObject {
				continue
			}
			for _, m := range s.v.members {
				if !seen[m.name] && !known[m.name] {
					seen[m.name] = true
					w.annotation(p, m.name)
				}
			}
		}
	}
}

// reorderedValues mentions a list of values that only changed its order.
func (w *walker) reorderedValues(p *place) {
	old, new := find(p.old, "enum"), find(p.new, "enum")
	if old.v == nil || new.v == nil || old.v.key() == new.v.key() || len(old.v.items) != len(new.v.items) {
		return
	}
	if len(minus(old.v.items, new.v.items))+len(minus(new.v.items, old.v.items)) == 0 {
		w.note(p, "enum.reordered", old, new, "The values of "+w.name(p)+" are listed in another order.")
	}
}

// known are the keywords that other rules compare, or that only name things.
var known = map[string]bool{
	"$ref": true, "$dynamicRef": true, "$recursiveRef": true, "$schema": true, "$defs": true, "definitions": true,
	"$id": true, "id": true, "$anchor": true, "$dynamicAnchor": true, "$recursiveAnchor": true, "$vocabulary": true,
	"type": true, "enum": true, "const": true, "multipleOf": true, "minimum": true, "maximum": true,
	"exclusiveMinimum": true, "exclusiveMaximum": true, "minLength": true, "maxLength": true, "pattern": true,
	"items": true, "prefixItems": true, "additionalItems": true, "contains": true, "minContains": true, "maxContains": true,
	"minItems": true, "maxItems": true, "uniqueItems": true, "unevaluatedItems": true,
	"properties": true, "patternProperties": true, "additionalProperties": true, "unevaluatedProperties": true,
	"propertyNames": true, "required": true, "minProperties": true, "maxProperties": true,
	"dependencies": true, "dependentRequired": true, "dependentSchemas": true,
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
}

func (w *walker) dialect(p *place) {
	old, new := p.old[0].child("$schema"), p.new[0].child("$schema")
	if old.v.text() == new.v.text() {
		return
	}
	if w.p.old.draft != w.p.new.draft {
		e := w.note(p, "dialect.changed", old, new, "The schema is written for JSON Schema "+w.p.new.draft+" now, was "+w.p.old.draft+".")
		e.at = p
		return
	}
	w.note(p, "dialect.changed", old, new, "The schema names its dialect differently; it is the same one.")
}

func (w *walker) annotation(p *place, word string) {
	old, new := find(p.old, word), find(p.new, word)
	if old.v != nil && new.v != nil && old.v.key() == new.v.key() {
		return
	}
	id, sentence := annotationWords(w.name(p), word, old, new)
	w.note(p, id, old, new, sentence)
}
