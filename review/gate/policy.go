package gate

import "github.com/countersign/countersign/review/change"

// Preset answers "Who reviews?", the one question that a policy starts from.
type Preset string

// The presets, by their names on the command line.
const (
	JustMe       Preset = "solo"     // just me
	Team         Preset = "team"     // team
	NotOurServer Preset = "external" // not our server
)

// ParsePreset reads a preset's name.
func ParsePreset(s string) (Preset, bool) {
	_, ok := presets[Preset(s)]
	return Preset(s), ok
}

// Policy says who must decide what, and what blocks. Every edit of it is a new
// version; the latest applies.
type Policy struct {
	Preset  Preset `json:"preset"`
	Version int    `json:"version"` // from 1
	Limits  Limits `json:"limits,omitzero"`
}

// Line is what a policy asks for one kind of change.
type Line struct {
	Approvals int  // persons who must approve
	Owner     bool // an owner must be among them; where none is named, everyone who decides is one
	Reason    bool // an approval counts with a note only
	Self      bool // the author's own approval counts, and is marked
	Rule      bool // passes without a person where the old side stands
	Block     bool // can't be approved at all
}

// row is the part of a policy that tells kinds of change apart.
type row string

const (
	rowSame      row = "none" // equal by rule
	rowWording   row = "text and compatible"
	rowBehaviour row = "behaviour, undecided and new"
	rowBreaking  row = "breaking and removed"
	rowHidden    row = "hidden characters"
	rowFinding   row = "high findings" // a preset without it asks what the class asks
)

// presets is the table of DESIGN section 5. Equal by rule passes everywhere: it
// never covers a string that a model reads.
var presets = map[Preset]map[row]Line{
	JustMe: {
		rowSame:      {Rule: true, Approvals: 1, Self: true},
		rowWording:   {Rule: true, Approvals: 1, Self: true},
		rowBehaviour: {Approvals: 1, Self: true},
		rowBreaking:  {Approvals: 1, Self: true, Reason: true},
		rowHidden:    {Approvals: 1, Self: true, Reason: true},
	},
	Team: {
		rowSame:      {Rule: true, Approvals: 1},
		rowWording:   {Approvals: 1},
		rowBehaviour: {Approvals: 1, Owner: true},
		rowBreaking:  {Approvals: 1, Owner: true, Reason: true},
		rowHidden:    {Approvals: 1, Owner: true, Reason: true},
		rowFinding:   {Approvals: 1, Owner: true, Reason: true},
	},
	NotOurServer: {
		rowSame:      {Rule: true, Approvals: 1},
		rowWording:   {Approvals: 1},
		rowBehaviour: {Approvals: 1},
		rowBreaking:  {Approvals: 1},
		rowHidden:    {Block: true},
		rowFinding:   {Block: true},
	},
}

// Ask is what a policy is asked about.
type Ask struct {
	Class   change.Class
	Removal bool
	Hidden  bool
	High    bool // a finding of severity high or critical came in, and nobody waived it
}

// Line returns what the policy asks for. A preset that this version does not know
// asks what the team preset does.
func (p Policy) Line(a Ask) Line {
	lines := presets[p.known()]
	if line, ok := lines[rowFinding]; ok && a.High && !a.Hidden {
		return line
	}
	return lines[a.row()]
}

// known is the preset, or the one that stands in for what this version does not
// know.
func (p Policy) known() Preset {
	if _, ok := presets[p.Preset]; ok {
		return p.Preset
	}
	return Team
}

// AsksOrder reports whether the order of the list needs an approval. No preset
// does.
func (p Policy) AsksOrder() bool { return false }

func (a Ask) row() row {
	switch {
	case a.Hidden:
		return rowHidden
	case a.Removal:
		return rowBreaking
	}
	switch a.Class {
	case change.None:
		return rowSame
	case change.Text, change.Compatible:
		return rowWording
	case change.Behaviour, change.Undecided:
		return rowBehaviour
	}
	return rowBreaking
}

// SelfReview reports whether the policy counts an author's own answers.
func (p Policy) SelfReview() bool { return p.Line(Ask{Class: change.Behaviour}).Self }
