package change

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// reading is one thing in a schema that a model reads and that no rule of JSON Schema
// makes up: the name of a property or a definition, a value, a pattern, an address, or
// a keyword that no validator looks at, such as a description, with what it says.
//
// A change of a schema can be of no effect only while both sides hold the same
// readings. What a validator accepts says nothing about them: "x": {} lets in what was
// let in before, and an alternative that another one includes is one more text.
type reading struct {
	key      string // equal readings of the same property have equal keys
	pointer  string // from the root of the schema
	property string // as in Detail
	keyword  string // of an annotation; "" for names and values
	value    jsontext.Value
}

// readingsOf lists the readings of a schema, each once for the property that it
// belongs to: that a schema says the same twice, or at another level of allOf, makes no
// difference. What can't be read is one reading, so that it equals only itself.
func readingsOf(v jsontext.Value) []reading {
	if len(v) == 0 {
		return nil
	}
	r := reader{
		dec:  jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		seen: map[string]bool{},
	}
	r.schema(spot{root: true})
	if r.broken {
		return []reading{{key: string(v), value: v}}
	}
	return r.all
}

// sameReadings reports whether a model reads the same in two schemas, or in two values
// of one keyword.
func sameReadings(old, new jsontext.Value) bool {
	lost, gained := readingsBetween(old, new)
	return len(lost)+len(gained) == 0
}

// readingsBetween lists what is read in the old schema only, and in the new one only.
func readingsBetween(old, new jsontext.Value) (lost, gained []reading) {
	a, b := readingsOf(old), readingsOf(new)
	return readingsWithout(a, b), readingsWithout(b, a)
}

func readingsWithout(all, other []reading) []reading {
	has := make(map[string]bool, len(other))
	for i := range other {
		has[other[i].key] = true
	}
	var out []reading
	for _, r := range all {
		if !has[r.key] {
			out = append(out, r)
		}
	}
	return out
}

// reader walks a schema once, from its first byte to its last.
type reader struct {
	dec    *jsontext.Decoder
	all    []reading
	seen   map[string]bool
	broken bool
}

// spot is where the reader stands.
type spot struct {
	root     bool
	pointer  string
	property string // as in Detail
	owner    string // what readings belong to: the property, in what part of it
	branch   bool   // an alternative of anyOf or oneOf
}

func (s spot) down(segment string) spot {
	s.pointer += "/" + escapePointer(segment)
	s.root, s.branch = false, false
	return s
}

func (s spot) named(keyword, name string) spot {
	t := s.down(keyword).down(name)
	switch keyword {
	case "properties":
		t.property = strings.TrimPrefix(s.property+"."+name, ".")
		t.owner = s.owner + "\x00." + name
	case "patternProperties":
		t.property = strings.TrimPrefix(s.property+".*", ".")
		t.owner = s.owner + "\x00~" + name
	default:
		t.owner = s.owner + "\x00#" + name
	}
	return t
}

// within is a schema that applies to a part of the value, or under a condition.
func (s spot) within(keyword string) spot {
	t := s.down(keyword)
	switch keyword {
	case "items", "additionalItems", "unevaluatedItems", "contains":
		t.property = s.property + "[]"
	case "additionalProperties", "unevaluatedProperties":
		t.property = strings.TrimPrefix(s.property+".*", ".")
	}
	t.owner = s.owner + "\x00/" + keyword
	return t
}

// element is one of a list that stands at keyword, or at the spot itself for "".
func (s spot) element(keyword string, i int) spot {
	t := s
	if keyword != "" {
		t = t.down(keyword)
	}
	t = t.down(strconv.Itoa(i))
	switch keyword {
	case "items", "prefixItems":
		t.property = s.property + "[" + strconv.Itoa(i) + "]"
		t.owner = s.owner + "\x00" + strconv.Itoa(i)
	case "anyOf", "oneOf":
		t.branch = true
	}
	return t
}

// holding says what stands in a keyword.
type holding uint8

