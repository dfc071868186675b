package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
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
	ReleasedOverride       string   // override that it was released with, "" for none
	ReleasedAside          bool     // a hotfix of an older version: no base but for who names it
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

// vouches reports whether the release can be what others are compared with. One
// that was released by override holds what nobody answered for, so it is no base.
func (r *Release) vouches() bool { return r.released() && r.ReleasedOverride == "" }

// released reports whether the release is released and was not taken back.
func (r *Release) released() bool { return !r.ReleasedAt.IsZero() && r.WithdrawnAt.IsZero() }

func (r *Release) withdrawn() bool { return !r.WithdrawnAt.IsZero() }

// open reports whether the release is still under review.
func (r *Release) open() bool { return r.ReleasedAt.IsZero() && r.WithdrawnAt.IsZero() }

// closed is when the release ceased to be under review, zero while it is.
func (r *Release) closed() time.Time {
	if r.ReleasedAt.IsZero() {
		return r.WithdrawnAt
	}
	return r.ReleasedAt
}

// Line is how far a profile has come: what it released last and did not withdraw since,
// hotfixes of older versions left out.
type Line struct {
	Base   *Release // that vouches, so that what comes next is compared with it; nil for none
	Newest *Release // by override or not, so that what was pushed before it is behind; nil for none
}

// lineOf returns how far a profile has come.
func lineOf(ctx context.Context, tx Tx, key ProfileKey) (Line, error) {
	lines, err := tx.LastReleased(ctx, []ProfileKey{key})
	return lines[key], err
}

// lastReleased returns what the profile released last, nil for nothing.
func lastReleased(ctx context.Context, tx Tx, key ProfileKey) (*Release, error) {
	l, err := lineOf(ctx, tx, key)
	return l.Base, err
}

// pushedLast returns what of the line was pushed last, nil for nothing. That an override
// let a release pass answers nothing of it, but it went out all the same.
func (l Line) pushedLast() *Release {
	if l.Base == nil || l.Newest != nil && l.Newest.Head.PushedAt.After(l.Base.Head.PushedAt) {
		return l.Newest
	}
	return l.Base
}

// releasedLast is when anything of the line was released last.
func (l Line) releasedLast() time.Time {
	if l.Newest == nil {
		return time.Time{}
	}
	return l.Newest.ReleasedAt
}

// supersededBy reports whether something that the profile released was pushed after
// this one, which is open.
func (r *Release) supersededBy(l Line) bool {
	last := l.pushedLast()
	return r.open() && last != nil && last.ID != r.ID && last.Head.PushedAt.After(r.Head.PushedAt)
}

// overtaken says what superseded the release and how it comes back, "" when nothing did.
func (r *Release) overtaken(l Line) string {
	if !r.supersededBy(l) {
		return ""
	}
	return "Superseded by " + l.pushedLast().Title() + ". Push it again to bring it back."
}

// state derives the state that is shown: what is stored comes first, then whether
// a later push overtook it, then what the gate says.
func (r *Release) state(l Line, g gate.Result) ReleaseState {
	switch {
	case r.withdrawn():
		return StateWithdrawn
	case r.released():
		return StateReleased
	case r.supersededBy(l):
		return StateSuperseded
	case g == gate.Pass:
		return StateReady
	}
	return StateInReview
}

// outdated says which newer push of the same version took the candidate's place, "" when
// it is the newest, or what its release was released as.
func (as *assessment) outdated() string {
	r := as.release
	if r.withdrawn() || as.closed() || as.revision.N == r.Head.N || as.revision.Digest == r.Head.Digest { // the last: of the same listing a part arrived since
		return ""
	}
	return r.Title() + " was pushed again since, with the digest " + r.Head.Digest.String() + ". Ask about that one, or push this listing again."
}

func (as *assessment) state() ReleaseState { return as.release.state(as.line, as.Answer.Result) }

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

