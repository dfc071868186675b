package views

import (
	"github.com/a-h/templ"

	"github.com/countersign/countersign/review/prose"
)

// DraftBox is where what is typed into a form is kept before it is sent. The zero
// value keeps nothing.
type DraftBox struct {
	URL     string          // takes the form as it stands
	Kept    string          // "REVISION TARGET" of what the form shows
	Copies  []prose.Visible // typed into other pages at the same time, and kept beside it
	DeskURL string          // where all drafts are, "" where the page shows them itself
	Left    *When           // when the form was left as it is shown, nil when it was not
	DropURL string          // lets go of what was left
}

// attributes let a script find the form.
func (d DraftBox) attributes() templ.Attributes {
	if d.URL == "" {
		return nil
	}
	return templ.Attributes{"data-draft": d.URL}
}