const (
	holdsNote    holding = iota // anything: no validator looks at it
	holdsNamed                  // schemas, or lists of names, by names
	holdsSchemas                // a schema or a list of schemas
	holdsValues                 // a value or a list of values
	holdsNames                  // names of properties
	holdsAddress                // a pattern, a reference or what it leads to
	holdsRule                   // numbers, booleans and names of types
	holdsDialect
)

var holdings = func() map[string]holding {
	all := map[string]holding{"$schema": holdsDialect, "required": holdsNames}
	for held, names := range map[holding]string{
		holdsNamed: "dependencies dependentRequired",
		holdsSchemas: "not if then else items additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties " +
			"propertyNames allOf anyOf oneOf prefixItems",
		holdsValues:  "enum const",
		holdsAddress: "$ref $dynamicRef $recursiveRef $id id $anchor $dynamicAnchor pattern",
		holdsRule: "type multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems " +
			"uniqueItems minContains maxContains minProperties maxProperties $recursiveAnchor",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = held
		}
	}
	for _, name := range namesInside {
		all[name] = holdsNamed
	}
	return all
}()

// noteKeyword reports whether a keyword of a schema is one that no validator looks at.
func noteKeyword(name string) bool { return holdings[name] == holdsNote }

// schema reads the value that comes next as a schema.
func (r *reader) schema(at spot) {
	switch r.dec.PeekKind() {
	case '{':
	case '[':
		r.list(func(i int) { r.schema(at.element("", i)) })
		return
	default:
		r.values(at, r.value())
		return
	}
	var notes []reading // told apart by the values beside them, which may come later
	var beside []string
	r.members(func(name string) {
		switch holdings[name] {
		case holdsNote:
			notes = append(notes, annotation(at.down(name), name, r.value()))
		case holdsNamed:
			r.named(at, name)
		case holdsSchemas:
			r.inner(at, name)
		case holdsValues:
			beside = append(beside, r.closed(at, name)...)
		case holdsNames:
			r.names(at, name)
		case holdsAddress:
			r.address(at.down(name), name, r.value())
		case holdsRule:
			r.rule(at, name)
		case holdsDialect:
			r.dialect(at)
		}
	})
	// An alternative is what it lets in: two titles that change places between two
	// values are two other titles.
	slices.Sort(beside)
	for _, n := range notes {
		if at.branch {
			n.key += "\x01" + strings.Join(beside, "\x01")
		}
		r.add(n)
	}
}

func annotation(at spot, keyword string, v jsontext.Value) reading {
	key := at.owner + "\x00@" + keyword + "\x00" + canonicalText(v)
	return reading{key: key, pointer: at.pointer, property: at.property, keyword: keyword, value: v}
}

func (r *reader) add(x reading) {
	if !r.seen[x.key] {
		r.seen[x.key] = true
		r.all = append(r.all, x)
	}
}

// named reads an object whose members are named by the author. Those of properties,
// and what depends on them, are all names of properties.
func (r *reader) named(at spot, keyword string) {
	if r.dec.PeekKind() != '{' {
		r.values(at.down(keyword), r.value())
		return
	}
	r.members(func(name string) {
		inner := at.named(keyword, name)
		switch keyword {
		case "$defs", "definitions", "patternProperties":
			r.add(reading{key: inner.owner, pointer: inner.pointer, property: at.property, value: encoded(name)})
		default:
			r.name(at, inner.pointer, name)
		}
		if r.dec.PeekKind() == '[' {
			r.namesAt(at, inner)
			return
		}
		r.schema(inner)
	})
}

// inner reads a keyword that holds a schema or a list of schemas.
func (r *reader) inner(at spot, keyword string) {
	if r.dec.PeekKind() == '[' {
		r.list(func(i int) { r.schema(at.element(keyword, i)) })
		return
	}
	r.schema(at.within(keyword))
}

// closed reads the values of enum or const, and returns their keys.
func (r *reader) closed(at spot, keyword string) (keys []string) {
	if keyword == "const" || r.dec.PeekKind() != '[' {
		return []string{r.values(at.down(keyword), r.value())}
	}
	r.list(func(i int) { keys = append(keys, r.values(at.element(keyword, i), r.value())) })
	return keys
}

