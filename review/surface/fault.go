package surface

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// fault is why a text is no strict JSON. Offsets count from the start of the text.
type fault struct {
	reason  Reason
	code    string
	offset  int
	pointer string
	message string
	see     int    // an offset that the message goes on with, when there is a tail
	tail    string // of the message, behind the place called see
	trail   bool   // a whole value was read, and something stands behind it
}

// fault makes a fault at the current position.
func (p *parser) fault(r Reason, code, message string) *fault {
	return &fault{reason: r, code: code, offset: p.pos, pointer: p.pointer(), message: message}
}

// unexpected explains the text at the current position to a person who expected
// it to be JSON.
func (p *parser) unexpected(want string) *fault {
	if p.pos >= len(p.text) {
		return p.truncated()
	}
	rest := p.text[p.pos:]
	for _, h := range hints {
		if bytes.HasPrefix(rest, []byte(h.prefix)) {
			return p.fault(Unreadable, "syntax", h.message)
		}
	}
	r, _ := utf8.DecodeRune(rest)
	return p.fault(Unreadable, "syntax", fmt.Sprintf("unexpected %+q where %s should stand. This is not JSON.", r, want))
}

// hints tell, by how the text goes on, which habit of another language was met.
var hints = []struct{ prefix, message string }{
	{"NaN", "NaN and Infinity are not JSON. In Python, json.dumps(…, allow_nan=False) finds where they come from."},
	{"Infinity", "NaN and Infinity are not JSON. In Python, json.dumps(…, allow_nan=False) finds where they come from."},
	{"-Infinity", "NaN and Infinity are not JSON. In Python, json.dumps(…, allow_nan=False) finds where they come from."},
	{"nan", "NaN and Infinity are not JSON. In Python, json.dumps(…, allow_nan=False) finds where they come from."},
	{"//", "a comment: JSON has none. Remove it, or convert the file from JSON5."},
	{"/*", "a comment: JSON has none. Remove it, or convert the file from JSON5."},
	{"#", "a comment: JSON has none. Remove it."},
	{"'", "a single quote: JSON strings stand in double quotes. Python prints this with print(); use json.dumps."},
	{"None", "None is Python, not JSON. Use json.dumps instead of print."},
	{"True", "True is Python, not JSON. Use json.dumps instead of print."},
	{"False", "False is Python, not JSON. Use json.dumps instead of print."},
	{"undefined", "undefined is JavaScript, not JSON. Use JSON.stringify."},
	{"+", "a number with a plus sign. Remove the sign."},
	{".", "a number that begins with a dot. Write 0 before it."},
	{"\uFEFF", "a byte order mark in the middle of the text. Two files were joined: push one."},
}

func (p *parser) truncated() *fault {
	if len(p.frames) == 0 {
		return p.fault(Unreadable, "syntax", "the text is empty. Push the answer of tools/list.")
	}
	top := p.frames[len(p.frames)-1]
	what := kindArray
	if top.object {
		what = kindObject
	}
	f := p.fault(Unreadable, "syntax", "the text ends inside "+what.String()+" that begins at ")
	f.see, f.tail = int(top.start), ". It was cut off: push the whole text."
	return f
}

// privateParts are members of a provider request that hold what people wrote.
// Nothing inside them is ever named in a message.
var privateParts = map[string]bool{"messages": true, "system": true, "input": true, "contents": true,
	"systemInstruction": true, "system_instruction": true, "prompt": true, "log": true}

// private reports whether the current position is inside of what people wrote.
func (p *parser) private() bool {
	if len(p.frames) < 2 || !p.frames[0].object || p.frames[0].name < 0 {
		return false
	}
	d := document{text: p.text, nodes: p.nodes}
	return privateParts[d.name(p.frames[0].name)]
}

// pointer is the RFC 6901 pointer of the current position.
func (p *parser) pointer() string {
	var b strings.Builder
	d := document{text: p.text, nodes: p.nodes}
	private := p.private()
	for _, f := range p.frames {
		switch {
		case !f.object:
			fmt.Fprintf(&b, "/%d", f.index)
		case f.name >= 0 && int(f.name) < len(p.nodes):
			b.WriteString("/" + escapePointer(d.name(f.name)))
		}
		if private {
			break
		}
	}
	return b.String()
}

// escapePointer writes one reference token of an RFC 6901 pointer.
func escapePointer(s string) string {
	return pointerEscaper.Replace(s)
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// shorten keeps a message readable when somebody's name is long.
func shorten(s string) string { return shortenTo(s, 60) }

func shortenTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
