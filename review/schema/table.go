package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a property table. What is beyond them is left out of the table only;
// [Compare] still judges it.
const (
	maxTableRows  = 20_000
	maxTableDepth = 16
	maxTableHops  = 32      // of a chain of $ref
	maxTableWork  = 200_000 // schemas looked at to name types
)

// Properties lists the properties of a schema, depth first, in the order of the
// document: nested objects, array items, tuples and map values included, local
// $refs followed. It reads what is there and judges nothing, so it also works on
// schemas that [Check] rejects. It fails only when the bytes are no JSON.
func Properties(schema []byte) ([]Property, error) {
	root, err := parseValue(schema)
	if err != nil {
		return nil, err
	}
	l := &lister{root: root, seen: map[string]int{}}
	l.object(view{root, ""}, "", 0)
	return l.rows, nil
}

// Table pairs the properties of two schemas by path, in the order of the new
// one; removed properties stand where they stood in the old one.
func Table(old, new []byte) ([]Row, error) {
	before, err := Properties(old)
	if err != nil {
		return nil, fmt.Errorf("old schema: %w", err)
	}
	after, err := Properties(new)
	if err != nil {
		return nil, fmt.Errorf("new schema: %w", err)
	}
	return pairRows(before, after), nil
}

func pairRows(before, after []Property) []Row {
	oldAt := make(map[string]int, len(before))
	for i, p := range before {
		oldAt[p.Path] = i
	}
	newAt := make(map[string]bool, len(after))
	for _, p := range after {
		newAt[p.Path] = true
	}
	rows := make([]Row, 0, len(after))
	next := 0 // first old row that is not yet listed
	flush := func(to int) {
		for ; next < to; next++ {
			if p := &before[next]; !newAt[p.Path] {
				rows = append(rows, Row{Path: p.Path, Old: p})
			}
		}
	}
	for i := range after {
		p := &after[i]
		j, paired := oldAt[p.Path]
		if !paired {
			rows = append(rows, Row{Path: p.Path, New: p})
			continue
		}
		flush(j)
		rows = append(rows, Row{Path: p.Path, Old: &before[j], New: p, Changed: changedFields(&before[j], p)})
	}
	flush(len(before))
	return rows
}

func changedFields(a, b *Property) []string {
	var out []string
	add := func(name string, differs bool) {
		if differs {
			out = append(out, name)
		}
	}
	add("type", a.Type != b.Type)
	add("required", a.Required != b.Required)
	add("enum", !slices.Equal(a.Enum, b.Enum))
	add("default", rawKey(a.Default) != rawKey(b.Default))
	add("description", a.Description != b.Description)
	add("constraints", !slices.Equal(a.Constraints, b.Constraints))
	add("deprecated", a.Deprecated != b.Deprecated)
	return out
}

// rawKey compares JSON by meaning, so that 1.0 and 1 are one default.
func rawKey(b json.RawMessage) string {
	if b == nil {
		return ""
	}
	v, err := parseValue(b)
	if err != nil {
		return string(b)
	}
	return v.key()
}

// view is a subschema with the pointer that leads to it.
type view struct {
	v  *value
	at string
}

func (s view) child(tokens ...string) view {
	for _, t := range tokens {
		s = view{s.v.at("/" + escapeToken(t)), s.at + "/" + escapeToken(t)}
	}
	return s
}

// lister collects rows. seen counts how often a pointer is on the current path,
// to stop at recursion.
type lister struct {
	root *value
	rows []Property
	seen map[string]int
	work int
}

// follow resolves local $refs. Siblings of a $ref lose to its target only where
// the target has a say; the table shows the sibling's texts first.
func (l *lister) follow(s view) view {
	for range maxTableHops {
		ref := s.v.get("$ref").text()
		if !strings.HasPrefix(ref, "#") {
			return s
		}
		target := l.root.at(ref[1:])
		if target == nil {
			return s
		}
		s = view{target, ref[1:]}
	}
	return s
}

