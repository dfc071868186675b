package review

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

// LockFile is the signed lock of a released version.
type LockFile struct {
	Lock     lock.Lock
	Envelope proof.Envelope
}

// Lock signs what was released as a version of a profile ("" is the default one):
// its digests, the policy, and who approved what. Only what is released, and stands,
// has a lock; without a signing key the error is of kind Unavailable.
func (s *Service) Lock(ctx context.Context, a Actor, slug, profile, version string) (*LockFile, error) {
	if version == "" {
		return nil, Errorf(Invalid, "Name the version to lock: ?version=1.2.0.")
	}
	if profile == "" {
		profile = DefaultProfile
	}
	var f *LockFile
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead, people.ScopeGate)
			if err != nil {
				return err
			}
			f, err = s.lock(ctx, tx, srv, profile, version)
			return err
		})
	})
	return f, err
}

func (s *Service) lock(ctx context.Context, tx Tx, srv *Server, profile, version string) (*LockFile, error) {
	as, err := s.lockable(ctx, tx, srv, profile, version)
	if err != nil {
		return nil, err
	}
	signer, err := s.signer(ctx, tx)
	if err != nil {
		return nil, err
	}
	l, err := tx.ListingByID(ctx, as.revision.ListingID)
	if err != nil {
		return nil, err
	}
	k, err := lock.Of(l.Surface)
	if err != nil {
		return nil, Errorf(Conflict, "%s can't be locked: %v.", version, err)
	}
	users, err := tx.Users(ctx)
	if err != nil {
		return nil, err
	}
	instance, err := tx.InstanceID(ctx)
	if err != nil {
		return nil, err
	}
	k.Instance = &proof.Instance{ID: instance, URL: s.url("")}
	k.Server, k.Profile, k.Version = srv.Slug, profile, version
	k.ReleasedAt, k.ReleasedBy = &as.release.ReleasedAt, labelOf(users, as.release.ReleasedBy)
	issued := s.now()
	k.IssuedAt, k.Commit = &issued, as.revision.Commit
	if err := as.grounds(ctx, tx, k); err != nil {
		return nil, err
	}
	f := &LockFile{Lock: *k}
	f.Envelope, err = k.Sign(signer)
	return f, err
}

// keepGrounds keeps on what the release stands, as it is released.
func (as *assessment) keepGrounds(ctx context.Context, tx Tx) error {
	k := lock.Lock{Approvals: []lock.Approval{}, Overrides: []lock.Override{}}
	as.vouch(&k)
	body, err := json.Marshal(k)
	if err != nil {
		return err
	}
	as.stood = &KeptGrounds{as.release.ID, surface.HashOf(body), slices.ContainsFunc(k.Approvals, func(a lock.Approval) bool { return !a.Independent })}
	return tx.InsertGrounds(ctx, as.release.ID, body, as.stood.Alone)
}

