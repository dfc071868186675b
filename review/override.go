package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// Override lets one listing pass for a while although requirements are open. It
// names the digest, the requirements and the version of the policy that it is
// about, and counts for nothing else. It approves nothing: what was released by it
// is no base and vouches for no bytes.
type Override struct {
	ID           string
	ServerID     string
	Profile      string
	ReleaseID    string // where it was given
	Digest       surface.Hash
	Policy       int // version
	Requirements []string
	Reason       string
	UserID       string
	UserLabel    string // filled in on reading
	At           time.Time
	Until        time.Time
	EndedAt      time.Time // ended before its time
	EndedBy      string    // label
}

// Permission is something that a person may do on a server besides what their role
// says.
type Permission string

// MayOverride lets a person override there. Administrators may without.
const MayOverride Permission = "override"

// Grant gives a person a permission on a server.
type Grant struct {
	UserID     string
	ServerID   string
	Permission Permission
	GrantedBy  string // label
	At         time.Time
}

// MaxAlarms is how many alarms a list shows.
const MaxAlarms = 100

// Alarm says that a release no longer stands on what it was released on.
type Alarm struct {
	ID        string    `json:"-"`
	ServerID  string    `json:"-"`
	ReleaseID string    `json:"-"`
	Why       string    `json:"why"`
	At        time.Time `json:"at"`
	ClearedAt time.Time `json:"-"`
	ClearedBy string    `json:"-"`
}

// OverrideStore keeps overrides, who may give them, and alarms.
type OverrideStore interface {
	InsertOverride(ctx context.Context, o *Override) error
	// OverridesOn returns the overrides of any of the profiles on the digests, oldest
	// first, with user labels, ended ones too.
	OverridesOn(ctx context.Context, profiles []ProfileKey, digests []surface.Hash) ([]Override, error)
	// EndOverrides ends those of ids that have not ended.
	EndOverrides(ctx context.Context, ids []string, at time.Time, by string) error
	// OverridesOfUser returns what a person overrode since a time, oldest first.
	OverridesOfUser(ctx context.Context, userID string, since time.Time) ([]Override, error)

	PutGrant(ctx context.Context, g *Grant) error // the same again changes nothing
	DeleteGrant(ctx context.Context, g *Grant) error
	// Grants returns those on a server, "" for all, by user.
	Grants(ctx context.Context, serverID string) ([]Grant, error)

	// VerdictsOfUser returns what a person answered since a time and was not revoked,
	// oldest first.
	VerdictsOfUser(ctx context.Context, userID string, since time.Time) ([]Verdict, error)

	InsertAlarms(ctx context.Context, as []Alarm) error
	// Alarms returns those of the releases that nobody cleared, oldest first.
	Alarms(ctx context.Context, releaseIDs []string) ([]Alarm, error)
	// AlarmsOf returns those of servers that nobody cleared, newest first, at most
	// MaxAlarms.
	AlarmsOf(ctx context.Context, serverIDs []string) ([]Alarm, error)
	ClearAlarms(ctx context.Context, releaseID string, at time.Time, by string) error
}

// NewOverride is an override to give. Digest and policy version say what its giver
// saw; where either moved, nothing is stored.
type NewOverride struct {
	Digest       surface.Hash
	Policy       int
	Requirements []string // nil: all that are open
	Reason       string
	For          time.Duration // 0 is as long as it can be
}

