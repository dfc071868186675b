// Package prose handles text that a model reads and a person must judge: it
// makes hidden characters visible, splits text into words and sentences, and
// compares two texts word by word.
//
// Every string of a listing is somebody else's. Views accept such text only as
// [Visible], in which nothing is invisible, nothing reorders its neighbours and
// nothing is markup.
//
// Strings are WTF-8: UTF-8 in which a lone surrogate of the JSON source stands as
// its three bytes (ED A0 80 to ED BF BF). Offsets are byte offsets into such a
// string. All work is bounded in steps, so that an answer does not depend on the
// machine, and every function is safe to call at once from many goroutines.
package prose

import (
	"strings"
	"unicode/utf8"
)

// Kind says what a [Span] is.
type Kind string

// The kinds of spans.
const (
	Plain  Kind = "plain"  // ordinary text
	Hidden Kind = "hidden" // drawn as a labelled box; Label says what stands there
)

// Span is a stretch of text of one kind. Text holds only characters that are
// safe to print as they are (for Hidden: empty). Raw is the text as received.
type Span struct {
	Kind  Kind
	Text  string // printable
	Label string // for Hidden: such as "U+200B", "U+200B × 1,000,000", "U+E0041… “A”"
	Title string // for Hidden: the character's name, and what it does to a reader
	Raw   string
}

// Visible is untrusted text made safe to look at: an ordered list of spans. It
// is the only type of untrusted text that views accept.
type Visible []Span

// maxBoxes bounds the boxes of one text, so that a page stays small whatever is
// pushed. What is hidden beyond it is written into the text as "[U+200B]".
const maxBoxes = 2000

// Show makes s safe to look at. The Raw fields of the result, joined, are s.
func Show(s string) Visible {
	boxes := maxBoxes
	return showRange(s, HiddenIn(s), 0, len(s), &boxes)
}

// showRange shows s[start:end], given the marks of the whole text: whether a
// character is hidden depends on what stands around it. No mark may reach over
// start or end. It counts boxes down.
func showRange(s string, marks []Mark, start, end int, boxes *int) Visible {
	var v Visible
	var text strings.Builder // of the plain span from open
	open, at := start, start
	flush := func(to int) {
		text.WriteString(printable(s[at:to]))
		if to > open {
			v = append(v, Span{Kind: Plain, Text: text.String(), Raw: s[open:to]})
		}
		text.Reset()
	}
	for _, m := range marks {
		if *boxes <= 0 {
			text.WriteString(printable(s[at:m.Offset]) + "[" + m.Label() + "]")
			at = m.End()
			continue
		}
		*boxes--
		flush(m.Offset)
		v = append(v, Span{Kind: Hidden, Label: m.Label(), Title: m.Title(), Raw: m.Raw})
		open, at = m.End(), m.End()
	}
	flush(end)
	return v
}

// printable writes line ends as one newline; nothing else in a stretch between
// marks needs care.
func printable(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// Raw returns the text as received.
func (v Visible) Raw() string {
	var b strings.Builder
	for _, s := range v {
		b.WriteString(s.Raw)
	}
	return b.String()
}

// String returns the text with hidden characters as their label in brackets, such
// as "[U+200B]": for terminals, logs and Markdown, where boxes can't be drawn. Line
// ends and tabs stay.
func (v Visible) String() string {
	var b strings.Builder
	for _, s := range v {
		if s.Kind == Hidden {
			b.WriteString("[" + s.Label + "]")
			continue
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// Cut parts v behind the first n bytes of its Raw. What is hidden was told from what
// stands around it, so a text is shown whole and cut then. A box is never cut: it
// stays with what is before it, whose Raw is then longer than n.
func (v Visible) Cut(n int) (before, after Visible) {
	for i, s := range v {
		switch {
		case n <= 0:
			return v[:i:i], v[i:]
		case n >= len(s.Raw):
			n -= len(s.Raw)
			continue
		}
		before = append(before, v[:i]...)
		first, rest := s.cut(n)
		before = append(before, first)
		if rest.Raw != "" {
			after = append(after, rest)
		}
		return before, append(after, v[i+1:]...)
	}
	return v, nil
}

// cut parts a span, unless it is printed otherwise than it is written, or what is
// harmless in it as a whole, such as the letters of a flag, is not in a part.
func (s Span) cut(n int) (Span, Span) {
	if s.Kind != Plain || s.Text != printable(s.Raw) {
		return s, Span{}
	}
	for n < len(s.Raw) && (!utf8.RuneStart(s.Raw[n]) || s.Raw[n-1] == '\r' && s.Raw[n] == '\n') {
		n++
	}
	if HasHidden(s.Raw[:n]) || HasHidden(s.Raw[n:]) {
		return s, Span{}
	}
	return Span{Kind: Plain, Text: printable(s.Raw[:n]), Raw: s.Raw[:n]}, Span{Kind: Plain, Text: printable(s.Raw[n:]), Raw: s.Raw[n:]}
}

// HasHidden reports whether a labelled box is among the spans.
func (v Visible) HasHidden() bool {
	for _, s := range v {
		if s.Kind == Hidden {
			return true
		}
	}
	return false
}
