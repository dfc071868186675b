package views

import (
	"github.com/a-h/templ"

	"github.com/countersign/countersign/review/prose"
)

// AnswerForm asks a reviewer to approve or reject; or, when they did, lets them
// take it back.
type AnswerForm struct {
	ID       string // unique in the page
	URL      string
	Items    []string // "ed_… ch_… ch_…", one edit and the changes that were shown
	Subject  string   // what it is about, for the message when it has moved on
	Back     string   // where to go on afterwards
	Note     string   // typed before, kept
	Fault    Sentence // why the answer was not stored: then the note has the focus
	NoteHint string   // "Reason (needed to approve: breaking)"
	About    string   // for screen readers: "Calls without depth are now rejected"
	Whole    string   // "Approve tool" instead of "Approve"
	Cannot   string   // why not; then there are no buttons
	Draft    DraftBox
	Mine     string // "You approved this."; then there is a button to take it back
}

func (f AnswerForm) approve() string {
	if f.Whole != "" {
		return f.Whole
	}
	return "Approve"
}

// noteAttributes put the cursor where an answer that was refused is mended. Keys
// wait while it is there, so that the next one does not act on another decision.
func (f AnswerForm) noteAttributes(hint string) templ.Attributes {
	a := templ.Attributes{"placeholder": hint}
	if len(f.Fault) > 0 {
		a["autofocus"], a["aria-invalid"], a["aria-describedby"] = true, "true", f.ID+"-fault"
	}
	return a
}

// VerdictLine is an answer that somebody gave.
type VerdictLine struct {
	Tone Tone
	Icon string
	Who  prose.Visible
	Did  string // "approved"
	When When
	Note prose.Visible
	Tag  string // "own push", "used up"
}
