package views

import (
	"slices"
	"strconv"

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
	Back     string   // where it stands
	Next     string   // what to go on with once it is answered
	Note     string   // typed before, kept
	Fault    Sentence // why the answer was not stored: then the note has the focus
	NoteHint string   // "Reason (needed to approve: breaking)"
	Needs    string   // said to whoever approves without a reason, "" when none is needed
	About    string   // for screen readers: "Calls without depth are now rejected"
	Whole    string   // "Approve tool" instead of "Approve"
	Cannot   string   // why not; then there are no buttons
	Draft    DraftBox
	Drafted  string  // "approve" or "reject", to be given when the review is finished; "" for nothing
	Trials   []Trial // fields for what was tried
	Twins    []TwinTick
	Mine     string // "You approved this."; then there is a button to take it back
}

// TwinTick offers to answer the identical change of another profile with the same
// act. It is never ticked by itself.
type TwinTick struct {
	Profile string        // as the form sends it
	Name    prose.Visible // "readonly 2.1.1"
	Count   string        // "3 of 4 changes", "" when it has all of them
	Ticked  bool          // before, kept
}

func (f AnswerForm) approve() string {
	if f.Whole != "" {
		return f.Whole
	}
	return "Approve"
}

// approveAttributes say what is missing when there is no reason.
func (f AnswerForm) approveAttributes() templ.Attributes {
	if f.Needs == "" {
		return nil
	}
	return templ.Attributes{"data-needs": f.Needs}
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
	Tag  string // "own push", "token of the shell", "used up"

	Tried []TriedLine
}

// Trial is a row of fields: what somebody tried, as typed.
type Trial struct{ Prompt, Host, Outcome string }

// TriedLine is what somebody tried.
type TriedLine struct{ Prompt, Host, Outcome prose.Visible }

// tried reports whether anything was typed, so that the fields stay open.
func (f AnswerForm) tried() bool {
	return slices.ContainsFunc(f.Trials, func(t Trial) bool { return t != Trial{} })
}

func triedWords(n int) string {
	if n == 1 {
		return "Tried once"
	}
	return "Tried " + itoa(n) + " times"
}

func itoa(n int) string { return strconv.Itoa(n) }
