package host

import (
	"bytes"
	"net/url"
	"strings"
)

// mostPasted bounds the JSON that one patch holds, in bytes: what is larger has to be
// written by somebody who knows what it means.
const mostPasted = 2048

// fixRef puts what a reference leads to in its place.
func fixRef(_ *checkup, i Issue) remedy {
	root := i.at("/inputSchema")
	parent, keyword := parentOf(i.Pointer)
	if keyword != "$ref" || strings.HasPrefix(parent, "/inputSchema/$defs/") || strings.HasPrefix(parent, "/inputSchema/definitions/") {
		return fixRefs(i, root)
	}
	ref := i.at(i.Pointer).string()
	say := "Put the definition itself in the place of $ref"
	switch {
	case ref == "":
		return advice("Put the definitions themselves in the place of the references.")
	case ref[0] != '#':
		return advice("Copy what it refers to into the schema: no host fetches another document.")
	case resolved(root, ref) == nil:
		if ref = elsewhere(root, ref); ref == "" {
			return advice("Add the definition, or name one that is there.")
		}
		say = ref + " is there. " + say
	}
	f := &flattener{root: root, left: mostPasted}
	flat := f.flat(i.at(parent).with("$ref", str(ref)), nil)
	if f.left < 0 {
		return advice("Put the definitions themselves in the place of the references.")
	}
	if f.cut {
		say += ", which leads back to itself, and say in a description how deep it may go"
	}
	if b := flat.bytes(); len(b) <= 200 {
		say += ": " + string(b)
	}
	return paste(say+".", replace(parent, flat))
}

// elsewhere is the reference that may be meant by one that leads nowhere: to the
// definition of that name in the other table; "" for none.
func elsewhere(root *node, ref string) string {
	for _, tables := range [][2]string{{"#/definitions/", "#/$defs/"}, {"#/$defs/", "#/definitions/"}} {
		if name, ok := strings.CutPrefix(ref, tables[0]); ok && resolved(root, tables[1]+name) != nil {
			return tables[1] + name
		}
	}
	return ""
}

// fixRefs writes a schema without any definition beside it.
func fixRefs(i Issue, root *node) remedy {
	const say = "Put the definitions themselves in the place of the references, and leave the table of them out."
	f := &flattener{root: root, left: mostPasted}
	if flat := f.flat(root, nil); f.left >= 0 && i.at(i.Pointer) != nil {
		return paste(say, replace("/inputSchema", flat))
	}
	return advice(say)
}

// flattener writes schemas without references.
type flattener struct {
	root *node
	left int  // bytes, roughly; less than 0 when it gave up
	cut  bool // a reference led back to itself
}

// flat returns a schema with definitions in the place of references. What leads back
// to itself becomes the type that it has, of which nothing else is said.
func (f *flattener) flat(s *node, open []*node) *node {
	if f.left -= len("{}"); f.left < 0 {
		return s
	}
	if !s.is('{') {
		f.left -= s.size()
		return s
	}
	target := resolved(f.root, s.get("$ref").string())
	if target == nil {
		return f.members(s, open)
	}
	for _, o := range open {
		if o == target {
			f.cut = true
			return over(endOf(target), s.without("$ref"))
		}
	}
	return over(f.flat(target, append(open[:len(open):len(open)], target)), f.members(s.without("$ref"), open))
}

// endOf is what stands for a definition inside itself.
func endOf(target *node) *node {
	if t := target.get("type"); t != nil {
		return object(member{"type", t})
	}
	return object()
}

// members flattens the schemas inside one, and leaves the tables of definitions out.
func (f *flattener) members(s *node, open []*node) *node {
	return s.mapMembers(func(name string, v *node) *node {
		f.left -= len(name) + len(`"":,`)
		switch shape := shapes[name]; {
		case name == "$defs" || name == "definitions":
			return nil
		case shape == "map" && v.is('{'):
			return each(v, func(e *node) *node { return f.flat(e, open) })
		case shape == "schemas" && v.is('['), shape == "schema" && v.is('['):
			return v.mapElems(func(e *node) *node { return f.flat(e, open) })
		case shape == "schema":
			return f.flat(v, open)
		}
		f.left -= v.size()
		return v
	})
}

// resolved returns the schema that a reference inside a document leads to; nil for
// one that leads nowhere, out of the document, or to a name that is no pointer.
func resolved(root *node, ref string) *node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if fragment == "" {
		return root
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || pointer[0] != '/' {
		return nil
	}
	return valueAt(root, pointer)
}

// leadsNowhere reports whether a reference points into its own document, at a place
// that is not there. With a part that has a name of its own nothing is known: the
// pointer may be meant from there.
func leadsNowhere(root *node, ref string) bool {
	if !strings.HasPrefix(ref, "#/") || resolved(root, ref) != nil {
		return false
	}
	named := 0
	if root.has("$id") {
		named = 1
	}
	return bytes.Count(root.bytes(), []byte(`"$id"`)) == named
}
