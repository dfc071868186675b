package change

import (
	"fmt"

	"github.com/countersign/countersign/review/surface"
)

// Known is a listing that clients may still hold, with the label that people know
// it by, such as a version.
type Known struct {
	Label   string
	Listing *surface.Listing
}

// Fit says whether calls that fit an older listing still work.
type Fit string

// The fits.
const (
	FitWorks     Fit = "works"     // every old call is still accepted
	FitFails     Fit = "fails"     // some are not, see the failures
	FitUndecided Fit = "undecided" // it is not proved either way
)

// WindowRow is one older listing against the new one.
type WindowRow struct {
	Label    string
	From     surface.Hash
	To       surface.Hash
	Fit      Fit
	Failures []WindowFailure // strongest first, in the order of the new listing
	Note     string          // what could not be seen, such as a partial listing
}

// WindowFailure is a tool of an older listing that no longer takes its old calls.
type WindowFailure struct {
	Tool     string // name in the older listing
	Fit      Fit    // FitFails or FitUndecided
	Sentence string
	Witness  []byte // arguments that worked and now fail; nil when there is no such call
}

// Window says which older clients still call validly. Some hosts keep a listing
// for days, so what a release breaks is measured against more than its base.
// Only calls count: texts, hints and results are not looked at.
func Window(olds []Known, new *surface.Listing, opt Options) []WindowRow {
	rows := make([]WindowRow, len(olds))
	for i, old := range olds {
		rows[i] = windowRow(old, Compare(old.Listing, new, opt))
	}
	return rows
}

func windowRow(old Known, r *Report) WindowRow {
	row := WindowRow{Label: old.Label, From: r.From, To: r.To, Fit: FitWorks, Failures: []WindowFailure{}}
	for _, want := range []Class{Breaking, Undecided} {
		for i := range r.Changes {
			if f, ok := windowFailure(&r.Changes[i], want); ok {
				row.Failures = append(row.Failures, f)
			}
		}
	}
	if len(row.Failures) > 0 {
		row.Fit = row.Failures[0].Fit
	}
	if r.Partial {
		row.Note = r.PartialWhy
		if row.Fit == FitWorks {
			row.Fit = FitUndecided
		}
	}
	return row
}

// windowFailure picks the detail of class want that calls can see. A tool is
// listed once, under its strongest class.
func windowFailure(ch *Change, want Class) (WindowFailure, bool) {
	if ch.Subject != SubjectTool || callClass(ch) != want {
		return WindowFailure{}, false
	}
	f := WindowFailure{Tool: ch.Name(), Fit: FitFails}
	if want == Undecided {
		f.Fit = FitUndecided
	}
	if ch.FromTool != nil {
		f.Tool = *ch.FromTool
	}
	more := 0
	for _, d := range ch.Details {
		switch {
		case d.Class != want || !aboutCalls(d):
		case f.Sentence == "":
			f.Sentence, f.Witness = d.Sentence, d.Witness
		default:
			more++
		}
	}
	if more > 0 {
		f.Sentence += fmt.Sprintf(" And %s.", count(more, "more reason"))
	}
	return f, true
}

func callClass(ch *Change) Class {
	class := None
	for _, d := range ch.Details {
		if aboutCalls(d) {
			class = Max(class, d.Class)
		}
	}
	return class
}

func aboutCalls(d Detail) bool {
	return d.Direction == "input" || d.ID == "tool.removed" || d.ID == "tool.renamed" || d.ID == "definition.changed"
}
