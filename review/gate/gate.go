// Package gate answers one question: may this listing be published? Facts go
// in, an [Answer] comes out. It is pure, so that the page, the API and a test
// get the same answer from the same facts.
package gate

import "github.com/countersign/countersign/review/change"

// Result is the gate's one word.
type Result string

// The results. Only Pass lets a release through; everything else fails closed.
const (
	Pass      Result = "pass"
	Blocked   Result = "blocked"
	Undecided Result = "undecided"
	Error     Result = "error"
)

// State is where a requirement stands.
type State string

// The states.
const (
	Open          State = "open"
	Satisfied     State = "satisfied"
	Overridden    State = "overridden"
	NotApplicable State = "not applicable"
)

// Requirement is one line of the answer: one subject, what it needs, and who can
// give it.
type Requirement struct {
	ID     string       `json:"id"` // such as "approval:entity_get"
	State  State        `json:"state"`
	Why    string       `json:"why"`
	WhoCan []string     `json:"who_can"`
	URL    string       `json:"url"`
	Change string       `json:"change,omitempty"` // ch_… that it is about
	Class  change.Class `json:"class,omitempty"`
}

// Answer is what the gate says of one listing.
type Answer struct {
	Result       Result        `json:"gate"`
	Why          string        `json:"why"` // one sentence for a person, see WORDS
	Requirements []Requirement `json:"requirements"`
	Independent  bool          `json:"independent"` // false: an author's own approval counted
}

// Preset answers "Who reviews?", the one question that a policy starts from.
type Preset string

// The presets, by their names on the command line.
const (
	JustMe       Preset = "solo"     // just me
	Team         Preset = "team"     // team
	NotOurServer Preset = "external" // not our server
)

// Policy says who must decide what, and what blocks. Every edit of it is a new
// version; the latest applies.
type Policy struct {
	Preset  Preset `json:"preset"`
	Version int    `json:"version"` // from 1
}
