package views

import (
	"github.com/a-h/templ"

	"github.com/countersign/countersign/review/prose"
)

// CommentForm starts a thread.
type CommentForm struct {
	ID       string
	URL      string
	About    string // "drop_database"
	Places   []Place
	Hidden   []HiddenField // fixed parts of the place
	Quote    string        // words that it is about, typed before, kept
	Body     string        // so too
	Suggest  string        // so too
	Filled   string        // mark of what stands in Suggest although nobody typed it
	At       string        // place chosen before: "new /description"
	Blocks   bool          // so too
	Draft    DraftBox
	Back     string
	Open     bool
	Fault    Sentence
	CanBlock bool

	QuoteFault Sentence // about Quote

	CheckURL string      // looks at a suggested text before it is sent
	Checked  []CheckLine // what was found in it
}

// describesQuote is what a reader is told of the field of quoted words.
func (f CommentForm) describesQuote() templ.Attributes {
	hint := f.ID + "-quote-hint"
	if len(f.QuoteFault) == 0 {
		return templ.Attributes{"aria-describedby": hint}
	}
	return templ.Attributes{"aria-describedby": f.ID + "-quote-fault " + hint, "aria-invalid": "true", "autofocus": true}
}

// CheckLine says one thing that a suggested text would bring. Text is safe to show.
type CheckLine struct {
	Tone Tone   `json:"tone"`
	Text string `json:"text"`
}

// Place is something a comment can be about.
type Place struct {
	Value  string
	Label  string
	Chosen bool
}

// HiddenField is a value that a form carries along.
type HiddenField struct{ Name, Value string }

// ThreadView is a conversation about a place.
type ThreadView struct {
	ID        string
	About     prose.Visible // tool, nil for the release
	Place     string        // "description"
	URL       string        // of the place
	Open      bool
	Blocks    bool
	Side      string // "on 1.13.0, as it was"; "" for the newer side
	Moved     string // "the text changed since"
	Quote     prose.Visible
	Rule      string // of the finding that it was opened on, "" for none
	Comments  []CommentView
	Resolved  string // "Resolved by ana 2 hours ago"
	ReplyURL  string // "" when one may not
	CloseURL  string
	ReopenURL string
	Back      string
	Draft     string // typed before, kept
	Kept      DraftBox
}

// CommentView is one comment. HTML was made safe by the presenter.
type CommentView struct {
	Who  prose.Visible
	When When
	HTML string

	Edited    string           // "edited 2 hours ago", "" when it was not
	EditedURL string           // leads to what it said before
	Edit      *EditCommentForm // nil for what others wrote
	Suggests  *SuggestionView  // nil: none
}

// EditCommentForm changes the text of one's own comment.
type EditCommentForm struct {
	ID      string // unique in the page
	URL     string
	Comment string // id
	Back    string
	Body    string
	Draft   DraftBox
	Open    bool
}

// EditsPage is what the comments of a thread said before they were edited.
type EditsPage struct {
	Page
	About    prose.Visible // tool, nil for the release
	Place    string
	BackURL  string
	Comments []EditedComment
}

// EditedComment is a comment in all that it ever said, newest first.
type EditedComment struct {
	Who   prose.Visible
	Texts []EditedText
}

// EditedText is one of its texts, as it was typed.
type EditedText struct {
	Text  prose.Visible
	Until *When // when it was replaced; nil of the one that stands
}

// SuggestionView is a text that a comment proposes for the place of its thread.
type SuggestionView struct {
	Patch prose.Visible
	JSON  prose.Visible // the same as JSON Patch, nil where it can't be applied
	Taken bool
}

// ThreadLine is a thread in a list beside the page.
type ThreadLine struct {
	URL   string
	About prose.Visible
	Place string
	Start prose.Visible // first words
	Tags  []string      // "blocks", "2 replies"
}
