package views

import "github.com/countersign/countersign/review/prose"

// ToolView is one tool, on both sides or alone, in the order in which a model
// reads it.
type ToolView struct {
	ID         string // change id or "" for an unchanged tool
	Name       prose.Visible
	OldName    prose.Visible // of a renamed tool
	Kind       string        // "changed", "new", "removed", "renamed to", "unchanged"
	Badge      *Badge
	Facts      []string   // "position 12, was 9", "+12 tokens"
	Notes      []Sentence // what hosts show of it, and what not
	Effects    []Effect   // what changes for a caller
	Quiet      Sentence   // instead of effects: "Nothing changes for a caller."
	Title      TextDiff
	Words      TextDiff   // the description
	Rendered   *Rendered  // of the description, nil when not asked for
	Render     *Link      // to the other way of showing it
	Copies     []CopyText // the description of either side, to the byte
	NoWords    string     // "No description on either side."
	WordsTag   string     // "48 → 51 words"
	Hints      []HintRow
	NoHints    string
	Input      SchemaDiff
	Output     SchemaDiff
	Others     []OtherField // fields that nobody defined
	Answer     *AnswerForm
	Said       []VerdictLine
	Comment    *CommentForm
	Plain      bool        // of the listing itself: no fields of a tool
	Lines      []Line      // what is true of the listing as a whole
	Order      []OrderLine // what moved
	CommentURL string      // on the description
	AcrossURL  string      // of the tool through all versions, "" for none
	Viewed     *ViewedForm // nil where nothing can be marked
	Lens       *HostLens   // as a host sends it, nil while none is chosen
}

// Line is a sentence and what it is about.
type Line struct {
	Label string
	Text  Sentence
}

// Rendered is a text as Markdown makes it, beside the text. Its presenter made both
// sides safe: no images, and markup is text.
type Rendered struct {
	OldLabel, NewLabel string
	Old, New           string // HTML; "" for a side that has none
	Note               string // why a side is not rendered
}

// CopyText copies a text that the page does not hold to the byte.
type CopyText struct {
	URL   string // of the text
	Label string // of the side
}

// Effect is one thing that changes for a caller.
type Effect struct {
	Anchor   string
	Badge    Badge
	Sentence Sentence
	Meta     []Sentence
	Witness  *Witness
	Same     string // "same edit on 21 other tools"
	SameURL  string
	Tools    []NameLink // of a decision on several, when it is not on all
	Evidence *Evidence  // its words and values, when the decision can't show them
}

// Witness is a call that worked before and fails now.
type Witness struct {
	ID    string // of the element that holds it
	Lead  string // "This call worked in 1.13.0 and fails in 2.1.1:"
	Tool  prose.Visible
	Args  prose.Visible
	Plain string // to copy
}

// HintRow is an annotation on both sides.
type HintRow struct {
	Name  prose.Visible
	Value Pair
	Note  string // "true by default"
}

// OtherField is a field of the definition that the page has no view for.
type OtherField struct {
	Pointer prose.Visible
	Value   TextDiff
}