// grounds puts into a lock on what the release stood when it was released. Of
// releases from before that was kept it is what stands now.
func (as *assessment) grounds(ctx context.Context, tx Tx, k *lock.Lock) error {
	body, err := tx.Grounds(ctx, as.release.ID)
	if KindOf(err) == NotFound {
		as.vouch(k)
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := parseGrounds(as.release.ID, body)
	if err != nil {
		return err
	}
	k.PolicyVersion, k.Independent, k.Approvals, k.Overrides = kept.PolicyVersion, kept.Independent, kept.Approvals, kept.Overrides
	markRemoved(k)
	return nil
}

// markRemoved marks approvals of removals among those that were kept before the mark
// was: what they name is no part of the lock.
func markRemoved(k *lock.Lock) {
	held := map[surface.Hash]bool{}
	for _, t := range k.Tools {
		held[t.Digest] = true
	}
	if k.Instructions != nil {
		held[*k.Instructions] = true
	}
	for i := range k.Approvals {
		if a := &k.Approvals[i]; !held[a.Digest] && string(a.Subject) != string(change.SubjectOrder) {
			a.Kind = string(change.Removed)
		}
	}
}

func parseGrounds(releaseID string, body []byte) (*lock.Lock, error) {
	var kept lock.Lock
	if err := json.Unmarshal(body, &kept); err != nil {
		return nil, fmt.Errorf("grounds of release %s: %w", releaseID, err)
	}
	return &kept, nil
}

// vouch puts into a lock on what the release stands.
func (as *assessment) vouch(k *lock.Lock) {
	k.PolicyVersion, k.Independent = as.server.Policy.Version, as.Answer.Independent
	for _, ap := range as.Approvals {
		k.Approvals = append(k.Approvals, lock.Approval{
			Subject: lock.Text(ap.Tool), Digest: ap.Digest, Kind: string(ap.Kind), By: ap.By, At: ap.At, Note: ap.Note, Independent: ap.Independent,
			Evidence: ap.Evidence,
		})
	}
	overrides := inForce(as.Overrides)
	if as.passedBy != nil {
		overrides = []OverrideInForce{*as.passedBy}
	}
	for _, o := range overrides {
		k.Overrides = append(k.Overrides, lock.Override{By: o.By, Reason: o.Reason, At: o.At, Until: o.Until, Requirements: o.Requirements})
		k.Independent = false
	}
}

// lockable finds the released version and checks that it still stands: there is a lock
// of what the gate lets pass, and of nothing else.
func (s *Service) lockable(ctx context.Context, tx Tx, srv *Server, profile, version string) (*assessment, error) {
	rs, err := tx.ReleasesByVersion(ctx, []VersionKey{{ProfileKey{srv.ID, profile}, version}})
	switch {
	case err != nil:
		return nil, err
	case len(rs) == 0:
		return nil, Errorf(NotFound, "There is no version %s in the profile %s.", visible(version), visible(profile))
	case rs[0].withdrawn():
		return nil, Errorf(Conflict, "%s is withdrawn, so it has no lock.", visible(version))
	case !rs[0].released():
		return nil, Errorf(Conflict, "%s is not released yet. Only what is released has a lock.", visible(version))
	}
	rev, err := releasedRevision(ctx, tx, &rs[0])
	if err != nil {
		return nil, err
	}
	c, err := newCandidate(ctx, tx, srv, &rs[0], rev)
	if err != nil {
		return nil, err
	}
	as, err := s.assessOne(ctx, tx, *c, nil)
	if err != nil {
		return nil, err
	}
	if why := as.notStanding(); why != "" {
		return nil, Errorf(Conflict, "%s is released and its gate does not pass any more, so it has no lock. %s", visible(version), why)
	}
	return as, nil
}

// notStanding says why the gate of what was released does not pass any more, "" while
// it does.
func (as *assessment) notStanding() string {
	if as.Answer.Result == gate.Pass {
		return ""
	}
	for _, r := range as.Answer.Requirements {
		if r.State == gate.Open {
			return r.Why
		}
	}
	return as.Answer.Why
}

// releasedRevision is the revision that was released.
func releasedRevision(ctx context.Context, tx Tx, r *Release) (Revision, error) {
	if r.Head.N == r.ReleasedRevision {
		return r.Head, nil
	}
	revisions, err := tx.Revisions(ctx, []string{r.ID})
	for _, rev := range revisions {
		if rev.N == r.ReleasedRevision {
			return rev, nil
		}
	}
	if err == nil {
		err = errNoSuchThing
	}
	return Revision{}, err
}

func labelOf(users []people.User, id string) string {
	for i := range users {
		if users[i].ID == id {
			return users[i].Label()
		}
	}
	return ""
}

// Checked says whether a live listing is what was released.
type Checked struct {
	State   lock.State
	Why     string         // a sentence
	Release *Release       // that it is, or that it was compared with; nil when there is none
	Report  *change.Report // from the released listing to this one; nil when it is the same or nothing is released
	Gate    gate.Result    // of the release that it is; "" when it is none
}

// Verify says whether a listing, as a gateway or a scheduled reading has it, is one
// that was released and stands in the profile. Otherwise it is compared with the
// last one that was.
func (s *Service) Verify(ctx context.Context, a Actor, slug, profile string, body []byte) (*Checked, error) {
	if profile == "" {
		profile = DefaultProfile
	}
	var key ProfileKey
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead, people.ScopeGate)
		if err == nil {
			key = ProfileKey{srv.ID, profile}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	live, err := surface.Read(body, s.cfg.Limits.Surface)
	if err != nil {
		return nil, notAccepted(err)
	}
	var stand []verifiable
	err = s.store.View(ctx, func(tx Tx) (err error) {
		stand, err = verifiables(ctx, tx, key, live)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(stand) == 0 {
		return &Checked{State: lock.Unknown, Why: "Nothing is released in this profile yet, so there is nothing to compare with."}, nil
	}
	c, err := compareLive(stand, live)
	if err != nil {
		return nil, err
	}
	if c.State == lock.Same {
		return c, s.gateOf(ctx, c)
	}
	return c, s.elsewhere(ctx, key, c)
}

// gateOf says of the release that a listing is whether its gate still passes: it was
// released, and may have been rejected or lost its answers since.
func (s *Service) gateOf(ctx context.Context, c *Checked) error {
	return s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := tx.ServerByID(ctx, c.Release.ServerID)
			if err != nil {
				return err
			}
			rev, err := releasedRevision(ctx, tx, c.Release)
			if err != nil {
				return err
			}
			cand, err := newCandidate(ctx, tx, srv, c.Release, rev)
			if err != nil {
				return err
			}
			as, err := s.assessOne(ctx, tx, *cand, nil)
			if err != nil {
				return err
			}
			c.Gate, c.Why = as.Answer.Result, "This is "+c.Release.Title()+", as it was released."
			if why := as.notStanding(); why != "" {
				c.Why += " Its gate does not pass any more: " + why
			}
			return nil
		})
	})
}

