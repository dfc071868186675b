package surface

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is what a JSON value is.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// String names the kind as a sentence does: "an object".
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// flags say what a later check has to look at; most values have none.
type flags uint8

const (
	escaped   flags = 1 << iota // a string with a backslash
	nul                         // a string with U+0000
	surrogate                   // a string with a lone surrogate
	wide                        // a number that may be more than a double holds
)

// node is one value, or one member name, of a document. Nodes stand in the order
// of the text: an array is followed by its elements, an object by name, value,
// name, value. next is the index behind the whole subtree.
type node struct {
	start, end int32
	next       int32
	kind       kind
	flags      flags
}

// document is one JSON text, parsed once. Everything that the package knows about
// the text is read from nodes; nothing is parsed twice.
type document struct {
	text  []byte
	nodes []node
	src   *source // where text comes from; nil for a text on its own
	base  int     // of text within src.data
	odd   flags   // of all nodes together
}

// frame is an array or object that the parser is inside of.
type frame struct {
	object bool
	start  int32
	name   int32 // node of the current member's name, -1 before the first
	index  int   // of the current element
}

type parser struct {
	text   []byte
	pos    int
	limits Limits
	nodes  []node
	values int
	frames []frame
	odd    flags
	names  []int32 // scratch: name nodes of an object that is checked for duplicates
	twice  []fault // duplicate names, at most maxTwice
}

// maxTwice bounds how many duplicate names one refusal lists.
const maxTwice = 10

// parse reads one strict JSON text. Duplicate names are collected, so that one
// refusal lists several; any other fault ends the reading.
func parse(text []byte, limits Limits) (*document, []fault) {
	p := &parser{text: text, limits: limits, nodes: make([]node, 0, len(text)/16+8)}
	if f := p.document(); f != nil {
		return nil, []fault{*f}
	}
	if len(p.twice) > 0 {
		slices.SortFunc(p.twice, func(a, b fault) int { return a.offset - b.offset })
		return nil, p.twice
	}
	return &document{text: text, nodes: p.nodes, odd: p.odd}, nil
}

func (p *parser) document() *fault {
	if i := invalidUTF8(p.text); i >= 0 {
		p.pos = i
		return p.fault(Unreadable, "encoding", fmt.Sprintf("byte 0x%02X at offset %d is not UTF-8. Save the text as UTF-8 and push again.", p.text[i], i))
	}
	p.space()
	if f := p.value(); f != nil {
		return f
	}
	p.space()
	if p.pos == len(p.text) {
		return nil
	}
	f := p.unexpected("the end of the text")
	if c := p.peek(); c == '{' || c == '[' {
		f.message = "a second JSON text begins here. Push one; the pages of one listing go into an array."
	}
	f.trail = true
	return f
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\n', '\r', '\t':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end. A zero byte in the text is no JSON
// anywhere outside of the places that check for the end themselves.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) value() *fault {
	p.values++
	if p.limits.Nodes > 0 && p.values > p.limits.Nodes {
		return p.fault(TooLarge, "limit", fmt.Sprintf("more than %d values. Push fewer tools at once, or ask the operator to raise the limit.", p.limits.Nodes))
	}
	switch c := p.peek(); {
	case c == '{':
		return p.container(kindObject, '}')
	case c == '[':
		return p.container(kindArray, ']')
	case c == '"':
		return p.string()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case p.literal("null"):
		p.add(kindNull, p.pos-4, 0)
	case p.literal("true"):
		p.add(kindBool, p.pos-4, 0)
	case p.literal("false"):
		p.add(kindBool, p.pos-5, 0)
	default:
		return p.unexpected("a value")
	}
	return nil
}

// add appends a node that ends at the current position and has no children.
func (p *parser) add(k kind, start int, f flags) {
	p.odd |= f
	p.nodes = append(p.nodes, node{int32(start), int32(p.pos), int32(len(p.nodes) + 1), k, f})
}

