package gate

import (
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lint"
)

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
// version; the latest applies, but see [Effective]. The zero value of every field
// but Preset asks what the preset does.
type Policy struct {
	Preset  Preset       `json:"preset" yaml:"preset"`
	Version int          `json:"version" yaml:"-"`                       // from 1
	Lines   map[Row]Line `json:"lines,omitempty" yaml:"lines,omitempty"` // where they differ from the preset

	Owners   []OwnerRule         `json:"owners,omitempty" yaml:"owners,omitempty"`
	Teams    map[string][]string `json:"teams,omitempty" yaml:"teams,omitempty"`       // addresses by team
	Families map[string][]string `json:"families,omitempty" yaml:"families,omitempty"` // name patterns by family

	AllThreads          bool `json:"all_threads_block,omitempty" yaml:"all_threads_block"`             // not only those that were opened to block
	Order               bool `json:"order_asks,omitempty" yaml:"order_asks"`                           // a new order of the list needs an approval
	RequiredWithDefault bool `json:"required_with_default,omitempty" yaml:"required_with_default"`     // a property that became required and has a default asks what behaviour asks
	DestructiveDays     int  `json:"destructive_expiry_days,omitempty" yaml:"destructive_expiry_days"` // how long approvals of destructive tools count before their release; 0 is for ever
	NoShellTokens       bool `json:"no_shell_tokens,omitempty" yaml:"no_shell_tokens"`                 // approvals by review tokens that were made on the command line don't count
	SecondFactor        bool `json:"require_second_factor,omitempty" yaml:"require_second_factor"`     // whoever decides needs a second factor
	BoundDeliveries     bool `json:"bound_deliveries_only,omitempty" yaml:"bound_deliveries_only"`     // signed pushes must bind their query

	// FindingSeverity is the mildest severity at which a finding blocks until somebody
	// accepts it, whether the base had it or not; "" for none.
	FindingSeverity lint.Severity `json:"finding_severity,omitempty" yaml:"finding_severity,omitempty"`

	// Rules overrides by rule, or by family as "desc.*", how findings count: [Off], or a
	// severity. See [Policy.Grade].
	Rules map[string]lint.Severity `json:"rules,omitempty" yaml:"rules,omitempty"`
	// Floors is the least at which findings of a rule count. No author writes it: it is
	// what [Strictest] leaves of an override that another policy does not have.
	Floors map[string]lint.Severity `json:"-" yaml:"-"`

	// LoosenedAt is when a version that asks for less came into force last. Releases
	// that were open then are judged by [Effective].
	LoosenedAt time.Time `json:"loosened_at,omitzero" yaml:"-"`

	Limits Limits `json:"limits,omitzero" yaml:"limits,omitempty"`
}

// Line is what a policy asks for one kind of change.
type Line struct {
	Approvals int  `json:"approvals" yaml:"approvals"`     // persons who must approve
	Owner     bool `json:"owner,omitempty" yaml:"owner"`   // owners must be among them; where none is named, everyone who decides is one
	Reason    bool `json:"reason,omitempty" yaml:"reason"` // an approval counts with a note only
	Self      bool `json:"self,omitempty" yaml:"self"`     // the author's own approval counts, and is marked
	Rule      bool `json:"rule,omitempty" yaml:"rule"`     // passes without a person where the old side stands
	Block     bool `json:"block,omitempty" yaml:"block"`   // can't be approved at all
}

// Row is the part of a policy that tells kinds of change apart.
type Row string

// The rows.
const (
	RowSame      Row = "equal"     // equal by rule
	RowWording   Row = "wording"   // text and compatible
	RowBehaviour Row = "behaviour" // behaviour, undecided and new
	RowBreaking  Row = "breaking"  // breaking and removed
	RowHidden    Row = "hidden"    // hidden characters came in
	RowFinding   Row = "findings"  // findings of severity high or critical came in
)

// Rows lists the rows, the mildest first.
var Rows = []Row{RowSame, RowWording, RowBehaviour, RowBreaking, RowHidden, RowFinding}

// presets is the table of docs/approval.md. Equal by rule passes everywhere: it
// never covers a string that a model reads.
var presets = map[Preset]map[Row]Line{
	JustMe: {
		RowSame:      {Rule: true, Approvals: 1, Self: true},
		RowWording:   {Rule: true, Approvals: 1, Self: true},
		RowBehaviour: {Approvals: 1, Self: true},
		RowBreaking:  {Approvals: 1, Self: true, Reason: true},
		RowHidden:    {Approvals: 1, Self: true, Reason: true},
	},
	Team: {
		RowSame:      {Rule: true, Approvals: 1},
		RowWording:   {Approvals: 1},
		RowBehaviour: {Approvals: 1, Owner: true},
		RowBreaking:  {Approvals: 1, Owner: true, Reason: true},
		RowHidden:    {Approvals: 1, Owner: true, Reason: true},
		RowFinding:   {Approvals: 1, Owner: true, Reason: true},
	},
	NotOurServer: {
		RowSame:      {Rule: true, Approvals: 1},
		RowWording:   {Approvals: 1},
		RowBehaviour: {Approvals: 1},
		RowBreaking:  {Approvals: 1},
		RowHidden:    {Block: true},
		RowFinding:   {Block: true},
	},
}

// Ask is what a policy is asked about.
type Ask struct {
	Class   change.Class
	Removal bool
	Hidden  bool
	Default bool // all that breaks is that properties with a default became required
	High    bool // a finding of severity high or critical came in, and nobody waived it
}

// Line returns what the policy asks for. A finding never makes it ask for less.
func (p Policy) Line(a Ask) Line {
	r := a.row()
	if r == RowBreaking && a.Default && !a.Removal && p.RequiredWithDefault {
		r = RowBehaviour
	}
	line := p.row(r)
	if a.High && !a.Hidden && p.has(RowFinding) {
		return stricter(line, p.row(RowFinding))
	}
	return line
}

// has reports whether the policy says anything of a row. Not every preset asks more
// for findings than for what the class is.
func (p Policy) has(r Row) bool {
	_, set := p.Lines[r]
	_, preset := presets[p.known()][r]
	return set || preset
}

// Row returns what the policy asks for a kind of change, and whether it asks
// anything of it beside what the class of the change asks.
func (p Policy) Row(r Row) (Line, bool) { return p.row(r), p.has(r) }

// row returns what the policy asks for a kind of change; where it says nothing, the
// least that a line can ask.
func (p Policy) row(r Row) Line {
	if l, ok := p.Lines[r]; ok {
		return l
	}
	if l, ok := presets[p.known()][r]; ok {
		return l
	}
	return Line{Approvals: 1, Self: true, Rule: true}
}

// known is the preset, or team for one that this version does not know.
func (p Policy) known() Preset {
	if _, ok := presets[p.Preset]; ok {
		return p.Preset
	}
	return Team
}

// AsksOrder reports whether the order of the list needs an approval.
func (p Policy) AsksOrder() bool { return p.Order }

func (a Ask) row() Row {
	switch {
	case a.Hidden:
		return RowHidden
	case a.Removal:
		return RowBreaking
	}
	switch a.Class {
	case change.None:
		return RowSame
	case change.Text, change.Compatible:
		return RowWording
	case change.Behaviour, change.Undecided:
		return RowBehaviour
	}
	return RowBreaking
}

// SelfReview reports whether the policy counts an author's own answers.
func (p Policy) SelfReview() bool { return p.Line(Ask{Class: change.Behaviour}).Self }