// elsewhere names the releases in which definitions stand that the one which was
// compared with does not have: an old server is another case than an unknown tool.
func (s *Service) elsewhere(ctx context.Context, key ProfileKey, c *Checked) error {
	names := map[surface.Hash]string{}
	for i := range c.Report.Changes {
		if ch := &c.Report.Changes[i]; ch.Subject == change.SubjectTool && !ch.To.IsZero() && ch.From != ch.To {
			names[ch.To] = visible(ch.Name())
		}
	}
	return s.store.View(ctx, func(tx Tx) error {
		found, err := tx.Released(ctx, []ProfileKey{key}, slices.Collect(maps.Keys(names)))
		of := map[string][]string{} // by release
		for _, f := range found {
			if name, ok := names[f.Digest]; ok && f.Subject == change.SubjectTool {
				of[f.Title] = append(of[f.Title], name)
			}
		}
		for _, title := range slices.Sorted(maps.Keys(of)) {
			some, more := of[title], ""
			slices.Sort(some)
			if n := len(some) - maxNamed; n > 0 {
				some, more = some[:maxNamed], fmt.Sprintf(" and %d more", n)
			}
			c.Why += fmt.Sprintf(" As released in %s: %s%s.", visible(title), strings.Join(some, ", "), more)
		}
		return err
	})
}

// verifiable is a released listing to compare with.
type verifiable struct {
	release Release
	listing *surface.Listing
}

// verifiables finds the release that stands with the digest, and the last released.
func verifiables(ctx context.Context, tx Tx, key ProfileKey, live *surface.Listing) ([]verifiable, error) {
	var found []verifiable
	for _, digest := range digestsFor(live) {
		rs, err := tx.ReleasesByDigest(ctx, key.ServerID, key.Profile, digest)
		if err != nil {
			return nil, err
		}
		for i := range rs {
			v, err := released(ctx, tx, &rs[i])
			if err != nil {
				return nil, err
			}
			if v != nil && v.listing.Digest == digest {
				found = append(found, *v)
				break // the newest will do
			}
		}
	}
	last, err := lastReleased(ctx, tx, key)
	if err != nil {
		return nil, err
	}
	if last != nil {
		v, err := released(ctx, tx, last)
		if err != nil {
			return nil, err
		}
		found = append(found, *v)
	}
	return found, nil
}

// digestsFor are the digests that a release of the listing may have. A server without
// instructions says so when it is read live, where a push of its tools/list alone did
// not ask.
func digestsFor(live *surface.Listing) []surface.Hash {
	digests := []surface.Hash{live.Digest}
	if in := live.Instructions; in.Asked && !in.Present {
		tools := make([]surface.Hash, len(live.Tools))
		for i := range live.Tools {
			tools[i] = live.Tools[i].Digest
		}
		digests = append(digests, surface.ListingDigest(surface.Instructions{}, tools))
	}
	return digests
}

// released reads what a release released, nil when it does not stand.
func released(ctx context.Context, tx Tx, r *Release) (*verifiable, error) {
	if !r.released() || r.withdrawn() {
		return nil, nil
	}
	rev, err := releasedRevision(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	l, err := tx.ListingByID(ctx, rev.ListingID)
	if err != nil {
		return nil, err
	}
	return &verifiable{*r, l.Surface}, nil
}

// compareLive looks for the released listing that the live one is.
func compareLive(stand []verifiable, live *surface.Listing) (*Checked, error) {
	var out *Checked
	for i := range stand {
		k, err := lock.Of(stand[i].listing)
		if err != nil {
			return nil, Errorf(Conflict, "%s can't be compared with: %v.", stand[i].release.Title(), err)
		}
		d := k.Compare(live)
		c := &Checked{State: d.State, Why: d.Why, Release: &stand[i].release}
		if d.State == lock.Same {
			return c, nil
		}
		c.Report = change.Compare(stand[i].listing, live, change.Options{})
		if c.Why == "" {
			c.Why = "This is not what was released. Compared with " + stand[i].release.Title() + "."
			if !live.Complete {
				c.Why += " It is a part of a listing: what it holds differs, and what is absent may be on another page."
			}
		}
		out = c
	}
	return out, nil
}
