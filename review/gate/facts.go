package gate

import (
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// Facts are everything that an answer depends on.
type Facts struct {
	Policy  Policy
	Engine  string // version of the rules that classed the changes
	URL     string // of the release page
	Listing Listing

	Version string // that was asked for, "" for none: where nothing is known of the listing

	// ReleasedAs is the title of the release that this listing is released as, ""
	// while it is not. What asked for a person then has its answer: only a
	// rejection can still block.
	ReleasedAs string
	// Withdrawn is why the candidate's release was taken back, "" when it was not.
	Withdrawn string
	// Superseded is what overtook the candidate and how it comes back, "" when nothing
	// did: such a version can't be released.
	Superseded string
	// Outdated is which newer push of its version took the candidate's place, "" for none:
	// only the newest can be released.
	Outdated string
	// Base is the title of the gate base, "" when there is none.
	Base   string
	BaseAt time.Time // when the base was released

	Subjects []Subject
	Matters  [][]string // ids of the changes that one answer can cover, for each such answer
	Verdicts []Verdict  // oldest first; revoked ones left out
	Problems []Problem  // of level error
	Threads  []Thread   // open ones that block
	Alarms   []Alarm
	Baseline Baseline
	Findings []Finding // that are about no subject, and nobody waived
	People   []Person  // who may decide on this server
	Authors  []string  // ids of the people who wrote or pushed the candidate
	Measured Measured  // what the limits of the policy are held against

	Now       time.Time  // what expires is measured against it
	Overrides []Override // of exactly this listing, oldest first; ended ones left out
}

// Listing is what is known of the candidate as a whole.
type Listing struct {
	Known    bool // a listing with this digest was pushed
	Kind     surface.Kind
	Complete bool
	Emptied  bool // it has no tools, the base has some, and nobody confirmed it
	Analysed bool
	At       time.Time // when it was received
}

// Subject is a tool of the candidate, a tool that is gone from it, its
// instructions or its order.
type Subject struct {
	Subject  change.Subject
	Name     string // of a tool, as received
	Position int    // in the candidate, 0 when it is gone or not a tool
	From     surface.Hash
	To       surface.Hash
	Kind     change.Kind // "" when it is as in the base
	Class    change.Class
	Change   string   // id of the change
	URL      string   // of the place where it is shown
	Hidden   bool     // hidden characters came in
	Findings Findings // on the candidate's side

	FromName    string // of a renamed tool, in the base
	Family      string // of a tool, where the policy asks
	FromFamily  string // of a renamed tool, by its name in the base
	Destructive bool   // the candidate's tool says that it destroys
	Default     bool   // all that breaks is that properties with a default became required

	Released Release
	Baseline bool // the accepted baseline holds these bytes
	Alone    bool // an author's own answer is what the base, or the release itself, has it by
}

// Release says where a digest was released before and still stands.
type Release struct {
	Title string // "" for nowhere
	At    time.Time
	Alone bool // by an author's own answer
}

// Alarm says that a release, which the candidate is or is compared with, stood on
// answers that were taken back, and that nobody looked into it yet.
type Alarm struct {
	Release string // title
	Why     string
	At      time.Time
	URL     string // of the release page
}

// Finding is what a rule found.
type Finding struct {
	Rule     string
	Severity lint.Severity
	Old      bool   // the base had it
	Waits    string // id of who accepted it, which waits for a second person; "" for nobody
	URL      string // of the place where it is shown
}

// Findings sum up what rules found in a subject and nobody waived. The zero value
// is nothing.
type Findings struct {
	Rule    string        // that gave the strongest
	Worst   lint.Severity // "" for none
	NewRule string        // that gave the strongest of those that the base did not have
	New     lint.Severity // "" for none

	Waits, NewWaits string // ids of who accepted these two, see [Finding]
}

// With adds a finding. waits is who accepted it, where that waits for a second person; ""
// for nobody. Of two of one severity the one that nobody accepted is named.
func (f Findings) With(rule string, s lint.Severity, isNew bool, waits string) Findings {
	if stronger(s, waits, f.Worst, f.Waits) {
		f.Rule, f.Worst, f.Waits = rule, s, waits
	}
	if isNew && stronger(s, waits, f.New, f.NewWaits) {
		f.NewRule, f.New, f.NewWaits = rule, s, waits
	}
	return f
}

func stronger(s lint.Severity, waits string, than lint.Severity, thanWaits string) bool {
	return s.Rank() > than.Rank() || s.Rank() == than.Rank() && s != "" && waits == "" && thanWaits != ""
}

// High reports whether something of severity high or critical came in.
func (f Findings) High() bool { return f.New.Rank() >= lint.High.Rank() }

// asksSomebody reports whether something came in that no rule may let pass. Severity
// info says what could be better, and that a text changed at all: it asks nobody.
func (f Findings) asksSomebody() bool { return f.New.Rank() >= lint.Warn.Rank() }

// removal reports whether the subject is gone.
func (s *Subject) removal() bool { return s.Kind == change.Removed || s.Kind != "" && s.To.IsZero() }

// transition reports whether the step from base to candidate needs an answer of
// its own.
func (s *Subject) transition() bool {
	return s.Kind != "" && !s.removal() && !s.From.IsZero() && breaks(s.Class)
}

// breaks treats a class that this version does not know as breaking.
func breaks(c change.Class) bool { return c == change.Breaking || c.Rank() < 0 }

// VerdictKind is a person's answer.
type VerdictKind string

// The answers. Withdraw takes the person's own earlier answer back.
const (
	Approve  VerdictKind = "approve"
	Reject   VerdictKind = "reject"
	Withdraw VerdictKind = "withdraw"
)

// Verdict is one answer of a person to a change, or to one edit of it.
type Verdict struct {
	ID       string
	Subject  change.Subject
	Name     string
	From     surface.Hash
	To       surface.Hash
	Edit     string // "" for the whole change
	Kind     VerdictKind
	Note     string
	Person   string // id
	Label    string
	Own      bool // given on what the person wrote or pushed
	Shell    bool // by a token that was made on the command line
	Evidence []Trial
	At       time.Time
	Ended    *Ending // an approval of a removal that is over, nil while it counts
}

// kind is what the verdict is worth: an approval that is over is as good as one that
// was taken back.
func (v *Verdict) kind() VerdictKind {
	if v.Ended != nil {
		return Withdraw
	}
	return v.Kind
}

// Ending says what ended the approval of a removal.
type Ending struct {
	How      EndingKind `json:"how"`
	Title    string     `json:"title"`              // of the release that did
	Revision int        `json:"revision,omitempty"` // of that release
}

// EndingKind is how the approval of a removal ends.
type EndingKind string

// The ways. The zero value is none of them: from before this was kept.
const (
	EndedByRelease EndingKind = "released without it" // used up
	EndedByReturn  EndingKind = "released with it"
	EndedByPush    EndingKind = "pushed with it" // ends it in that version alone
)

// Person is somebody who could decide, or did.
type Person struct {
	ID         string
	Label      string
	Email      string
	InvitedBy  string // id, "" when nobody invited them
	Since      time.Time
	Decides    bool // is active and has the role
	Maintainer bool // is active and has the role
	Left       bool // has no role that decides any more, or is disabled
}

// Problem is an error in the candidate, of one tool or (Position 0) of the whole.
type Problem struct {
	Position     int
	Tool         string
	Code         string
	Message      string
	Acknowledged bool   // by the baseline, for these very bytes
	URL          string // of the place where it is shown
}

// Thread is a conversation that blocks while it is open.
type Thread struct {
	ID       string
	Tool     string // "" for the release
	OpenedBy string // id
	URL      string
}

// Baseline says who accepted the profile's starting point, and whether it can
// still be done.
type Baseline struct {
	Open bool // nothing was accepted or released yet
	By   string
	ByID string
	At   time.Time
}
