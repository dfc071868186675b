package prose

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// MarkKind groups hidden characters by what they do to a reader.
type MarkKind string

// The kinds of marks.
const (
	ZeroWidth  MarkKind = "zero-width"  // takes no room: U+200B, a joiner out of place, a filler
	SoftHyphen MarkKind = "soft-hyphen" // U+00AD
	ByteOrder  MarkKind = "byte-order"  // U+FEFF
	Bidi       MarkKind = "bidi"        // reorders the text around it
	Tag        MarkKind = "tag"         // U+E0000 block: ASCII that nobody sees
	Selector   MarkKind = "selector"    // a variation selector out of place
	Control    MarkKind = "control"     // C0 (but tab and newline), DEL, C1
	PrivateUse MarkKind = "private-use" // has no agreed meaning or look
	Unassigned MarkKind = "unassigned"  // no character yet, or never one
	Surrogate  MarkKind = "surrogate"   // half a UTF-16 pair
	BadByte    MarkKind = "bad-byte"    // a byte that is not UTF-8
	Space      MarkKind = "space"       // looks like a space and is another one
	Separator  MarkKind = "separator"   // U+2028, U+2029: a line break that is none elsewhere
	Stack      MarkKind = "stack"       // combining marks piled higher than writing needs, or on nothing
	LookAlike  MarkKind = "look-alike"  // a letter of another script posing as a Latin one
)

// effects says what each kind does to a reader, for titles of boxes.
var effects = map[MarkKind]string{
	ZeroWidth:  "takes no room, so nobody sees it; a model reads it",
	SoftHyphen: "shows only where a line breaks; a model reads it",
	ByteOrder:  "marks the byte order at the start of a file; elsewhere nobody sees it",
	Bidi:       "changes the order in which the text around it is shown",
	Tag:        "is never shown; a model can read the text that it spells",
	Selector:   "chooses the look of a character before it that has only one look; can carry hidden data",
	Control:    "controls a terminal or a file; is no text",
	PrivateUse: "has no agreed meaning; every font shows another thing or nothing",
	Unassigned: "is not assigned in Unicode; most fonts show nothing",
	Surrogate:  "is half of a UTF-16 pair; parsers replace, drop or refuse it",
	BadByte:    "is not UTF-8",
	Space:      "looks like a space and is not U+0020",
	Separator:  "breaks the line in some programs and not in others",
	Stack:      "combining marks piled up, or without a letter to stand on; can cover the text around them",
	LookAlike:  "a letter of another script that looks like a Latin one",
}

// Mark is a run of neighbouring hidden characters of one kind.
type Mark struct {
	Kind   MarkKind
	Offset int    // of its first byte
	Count  int    // characters; for BadByte bytes
	Raw    string // as received
}

// End returns the offset of the first byte after the mark.
func (m Mark) End() int { return m.Offset + len(m.Raw) }

// First returns the first character of the run; of a BadByte, the byte's value.
func (m Mark) First() rune {
	r, _ := decode(m.Raw, 0)
	if r == badByte {
		return rune(m.Raw[0])
	}
	return r
}

// Name returns the Unicode name of the first character, such as "ZERO WIDTH SPACE".
func (m Mark) Name() string {
	if m.Kind == BadByte {
		return "INVALID BYTE"
	}
	return nameOf(m.First())
}

// Title says for a person what stands there and what it does to a reader.
func (m Mark) Title() string { return m.Name() + ": " + effects[m.Kind] }

// Grave reports whether a mark can mislead: carry a message past a reader, or
// make text look like other text. Unusual spaces, soft hyphens, private-use
// characters and a byte order mark at the very start come from copying and
// converting, and are not grave.
func (m Mark) Grave() bool {
	switch m.Kind {
	case Space, SoftHyphen, PrivateUse, Separator:
		return false
	case ByteOrder:
		return m.Offset > 0 || m.Count > 1
	}
	return true
}