// parts returns s and everything that applies in place with it: allOf parts, and
// the only branch that is left of a union once null is set aside. A schema that
// applies several times is listed once.
func (l *lister) parts(s view) []view {
	var out []view
	listed := map[string]bool{}
	var visit func(s view, depth int)
	visit = func(s view, depth int) {
		s = l.follow(s)
		if listed[s.at] || depth > maxTableDepth {
			return
		}
		listed[s.at] = true
		out = append(out, s)
		if all := s.v.get("allOf"); all != nil {
			for i := range all.items {
				visit(s.child("allOf", strconv.Itoa(i)), depth+1)
			}
		}
		for _, word := range []string{"anyOf", "oneOf"} {
			if rest := l.notNull(s.child(word)); len(rest) == 1 {
				visit(rest[0], depth+1)
			}
		}
	}
	visit(s, 0)
	return out
}

func (l *lister) notNull(union view) []view {
	var out []view
	if union.v == nil {
		return nil
	}
	for i := range union.v.items {
		b := union.child(strconv.Itoa(i))
		if l.follow(b).v.get("type").text() != "null" {
			out = append(out, b)
		}
	}
	return out
}

// object lists the properties of s under the path prefix.
func (l *lister) object(s view, prefix string, depth int) {
	key := l.follow(s).at
	if depth > maxTableDepth || l.seen[key] > 0 {
		return
	}
	l.seen[key]++
	defer func() { l.seen[key]-- }()
	parts := l.parts(s)
	required := map[string]bool{}
	for _, p := range parts {
		if r := p.v.get("required"); r != nil {
			for _, n := range r.items {
				required[n.text()] = true
			}
		}
	}
	for _, p := range parts {
		props := p.v.get("properties")
		if props == nil {
			continue
		}
		for _, m := range props.members {
			l.property(p.child("properties", m.name), prefix, m.name, required[m.name], depth)
		}
	}
	for _, p := range parts {
		if extra := p.v.get("additionalProperties"); extra != nil && extra.kind == kindObject && len(extra.members) > 0 {
			l.property(p.child("additionalProperties"), prefix, "*", false, depth)
		}
	}
}

func (l *lister) property(s view, prefix, name string, required bool, depth int) {
	path := name
	if prefix != "" {
		path = prefix + "." + name
	}
	l.row(s, path, name, required, depth)
}

// row adds the row of s and the rows below it.
func (l *lister) row(s view, path, name string, required bool, depth int) {
	if len(l.rows) >= maxTableRows {
		return
	}
	parts := l.parts(s)
	target := l.follow(s)
	p := Property{Path: path, Pointer: s.at, Name: name, Depth: depth, Required: required}
	p.Type = l.typeText(s, 0)
	p.Recursive = l.seen[target.at] > 0
	for _, part := range append([]view{s}, parts...) {
		fillTexts(&p, part.v)
	}
	for _, part := range parts {
		p.Constraints = append(p.Constraints, constraints(part.v)...)
	}
	l.rows = append(l.rows, p)
	if !p.Recursive {
		l.below(s, parts, path, depth)
	}
}

func (l *lister) below(s view, parts []view, path string, depth int) {
	l.object(s, path, depth+1)
	key := l.follow(s).at
	if depth >= maxTableDepth || l.seen[key] > 0 {
		return
	}
	l.seen[key]++
	defer func() { l.seen[key]-- }()
	for _, p := range parts {
		l.items(p, path, depth)
	}
}

// items lists what stands inside an array: the items' properties, or a row per
// place of a tuple.
func (l *lister) items(s view, path string, depth int) {
	for _, word := range []string{"prefixItems", "items"} {
		tuple := s.child(word)
		if tuple.v == nil {
			continue
		}
		if tuple.v.kind == kindObject {
			l.element(tuple, path+"[]", depth)
			continue
		}
		for i := range tuple.v.items {
			name := fmt.Sprintf("%s[%d]", path, i)
			l.row(tuple.child(strconv.Itoa(i)), name, name[strings.LastIndexByte(name, '.')+1:], false, depth+1)
		}
	}
}

// element lists the inside of an item schema; plain items need no row of their
// own because the type of the array names them.
func (l *lister) element(s view, path string, depth int) {
	if l.seen[l.follow(s).at] > 0 {
		return
	}
	l.object(s, path, depth+1)
	for _, p := range l.parts(s) {
		if p.v.get("items") != nil || p.v.get("prefixItems") != nil {
			l.below(s, l.parts(s), path, depth+1)
			return
		}
	}
}

