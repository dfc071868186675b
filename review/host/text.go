package host

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// utf16Len counts the UTF-16 units of a text. A lone surrogate (three bytes, as
// package surface has it) is one unit.
func utf16Len(s string) int {
	if isPrintable(s) {
		return len(s)
	}
	n := 0
	for len(s) > 0 {
		units, size := unitsOf(s)
		n += units
		s = s[size:]
	}
	return n
}

// unitsOf measures the first character of s: its UTF-16 units and its bytes.
func unitsOf(s string) (units, size int) {
	if s[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1 && len(s) >= 3 && s[0] == 0xED:
		return 1, 3
	case r > 0xFFFF:
		return 2, size
	}
	return 1, size
}

// cutUTF16 returns the first n UTF-16 units of s, without half a character.
func cutUTF16(s string, n int) string {
	at := 0
	for at < len(s) {
		units, size := unitsOf(s[at:])
		if n -= units; n < 0 {
			break
		}
		at += size
	}
	return s[:at]
}

// tailUTF16 returns the last n UTF-16 units of s.
func tailUTF16(s string, n int) string {
	skip := utf16Len(s) - n
	at := 0
	for at < len(s) && skip > 0 {
		units, size := unitsOf(s[at:])
		skip -= units
		at += size
	}
	return s[at:]
}

// visible normalises a text to NFKC and takes away what no reader sees: format
// characters, private use, and code points that stand for nothing.
func visible(s string) string {
	if isPrintable(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r != utf8.RuneError && (unicode.In(r, unicode.Cf, unicode.Co) || !unicode.In(r, assigned...)) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// assigned are the ranges of code points that have a meaning.
var assigned = []*unicode.RangeTable{
	unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co,
}

// isPrintable reports whether s is ASCII, which stays as it is.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// trimSpace trims as JavaScript does, which counts the byte order mark as space.
func trimSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\uFEFF' })
}

// fillIn puts the names into a text of a profile. What stands in a name is not
// looked at.
func fillIn(form, server, tool string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(form, '{')
		if at < 0 {
			break
		}
		b.WriteString(form[:at])
		form = form[at:]
		switch {
		case strings.HasPrefix(form, "{server}"):
			b.WriteString(server)
			form = form[len("{server}"):]
		case strings.HasPrefix(form, "{tool}"):
			b.WriteString(tool)
			form = form[len("{tool}"):]
		default:
			b.WriteByte('{')
			form = form[1:]
		}
	}
	if b.Len() == 0 {
		return form
	}
	b.WriteString(form)
	return b.String()
}

// path is a JSON pointer in the making: most places that are looked at are never
// named.
type path []string

func (p path) String() string {
	var b strings.Builder
	for _, step := range p {
		b.WriteByte('/')
		b.WriteString(escapePointer(step))
	}
	return b.String()
}

// to returns the path of a member.
func (p path) to(step string) path { return append(p, step) }

// escapePointer writes a name as one step of a JSON pointer.
func escapePointer(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

// unescapePointer reads one step of a JSON pointer.
func unescapePointer(s string) string {
	if !strings.Contains(s, "~") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

func compareBytes(a, b string) int { return strings.Compare(a, b) }

// setOf makes a set of names, for loops in which a list would cost its square.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