func (r *reader) names(at spot, keyword string) {
	if r.dec.PeekKind() != '[' {
		r.values(at.down(keyword), r.value())
		return
	}
	r.namesAt(at, at.down(keyword))
}

// namesAt reads a list of names of properties that stands at inner.
func (r *reader) namesAt(at, inner spot) {
	r.list(func(i int) {
		place := inner.element("", i)
		v := r.value()
		if s, ok := surface.DecodeString(v); ok {
			r.name(at, place.pointer, s)
			return
		}
		r.values(place, v)
	})
}

func (r *reader) name(at spot, pointer, name string) {
	r.add(reading{key: at.owner + "\x00." + name, pointer: pointer, property: at.property, value: encoded(name)})
}

// values adds a value that has a string in it: a name or a value of a closed set. It
// returns the value's key.
func (r *reader) values(at spot, v jsontext.Value) string {
	key := at.owner + "\x00=" + canonicalText(v)
	if hasString(v) {
		r.add(reading{key: key, pointer: at.pointer, property: at.property, value: v})
	}
	return key
}

// address adds a pattern, a reference or what it leads to. Where definitions are kept
// is a word of the dialect, only their names are the author's.
func (r *reader) address(at spot, keyword string, v jsontext.Value) {
	if !hasString(v) {
		return
	}
	s := canonicalText(v)
	for _, place := range []string{`"#/$defs/`, `"#/definitions/`} {
		if rest, ok := strings.CutPrefix(s, place); ok && strings.HasSuffix(keyword, "ef") {
			s = rest
		}
	}
	r.add(reading{key: at.owner + "\x00&" + keyword + s, pointer: at.pointer, property: at.property, value: v})
}

// types are the strings that are words of JSON Schema.
var types = []string{`"string"`, `"number"`, `"integer"`, `"boolean"`, `"object"`, `"array"`, `"null"`}

// rule adds what no rule can be: a string where a number should stand.
func (r *reader) rule(at spot, keyword string) {
	if k := r.dec.PeekKind(); k != '"' && k != '[' && k != '{' {
		r.value()
		return
	}
	v := r.value()
	all := []jsontext.Value{v}
	if keyword == "type" && v.Kind() == '[' {
		all = slices.Collect(surface.Elements(v))
	}
	for _, t := range all {
		if keyword != "type" || !slices.Contains(types, string(t)) {
			r.values(at.down(keyword), t)
		}
	}
}

// dialect passes the one that a document names, which has a rule of its own.
func (r *reader) dialect(at spot) {
	if v := r.value(); !at.root || v.Kind() != '"' {
		r.values(at.down("$schema"), v)
	}
}

// canonicalText is the canonical form. A string without an escape has it already.
func canonicalText(v jsontext.Value) string {
	if v.Kind() == '"' && bytes.IndexByte(v, '\\') < 0 {
		return string(v)
	}
	return string(canonical(v))
}

func hasString(v jsontext.Value) bool { return bytes.IndexByte(v, '"') >= 0 }

// members calls f with each name of the object that comes next; f reads the value.
func (r *reader) members(f func(name string)) {
	r.token()
	for !r.broken && r.dec.PeekKind() != '}' {
		name, ok := surface.DecodeString(r.value())
		if r.broken = r.broken || !ok; !r.broken {
			f(name)
		}
	}
	r.token()
}

// list calls f for each element of the list that comes next; f reads it.
func (r *reader) list(f func(i int)) {
	r.token()
	for i := 0; !r.broken && r.dec.PeekKind() != ']'; i++ {
		f(i)
	}
	r.token()
}

func (r *reader) token() {
	if r.broken {
		return
	}
	_, err := r.dec.ReadToken()
	r.broken = err != nil
}

func (r *reader) value() jsontext.Value {
	if r.broken {
		return nil
	}
	v, err := r.dec.ReadValue()
	r.broken = err != nil
	return bytes.Clone(v)
}
