package prose

import "unicode/utf8"

// Values that decode gives for bytes that are no character. They lie outside
// Unicode, so no comparison with a code point can meet them by accident.
const (
	badByte rune = -1 // a byte that is not UTF-8
	edge    rune = -2 // before the first or after the last character
)

// decode reads the character at s[i:]. A lone surrogate, three bytes long in
// WTF-8, is returned as its code point; any other invalid byte as badByte, 1.
func decode(s string, i int) (rune, int) {
	if i >= len(s) {
		return edge, 0
	}
	if s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r != utf8.RuneError || n == 3 {
		return r, n
	}
	if isSurrogateAt(s, i) {
		return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), 3
	}
	return badByte, 1
}

// decodeBefore reads the character that ends at s[:i].
func decodeBefore(s string, i int) rune {
	if i <= 0 {
		return edge
	}
	r, n := utf8.DecodeLastRuneInString(s[:i])
	if r != utf8.RuneError || n == 3 {
		return r
	}
	if i >= 3 && isSurrogateAt(s[:i], i-3) {
		r, _ = decode(s, i-3)
		return r
	}
	return badByte
}

func isSurrogateAt(s string, i int) bool {
	return i+2 < len(s) && s[i] == 0xED && s[i+1] >= 0xA0 && s[i+1] <= 0xBF && s[i+2]&0xC0 == 0x80
}

func isSurrogate(r rune) bool { return r >= 0xD800 && r <= 0xDFFF }

// isPlainASCII reports whether s has only printable ASCII, tabs and newlines, so
// that nothing in it can be hidden.
func isPlainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x7F || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
