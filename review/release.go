package review

import (
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// Release is a version of (server, profile) under review. Only released and
// withdrawn are stored; see [ReleaseState] for the derived states.
type Release struct {
	ID          string
	ServerID    string
	Profile     string
	Version     string // "" for a push by ref
	Ref         string // "" for a version
	Predecessor string // version named by the pusher, "" when none
	// PredecessorConfirmedBy is the maintainer who confirmed the named
	// predecessor; until then the gate base is the last released.
	PredecessorConfirmedBy string
	CreatedAt              time.Time
	ReleasedAt             time.Time // zero: not released
	ReleasedBy             string
	ReleasedRevision       int
	ReleasedBaseID         string // release that it was compared with then, "" for none
	WithdrawnAt            time.Time
	WithdrawnBy            string
	WithdrawnReason        string
	WithdrawnForCause      bool
	Head                   Revision // the newest
}

// Title is how people name the release.
func (r *Release) Title() string {
	if r.Version != "" {
		return r.Version
	}
	return r.Ref
}

// ReleaseState is the state that pages and answers show.
type ReleaseState string

// The states. Released and Withdrawn are stored, the others derived.
const (
	StateInReview   ReleaseState = "in review"  // the gate is blocked or undecided
	StateReady      ReleaseState = "ready"      // the gate passes
	StateReleased   ReleaseState = "released"   //
	StateWithdrawn  ReleaseState = "withdrawn"  //
	StateSuperseded ReleaseState = "superseded" // a later push of the profile was released
)

// Revision is one push to a release.
type Revision struct {
	N         int // from 1
	ReleaseID string
	ListingID string
	Digest    surface.Hash
	RawHash   surface.Hash
	PushedAt  time.Time
	PusherID  string // user id of an upload or of a user's token, "" for a machine
	PushedBy  string // label: the user, the token or "webhook"
	TokenID   string
	AuthorID  string // account of the author, "" when unknown
	Author    string // as declared
	Commit    string
	RunURL    string
}

// VerdictKind is a person's answer.
type VerdictKind string

// The answers. Withdraw takes the person's own earlier answer back.
const (
	Approve  VerdictKind = "approve"
	Reject   VerdictKind = "reject"
	Withdraw VerdictKind = "withdraw"
)

// Verdict is a stored answer to one edit of one change, or to the whole change
// when Edit is empty. It is kept by digests, so that it holds for equal bytes in
// whatever release they turn up again. Verdicts are never changed or removed;
// the newest of a person on a (subject, name, from, to, edit) counts.
type Verdict struct {
	ID         string
	ServerID   string
	Profile    string
	ReleaseID  string // where it was given
	Revision   int
	ChangeID   string
	Edit       string // ed_… or "" for the whole change
	Subject    change.Subject
	Name       string       // tool name as received
	From       surface.Hash // zero when added
	To         surface.Hash // zero when removed
	Class      change.Class // of the change when it was decided
	Kind       VerdictKind
	Note       string
	UserID     string
	UserLabel  string // filled in on reading
	TokenID    string
	OwnPush    bool // given by the author or pusher of the revision
	At         time.Time
	UsedUp     bool // a removal's approval is used up at release
	RevokedAt  time.Time
	RevokedWhy string
}

// Baseline accepts the first listing of a profile as starting point.
type Baseline struct {
	ServerID     string
	Profile      string
	ListingID    string
	Digest       surface.Hash
	By           string // user id
	ByLabel      string
	At           time.Time
	Acknowledged []Acknowledgement
}

// Acknowledgement takes note of one tool with problems inside a baseline.
type Acknowledgement struct {
	Position int    `json:"position"`
	Note     string `json:"note"`
}
