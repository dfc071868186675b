// Package prose handles text that a model reads and a person must judge: it
// makes hidden characters visible, splits text into words and sentences, and
// compares two texts word by word.
//
// Every string of a listing is somebody else's. Views accept such text only as
// [Visible], in which nothing is invisible, nothing reorders its neighbours and
// nothing is markup.
package prose

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
