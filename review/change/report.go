// Package change pairs two listings of a server and says what every difference
// does to a caller.
//
// # Three levels
//
// A [Change] is what happened to one subject: a tool, the instructions, or the
// order of the list. Its id is made of the subject, its name and the digests on
// both sides, see [ID]. A [Detail] is one difference within a change, at a
// place. Equal details on many tools are one [Edit]; its id is made of the
// canonical values on both sides, see [EditID]. Both ids are functions of the two
// definitions alone: what else stands in the listings never changes them, so an
// answer that was stored for (change, edit) stays findable.
//
// On top of that a [Decision] groups edits that an honest reviewer answers at
// once. Decisions are for reading and counting; nothing is ever stored by them.
//
// # What is compared
//
// Tools are paired by name; tools that share a name stay apart by position. A
// pair whose digests are equal is the same and its definition is never opened, so
// the cost grows with what changed. Of every other pair every field is compared,
// unknown ones included, and every changed leaf is in some detail.
//
// # What is not claimed
//
// A listing that is known to be a part never yields removals: [Report.Partial]
// says so. A schema change that is neither proved nor refuted is undecided. A
// rename that rests on weak evidence is in [Report.Offered] and not among the
// changes.
package change

import (
	"encoding/json"

	"github.com/countersign/countersign/review/surface"
)

// Engine is the version of the rules that make a [Report]. Reports are kept by
// it, so it moves whenever the same two listings could give another report.
const Engine = "5"

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

// The kinds of change. Only the order of the list is moved; [Report.Moved] names
// the tools.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Renamed Kind = "renamed"
	Changed Kind = "changed"
	Moved   Kind = "moved"
)

// Detail is one difference within a change: an edit at a place.
//
// Of a text that changed in several places each place is a detail of its own: Old
// and New are the whole texts, Lost and Gained the passage that this detail is
// about.
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

	Lost   string `json:"lost,omitempty"`   // the passage of a text that is gone
	Gained string `json:"gained,omitempty"` // the passage of a text that is new
	Hidden bool   `json:"hidden,omitempty"` // hidden characters came in here

	// Destroys is set on a new tool that says it may destroy.
	Destroys bool `json:"destroys,omitempty"`

	// Property is the parameter or field that the detail belongs to, written as in
	// the property table ("filter.labels[]"); "" outside of a schema and at its root.
	Property string `json:"property,omitempty"`

	// Defaulted is set when a property became required together with a default, as
	// some generators write it. It breaks callers all the same; a policy may ask
	// less for it.
	Defaulted bool `json:"defaulted,omitempty"`
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

	// Hidden is set when hidden characters came in: such a change is never passed
	// by rule.
	Hidden bool `json:"hidden,omitempty"`
}

// Name returns the name that the change is filed under: of a tool its name, else
// the subject.
func (c *Change) Name() string {
	if c.Tool != nil {
		return *c.Tool
	}
	return string(c.Subject)
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

// Decision is what one answer of a reviewer can cover: one edit on all its tools,
// or several edits that are one matter, such as the removal of a whole family. An
// answer to it is stored edit by edit.
type Decision struct {
	Class    Class    `json:"class"`
	Sentence string   `json:"sentence"`
	Edits    []string `json:"edits"`
	Tools    []string `json:"tools"`
	Changes  []string `json:"changes"`
	Hidden   bool     `json:"hidden,omitempty"`
}

// Counts counts subjects of kind tool. Every tool of either listing is counted
// once; a tool that changed and moved counts as changed.
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

// Bulk is something that happened to a listing as a whole and that must not be
// taken for noise, such as the loss of every parameter description.
type Bulk struct {
	ID       string   `json:"id"`
	Class    Class    `json:"class"`
	Sentence string   `json:"sentence"`
	Count    int      `json:"count"`
	Tools    []string `json:"tools"`
}

// Move is a tool that stands elsewhere among the others, positions from 1.
type Move struct {
	Tool string `json:"tool"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// Report is a whole comparison, from old to new. It is a function of the two
// listings, the options and the engine's version, so it can be kept by them.
type Report struct {
	From            surface.Hash `json:"from"`
	To              surface.Hash `json:"to"`
	Class           Class        `json:"class"`
	Counts          Counts       `json:"counts"`
	CachePrefixKept int          `json:"cache_prefix_kept"` // leading tools with the same bytes
	Changes         []Change     `json:"changes"`
	Edits           []Edit       `json:"edits"`
	Folded          []Fold       `json:"folded"`

	// Partial is set when the new listing is known to be a part of a surface: what
	// is absent from it is then no removal. PartialWhy is one sentence.
	Partial    bool   `json:"partial"`
	PartialWhy string `json:"partial_why,omitempty"`

	Decisions []Decision `json:"decisions"` // strongest first
	Raised    []Bulk     `json:"raised"`
	Offered   []Offer    `json:"offered"`          // pairings for a person to confirm
	Merged    []Offer    `json:"merged,omitempty"` // consolidations that a person confirmed
	Moved     []Move     `json:"moved"`
	Notes     []string   `json:"notes"` // what this comparison could not see
	Bump      Bump       `json:"bump"`
	Engine    string     `json:"engine"` // version of the rules that made this
}