// Override lets the head of a release pass for a while. Forbidden to who wrote or
// pushed it, and to who has not the permission; Conflict when the listing or the
// policy moved, when nothing is open, or when the listing can't be judged at all.
func (s *Service) Override(ctx context.Context, a Actor, releaseID string, n NewOverride) (*ReleaseView, error) {
	n.Reason = strings.TrimSpace(n.Reason)
	if err := n.check(); err != nil {
		return nil, err
	}
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if err := mayOverride(ctx, tx, a, as); err != nil {
			return err
		}
		if err := as.overridable(n); err != nil {
			return err
		}
		o := &Override{
			ID: newID(), ServerID: as.server.ID, Profile: as.release.Profile, ReleaseID: as.release.ID, Digest: n.Digest,
			Policy: n.Policy, Requirements: n.Requirements, Reason: n.Reason, UserID: a.userID(), At: s.now(),
		}
		if o.Requirements == nil {
			o.Requirements = as.openRequirements()
		}
		o.Until = o.At.Add(n.For)
		if err := tx.InsertOverride(ctx, o); err != nil {
			return err
		}
		err := s.audit(ctx, tx, a, act{
			name: "release.override", serverID: o.ServerID, subject: o.ReleaseID,
			after: map[string]any{"id": o.ID, "release": as.release.Title(), "profile": o.Profile, "digest": o.Digest, "policy": o.Policy, "requirements": o.Requirements, "reason": o.Reason, "until": o.Until},
			kept:  leaving(o),
		})
		if err != nil {
			return err
		}
		return s.tellOverride(ctx, tx, a, as, o)
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

func (n *NewOverride) check() error {
	if n.For == 0 {
		n.For = gate.DefaultOverride
	}
	switch {
	case n.Digest.IsZero():
		return Errorf(Invalid, "Name the digest that you override for: sha256: and 64 hex digits.")
	case n.Policy < 1:
		return Errorf(Invalid, "Name the policy's version that you saw, as policy_version.")
	case prose.Blank(n.Reason) || utf8.RuneCountInString(n.Reason) < gate.MinReason:
		return Errorf(Invalid, "Write why, in at least %d characters: everybody who asks the gate will read it.", gate.MinReason)
	case !keepable(n.Reason, maxNote):
		return Errorf(Invalid, "The reason must be text of at most 64 KiB.")
	case n.For < time.Hour || n.For > gate.MaxOverride:
		return Errorf(Invalid, "An override holds for an hour to seven days.")
	}
	return nil
}

// tellOverride tells everybody who decides on the server, the authors and the
// followers: whoever could have answered should know that nobody had to.
func (s *Service) tellOverride(ctx context.Context, tx Tx, a Actor, as *assessment, o *Override) error {
	sp, err := s.newSpeech(ctx, tx, a, as)
	if err != nil {
		return err
	}
	for _, p := range as.facts.People {
		if p.Decides {
			sp.tell(p.ID, NoticeOverride)
		}
	}
	for _, id := range as.authors {
		sp.tell(id, NoticeOverride)
	}
	sp.tellFollowers(NoticeOverride)
	return sp.end(fmt.Sprintf("let %s %s pass without approval until %s: '%s'", as.server.Name, as.release.Title(), day(o.Until), o.Reason))
}

// Says tells of an override in one sentence. open is how many requirements wait
// still.
func (o *OverrideInForce) Says(open int) string {
	said := fmt.Sprintf("%s let this pass without approval until %s: '%s'.", o.By, o.Until.UTC().Format("2 January, 15:04 UTC"), strings.TrimSuffix(o.Reason, "."))
	switch open {
	case 0:
		return said
	case 1:
		return said + " 1 decision still open."
	}
	return fmt.Sprintf("%s %d decisions still open.", said, open)
}

// overridden counts the requirements that nothing but an override answers.
func (as *assessment) overridden() int {
	n := 0
	for _, r := range as.Answer.Requirements {
		if r.State == gate.Overridden {
			n++
		}
	}
	return n
}

// mayOverride checks the permission of its own that an override takes.
func mayOverride(ctx context.Context, tx Tx, a Actor, as *assessment) error {
	if slices.Contains(as.authors, a.userID()) {
		return Errorf(Forbidden, "You wrote or pushed this, so you can't override for it.")
	}
	if a.Token != nil && slices.Contains(as.tokens, a.Token.ID) {
		return Errorf(Forbidden, "This token pushed the release, so it can't override for it.")
	}
	if a.role(as.server.ID).AtLeast(people.Admin) {
		return nil
	}
	granted, err := tx.Grants(ctx, as.server.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(granted, func(g Grant) bool { return g.UserID == a.userID() && g.Permission == MayOverride }) {
		return nil
	}
	return Errorf(Forbidden, "Only an administrator, or somebody whom one allowed to, can override here.")
}

// overridable checks that the override is about what is there now.
func (as *assessment) overridable(n NewOverride) error {
	r := as.release
	switch {
	case r.withdrawn():
		return Errorf(Conflict, "%s is withdrawn. Push a new version.", r.Title())
	case r.released():
		return Errorf(Conflict, "%s is released already.", r.Title())
	case r.supersededBy(as.line):
		return Errorf(Conflict, "%s", r.overtaken(as.line))
	case as.revision.Digest != n.Digest:
		return Errorf(Conflict, "The listing changed while you read: its digest is %s now. Nothing was overridden; look again.", as.revision.Digest)
	case as.server.Policy.Version != n.Policy:
		return Errorf(Conflict, "The policy changed while you read: its version is %d now. Nothing was overridden; look again.", as.server.Policy.Version)
	case as.Answer.Result == gate.Undecided:
		return Errorf(Conflict, "What can't be judged can't be overridden. %s", as.Answer.Why)
	}
	open := as.openRequirements()
	if len(open) == 0 {
		return Errorf(Conflict, "Nothing is open here, so there is nothing to override.")
	}
	for _, id := range n.Requirements {
		if !slices.Contains(open, id) {
			return Errorf(Conflict, "The requirement %.80q is not open here.", id)
		}
	}
	if n.Requirements != nil && len(n.Requirements) == 0 {
		return Errorf(Invalid, "Name at least one requirement, or leave them out for all that are open.")
	}
	return nil
}

// openRequirements lists what an override can cover.
func (as *assessment) openRequirements() []string {
	ids := []string{}
	for _, r := range as.Answer.Requirements {
		if r.State == gate.Open {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// releaseByOverride records a release that passed by override only. It is not kept
// among what was released, so that nothing stands by it later.
func (s *Service) releaseByOverride(ctx context.Context, tx Tx, a Actor, as *assessment, before ReleaseState) error {
	r := as.release
	r.ReleasedOverride = as.Overrides[0].ID
	if err := tx.UpdateRelease(ctx, r); err != nil {
		return err
	}
	if err := as.keepGrounds(ctx, tx); err != nil {
		return err
	}
	if err := s.closed(ctx, tx, a, as, "released by override"); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, act{name: "release.release-by-override", serverID: r.ServerID, subject: r.ID, before: before, after: as.evidence(), kept: leaving(r, as.stood)})
}

// overrides reads the overrides of the candidates.
func (l *loader) overrides() error {
	digests := make([]surface.Hash, len(l.found))
	for i, as := range l.found {
		digests[i] = as.revision.Digest
	}
	var err error
	l.overridden, err = l.tx.OverridesOn(l.ctx, l.profiles(), digests)
	return err
}

// overrideFacts turns the overrides of a candidate that nobody ended into the
// gate's.
func (l *loader) overrideFacts(as *assessment) []gate.Override {
	var out []gate.Override
	for _, o := range l.overridden {
		if (ProfileKey{o.ServerID, o.Profile}) != as.profile() || o.Digest != as.revision.Digest {
			continue
		}
		if o.ID == as.release.ReleasedOverride {
			as.passedBy = &OverrideInForce{By: o.UserLabel, Reason: o.Reason, At: o.At, Until: o.Until, Policy: o.Policy, Requirements: o.Requirements}
		}
		if !o.EndedAt.IsZero() {
			continue
		}
		out = append(out, gate.Override{
			ID: o.ID, By: o.UserLabel, ByID: o.UserID, Reason: o.Reason, At: o.At, Until: o.Until, Policy: o.Policy, Requirements: o.Requirements,
		})
	}
	return out
}

func inForce(os []gate.Override) []OverrideInForce {
	out := make([]OverrideInForce, len(os))
	for i, o := range os {
		out[i] = OverrideInForce{By: o.By, Reason: o.Reason, At: o.At, Until: o.Until, Policy: o.Policy, Requirements: o.Requirements}
	}
	return out
}

// noOverride says why the actor can't override for a release now, "" when they can.
func (b *viewBuilder) noOverride() (string, error) {
	if why := b.unless(people.Reviewer, ""); why != "" {
		return why, nil
	}
	n := NewOverride{Digest: b.as.revision.Digest, Policy: b.as.server.Policy.Version}
	err := mayOverride(b.ctx, b.tx, b.actor, b.as)
	if err == nil {
		err = b.as.overridable(n)
	}
	if KindOf(err) == Forbidden || KindOf(err) == Conflict {
		return sentenceOr(err), nil
	}
	return "", err
}

// EndOverride ends the overrides of a release before their time.
func (s *Service) EndOverride(ctx context.Context, a Actor, releaseID string) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Maintainer, func(tx Tx, as *assessment) error {
		var ids []string
		for _, o := range as.facts.Overrides {
			ids = append(ids, o.ID)
		}
		if len(ids) == 0 {
			return Errorf(Conflict, "Nothing is overridden here.")
		}
		if err := tx.EndOverrides(ctx, ids, s.now(), a.Label()); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "release.end-override", serverID: as.server.ID, subject: releaseID, before: map[string]any{"overrides": ids}, after: map[string]any{"overrides": []string{}}})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// Grants lists what people may do on a server besides what their role says. An
// administrator may leave the server out, which is all of them.
func (s *Service) Grants(ctx context.Context, a Actor, slug string) ([]Grant, error) {
	var found []Grant
	err := s.store.View(ctx, func(tx Tx) error {
		id := ""
		if slug != "" {
			srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
			if err != nil {
				return err
			}
			id = srv.ID
		} else if err := a.administrator(); err != nil {
			return err
		}
		var err error
		found, err = tx.Grants(ctx, id)
		return err
	})
	return found, err
}

// GrantOverride lets a person override on a server, or not any more. Only an
// administrator can, since it reaches past every policy, and where there is another
// maintainer they have to agree first: then what waits comes back, else nil. Taking it
// away waits for nobody.
func (s *Service) GrantOverride(ctx context.Context, a Actor, slug, userID string, may bool) (*Proposal, error) {
	var waits *Proposal
	err := s.store.Update(ctx, func(tx Tx) error {
		waits = nil
		srv, err := serverFor(ctx, tx, a, slug, people.Admin)
		if err != nil {
			return err
		}
		if err := a.administrator(); err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		g := &Grant{UserID: u.ID, ServerID: srv.ID, Permission: MayOverride, GrantedBy: a.Label(), At: s.now()}
		if !may {
			if err := tx.DeleteGrant(ctx, g); err != nil {
				return err
			}
			return s.auditGrant(ctx, tx, a, "grant.take", g, u)
		}
		if err := mayBeGranted(u, srv); err != nil {
			return err
		}
		users, err := tx.Users(ctx)
		if err != nil {
			return err
		}
		if !s.takesTwo(a, users, srv.ID, u.ID, people.Maintainer) {
			return s.grant(ctx, tx, a, g, u)
		}
		waits = &Proposal{ServerID: srv.ID, Kind: ProposedGrant, ProposalDetails: ProposalDetails{UserID: u.ID, User: u.Label(), Permission: g.Permission}}
		return s.propose(ctx, tx, a, waits)
	})
	return waits, err
}

// mayBeGranted refuses a permission beside no role that decides.
func mayBeGranted(u *people.User, srv *Server) error {
	if !u.RoleOn(srv.ID).AtLeast(people.Reviewer) {
		return Errorf(Conflict, "%s has no role that decides on %s: make them a reviewer first.", u.Label(), srv.Name)
	}
	return nil
}

// grant gives a permission, to whom may have it by now.
func (s *Service) grant(ctx context.Context, tx Tx, a Actor, g *Grant, u *people.User) error {
	srv, err := tx.ServerByID(ctx, g.ServerID)
	if err != nil {
		return err
	}
	if err := mayBeGranted(u, srv); err != nil {
		return err
	}
	if err := tx.PutGrant(ctx, g); err != nil {
		return err
	}
	return s.auditGrant(ctx, tx, a, "grant.give", g, u)
}

func (s *Service) auditGrant(ctx context.Context, tx Tx, a Actor, name string, g *Grant, u *people.User) error {
	what := act{name: name, serverID: g.ServerID, subject: u.ID, after: map[string]any{"who": u.Label(), "permission": g.Permission}}
	if name == "grant.give" {
		what.kept = leaving(g)
	}
	return s.audit(ctx, tx, a, what)
}
