package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a document. A document beyond them is not compared.
const (
	maxBytes    = 4 << 20 // of one schema
	maxValues   = 60_000  // in one schema
	maxDepth    = 128     // of nested arrays and objects
	maxExponent = 400     // of a number: 1e400 is fine, 1e999999999 would fill the memory
	maxDigits   = 1000    // of a number
)

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// value is one JSON value. Numbers are exact, members keep their order.
type value struct {
	kind    kind
	boolean bool
	num     *big.Rat
	str     string
	items   []*value
	members []member
	index   map[string]*value
	raw     json.RawMessage // as received, without surrounding space
}

type member struct {
	name  string
	value *value
}

// get returns the member called name, or nil; also for values that are no object.
func (v *value) get(name string) *value {
	if v == nil || v.kind != kindObject {
		return nil
	}
	if v.index == nil {
		for _, m := range v.members {
			if m.name == name {
				return m.value
			}
		}
		return nil
	}
	return v.index[name]
}

// size counts the values in v, itself included.
func (v *value) size() int {
	n := 1
	for _, it := range v.items {
		n += it.size()
	}
	for _, m := range v.members {
		n += m.value.size()
	}
	return n
}

// text returns the string that v holds, or "".
func (v *value) text() string {
	if v == nil || v.kind != kindString {
		return ""
	}
	return v.str
}

// isTrue reports whether v is the value true.
func (v *value) isTrue() bool { return v != nil && v.kind == kindBool && v.boolean }

// parseValue reads exactly one JSON value. The error names what is wrong and where.
func parseValue(b []byte) (*value, error) {
	if len(b) > maxBytes {
		return nil, fmt.Errorf("the schema has %d bytes; %d are compared", len(b), maxBytes)
	}
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(false))
	v, err := readValue(d, b, 0)
	if err != nil {
		return nil, explainSyntax(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return v, nil
}

func explainSyntax(err error) error {
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at := string(s.JSONPointer)
		if at == "" {
			return fmt.Errorf("not JSON: %w", s.Err)
		}
		return fmt.Errorf("not JSON at %s: %w", at, s.Err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: the text ends too early")
	}
	return err
}

func readValue(d *jsontext.Decoder, src []byte, depth int) (*value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d at %s", maxDepth, d.StackPointer())
	}
	tok, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	start := d.InputOffset()
	v := &value{}
	switch tok.Kind() {
	case 'n':
	case 't', 'f':
		v.kind, v.boolean = kindBool, tok.Bool()
	case '"':
		v.kind, v.str = kindString, tok.String()
	case '0':
		v.kind = kindNumber
		if v.num, err = parseNumber(tok.String()); err != nil {
			return nil, fmt.Errorf("%w at %s", err, d.StackPointer())
		}
	case '[':
		return v, v.readItems(d, src, depth)
	case '{':
		return v, v.readMembers(d, src, depth)
	default:
		return nil, fmt.Errorf("unexpected %s", tok)
	}
	v.raw = scalarRaw(src[:start])
	return v, nil
}

// scalarRaw returns the last scalar token of b, which ends with it.
func scalarRaw(b []byte) json.RawMessage {
	if b[len(b)-1] != '"' {
		i := bytes.LastIndexAny(b, " \t\r\n,:[")
		return json.RawMessage(b[i+1:])
	}
	for i := len(b) - 2; i >= 0; i-- {
		if b[i] != '"' {
			continue
		}
		n := 0
		for j := i - 1; j >= 0 && b[j] == '\\'; j-- {
			n++
		}
		if n%2 == 0 {
			return json.RawMessage(b[i:])
		}
	}
	return json.RawMessage(b)
}

