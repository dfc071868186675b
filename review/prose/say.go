package prose

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// say puts a change into words that marks on the text can't show, or "".
func say(old, new string, all []extent) string {
	if old == "" || new == "" {
		return ""
	}
	if sentence := sayBlanks(old, new, all); sentence != "" {
		return sentence
	}
	if sentence, ok := LooksLike(old, new); ok {
		return sentence
	}
	return sayMoved(all, old)
}

// sayBlanks describes a change of nothing but ASCII blanks and line ends.
func sayBlanks(old, new string, all []extent) string {
	switch {
	case unixLines(old) == unixLines(new):
		if strings.Contains(new, "\r\n") {
			return "Only line ends differ: LF became CR LF."
		}
		return "Only line ends differ: CR LF became LF."
	case strings.Trim(old, blanks) == strings.Trim(new, blanks):
		return "Only blanks at the start or end differ. No word changed."
	case withoutBlanks(old) != withoutBlanks(new), !slices.Equal(wordsIn(old), wordsIn(new)):
		return "" // "file name" for "filename" is another word, though only a blank came in
	}
	if strings.Join(strings.FieldsFunc(old, isASCIIBlank), " ") != strings.Join(strings.FieldsFunc(new, isASCIIBlank), " ") {
		return "Only blanks between words or signs differ: some were added or removed" + wordBefore(old, firstChange(all)) + "."
	}
	what := "spaces and line breaks"
	if sameLines(old, new) {
		what = "spaces"
	}
	return "Only " + what + " differ, first" + wordBefore(old, firstChange(all)) + ". No word changed."
}

// wordsIn lists the words of s as the comparison takes them.
func wordsIn(s string) []string {
	var words []string
	for _, tok := range tokenise(s, HiddenIn(s)) {
		if w := s[tok.start:tok.end]; isWord(w) {
			words = append(words, w)
		}
	}
	return words
}

// sameLines reports whether two texts that differ in blanks alone have the same
// line breaks.
func sameLines(old, new string) bool {
	noSpaces := strings.NewReplacer(" ", "", "\t", "", "\r\n", "\n")
	return noSpaces.Replace(old) == noSpaces.Replace(new)
}

const blanks = " \t\r\n"

func isASCIIBlank(r rune) bool { return r < 0x80 && strings.ContainsRune(blanks, r) }

func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func withoutBlanks(s string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r\n", "", "\n", "").Replace(s)
}

// firstChange returns the old byte where the first piece that is not equal starts.
func firstChange(all []extent) int {
	for _, e := range all {
		if e.op != Equal {
			return e.oldFrom
		}
	}
	return 0
}

// sayMoved describes a change of nothing but places.
func sayMoved(all []extent, old string) string {
	moves, sentences := 0, 0
	for _, e := range all {
		switch e.op {
		case Equal:
		case MovedFrom:
			moves = max(moves, e.move)
			sentences += len(Sentences(old[e.oldFrom:e.oldTo]))
		case MovedTo:
		default:
			return ""
		}
	}
	switch {
	case moves == 0:
		return ""
	case sentences == 1:
		return "Only the order changed: one sentence moved. No word changed."
	}
	return fmt.Sprintf("Only the order changed: %d sentences moved. No word changed.", sentences)
}

// LooksLike reports whether a and b differ only in what a reader can't see, and
// says in one sentence how, such as "These texts look alike but differ: an
// invisible U+200B after 'delete'." It is false for equal texts. The sentence is
// safe to print.
func LooksLike(a, b string) (sentence string, ok bool) {
	if a == b || Skeleton(a) != Skeleton(b) {
		return "", false
	}
	return "These texts look alike but differ: " + firstUnseen(a, b) + ".", true
}

