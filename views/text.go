package views

import (
	"github.com/a-h/templ"

	"github.com/countersign/countersign/review/prose"
)

// TextDiff is a text on both sides, whole. A text that stands on one side only,
// or is the same on both, has one column.
type TextDiff struct {
	State    TextState
	OldLabel string // such as "1.13.0"
	NewLabel string
	At       string // pointer of the text, for scripts, never shown; "" for none
	Code     bool   // set in the face of code
	Rows     []TextRow
	Whole    prose.Visible // for Same, Gained and Lost
	Sentence Sentence      // what can't be seen, in words
}

// TextState says on which sides a text stands.
type TextState string

// The states of a text.
const (
	NoText  TextState = ""
	Same    TextState = "same"
	Differs TextState = "differs"
	Gained  TextState = "gained" // only the new side has it
	Lost    TextState = "lost"   // only the old side has it
)

// TextRow is a line of both sides. Lines that are the same and stand together
// are one row.
type TextRow struct {
	Same     bool
	Old, New []prose.Piece // nil: that side has no such line
}

// Texts compares two texts; nil is a side that has none.
func Texts(old, new *string, oldLabel, newLabel string) TextDiff {
	d := TextDiff{OldLabel: oldLabel, NewLabel: newLabel}
	switch {
	case old == nil && new == nil:
	case old == nil:
		d.State, d.Whole = Gained, prose.Show(*new)
	case new == nil:
		d.State, d.Whole = Lost, prose.Show(*old)
	case *old == *new:
		d.State, d.Whole = Same, prose.Show(*new)
	default:
		diff := prose.Compare(*old, *new)
		d.State, d.Rows, d.Sentence = Differs, joinSame(diff.Rows), Say(diff.Sentence)
	}
	return d
}

// StandsAt names the place of the text.
func (d TextDiff) StandsAt(pointer string) TextDiff {
	d.At = pointer
	return d
}

// withAt names the place of a text to scripts.
func withAt(pointer string) templ.Attributes {
	if pointer == "" {
		return nil
	}
	return templ.Attributes{"data-at": pointer}
}

// joinSame makes one row of neighbours that are the same on both sides: a page
// of ten thousand equal lines has one element for them.
func joinSame(rows []prose.Row) []TextRow {
	var out []TextRow
	for _, r := range rows {
		last := len(out) - 1
		if r.Same && last >= 0 && out[last].Same {
			out[last].Old = append(out[last].Old, r.Old...)
			out[last].New = append(out[last].New, r.New...)
			continue
		}
		out = append(out, TextRow{Same: r.Same, Old: cloned(r.Old), New: cloned(r.New)})
	}
	return out
}

// cloned keeps appends to a row from writing into its neighbour's pieces.
func cloned(p []prose.Piece) []prose.Piece { return p[:len(p):len(p)] }

// cell is the class of one side of a row.
func (r TextRow) cell(side string, pieces []prose.Piece, i, n int) []string {
	c := []string{side}
	if r.Same {
		c = append(c, "same")
	}
	if pieces == nil {
		c = append(c, "none")
	}
	if i == 0 {
		c = append(c, "first")
	}
	if i == n-1 {
		c = append(c, "last")
	}
	return c
}

// Pair is a short value before and after. Where both sides are the same, only
// Both is set; a side that has none is nil.
type Pair struct {
	Old, New prose.Visible
	Both     prose.Visible
}

// Differs reports whether the value changed.
func (p Pair) Differs() bool { return p.Old != nil || p.New != nil }

// none reports whether there is no value on either side.
func (p Pair) none() bool { return len(p.Old) == 0 && len(p.New) == 0 && len(p.Both) == 0 }

// PairUp makes a Pair of two values; "" is none.
func PairUp(old, new string) Pair {
	if old == new {
		return Pair{Both: ShowName(new)}
	}
	var p Pair
	if old != "" {
		p.Old = ShowName(old)
	}
	if new != "" {
		p.New = ShowName(new)
	}
	return p
}
