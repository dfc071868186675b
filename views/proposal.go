package views

import "github.com/countersign/countersign/review/prose"

// ProposalLine is something that waits for a second person.
type ProposalLine struct {
	ID     string
	Server prose.Visible // nil: every server
	Says   prose.Visible
	Note   prose.Visible
	By     prose.Visible
	When   When
	Cannot string // why one can't agree
	Refuse string // what the button says: "Refuse" or "Take it back"
}