func (p *parser) literal(word string) bool {
	if !bytes.HasPrefix(p.text[p.pos:], []byte(word)) {
		return false
	}
	if end := p.pos + len(word); end < len(p.text) && isWordByte(p.text[end]) {
		return false
	}
	p.pos += len(word)
	return true
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// container reads an array or object whose opening bracket is next.
func (p *parser) container(k kind, end byte) *fault {
	if p.limits.Depth > 0 && len(p.frames) >= p.limits.Depth {
		return p.fault(TooLarge, "limit", fmt.Sprintf("nested more than %d deep. Flatten the schema, or ask the operator to raise the limit.", p.limits.Depth))
	}
	self := len(p.nodes)
	p.add(k, p.pos, 0)
	p.frames = append(p.frames, frame{object: k == kindObject, start: int32(p.pos), name: -1})
	p.pos++
	p.space()
	for p.peek() != end {
		if f := p.member(k); f != nil {
			return f
		}
		if f := p.separator(end); f != nil {
			return f
		}
	}
	p.pos++
	p.nodes[self].end, p.nodes[self].next = int32(p.pos), int32(len(p.nodes))
	if k == kindObject {
		p.findTwice(self)
	}
	p.frames = p.frames[:len(p.frames)-1]
	return nil
}

// member reads an element, or a name and its value.
func (p *parser) member(k kind) *fault {
	if k == kindObject {
		if p.peek() != '"' {
			return p.unexpected("a name in double quotes")
		}
		p.frames[len(p.frames)-1].name = int32(len(p.nodes))
		if f := p.string(); f != nil {
			return f
		}
		p.space()
		if p.peek() != ':' {
			return p.unexpected("a colon")
		}
		p.pos++
		p.space()
	}
	return p.value()
}

// separator reads the comma between members, or stops before the closing bracket.
func (p *parser) separator(end byte) *fault {
	p.space()
	if p.peek() == end {
		return nil
	}
	if p.peek() != ',' {
		return p.unexpected("a comma or " + string(rune(end)))
	}
	comma := p.pos
	p.pos++
	p.space()
	if p.peek() == end {
		p.pos = comma
		return p.fault(Unreadable, "syntax", "a trailing comma: JSON has no comma before "+string(rune(end))+". Remove it.")
	}
	p.frames[len(p.frames)-1].index++
	return nil
}

// string reads a string literal whose opening quote is next.
func (p *parser) string() *fault {
	start, f := p.pos, flags(0)
	p.pos++
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			p.add(kindString, start, f)
			return nil
		case c == '\\':
			more, bad := p.escape()
			if bad != nil {
				return bad
			}
			f |= escaped | more
		case c < ' ' && len(bytes.TrimSpace(p.text[p.pos:])) == 0:
			return p.cutOff(start)
		case c < ' ':
			return p.fault(Unreadable, "syntax", fmt.Sprintf("a raw control character (0x%02X) inside a string. Write it as an escape, such as \\n.", c))
		default:
			p.pos++
		}
	}
	return p.cutOff(start)
}

// cutOff is the fault of a string that nothing closes.
func (p *parser) cutOff(start int) *fault {
	p.pos = start
	return p.fault(Unreadable, "syntax", "the text ends inside the string that begins here. It was cut off: push the whole text.")
}

// escape reads one escape sequence, or a pair of them that makes one character.
func (p *parser) escape() (flags, *fault) {
	if p.pos+1 >= len(p.text) {
		p.pos++
		return 0, nil // the caller notices the end
	}
	switch p.text[p.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.pos += 2
		return 0, nil
	case 'u':
		return p.unicodeEscape()
	}
	return 0, p.fault(Unreadable, "syntax", fmt.Sprintf("%q is no escape of JSON. Double the backslash if it stands for itself.", p.text[p.pos:p.pos+2]))
}

