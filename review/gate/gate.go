// Package gate answers one question: may this listing be published? [Facts] go
// in, an [Outcome] comes out. It is pure, so that the page, the API and a test
// get the same answer from the same facts, on any machine, at any time.
//
// # What must be answered
//
// Every subject that differs from the gate base, and every one that somebody
// rejected, is one [Requirement]. Two things can be asked of it.
//
//   - Content: the bytes on the new side. Answered by people who approved these
//     bytes (from whatever base they came), by an accepted baseline, by an earlier
//     release that still stands, or by a rule. One active rejection unmakes all.
//   - Transition: the step from one digest to another, where it breaks callers.
//     Only an approval of exactly that step answers it, whoever approved the bytes.
//
// A removal is keyed by the name and the digest that is gone. The rest blocks
// until it is put right: tools with errors that no baseline acknowledged, two
// tools of one name among them, and threads that were opened to block.
//
// # Failing closed
//
// What can't be judged (an unknown digest, a part of a listing, a capture, a
// missing analysis) is undecided, never passed. A base tool that no change
// accounts for is a removal. An unknown class is treated as breaking.
package gate

import (
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

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

// Approval is one answer that was counted: by a person, a rule, a baseline or an
// earlier release.
type Approval struct {
	Tool   string       `json:"tool"` // or "instructions", "order"
	Digest surface.Hash `json:"digest"`
	Kind   change.Kind  `json:"kind,omitempty"` // "removed": what was approved is that the digest is gone
	By     string       `json:"by"`             // a person's label, or "rule …", "baseline by …", "release 1.7.0"
	At     time.Time    `json:"at"`
	Note   string       `json:"note"`

	Independent bool    `json:"independent"` // false: on the giver's own push
	Evidence    []Trial `json:"evidence,omitempty"`
}

// Trial is what somebody tried before they approved: evidence for others to weigh,
// which the gate counts for nothing.
type Trial struct {
	Prompt  string `json:"prompt"`            // what was asked of the model
	Host    string `json:"host,omitempty"`    // in which program, such as claude-code 2.1
	Outcome string `json:"outcome,omitempty"` // what it did
}

// Outcome is the answer with the evidence for it.
type Outcome struct {
	Answer    Answer
	Approvals []Approval // in order of the subjects
	Turn      []string   // ids of the people who can take an open decision
	Overrides []Override // that cover something, oldest first
	Barred    []string   // what came in that the policy lets nobody approve, by name of the subject
}
