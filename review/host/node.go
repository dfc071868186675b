package host

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// node is one JSON value whose object keys keep their order. Nodes are never
// changed once made: a rewrite shares what it leaves alone, and what was left alone
// prints as the bytes that were read.
type node struct {
	kind    jsontext.Kind
	text    []byte         // compact JSON; nil when the node was built from parts
	str     string         // of a string, decoded
	members []member       // of an object, in order
	index   map[string]int // of the members of a large object
	elems   []*node        // of an array
	odd     bool           // a double, an integer key or __proto__ makes JavaScript see something else
}

type member struct {
	name  string
	value *node
}

// maxDepth bounds the nesting that is read. What package surface accepts is far
// below it.
const maxDepth = 512

var errNotJSON = errors.New("not JSON")

// parseNode reads one JSON text. Of names that stand twice the last one counts.
func parseNode(raw []byte) (*node, error) {
	p := &parser{in: raw, out: make([]byte, 0, len(raw)+16)}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at != len(raw) {
		return nil, errNotJSON
	}
	return n, nil
}

// parser reads in and writes it, compact, to out; the texts of nodes are parts of
// out.
type parser struct {
	in   []byte
	at   int
	out  []byte
	slab []node
}

func (p *parser) node(kind jsontext.Kind) *node {
	if len(p.slab) == 0 {
		p.slab = make([]node, 64)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.kind = kind
	return n
}

func (p *parser) space() {
	for p.at < len(p.in) && (p.in[p.at] == ' ' || p.in[p.at] == '\n' || p.in[p.at] == '\r' || p.in[p.at] == '\t') {
		p.at++
	}
}

// next skips space and reports whether c comes; if so it is read and written.
func (p *parser) next(c byte) bool {
	p.space()
	if p.at == len(p.in) || p.in[p.at] != c {
		return false
	}
	p.at++
	p.out = append(p.out, c)
	return true
}

func (p *parser) value(depth int) (*node, error) {
	p.space()
	if p.at == len(p.in) || depth > maxDepth {
		return nil, errNotJSON
	}
	start := len(p.out)
	var n *node
	var err error
	switch c := p.in[p.at]; c {
	case '{':
		n, err = p.object(depth)
	case '[':
		n, err = p.array(depth)
	case '"':
		n = p.node('"')
		n.str, err = p.str()
	default:
		n, err = p.word()
	}
	if err != nil {
		return nil, err
	}
	n.text = p.out[start:len(p.out):len(p.out)]
	return n, nil
}

func (p *parser) object(depth int) (*node, error) {
	n := p.node('{')
	p.next('{')
	if p.next('}') {
		return n, nil
	}
	for {
		p.space()
		name, err := p.str()
		if err != nil || !p.next(':') {
			return nil, errNotJSON
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.odd = n.odd || v.odd || isIndex(name) || name == protoKey
		n.members = append(n.members, member{name, v})
		if p.next('}') {
			n.makeIndex()
			return n, nil
		}
		if !p.next(',') {
			return nil, errNotJSON
		}
	}
}

func (p *parser) array(depth int) (*node, error) {
	n := p.node('[')
	p.next('[')
	if p.next(']') {
		return n, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.odd = n.odd || v.odd
		n.elems = append(n.elems, v)
		if p.next(']') {
			return n, nil
		}
		if !p.next(',') {
			return nil, errNotJSON
		}
	}
}

// str reads a string literal and writes it in the one form that serialisers agree
// on. A string without escapes is in that form already.
func (p *parser) str() (string, error) {
	if p.at == len(p.in) || p.in[p.at] != '"' {
		return "", errNotJSON
	}
	start, escaped := p.at, false
	for p.at++; p.at < len(p.in) && p.in[p.at] != '"'; p.at++ {
		if p.in[p.at] == '\\' {
			escaped = true
			p.at++
		}
	}
	if p.at >= len(p.in) {
		return "", errNotJSON
	}
	p.at++
	literal := p.in[start:p.at]
	if !escaped {
		p.out = append(p.out, literal...)
		return string(literal[1 : len(literal)-1]), nil
	}
	s, ok := surface.DecodeString(literal)
	if !ok {
		return "", errNotJSON
	}
	p.out = append(p.out, surface.EncodeString(s)...)
	return s, nil
}

// word reads a number or one of the three names.
func (p *parser) word() (*node, error) {
	start := p.at
	for p.at < len(p.in) && !bytes.ContainsRune([]byte(" \t\r\n,]}"), rune(p.in[p.at])) {
		p.at++
	}
	w := p.in[start:p.at]
	if len(w) == 0 {
		return nil, errNotJSON
	}
	n := p.node(jsontext.Value(w).Kind())
	switch n.kind {
	case 't', 'f', 'n':
		if s := string(w); s != "true" && s != "false" && s != "null" {
			return nil, errNotJSON
		}
	case '0':
		if !jsontext.Value(w).IsValid() {
			return nil, errNotJSON
		}
		n.odd = !isPlainNumber(w)
	default:
		return nil, errNotJSON
	}
	p.out = append(p.out, w...)
	return n, nil
}

// appendTo appends the compact JSON of n.
func (n *node) appendTo(dst []byte) []byte {
	switch {
	case n == nil:
		return append(dst, "null"...)
	case n.text != nil:
		return append(dst, n.text...)
	case n.kind == '"':
		return append(dst, surface.EncodeString(n.str)...)
	case n.kind == '[':
		dst = append(dst, '[')
		for i, e := range n.elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.appendTo(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, m := range n.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendName(dst, m.name)
		dst = m.value.appendTo(append(dst, ':'))
	}
	return append(dst, '}')
}

// appendName appends a key as a literal, without a detour for plain ones.
func appendName(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(dst, surface.EncodeString(s)...)
		}
	}
	dst = append(append(dst, '"'), s...)
	return append(dst, '"')
}

func (n *node) bytes() []byte {
	if n != nil && n.text != nil {
		return n.text
	}
	return n.appendTo(make([]byte, 0, n.size()))
}

// size guesses the length of the JSON, from below.
func (n *node) size() int {
	if n == nil {
		return len("null")
	}
	if n.text != nil {
		return len(n.text)
	}
	size := len(n.str) + 2
	for _, m := range n.members {
		size += len(m.name) + len(`"":,`) + m.value.size()
	}
	for _, e := range n.elems {
		size += 1 + e.size()
	}
	return size
}

// printed returns n with its text, so that it is written out once.
func (n *node) printed() *node {
	if n == nil || n.text != nil {
		return n
	}
	p := *n
	p.text = n.bytes()
	return &p
}

// same reports whether both print the same.
func (n *node) same(o *node) bool {
	if n == o {
		return true
	}
	return n != nil && o != nil && n.kind == o.kind && bytes.Equal(n.bytes(), o.bytes())
}

func (n *node) is(k jsontext.Kind) bool { return n != nil && n.kind == k }

func (n *node) isBool() bool { return n.is('t') || n.is('f') }

// isText reports whether n is the string s.
func (n *node) isText(s string) bool { return n.is('"') && n.str == s }

// string returns the text of a string, and "" of anything else.
func (n *node) string() string {
	if n.is('"') {
		return n.str
	}
	return ""
}

// get returns a member of an object, or nil.
func (n *node) get(name string) *node {
	if !n.is('{') {
		return nil
	}
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return n.members[i].value
		}
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

func (n *node) has(name string) bool { return n.get(name) != nil }

// hasAny reports whether n has one of the members.
func (n *node) hasAny(names ...string) bool { return slices.ContainsFunc(names, n.has) }

// with returns n with a member set: in its place when it is there, else last.
func (n *node) with(name string, v *node) *node {
	members := slices.Clone(n.members)
	for i := range members {
		if members[i].name == name {
			members[i].value = v
			return indexed(members)
		}
	}
	return indexed(append(members, member{name, v}))
}

// without returns n without some members, and n itself when it has none of them.
func (n *node) without(names ...string) *node {
	if !n.hasAny(names...) {
		return n
	}
	return n.keep(func(m member) bool { return !slices.Contains(names, m.name) })
}

func (n *node) keep(want func(member) bool) *node {
	var members []member
	for _, m := range n.members {
		if want(m) {
			members = append(members, m)
		}
	}
	return indexed(members)
}

// mapped returns n with f applied to every member's value or every element; n
// itself when nothing changed. A nil from f takes the member away.
func (n *node) mapped(f func(name string, v *node) *node) *node {
	switch {
	case n.is('{'):
		return n.mapMembers(f)
	case n.is('['):
		return n.mapElems(func(e *node) *node { return f("", e) })
	}
	return n
}

func (n *node) mapMembers(f func(string, *node) *node) *node {
	var out []member
	for i, m := range n.members {
		v := f(m.name, m.value)
		if v != m.value && out == nil {
			out = append(make([]member, 0, len(n.members)), n.members[:i]...)
		}
		if out != nil && v != nil {
			out = append(out, member{m.name, v})
		}
	}
	if out == nil {
		return n
	}
	return indexed(out)
}

func (n *node) mapElems(f func(*node) *node) *node {
	var out []*node
	for i, e := range n.elems {
		v := f(e)
		if v != e && out == nil {
			out = append(make([]*node, 0, len(n.elems)), n.elems[:i]...)
		}
		if out != nil && v != nil {
			out = append(out, v)
		}
	}
	if out == nil {
		return n
	}
	return array(out...)
}

// first returns n with the named members in front, in that order, if they are there.
func (n *node) first(names ...string) *node {
	if n.startsWith(names) {
		return n
	}
	o := object()
	for _, name := range names {
		if v := n.get(name); v != nil {
			o.members = append(o.members, member{name, v})
		}
	}
	for _, m := range n.members {
		if !slices.Contains(names, m.name) {
			o.members = append(o.members, m)
		}
	}
	return o
}

// startsWith reports whether those of names that n has are its first members, in
// order.
func (n *node) startsWith(names []string) bool {
	at := 0
	for _, name := range names {
		if at < len(n.members) && n.members[at].name == name {
			at++
		} else if n.has(name) {
			return false
		}
	}
	return true
}

// sorted returns n with the keys of every object in order of their bytes.
func (n *node) sorted() *node {
	n = n.mapped(func(_ string, v *node) *node { return v.sorted() })
	byName := func(a, b member) int { return compareBytes(a.name, b.name) }
	if !n.is('{') || slices.IsSortedFunc(n.members, byName) {
		return n
	}
	members := slices.Clone(n.members)
	slices.SortStableFunc(members, byName)
	return indexed(members)
}

// builder makes an object member by member, at a cost that does not grow with the
// members that are there.
type builder struct {
	members []member
	at      map[string]int
}

func newBuilder(n *node) *builder {
	b := &builder{at: map[string]int{}}
	if n.is('{') {
		for _, m := range n.members {
			b.set(m.name, m.value)
		}
	}
	return b
}

// set sets a member: in its place when it is there, else last.
func (b *builder) set(name string, v *node) {
	if i, ok := b.at[name]; ok {
		b.members[i].value = v
		return
	}
	b.at[name] = len(b.members)
	b.members = append(b.members, member{name, v})
}

func (b *builder) get(name string) *node {
	if i, ok := b.at[name]; ok {
		return b.members[i].value
	}
	return nil
}

// remove takes a member away; set puts it last again.
func (b *builder) remove(name string) {
	if i, ok := b.at[name]; ok {
		b.members[i].value = nil
		delete(b.at, name)
	}
}

func (b *builder) node() *node {
	return indexed(slices.DeleteFunc(b.members, func(m member) bool { return m.value == nil }))
}

// over lays the members of b over those of a.
func over(a, b *node) *node {
	if !b.is('{') {
		return a
	}
	o := newBuilder(a)
	for _, m := range b.members {
		o.set(m.name, m.value)
	}
	return o.node()
}

// large is the number of members from which an object has an index: looking
// through all of them for each of them would cost their square.
const large = 64

// indexed makes an object of members that are complete.
func indexed(members []member) *node {
	n := object(members...)
	n.makeIndex()
	return n
}

func (n *node) makeIndex() {
	if len(n.members) < large {
		return
	}
	n.index = make(map[string]int, len(n.members))
	for i, m := range n.members {
		n.index[m.name] = i
	}
}

func object(members ...member) *node { return &node{kind: '{', members: members} }

func array(elems ...*node) *node { return &node{kind: '[', elems: elems} }

func str(s string) *node { return &node{kind: '"', str: s} }

func strs(s []string) *node {
	a := array()
	for _, e := range s {
		a.elems = append(a.elems, str(e))
	}
	return a
}

var (
	trueNode  = &node{kind: 't', text: []byte("true")}
	falseNode = &node{kind: 'f', text: []byte("false")}
	nullNode  = &node{kind: 'n', text: []byte("null")}
	emptyNode = &node{kind: '{', text: []byte("{}")}
)

// typed is the schema {"type":name}.
func typed(name string) *node { return object(member{"type", str(name)}) }

// texts returns the strings among the elements of an array.
func (n *node) texts() []string {
	if !n.is('[') {
		return nil
	}
	var out []string
	for _, e := range n.elems {
		if e.is('"') {
			out = append(out, e.str)
		}
	}
	return out
}

// allTexts reports whether n is an array of strings.
func (n *node) allTexts() bool {
	return n.is('[') && !slices.ContainsFunc(n.elems, func(e *node) bool { return !e.is('"') })
}