func (p *parser) unicodeEscape() (flags, *fault) {
	u, ok := hex4(p.text, p.pos+2)
	if !ok {
		return 0, p.fault(Unreadable, "syntax", `\u needs four hexadecimal digits.`)
	}
	p.pos += 6
	if u == 0 {
		return nul, nil
	}
	if !isSurrogate(u) {
		return 0, nil
	}
	if isHigh(u) {
		if low, ok := escapeAt(p.text, p.pos); ok && isLow(low) {
			p.pos += 6
			return 0, nil
		}
	}
	return surrogate, nil
}

func isSurrogate(u uint16) bool { return u&0xF800 == 0xD800 }
func isHigh(u uint16) bool      { return u&0xFC00 == 0xD800 }
func isLow(u uint16) bool       { return u&0xFC00 == 0xDC00 }

// escapeAt returns the code unit of a \uXXXX that stands at i.
func escapeAt(b []byte, i int) (uint16, bool) {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	return hex4(b, i+2)
}

func hex4(b []byte, i int) (uint16, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var u uint16
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			u = u<<4 | uint16(c-'0')
		case 'a' <= c && c <= 'f':
			u = u<<4 | uint16(c-'a'+10)
		case 'A' <= c && c <= 'F':
			u = u<<4 | uint16(c-'A'+10)
		default:
			return 0, false
		}
	}
	return u, true
}

// number reads a number literal. Its value is never computed here: the text is
// the number.
func (p *parser) number() *fault {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	whole := p.digits()
	if whole == 0 {
		p.pos = start
		return p.unexpected("a value")
	}
	if whole > 1 && p.text[p.pos-whole] == '0' {
		p.pos -= whole
		return p.fault(Unreadable, "syntax", "a number with a leading zero. Write it without, or as a string.")
	}
	count, f := whole, flags(0)
	if p.peek() == '.' {
		p.pos++
		n := p.digits()
		if n == 0 {
			return p.fault(Unreadable, "syntax", "a number that ends in a dot. JSON needs a digit behind it.")
		}
		count += n
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		n := p.digits()
		if n == 0 {
			return p.fault(Unreadable, "syntax", "a number whose exponent has no digits.")
		}
		count, f = count+n, wide
	}
	if p.limits.Digits > 0 && count > p.limits.Digits {
		p.pos = start
		return p.fault(TooLarge, "limit", fmt.Sprintf("a number of more than %d digits. Shorten it, or write it as a string.", p.limits.Digits))
	}
	if count > 15 {
		f = wide
	}
	p.add(kindNumber, start, f)
	return nil
}

func (p *parser) digits() int {
	start := p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos - start
}

// findTwice looks for names that stand twice in the object at node self. Names
// are compared as decoded: "a" and "a" are one.
func (p *parser) findTwice(self int) {
	names := p.names[:0]
	for i := self + 1; i < len(p.nodes); {
		names = append(names, int32(i))
		i = int(p.nodes[i+1].next)
	}
	p.names = names
	if len(names) < 2 {
		return
	}
	d := document{text: p.text, nodes: p.nodes}
	text := func(i int32) string { return d.name(i) }
	slices.SortStableFunc(names, func(a, b int32) int { return strings.Compare(text(a), text(b)) })
	for i := 1; i < len(names) && len(p.twice) < maxTwice; i++ {
		if text(names[i-1]) == text(names[i]) {
			p.addTwice(names[i-1], names[i])
		}
	}
}

func (p *parser) addTwice(first, second int32) {
	p.frames[len(p.frames)-1].name = second
	pos := p.pos
	p.pos = int(p.nodes[second].start)
	what := "a name"
	if !p.private() {
		what = "`" + shorten((&document{text: p.text, nodes: p.nodes}).name(second)) + "`"
	}
	f := p.fault(Unreadable, codeTwice, what+" stands twice in one object (first at ")
	f.see, f.tail = int(p.nodes[first].start), ") and parsers disagree which counts. Remove one and push again."
	p.twice = append(p.twice, *f)
	p.pos = pos
}