func fillTexts(p *Property, v *value) {
	if p.Description == "" {
		p.Description = v.get("description").text()
	}
	if d := v.get("default"); d != nil && p.Default == nil {
		p.Default = d.raw
	}
	if e := v.get("enum"); e != nil && p.Enum == nil && e.kind == kindArray {
		p.Enum = []string{}
		for _, it := range e.items {
			p.Enum = append(p.Enum, string(it.raw))
		}
	}
	if c := v.get("const"); c != nil && p.Enum == nil {
		p.Enum = []string{string(c.raw)}
	}
	p.Deprecated = p.Deprecated || v.get("deprecated").isTrue()
}

// typeText names the type as a person would: "array of string or null".
func (l *lister) typeText(s view, depth int) string {
	if l.work++; depth > 4 || l.work > maxTableWork {
		return "…"
	}
	s = l.follow(s)
	if s.v == nil {
		return "any"
	}
	if s.v.kind == kindBool && !s.v.boolean {
		return "never"
	}
	if t := s.v.get("type"); t != nil {
		return l.namedTypes(s, t, depth)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if u := s.child(word); u.v != nil && len(u.v.items) > 0 {
			return l.unionText(u, depth)
		}
	}
	if all := s.child("allOf"); all.v != nil {
		for i := range all.v.items {
			if t := l.typeText(all.child(strconv.Itoa(i)), depth+1); t != "any" {
				return t
			}
		}
	}
	return valueTypes(s.v)
}

func (l *lister) namedTypes(s view, t *value, depth int) string {
	names := []string{t.text()}
	if t.kind == kindArray {
		names = nil
		for _, it := range t.items {
			names = append(names, it.text())
		}
	}
	for i, n := range names {
		if it := s.child("items"); n == "array" && it.v != nil && it.v.kind == kindObject {
			if of := l.typeText(it, depth+1); of != "any" {
				names[i] = "array of " + of
			}
		}
	}
	return strings.Join(names, " or ")
}

func (l *lister) unionText(u view, depth int) string {
	var names []string
	for i := range u.v.items {
		if t := l.typeText(u.child(strconv.Itoa(i)), depth+1); !slices.Contains(names, t) {
			names = append(names, t)
		}
	}
	if len(names) > 4 {
		return fmt.Sprintf("one of %d forms", len(u.v.items))
	}
	return strings.Join(names, " or ")
}

// valueTypes reads the type off enum and const where no type is given.
func valueTypes(v *value) string {
	var vals []*value
	if e := v.get("enum"); e != nil {
		vals = e.items
	}
	if c := v.get("const"); c != nil {
		vals = []*value{c}
	}
	var names []string
	for _, it := range vals {
		if n := typeNameOf(it); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) > 0 {
		return strings.Join(names, " or ")
	}
	if v.get("properties") != nil {
		return "object"
	}
	return "any"
}

func typeNameOf(v *value) string {
	switch v.kind {
	case kindNull:
		return "null"
	case kindBool:
		return "boolean"
	case kindNumber:
		if v.num.IsInt() {
			return "integer"
		}
		return "number"
	case kindString:
		return "string"
	case kindArray:
		return "array"
	}
	return "object"
}

// phrases says each keyword in words, in the order of the table's column.
var phrases = []struct{ keyword, format string }{
	{"minimum", "at least %s"}, {"exclusiveMinimum", "above %s"},
	{"maximum", "at most %s"}, {"exclusiveMaximum", "below %s"},
	{"multipleOf", "multiple of %s"},
	{"minLength", "at least %s characters"}, {"maxLength", "at most %s characters"},
	{"pattern", "matches %s"}, {"format", "format %s"},
	{"minItems", "at least %s items"}, {"maxItems", "at most %s items"},
	{"minProperties", "at least %s properties"}, {"maxProperties", "at most %s properties"},
}

func constraints(v *value) []string {
	var out []string
	for _, p := range phrases {
		switch c := v.get(p.keyword); {
		case c == nil:
		case c.kind == kindString:
			out = append(out, fmt.Sprintf(p.format, c.str))
		case c.kind == kindNumber:
			out = append(out, fmt.Sprintf(p.format, c.raw))
		}
	}
	if v.get("uniqueItems").isTrue() {
		out = append(out, "no duplicates")
	}
	if a := v.get("additionalProperties"); a != nil && a.kind == kindBool && !a.boolean {
		out = append(out, "no other properties")
	}
	return out
}
