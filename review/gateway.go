package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// GateAnswer is the gate's JSON.
type GateAnswer struct {
	gate.Answer
	Server    string            `json:"server"`
	Profile   string            `json:"profile"`
	Digest    surface.Hash      `json:"digest"`
	Policy    int               `json:"policy_version"`
	Release   *PushedRelease    `json:"release,omitempty"`
	Approvals []Approval        `json:"approvals"`
	Overrides []OverrideInForce `json:"overrides"`
	Alarms    []Alarm           `json:"alarms,omitempty"` // what it was released on does not stand any more
}

// Approval is one counted answer, by a person or by a rule.
type Approval = gate.Approval

// OverrideInForce is an override that counts now.
type OverrideInForce struct {
	By           string    `json:"by"`
	Reason       string    `json:"reason"`
	At           time.Time `json:"at"`
	Until        time.Time `json:"until"`
	Policy       int       `json:"policy_version"`
	Requirements []string  `json:"requirements"`
}

// Gate answers for a listing's digest. When the digest stands in several releases,
// the strictest reading that is current counts: an open version that has it as its
// head before a released one, and that before a ref.
func (s *Service) Gate(ctx context.Context, a Actor, slug, profile string, digest surface.Hash) (*GateAnswer, error) {
	if digest.IsZero() {
		return nil, Errorf(Invalid, "Name a digest: sha256: and 64 hex digits.")
	}
	if profile == "" {
		profile = DefaultProfile
	}
	var answer *GateAnswer
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeGate, people.ScopeRead)
			if err != nil {
				return err
			}
			if err := a.reaches(profile); err != nil {
				return err
			}
			answer, err = s.gateAnswer(ctx, tx, srv, profile, digest)
			return err
		})
	})
	if err == nil {
		s.cfg.Observer.Answered(answer.Result)
	}
	return answer, err
}

func (s *Service) gateAnswer(ctx context.Context, tx Tx, srv *Server, profile string, digest surface.Hash) (*GateAnswer, error) {
	ans := &GateAnswer{Server: srv.Slug, Profile: profile, Digest: digest, Policy: srv.Policy.Version, Approvals: []Approval{}, Overrides: []OverrideInForce{}}
	c, err := candidateFor(ctx, tx, srv, profile, digest)
	if err != nil {
		return nil, err
	}
	if c == nil {
		ans.Answer = gate.Evaluate(gate.Facts{Policy: srv.Policy, URL: s.url("/servers/" + srv.Slug)}).Answer
		return ans, nil
	}
	as, err := s.assessOne(ctx, tx, *c, nil)
	if err != nil {
		return nil, err
	}
	ans.Answer = as.Answer
	ans.Release = s.pushedRelease(as)
	ans.Approvals = append(ans.Approvals, as.Approvals...)
	ans.Overrides = append(ans.Overrides, inForce(as.Overrides)...)
	ans.Alarms, err = tx.Alarms(ctx, []string{as.release.ID})
	return ans, err
}

func (s *Service) pushedRelease(as *assessment) *PushedRelease {
	return &PushedRelease{ID: as.release.ID, Version: as.release.Title(), State: as.state(), URL: s.releaseURL(as.release.ID)}
}

// candidateFor finds what a digest stands for in a profile; nil when it was never
// pushed there.
func candidateFor(ctx context.Context, tx Tx, srv *Server, profile string, digest surface.Hash) (*candidate, error) {
	rs, err := tx.ReleasesByDigest(ctx, srv.ID, profile, digest)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	key := ProfileKey{srv.ID, profile}
	last, err := tx.LastReleased(ctx, []ProfileKey{key})
	if err != nil {
		return nil, err
	}
	var lastReleased *Release
	if r, ok := last[key]; ok {
		lastReleased = &r
	}
	held, err := holding(ctx, tx, rs, digest)
	if err != nil {
		return nil, err
	}
	best := &rs[0]
	for i := range rs {
		if held[rs[i].ID].preference(&rs[i], lastReleased) < held[best.ID].preference(best, lastReleased) {
			best = &rs[i]
		}
	}
	h := held[best.ID]
	return &candidate{server: srv, release: best, revision: h.revision, listing: h.listing}, nil
}

// holder is the revision of a release that stands for a digest.
type holder struct {
	revision Revision
	listing  ListingInfo
}

// whole reports whether the listing can be judged at all. A part has the digest of
// the whole that holds the same tools.
func (h *holder) whole() bool { return h.listing.whole() }

// holding finds for each release the newest revision with a digest, a whole listing
// before a part of one.
func holding(ctx context.Context, tx Tx, rs []Release, digest surface.Hash) (map[string]*holder, error) {
	ids := make([]string, len(rs))
	for i := range rs {
		ids[i] = rs[i].ID
	}
	revisions, err := tx.Revisions(ctx, ids)
	if err != nil {
		return nil, err
	}
	revisions = slices.DeleteFunc(revisions, func(r Revision) bool { return r.Digest != digest })
	ids = nil
	for _, r := range revisions {
		ids = append(ids, r.ListingID)
	}
	infos, err := tx.ListingInfosByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]ListingInfo{}
	for _, in := range infos {
		byID[in.ID] = in
	}
	held := map[string]*holder{}
	for _, r := range revisions {
		h, was := &holder{r, byID[r.ListingID]}, held[r.ReleaseID]
		if was == nil || h.whole() && !was.whole() || h.whole() == was.whole() && r.N > was.revision.N {
			held[r.ReleaseID] = h
		}
	}
	return held, nil
}

// preference orders releases that hold a digest, best first: a version under review
// now, released, a ref, overtaken, no longer the head, withdrawn. A ref is nothing
// that is going to be released: what somebody pushes from a branch never closes the
// gate for bytes that are released. Neither does a part, which comes last.
func (h *holder) preference(r, last *Release) int {
	switch {
	case !h.whole():
		return 6
	case r.withdrawn():
		return 5
	case r.Head.N != h.revision.N:
		return 4
	case r.released():
		return 1
	case r.supersededBy(last):
		return 3
	case r.Version == "":
		return 2
	}
	return 0
}

// newCandidate is a stored revision as the gate is asked about it.
func newCandidate(ctx context.Context, tx Tx, srv *Server, r *Release, rev Revision) (*candidate, error) {
	info, err := tx.ListingInfoByID(ctx, rev.ListingID)
	if err != nil {
		return nil, err
	}
	return &candidate{server: srv, release: r, revision: rev, listing: *info}, nil
}
