package lint

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// node is one value of a definition, read once. Rules walk nodes instead of
// scanning the bytes again; the pointer is only written when a finding needs it.
type node struct {
	raw   jsontext.Value // as received
	kind  jsontext.Kind  // 'n' 't' 'f' '"' '0' '{' '['
	str   string         // of a string
	up    *node
	key   string  // name in the object that holds it
	index int     // place in the array that holds it
	kids  []*node // in the order of the object, or of the array
}

// maxNodes bounds what is read of one definition. Reading a listing has a limit of
// its own; this one holds for a definition that came another way.
const maxNodes = 500_000

// parse reads a definition. What is broken ends the reading: the part before it is
// kept.
func parse(raw jsontext.Value) *node {
	p := parser{
		raw: raw,
		dec: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
	n, _ := p.value(nil)
	return n
}

type parser struct {
	raw  []byte
	dec  *jsontext.Decoder
	room []node
	open []*node // kids of containers that are being read
	seen int
}

// nodesAtOnce is how many nodes are made in one go: a definition has some fifty.
const nodesAtOnce = 32

func (p *parser) node() *node {
	if len(p.room) == 0 {
		p.room = make([]node, nodesAtOnce)
	}
	n := &p.room[0]
	p.room = p.room[1:]
	return n
}

// value reads the next value. The second result is false where the text is broken
// or the limit is reached.
func (p *parser) value(up *node) (*node, bool) {
	n := p.node()
	n.kind, n.up = p.dec.PeekKind(), up
	if p.seen++; p.seen > maxNodes {
		return n, false
	}
	switch n.kind {
	case '{', '[':
		return n, p.container(n)
	default:
		raw, err := p.dec.ReadValue()
		if err != nil {
			return n, false
		}
		end := p.dec.InputOffset()
		n.raw = p.raw[end-int64(len(raw)) : end : end]
		if n.kind == '"' {
			n.str = decode(n.raw)
		}
		return n, true
	}
}

func (p *parser) container(n *node) bool {
	if _, err := p.dec.ReadToken(); err != nil {
		return false
	}
	start := p.dec.InputOffset() - 1
	from := len(p.open)
	defer func() {
		// Kids were collected behind those of the containers around, so that each list is
		// made once, in its size.
		n.kids = slices.Clone(p.open[from:])
		p.open = p.open[:from]
	}()
	for k := p.dec.PeekKind(); k != '}' && k != ']'; k = p.dec.PeekKind() {
		name := ""
		if n.kind == '{' {
			raw, err := p.dec.ReadValue()
			if err != nil {
				return false
			}
			name = decode(raw)
		} else if k == 0 {
			return false
		}
		kid, ok := p.value(n)
		kid.key, kid.index = name, len(p.open)-from
		p.open = append(p.open, kid)
		if !ok {
			return false
		}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return false
	}
	n.raw = p.raw[start:p.dec.InputOffset()]
	return true
}

// usual are strings that stand in most definitions, so that they are not made anew.
var usual = func() map[string]string {
	m := map[string]string{}
	for _, list := range []set{keywords, jsonTypes, setOf("name inputSchema outputSchema annotations title description id date-time uri")} {
		for w := range list {
			m[w] = w
		}
	}
	for _, w := range hintNames {
		m[w] = w
	}
	return m
}()

// decode reads a string literal. Most have no escape and need no parser.
func decode(raw jsontext.Value) string {
	if len(raw) > 2 {
		if s, ok := usual[string(raw[1:len(raw)-1])]; ok {
			return s
		}
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	s, _ := surface.DecodeString(raw)
	return s
}

// get returns a member, nil when there is none. It works on nil.
func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, k := range n.kids {
		if k.key == name {
			return k
		}
	}
	return nil
}

func (n *node) has(name string) bool { return n.get(name) != nil }

// text returns a string member, "" when it is absent or no string.
func (n *node) text(name string) string {
	if m := n.get(name); m != nil && m.kind == '"' {
		return m.str
	}
	return ""
}

func (n *node) is(k jsontext.Kind) bool { return n != nil && n.kind == k }

func (n *node) isTrue() bool  { return n.is('t') }
func (n *node) isFalse() bool { return n.is('f') }

// number returns the value of a JSON number.
func (n *node) number() (float64, bool) {
	if !n.is('0') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(n.raw), 64)
	return f, err == nil
}

// literal is the value as a short text: a string without its quotes.
func (n *node) literal() string {
	if n.kind == '"' {
		return n.str
	}
	return string(n.raw)
}

// strings returns the string elements of an array.
func (n *node) strings() []string {
	if !n.is('[') {
		return nil
	}
	var out []string
	for _, k := range n.kids {
		if k.kind == '"' {
			out = append(out, k.str)
		}
	}
	return out
}

// pointer writes the JSON pointer (RFC 6901) of n from the root of its definition.
func (n *node) pointer() string {
	if n == nil || n.up == nil {
		return ""
	}
	var parts []string
	for ; n.up != nil; n = n.up {
		part := strconv.Itoa(n.index)
		if n.up.kind == '{' {
			part = pointerEscape.Replace(n.key)
		}
		parts = append(parts, part)
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(parts[i])
	}
	return b.String()
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// resolve finds the value behind a JSON pointer, nil when there is none.
func (n *node) resolve(pointer string) *node {
	if pointer == "" {
		return n
	}
	for _, part := range strings.Split(pointer, "/")[1:] {
		name := strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if n.is('[') {
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(n.kids) {
				return nil
			}
			n = n.kids[i]
			continue
		}
		if n = n.get(name); n == nil {
			return nil
		}
	}
	return n
}
