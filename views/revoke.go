package views

import "github.com/countersign/countersign/review/prose"

// RevokePage takes back what an account answered since a moment, after it showed what
// that hits.
type RevokePage struct {
	Page
	Who      prose.Visible
	URL      string
	Since    string // as a field of a browser has it
	Reason   string // typed before, kept
	Fault    Sentence
	Hits     string // "12 answers and 1 override."
	Empty    bool
	Released []NameLink // that would raise an alarm
}
