package surface

import (
	"errors"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalDepth bounds [Canonical] on a text that no [Limits] were applied to.
const canonicalDepth = 10_000

// Canonical returns the canonical form of one JSON value. It is RFC 8785 (members
// sorted by UTF-16 code units, no white space, shortest escapes), with three rules
// where RFC 8785 would make two different texts one or refuse:
//
//   - A number is its exact decimal, laid out as ECMAScript lays out numbers. So
//     1.0 and 1 are one, 9007199254740993 and 9007199254740992 are two, and 1e400
//     stays 1e+400. Wherever a double holds the number exactly as written, that is
//     the form of RFC 8785.
//   - A lone surrogate stays an escape (\ud800). It sorts as its code unit.
//   - Nothing is normalised: "é" composed and decomposed are two texts.
//
// The error, a [*ReadError], says where raw is no strict JSON: names that stand
// twice are refused like anything else that is broken.
func Canonical(raw []byte) ([]byte, error) {
	d, faults := parse(raw, Limits{Depth: canonicalDepth})
	if faults != nil {
		return nil, newSource(raw).refuse(faults)
	}
	return d.root().appendCanonical(make([]byte, 0, len(raw))), nil
}

// Digest returns the SHA-256 of the canonical form of raw; see [Canonical].
func Digest(raw []byte) (Hash, error) {
	c, err := Canonical(raw)
	if err != nil {
		return Hash{}, err
	}
	return HashOf(c), nil
}

// ListingDigest is the digest of {"instructions":…,"tools":[digest,…]}: the text
// of the instructions, null when they were asked for and none were sent, no such
// member when nobody asked; the digests of the tools in the order of the listing.
func ListingDigest(in Instructions, tools []Hash) Hash {
	b := make([]byte, 0, 64+len(in.Text)+len(tools)*74)
	b = append(b, '{')
	if in.Asked {
		b = append(b, `"instructions":`...)
		b = append(b, in.canonical()...)
		b = append(b, ',')
	}
	b = append(b, `"tools":[`...)
	for i, h := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, h.String()...)
		b = append(b, '"')
	}
	return HashOf(append(b, "]}"...))
}

func (in Instructions) canonical() []byte {
	if !in.Present {
		return []byte("null")
	}
	return EncodeString(in.Text)
}

// Digest is the digest of the instructions as a subject of review: of the text,
// of null when none were sent, and the zero Hash when nobody asked.
func (in Instructions) Digest() Hash {
	if !in.Asked {
		return Hash{}
	}
	return HashOf(in.canonical())
}

// OrderDigest is the digest of the tools' names in the order of the listing: what
// an approval of the order binds.
func (l *Listing) OrderDigest() Hash {
	b := []byte{'['}
	for i, t := range l.Tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, t.Name)
	}
	return HashOf(append(b, ']'))
}

// EncodeString writes s as a canonical JSON string literal. A surrogate in s (three
// bytes, as [DecodeString] gives it) becomes an escape again; bytes that are no
// text at all become U+FFFD.
func EncodeString(s string) jsontext.Value {
	return appendQuoted(make([]byte, 0, len(s)+2), s)
}

func (v value) appendCanonical(dst []byte) []byte {
	switch v.kind() {
	case kindObject:
		return v.appendObject(dst)
	case kindArray:
		dst = append(dst, '[')
		for i, e := range v.elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.appendCanonical(dst)
		}
		return append(dst, ']')
	case kindString:
		if v.node().flags&escaped == 0 {
			return append(dst, v.raw()...) // a text without escapes is its own canonical form
		}
		return appendQuoted(dst, v.text())
	case kindNumber:
		return appendDecimal(dst, v.raw())
	}
	return append(dst, v.raw()...)
}

func (v value) appendObject(dst []byte) []byte {
	var few [16]int32
	names := few[:0]
	for i, end := v.i+1, v.node().next; i < end; i = v.d.nodes[i+1].next {
		names = append(names, i)
	}
	slices.SortFunc(names, func(a, b int32) int { return compareUTF16(v.d.name(a), v.d.name(b)) })
	dst = append(dst, '{')
	for i, n := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = value{v.d, n}.appendCanonical(dst)
		dst = append(dst, ':')
		dst = value{v.d, n + 1}.appendCanonical(dst)
	}
	return append(dst, '}')
}

// compareUTF16 orders two decoded strings by their UTF-16 code units. Below U+D800
// that is the order of the bytes. From there on it is not: a character above
// U+FFFF begins with a high surrogate, before U+E000, although its bytes are greater.
func compareUTF16(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	start := i
	for start > 0 && a[start]&0xC0 == 0x80 {
		start--
	}
	if a[start] == b[start] || a[start] < 0xED || b[start] < 0xED {
		return int(a[i]) - int(b[i])
	}
	ua, ub := units(a[start:]), units(b[start:])
	if ua[0] != ub[0] {
		return int(ua[0]) - int(ub[0])
	}
	// A pair against a lone high surrogate of the same value: what follows decides,
	// and nothing that follows the lone one is a low surrogate.
	return int(ua[1]) - int(ub[1])
}

// units returns the first two UTF-16 code units of s; -1 stands for the end.
func units(s string) [2]int {
	first, second, n := unit(s)
	if second < 0 && n < len(s) {
		second, _, _ = unit(s[n:])
	}
	return [2]int{first, second}
}

