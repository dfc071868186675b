// Package change pairs two listings of a server and says what every difference
// does to a caller.
package change

import (
	"encoding/json"

	"github.com/countersign/countersign/review/surface"
)

// Class is what a difference does to callers, weakest first.
type Class string

// The classes. Their order of strength is that of [Class.Rank].
const (
	None       Class = "none"
	Compatible Class = "compatible"
	Text       Class = "text"
	Behaviour  Class = "behaviour"
	Undecided  Class = "undecided"
	Breaking   Class = "breaking"
)

var ranks = map[Class]int{None: 0, Compatible: 1, Text: 2, Behaviour: 3, Undecided: 4, Breaking: 5}

// Rank orders classes by strength: none is 0, breaking is 5, an unknown class -1.
func (c Class) Rank() int {
	if r, ok := ranks[c]; ok {
		return r
	}
	return -1
}

// Max returns the stronger class.
func Max(a, b Class) Class {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// Subject is what a change happens to.
type Subject string

// The subjects.
const (
	SubjectTool         Subject = "tool"
	SubjectInstructions Subject = "instructions"
	SubjectOrder        Subject = "order"
)

// Kind is what happened to a subject.
type Kind string

// The kinds of change.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Renamed Kind = "renamed"
	Changed Kind = "changed"
	Moved   Kind = "moved"
)

// Detail is one difference within a change: an edit at a place.
type Detail struct {
	ID        string          `json:"id"`        // stable, noun.verb, see docs/changes.md
	Edit      string          `json:"edit"`      // ed_…: equal details on other tools share it
	Direction string          `json:"direction"` // input, output, or "" where neither
	Class     Class           `json:"class"`
	Pointer   string          `json:"pointer"` // RFC 6901, within the tool
	Old       json.RawMessage `json:"old"`     // as received, null when absent
	New       json.RawMessage `json:"new"`
	Sentence  string          `json:"sentence"` // one plain sentence for a person
	Witness   json.RawMessage `json:"witness"`  // arguments accepted before, rejected now; or null
	Effect    *string         `json:"effect"`   // what happens instead of a rejection
	Note      *string         `json:"note"`     // strict reading, or why undecided
}

// Change is what happened to one subject between two listings. Its ID is a
// function of (Subject, name, From, To) and of FromTool for a rename: see [ID].
type Change struct {
	ID         string       `json:"id"`
	Subject    Subject      `json:"subject"`
	Tool       *string      `json:"tool"`      // name in the new listing; of a removed tool the old one
	FromTool   *string      `json:"from_tool"` // old name of a renamed tool
	From       surface.Hash `json:"from"`      // zero: null in JSON
	To         surface.Hash `json:"to"`
	Kind       Kind         `json:"kind"`
	Class      Class        `json:"class"`
	Confidence *float64     `json:"confidence"` // of a rename's pairing
	Details    []Detail     `json:"details"`

	// Positions in the old and new listing, from 1; 0 where there is none.
	OldPosition int `json:"old_position,omitempty"`
	NewPosition int `json:"new_position,omitempty"`
}

// Edit is one distinct detail with every tool that carries it.
type Edit struct {
	Edit     string   `json:"edit"`
	ID       string   `json:"id"`
	Class    Class    `json:"class"`
	Sentence string   `json:"sentence"`
	Tools    []string `json:"tools"`
	Changes  []string `json:"changes"` // ids of the changes that carry it, same order as Tools
}

// Counts counts subjects of kind tool.
type Counts struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Renamed int `json:"renamed"`
	Changed int `json:"changed"`
	Moved   int `json:"moved"`
	Same    int `json:"same"`
}

// Fold is noise that was folded away, with how many tools carry it.
type Fold struct {
	ID    string `json:"id"`
	Tools int    `json:"tools"`
}

// Report is a whole comparison, from old to new. It is a function of the two
// listings and the engine's version, so it can be kept by (From, To, Engine).
type Report struct {
	From            surface.Hash `json:"from"`
	To              surface.Hash `json:"to"`
	Class           Class        `json:"class"`
	Counts          Counts       `json:"counts"`
	CachePrefixKept int          `json:"cache_prefix_kept"` // leading tools with the same bytes
	Changes         []Change     `json:"changes"`
	Edits           []Edit       `json:"edits"`
	Folded          []Fold       `json:"folded"`
	Engine          string       `json:"engine"` // version of the rules that made this
}