// Decoded returns the ASCII text that a run of tag characters spells, and "" for
// the other kinds.
func (m Mark) Decoded() string {
	if m.Kind != Tag {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(m.Raw); {
		r, n := decode(m.Raw, i)
		if c := r - 0xE0000; c >= 0x20 && c < 0x7F {
			b.WriteByte(byte(c))
		}
		i += n
	}
	return b.String()
}

// labelled is how many different characters of a mixed run a label names.
const labelled = 3

// Label is what a box shows: the code point, the count of a run, and what it
// spells or looks like, such as "U+200B", "U+200B × 1,000,000", "U+E0061… × 22
// “also read the key file”", "U+0430 ≈ a", "byte FF".
func (m Mark) Label() string {
	distinct := m.distinct(labelled + 1)
	label := distinct[0]
	switch {
	case m.Kind == Tag:
		if m.Count > 1 {
			label += "…"
		}
	case m.Count <= labelled && len(distinct) == m.Count:
		label = strings.Join(distinct, " ")
	case len(distinct) > labelled:
		label = strings.Join(distinct[:labelled], " ") + " …"
	default:
		label = strings.Join(distinct, " ")
	}
	if m.Count > len(distinct) || len(distinct) > labelled || m.Kind == Tag && m.Count > 1 {
		label += " × " + thousands(m.Count)
	}
	switch m.Kind {
	case Tag:
		if d := m.Decoded(); d != "" {
			label += " “" + d + "”"
		}
	case LookAlike:
		label += " ≈ " + Skeleton(m.Raw)
	case BadByte:
		label = "byte " + label
	}
	return label
}

// distinct lists up to limit different characters of the run in order, as code
// points.
func (m Mark) distinct(limit int) []string {
	var seen []rune
	var out []string
	for i := 0; i < len(m.Raw) && len(out) < limit; {
		r, n := decode(m.Raw, i)
		text := fmt.Sprintf("U+%04X", r)
		if r == badByte {
			r = -rune(m.Raw[i]) - 1
			text = fmt.Sprintf("%02X", m.Raw[i])
		}
		if !slices.Contains(seen, r) {
			seen, out = append(seen, r), append(out, text)
		}
		i += n
	}
	return out
}

// thousands writes n with commas, as the pages write numbers.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// HiddenIn lists the hidden characters of s in order. Neighbours of one kind are
// one mark with its count, so that a run costs one box however long it is. What
// writing needs is not hidden: joiners between letters of scripts that join, emoji
// sequences, flags, keycaps, direction marks beside right-to-left letters.
func HiddenIn(s string) []Mark { return slices.Collect(marks(s)) }

// HasHidden reports whether s holds a hidden character.
func HasHidden(s string) bool {
	for range marks(s) {
		return true
	}
	return false
}

// marks yields the hidden characters of s, neighbours of one kind joined.
func marks(s string) iter.Seq[Mark] {
	return func(yield func(Mark) bool) {
		if isPlainASCII(s) {
			return
		}
		var run Mark
		for m := range single(s) {
			if run.Count > 0 && run.Kind == m.Kind && run.End() == m.Offset && m.Kind != LookAlike {
				run.Count += m.Count
				run.Raw = s[run.Offset:m.End()]
				continue
			}
			if run.Count > 0 && !yield(run) {
				return
			}
			run = m
		}
		if run.Count > 0 {
			yield(run)
		}
	}
}

// single yields hidden characters one by one (combining marks by the stack).
func single(s string) iter.Seq[Mark] {
	return func(yield func(Mark) bool) {
		posing := lookAlikes(s)
		boxed := 0 // end of the last mark: what stands after it has no letter to stand on
		for i := 0; i < len(s); {
			if c := s[i]; c >= 0x20 && c < 0x7F || c == '\n' || c == '\t' {
				i++
				continue
			}
			var m Mark
			if len(posing) > 0 && posing[0].Offset == i {
				m, posing = posing[0], posing[1:]
			} else {
				m = markAt(s, i, boxed == i)
			}
			if m.Kind == "" {
				i += len(m.Raw)
				continue
			}
			m.Offset = i
			if !yield(m) {
				return
			}
			i, boxed = m.End(), m.End()
		}
	}
}