// unit returns the code units of the character that s begins with (the second is
// -1 when there is one) and its length in bytes.
func unit(s string) (first, second, n int) {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 {
		return 0xD000 | int(s[1]&0x3F)<<6 | int(s[2]&0x3F), -1, 3
	}
	r, n := utf8.DecodeRuneInString(s)
	if r < 0x10000 {
		return int(r), -1, n
	}
	r -= 0x10000
	return 0xD800 + int(r>>10), 0xDC00 + int(r&0x3FF), n
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as a string literal with the escapes of RFC 8785.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = appendControl(dst, c)
		case c == 0xED && i+2 < len(s) && s[i+1]&0xE0 == 0xA0 && s[i+2]&0xC0 == 0x80:
			u := 0xD000 | int(s[i+1]&0x3F)<<6 | int(s[i+2]&0x3F)
			dst = append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
			i += 3
			continue
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}

func appendControl(dst []byte, c byte) []byte {
	const short = "btn?fr" // what U+0008 to U+000D have as short escapes
	if c >= '\b' && c <= '\r' && c != '\v' {
		return append(dst, '\\', short[c-'\b'])
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// decimal is a number as its exact decimal: 0.digits times ten to the power of
// point, without zeros at either end of digits. Zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	point    *big.Int // nil when small holds it
	small    int64
}

// parseDecimal reads a JSON number. The cost is that of its text: a huge exponent
// is never written out.
func parseDecimal(raw []byte) decimal {
	var d decimal
	if raw[0] == '-' {
		d.negative, raw = true, raw[1:]
	}
	mantissa, exponent := raw, []byte(nil)
	if i := slices.IndexFunc(raw, func(c byte) bool { return c == 'e' || c == 'E' }); i >= 0 {
		mantissa, exponent = raw[:i], raw[i+1:]
	}
	dot := slices.Index(mantissa, '.')
	digits := mantissa
	if dot < 0 {
		dot = len(mantissa)
	} else {
		digits = append(append(make([]byte, 0, len(mantissa)), mantissa[:dot]...), mantissa[dot+1:]...)
	}
	leading := 0
	for leading < len(digits) && digits[leading] == '0' {
		leading++
	}
	end := len(digits)
	for end > leading && digits[end-1] == '0' {
		end--
	}
	d.digits = digits[leading:end]
	if len(d.digits) == 0 {
		return decimal{}
	}
	d.setPoint(int64(dot-leading), exponent)
	return d
}

// setPoint sets the position of the point from that in the mantissa and the
// exponent's text, which may be longer than any machine word.
func (d *decimal) setPoint(point int64, exponent []byte) {
	if len(exponent) == 0 {
		d.small = point
		return
	}
	if len(exponent) < 18 {
		e, _ := strconv.ParseInt(string(exponent), 10, 64)
		d.small = e + point
		return
	}
	e, _ := new(big.Int).SetString(string(exponent), 10)
	d.point = e.Add(e, big.NewInt(point))
	if d.point.IsInt64() {
		d.small, d.point = d.point.Int64(), nil
	}
}

// appendDecimal appends a number in its canonical form: its exact digits in the
// layout of ECMAScript's Number::toString. Where the shortest digits of the double
// are the number's own, the two agree; where a double would round, the digits stay.
func appendDecimal(dst, raw []byte) []byte {
	d := parseDecimal(raw)
	k, n := int64(len(d.digits)), d.small
	if k == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	switch {
	case d.point != nil:
		return appendExponent(dst, d)
	case k <= n && n <= 21:
		dst = append(dst, d.digits...)
		return appendZeros(dst, n-k)
	case 0 < n && n <= 21:
		dst = append(dst, d.digits[:n]...)
		dst = append(dst, '.')
		return append(dst, d.digits[n:]...)
	case -6 < n && n <= 0:
		dst = append(dst, '0', '.')
		dst = appendZeros(dst, -n)
		return append(dst, d.digits...)
	}
	return appendExponent(dst, d)
}

func appendZeros(dst []byte, n int64) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

func appendExponent(dst []byte, d decimal) []byte {
	dst = append(dst, d.digits[0])
	if len(d.digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, d.digits[1:]...)
	}
	e := d.point
	if e == nil {
		e = big.NewInt(d.small)
	}
	e = new(big.Int).Sub(e, big.NewInt(1))
	dst = append(dst, 'e')
	if e.Sign() > 0 {
		dst = append(dst, '+')
	}
	return e.Append(dst, 10)
}

// compareDecimals orders two JSON numbers by their exact value.
func compareDecimals(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	if s := x.sign() - y.sign(); s != 0 || x.sign() == 0 {
		return s
	}
	c := x.magnitude().Cmp(y.magnitude())
	if c == 0 {
		c = slices.Compare(x.digits, y.digits)
	}
	return c * x.sign()
}

func (d decimal) sign() int {
	switch {
	case len(d.digits) == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) magnitude() *big.Int {
	if d.point != nil {
		return d.point
	}
	return big.NewInt(d.small)
}

// isInteger reports whether the number has no fraction.
func (d decimal) isInteger() bool {
	return len(d.digits) == 0 || d.magnitude().Cmp(big.NewInt(int64(len(d.digits)))) >= 0
}

// exactInDouble reports whether a double holds the number so that its shortest
// text is the number again, and, for an integer, stays within 2^53.
func exactInDouble(raw []byte) bool {
	if parseDecimal(raw).isInteger() && compareDecimals(absolute(raw), []byte("9007199254740992")) > 0 {
		return false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if errors.Is(err, strconv.ErrRange) {
		return false
	}
	return compareDecimals(raw, strconv.AppendFloat(nil, f, 'e', -1, 64)) == 0
}

func absolute(raw []byte) []byte {
	if raw[0] == '-' {
		return raw[1:]
	}
	return raw
}

// DecodeString decodes a JSON string literal. A lone surrogate becomes its three
// bytes (see the package comment). It is false when raw is no string literal.
func DecodeString(raw jsontext.Value) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	d, faults := parse(raw, Limits{})
	if faults != nil || !d.root().is(kindString) {
		return "", false
	}
	return d.root().text(), true
}