// firstUnseen describes the first place where two look-alike texts differ.
func firstUnseen(a, b string) string {
	p := commonPrefix(a, b)
	was, inA := markOver(a, p)
	is, inB := markOver(b, p)
	switch {
	case inB && is.Kind == LookAlike:
		return fmt.Sprintf("U+%04X in place of '%s'%s", is.First(), Skeleton(is.Raw), inWord(b, is.Offset))
	case inA && was.Kind == LookAlike:
		return fmt.Sprintf("'%s' in place of U+%04X%s", Skeleton(was.Raw), was.First(), inWord(a, was.Offset))
	case inA && inB:
		return is.Label() + " in place of " + was.Label() + wordBefore(b, is.Offset)
	case inB && is.Kind == Space && isASCIISpaceAt(a, p):
		return is.Label() + " in place of a space" + wordBefore(b, is.Offset)
	case inA && was.Kind == Space && isASCIISpaceAt(b, p):
		return "a space in place of " + was.Label() + wordBefore(a, was.Offset)
	case inB:
		return "an " + adjective(is) + is.Label() + wordBefore(b, is.Offset)
	case inA:
		return "no " + adjective(was) + was.Label() + " any more" + wordBefore(a, was.Offset)
	}
	return otherForm(a, b, p)
}

// adjective says how a mark escapes the eye.
func adjective(m Mark) string {
	switch m.Kind {
	case Control, BadByte, Surrogate, PrivateUse, Unassigned, Stack:
		return "unprintable "
	}
	return "invisible "
}

// otherForm describes characters that are drawn alike without being hidden: other
// blanks, compatibility forms, letters composed differently.
func otherForm(a, b string, p int) string {
	was, _ := decode(a, p)
	is, _ := decode(b, p)
	if isBlankOrEdge(was) || isBlankOrEdge(is) {
		return "other blanks" + wordBefore(b, p)
	}
	if norm.NFC.String(a) == norm.NFC.String(b) {
		return "a letter composed in another way" + inWord(b, p)
	}
	return codePoint(is) + " in place of " + codePoint(was) + inWord(b, p)
}

func isBlankOrEdge(r rune) bool { return r == edge || unicode.IsSpace(r) }

func codePoint(r rune) string {
	if r > 0x20 && r < 0x7F {
		return fmt.Sprintf("'%c'", r)
	}
	return fmt.Sprintf("U+%04X", max(r, 0))
}

// commonPrefix returns the length of what a and b start with, on a character's
// boundary.
func commonPrefix(a, b string) int {
	for i := 0; ; {
		r, n := decode(a, i)
		if q, _ := decode(b, i); r != q || n == 0 || a[i:i+n] != b[i:i+n] {
			return i
		}
		i += n
	}
}

// markOver returns the mark of s that covers byte p.
func markOver(s string, p int) (Mark, bool) {
	for m := range marks(s) {
		if m.Offset > p {
			break
		}
		if p < m.End() || p == m.End() && m.Count > 1 {
			return m, true
		}
	}
	return Mark{}, false
}

func isASCIISpaceAt(s string, p int) bool { return p < len(s) && s[p] == ' ' }

// quotedWord is the longest word, in bytes, that a sentence quotes.
const quotedWord = 40

// wordBefore says after which word byte p stands: " after 'delete'", or " at the
// start". It quotes only what is safe to print.
func wordBefore(s string, p int) string {
	end := p
	for end > 0 && !isWordRune(decodeBefore(s, end)) {
		end -= runeLen(decodeBefore(s, end))
	}
	start := end
	for start > 0 && end-start < quotedWord && isWordPart(decodeBefore(s, start)) {
		start -= runeLen(decodeBefore(s, start))
	}
	if start == end {
		return " at the start"
	}
	return " after '" + Show(s[start:end]).String() + "'"
}

// inWord says in which word byte p stands: " in 'paypal'", as a reader sees it.
func inWord(s string, p int) string {
	start, end := p, p
	for start > 0 && p-start < quotedWord && isWordPart(decodeBefore(s, start)) {
		start -= runeLen(decodeBefore(s, start))
	}
	for end < len(s) && end-p < quotedWord {
		r, n := decode(s, end)
		if !isWordPart(r) {
			break
		}
		end += n
	}
	word := strings.Trim(Show(Skeleton(s[start:end])).String(), ".-")
	if word == "" {
		return ""
	}
	return " in '" + word + "'"
}

func isWordPart(r rune) bool { return isWordRune(r) || isConnector(r) }
