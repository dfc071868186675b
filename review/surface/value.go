package surface

import (
	"iter"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a handle on one value of a document. The zero value stands for
// "absent": its kind is null, and it has no members.
type value struct {
	d *document
	i int32
}

func (d *document) root() value { return value{d, 0} }

func (v value) present() bool { return v.d != nil }

func (v value) node() node { return v.d.nodes[v.i] }

func (v value) kind() kind {
	if v.d == nil {
		return kindNull
	}
	return v.d.nodes[v.i].kind
}

// null reports whether the value is absent or null: many serialisers write the
// one for the other.
func (v value) null() bool { return v.kind() == kindNull }

func (v value) is(k kind) bool { return v.d != nil && v.d.nodes[v.i].kind == k }

// raw returns the exact bytes.
func (v value) raw() jsontext.Value {
	if v.d == nil {
		return nil
	}
	n := v.node()
	return jsontext.Value(v.d.text[n.start:n.end:n.end])
}

// text returns the decoded string, "" when the value is none.
func (v value) text() string {
	if !v.is(kindString) {
		return ""
	}
	return v.d.name(v.i)
}

// isTrue reports whether the value is the literal true.
func (v value) isTrue() bool {
	return v.is(kindBool) && v.d.text[v.node().start] == 't'
}

// name returns the decoded string at node i. Without escapes it shares the
// memory of the text, which nobody changes after reading.
func (d *document) name(i int32) string {
	n := d.nodes[i]
	inner := d.text[n.start+1 : n.end-1]
	if n.flags&escaped == 0 {
		return unsafe.String(unsafe.SliceData(inner), len(inner))
	}
	return string(appendDecoded(make([]byte, 0, len(inner)), inner))
}

// members iterates an object's members in order; of anything else, nothing.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if !v.is(kindObject) {
			return
		}
		for i, end := v.i+1, v.node().next; i < end; i = v.d.nodes[i+1].next {
			if !yield(v.d.name(i), value{v.d, i + 1}) {
				return
			}
		}
	}
}

// elements iterates an array's elements with their index; of anything else, nothing.
func (v value) elements() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		if !v.is(kindArray) {
			return
		}
		for i, n := v.i+1, 0; i < v.node().next; i, n = v.d.nodes[i].next, n+1 {
			if !yield(n, value{v.d, i}) {
				return
			}
		}
	}
}

// field returns the member called name, or the absent value.
func (v value) field(name string) value {
	for n, m := range v.members() {
		if n == name {
			return m
		}
	}
	return value{}
}

// at follows names from object to object.
func (v value) at(names ...string) value {
	for _, n := range names {
		v = v.field(n)
	}
	return v
}

// has reports whether the object has a member called name, null or not.
func (v value) has(name string) bool { return v.field(name).present() }

// empty reports whether an array or object has nothing in it.
func (v value) empty() bool { return v.d == nil || v.node().next == v.i+1 }

// appendDecoded appends the text inside a string literal's quotes, escapes
// resolved, a lone surrogate as its three bytes.
func appendDecoded(dst, inner []byte) []byte {
	for i := 0; i < len(inner); {
		c := inner[i]
		if c != '\\' || i+1 >= len(inner) {
			dst = append(dst, c)
			i++
			continue
		}
		if u, ok := escapeAt(inner, i); ok {
			i += 6
			if low, ok := escapeAt(inner, i); ok && isHigh(u) && isLow(low) {
				i += 6
				dst = utf8.AppendRune(dst, 0x10000+(rune(u)-0xD800)<<10+(rune(low)-0xDC00))
				continue
			}
			dst = appendUnit(dst, u)
			continue
		}
		dst = append(dst, unescape(inner[i+1]))
		i += 2
	}
	return dst
}

// appendUnit appends one UTF-16 code unit, a surrogate in three bytes.
func appendUnit(dst []byte, u uint16) []byte {
	if isSurrogate(u) {
		return append(dst, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
	}
	return utf8.AppendRune(dst, rune(u))
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // a quote, a backslash or a slash
}
