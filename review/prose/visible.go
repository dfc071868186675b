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

import "strings"

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

// Show makes s safe to look at. The Raw fields of the result, joined, are s.
func Show(s string) Visible {
	return Visible{{Kind: Plain, Text: s, Raw: s}}
}

// Raw returns the text as received.
func (v Visible) Raw() string {
	var b strings.Builder
	for _, s := range v {
		b.WriteString(s.Raw)
	}
	return b.String()
}

// String returns the text in one printable line of characters, with hidden
// characters as their label in brackets, such as "[U+200B]": for terminals, logs
// and Markdown, where boxes can't be drawn.
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

// HasHidden reports whether a labelled box is among the spans.
func (v Visible) HasHidden() bool {
	for _, s := range v {
		if s.Kind == Hidden {
			return true
		}
	}
	return false
}