// ConfirmPredecessor lets the predecessor that the pusher named be the gate base.
// It must be released, of the same profile, and still the one that the actor saw; ""
// stands for whatever is named. Who wrote or pushed the release is kept as author of what
// it changes against that base.
func (s *Service) ConfirmPredecessor(ctx context.Context, a Actor, releaseID, seen string) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Maintainer, func(tx Tx, as *assessment) error {
		r := as.release
		if why, err := noPredecessor(ctx, tx, r); err != nil || why != "" {
			return orConflict(err, why)
		}
		if seen != "" && seen != r.Predecessor {
			return Errorf(Conflict, "The push names %s as predecessor now. Nothing was confirmed; look again.", visible(r.Predecessor))
		}
		r.PredecessorConfirmedBy = a.userID()
		then, err := s.assessOne(ctx, tx, as.candidate, nil)
		if err != nil {
			return err // before anything was written: the comparison comes first
		}
		people, tokens, err := pushers(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		brought := then.authorship(people, tokens)
		if err := tx.InsertAuthors(ctx, brought); err != nil {
			return err
		}
		if err := tx.UpdateRelease(ctx, r); err != nil {
			return err
		}
		facts := predecessorFacts{
			Release: r.Title(), Profile: r.Profile, Predecessor: r.Predecessor,
			Authors: people, Tokens: tokens, Brought: newlyBrought(brought, then.known),
		}
		return s.audit(ctx, tx, a, act{name: "predecessor.confirm", serverID: r.ServerID, subject: r.ID, after: facts})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// noPredecessor says why the named predecessor can't be confirmed, "" when it can.
func noPredecessor(ctx context.Context, tx Tx, r *Release) (string, error) {
	switch {
	case !r.open():
		return r.Title() + " is not under review any more.", nil
	case r.Predecessor == "":
		return "The push named no predecessor.", nil
	case r.PredecessorConfirmedBy != "":
		return "The predecessor is confirmed already.", nil
	}
	rs, err := tx.ReleasesByVersion(ctx, []VersionKey{{ProfileKey{r.ServerID, r.Profile}, r.Predecessor}})
	if err != nil || len(rs) > 0 && rs[0].vouches() {
		return "", err
	}
	if len(rs) == 0 {
		return unknownPredecessor(r), nil
	}
	return "The named predecessor " + r.Predecessor + " is not released in this profile.", nil
}

// unknownPredecessor is the sentence about a predecessor that nobody pushed.
func unknownPredecessor(r *Release) string {
	return fmt.Sprintf("The named predecessor %s is unknown: the profile %s has no version of that name. Name one that is released there, or none.", visible(r.Predecessor), r.Profile)
}

// predecessorNote says why the predecessor that the pusher named is not what an open
// release is compared with for good, and what to do. "" when it is, or none was named.
func (as *assessment) predecessorNote() string {
	r, named := as.release, as.follows
	name := visible(r.Predecessor)
	switch {
	case r.Predecessor == "" || as.closed():
		return ""
	case r.Predecessor == r.Version:
		return fmt.Sprintf("The push names %s as predecessor of itself, so that counts for nothing. Name the version before it, or none.", name)
	case named == nil:
		return unknownPredecessor(r)
	case named.withdrawn():
		return fmt.Sprintf("The named predecessor %s is withdrawn, so it counts for nothing. Name one that is released, or none.", name)
	case named.released() && !named.vouches():
		return fmt.Sprintf("The named predecessor %s was released by override, so nothing is compared with it. Name another, or none.", name)
	case !named.released():
		return fmt.Sprintf("The named predecessor %s counts once it is released and a maintainer confirms it.", name)
	case r.PredecessorConfirmedBy != "":
		return ""
	}
	return fmt.Sprintf("The named predecessor %s counts once a maintainer confirms it.", name)
}

// MarkReleased records that the head, with exactly that digest, was published. The
// gate must pass, here and now. Approvals of removals are used up, and what is
// released vouches for the same bytes later.
func (s *Service) MarkReleased(ctx context.Context, a Actor, releaseID string, digest surface.Hash) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Maintainer, func(tx Tx, as *assessment) error {
		r := as.release
		if why := as.notReleasable(); why != "" {
			return Errorf(Conflict, "%s", why)
		}
		if r.Head.Digest != digest {
			return Errorf(Conflict, "The listing changed while you read: its digest is %s now. Nothing was released; look again.", r.Head.Digest)
		}
		before := as.state()
		r.ReleasedAt, r.ReleasedBy, r.ReleasedRevision = s.after(as.line.releasedLast()), a.userID(), as.revision.N
		if as.base != nil {
			r.ReleasedBaseID, r.ReleasedAside = as.base.ID, as.aside()
		}
		if len(as.Overrides) > 0 {
			return s.releaseByOverride(ctx, tx, a, as, before)
		}
		if err := tx.UpdateRelease(ctx, r); err != nil {
			return err
		}
		if err := as.keepGrounds(ctx, tx); err != nil {
			return err
		}
		holds := as.subjectKeys()
		if err := tx.InsertReleased(ctx, r.ServerID, r.Profile, r.ID, holds); err != nil {
			return err
		}
		used, err := as.endByRelease(ctx, tx)
		if err != nil {
			return err
		}
		facts := as.evidence()
		facts["used_up"], facts["holds"] = used, holdingOf(holds)
		if err := s.closed(ctx, tx, a, as, "released"); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "release.release", serverID: r.ServerID, subject: r.ID, before: before, after: facts, kept: leaving(r, as.stood)})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// notReleasable says why the head can't be released, "" when it can.
func (as *assessment) notReleasable() string {
	r := as.release
	switch overtaken := r.overtaken(as.line); {
	case overtaken != "":
		return overtaken
	case r.withdrawn():
		return r.Title() + " is withdrawn. Push a new version."
	case !r.open():
		return r.Title() + " is released already."
	case r.Version == "":
		return "This push has no version. Push it with one to release it; its approvals hold."
	case as.Answer.Result != gate.Pass:
		return as.Answer.Why
	}
	return ""
}

// aside reports whether the release leaves the line of its profile where it is: a
// hotfix of an older version doesn't overtake what waits on the line, nor is that
// compared with the hotfix.
func (as *assessment) aside() bool {
	return as.base != nil && as.line.Base != nil && as.base.ID != as.line.Base.ID
}

// evidence is what the audit keeps of a release: on what the pass stood.
func (as *assessment) evidence() map[string]any {
	return map[string]any{
		"release": as.release.Title(), "revision": as.revision.N, "digest": as.revision.Digest, "override": as.release.ReleasedOverride,
		"policy": as.server.Policy, "engine": change.Engine,
		"base": as.release.ReleasedBaseID, "why": as.Answer.Why, "independent": as.Answer.Independent,
	}
}

// subjectKeys lists the bytes that the candidate holds.
func (as *assessment) subjectKeys() []SubjectKey {
	keys := []SubjectKey{{Subject: subjectListing, Digest: as.revision.Digest}}
	for _, t := range as.candidate.tools {
		keys = append(keys, SubjectKey{change.SubjectTool, t.Name, t.Digest})
	}
	if h := as.outline.Instructions; !h.IsZero() {
		keys = append(keys, SubjectKey{Subject: change.SubjectInstructions, Digest: h})
	}
	return append(keys, SubjectKey{Subject: change.SubjectOrder, Digest: as.outline.Order})
}

// WithdrawRelease takes a released or open release back. For cause, it rejects what
// the release introduced, so that the same bytes are blocked wherever they turn up.
func (s *Service) WithdrawRelease(ctx context.Context, a Actor, releaseID, reason string, forCause bool) (*ReleaseView, error) {
	if reason = strings.TrimSpace(reason); prose.Blank(reason) || !keepable(reason, maxNote) {
		return nil, Errorf(Invalid, "Write why it is withdrawn, in at most 64 KiB of text.")
	}
	err := s.acting(ctx, a, releaseID, people.Maintainer, func(tx Tx, as *assessment) error {
		r := as.release
		if r.withdrawn() {
			return Errorf(Conflict, "%s is withdrawn already.", r.Title())
		}
		before := as.state()
		r.WithdrawnAt, r.WithdrawnBy, r.WithdrawnReason, r.WithdrawnForCause = s.now(), a.userID(), reason, forCause
		if err := tx.UpdateRelease(ctx, r); err != nil {
			return err
		}
		rejected, kept := []*verdictFacts{}, []any{}
		if forCause {
			var err error
			if rejected, kept, err = s.rejectIntroduced(ctx, tx, a, as, reason); err != nil {
				return err
			}
		}
		if err := s.closed(ctx, tx, a, as, "withdrew"); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "release.withdraw", serverID: r.ServerID, subject: r.ID, before: before,
			after: map[string]any{"release": r.Title(), "reason": reason, "for_cause": forCause, "rejected": rejected},
			kept:  leaving(append(kept, r)...),
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// rejectIntroduced rejects the bytes that the release, which is withdrawn by now,
// brought and no other release that stands has: what those hold was there without it.
// It returns what the audit keeps of that, and the verdicts.
func (s *Service) rejectIntroduced(ctx context.Context, tx Tx, a Actor, as *assessment, reason string) ([]*verdictFacts, []any, error) {
	r, err := fullReport(ctx, tx, as.pair)
	if err != nil {
		return nil, nil, err
	}
	held, err := heldElsewhere(ctx, tx, as, r)
	if err != nil {
		return nil, nil, err
	}
	d, said := newDecision(s, a, as, r), []*verdictFacts{}
	for i := range r.Changes {
		c := &r.Changes[i]
		if !c.To.IsZero() && c.Subject != change.SubjectOrder && !held[bytesKey{c.Subject, c.To}] {
			d.add(c, "", Reject, "Withdrawn for cause: "+reason, nil)
			said = append(said, d.facts(c, d.verdicts[len(d.verdicts)-1:]))
		}
	}
	return said, pointers(d.verdicts), tx.InsertVerdicts(ctx, d.verdicts)
}

// heldElsewhere says which of the bytes that a report leads to stand in a release of the
// profile.
func heldElsewhere(ctx context.Context, tx Tx, as *assessment, r *change.Report) (map[bytesKey]bool, error) {
	var digests []surface.Hash
	for i := range r.Changes {
		if to := r.Changes[i].To; !to.IsZero() {
			digests = append(digests, to)
		}
	}
	subjects, err := tx.Released(ctx, []ProfileKey{as.profile()}, digests)
	held := map[bytesKey]bool{}
	for _, h := range subjects {
		held[bytesKey{h.Subject, h.Digest}] = true
	}
	return held, err
}