func (v *value) readItems(d *jsontext.Decoder, src []byte, depth int) error {
	v.kind = kindArray
	start := d.InputOffset() - 1
	for d.PeekKind() != ']' {
		item, err := readValue(d, src, depth+1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	v.raw = json.RawMessage(src[start:d.InputOffset()])
	return nil
}

func (v *value) readMembers(d *jsontext.Decoder, src []byte, depth int) error {
	v.kind = kindObject
	start := d.InputOffset() - 1
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		item, err := readValue(d, src, depth+1)
		if err != nil {
			return err
		}
		v.members = append(v.members, member{key, item})
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if len(v.members) > 8 {
		v.index = make(map[string]*value, len(v.members))
		for _, m := range v.members {
			v.index[m.name] = m.value
		}
	}
	v.raw = json.RawMessage(src[start:d.InputOffset()])
	return nil
}

// parseNumber reads a JSON number exactly, unless it is absurdly long.
func parseNumber(s string) (*big.Rat, error) {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > maxExponent || e < -maxExponent {
			return nil, fmt.Errorf("the number %.40s is too large to compare", s)
		}
	}
	if len(s) > maxDigits {
		return nil, fmt.Errorf("a number of %d digits is too long to compare", len(s))
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("the number %.40s can't be read", s)
	}
	return r, nil
}

// appendKey appends a form that two values share exactly when JSON Schema calls
// them equal: numbers by their mathematical value, objects without order.
func (v *value) appendKey(b []byte) []byte {
	switch v.kind {
	case kindNull:
		return append(b, 'n')
	case kindBool:
		if v.boolean {
			return append(b, 't')
		}
		return append(b, 'f')
	case kindNumber:
		return append(append(b, '#'), v.num.RatString()...)
	case kindString:
		return strconv.AppendQuote(b, v.str)
	case kindArray:
		b = append(b, '[')
		for _, it := range v.items {
			b = append(it.appendKey(b), ',')
		}
		return append(b, ']')
	}
	ms := slices.Clone(v.members)
	slices.SortFunc(ms, func(a, b member) int { return strings.Compare(a.name, b.name) })
	b = append(b, '{')
	for _, m := range ms {
		b = append(strconv.AppendQuote(b, m.name), ':')
		b = append(m.value.appendKey(b), ',')
	}
	return append(b, '}')
}

func (v *value) key() string { return string(v.appendKey(nil)) }

// appendJSON appends v as JSON text, members in order.
func (v *value) appendJSON(b []byte) []byte {
	switch v.kind {
	case kindNull:
		return append(b, "null"...)
	case kindBool:
		return strconv.AppendBool(b, v.boolean)
	case kindNumber:
		return append(b, numberText(v.num)...)
	case kindString:
		return appendString(b, v.str)
	case kindArray:
		b = append(b, '[')
		for i, it := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = it.appendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, m := range v.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.name), ':')
		b = m.value.appendJSON(b)
	}
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil { // invalid UTF-8 can't come out of the decoder
		return strconv.AppendQuote(b, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return out
}

// numberText writes r as a JSON number. Only decimals occur in schemas, and the
// solver makes no others.
func numberText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	n, exact := r.FloatPrec()
	if !exact {
		n = 30
	}
	return strings.TrimRight(r.FloatString(n), "0")
}

// any converts v to what the validator works on.
func (v *value) any() any {
	switch v.kind {
	case kindNull:
		return nil
	case kindBool:
		return v.boolean
	case kindNumber:
		return json.Number(numberText(v.num))
	case kindString:
		return v.str
	case kindArray:
		out := make([]any, len(v.items))
		for i, it := range v.items {
			out[i] = it.any()
		}
		return out
	}
	out := make(map[string]any, len(v.members))
	for _, m := range v.members {
		out[m.name] = m.value.any()
	}
	return out
}

func stringValue(s string) *value { return &value{kind: kindString, str: s} }

func numberValue(r *big.Rat) *value { return &value{kind: kindNumber, num: r} }

// escapeToken escapes a reference token of an RFC 6901 pointer.
func escapeToken(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func unescapeToken(s string) string {
	if !strings.Contains(s, "~") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

// at follows an RFC 6901 pointer, or returns nil.
func (v *value) at(pointer string) *value {
	if pointer == "" {
		return v
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, tok := range strings.Split(pointer[1:], "/") {
		tok = unescapeToken(tok)
		if v == nil {
			return nil
		}
		switch v.kind {
		case kindObject:
			v = v.get(tok)
		case kindArray:
			i, err := strconv.Atoi(tok)
			if err != nil || i < 0 || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
		default:
			return nil
		}
	}
	return v
}
