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

// Question is what the gate is asked about: a listing, by its digest, or what a version
// stands for; both, when the version has to have that listing.
type Question struct {
	Profile string // "" is the default
	Version string
	Digest  surface.Hash
	NoBytes bool // the digest that was asked for is one that no bytes have
}

func (q *Question) check() error {
	if q.Digest.IsZero() && q.Version == "" && !q.NoBytes {
		return Errorf(Invalid, "Name a digest (sha256: and 64 hex digits) or a version.")
	}
	if q.Profile == "" {
		q.Profile = DefaultProfile
	}
	return nil
}

// Gate answers whether a listing may be published. When the digest stands in several
// releases and no version is named, what the profile released last counts first, since
// its bytes have their answer; then the strictest reading that is current: a version
// under review, before an older release.
func (s *Service) Gate(ctx context.Context, a Actor, slug string, q Question) (*GateAnswer, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	var answer *GateAnswer
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeGate, people.ScopeRead)
			if err != nil {
				return err
			}
			if err := a.reaches(q.Profile); err != nil {
				return err
			}
			answer, err = s.gateAnswer(ctx, tx, srv, q)
			return err
		})
	})
	if err == nil {
		s.cfg.Observer.Answered(answer.Result)
	}
	return answer, err
}

func (s *Service) gateAnswer(ctx context.Context, tx Tx, srv *Server, q Question) (*GateAnswer, error) {
	ans := &GateAnswer{Server: srv.Slug, Profile: q.Profile, Digest: q.Digest, Policy: srv.Policy.Version, Approvals: []Approval{}, Overrides: []OverrideInForce{}}
	c, err := candidateFor(ctx, tx, srv, q)
	if err != nil {
		return nil, err
	}
	if c == nil {
		ans.Answer = gate.Evaluate(gate.Facts{Policy: srv.Policy, Version: q.Version, URL: s.url("/servers/" + srv.Slug)}).Answer
		return ans, nil
	}
	as, err := s.assessOne(ctx, tx, *c, nil)
	if err != nil {
		return nil, err
	}
	ans.Digest, ans.Answer, ans.Release = c.revision.Digest, as.Answer, s.pushedRelease(as)
	approvals, err := as.counted(ctx, tx)
	if err != nil {
		return nil, err
	}
	ans.Approvals = append(ans.Approvals, approvals...)
	ans.Overrides = append(ans.Overrides, inForce(as.Overrides)...)
	ans.Alarms, err = tx.Alarms(ctx, []string{as.release.ID})
	return ans, err
}

// counted lists the answers that count. Of what was released, whose answer is that it
// was, it tells by whom and why, as was kept at its release.
func (as *assessment) counted(ctx context.Context, tx Tx) ([]Approval, error) {
	if as.facts.ReleasedAs == "" || len(as.facts.Alarms) > 0 {
		return as.Approvals, nil
	}
	body, err := tx.Grounds(ctx, as.release.ID)
	if KindOf(err) == NotFound {
		return as.Approvals, nil
	}
	if err != nil {
		return nil, err
	}
	kept, err := parseGrounds(as.release.ID, body)
	if err != nil {
		return nil, err
	}
	given := map[SubjectKey][]Approval{}
	for _, a := range kept.Approvals {
		k := SubjectKey{Name: string(a.Subject), Digest: a.Digest}
		given[k] = append(given[k], Approval{
			Tool: string(a.Subject), Digest: a.Digest, By: a.By, At: a.At, Note: a.Note, Independent: a.Independent, Evidence: a.Evidence,
		})
	}
	var out []Approval
	for _, a := range as.Approvals {
		k := SubjectKey{Name: a.Tool, Digest: a.Digest}
		then, known := given[k]
		if !known {
			out = append(out, a)
		}
		for _, g := range then {
			g.Kind = a.Kind
			out = append(out, g)
		}
		given[k] = nil // of two tools that are the same each answer is told once
	}
	return out, nil
}

func (s *Service) pushedRelease(as *assessment) *PushedRelease {
	return &PushedRelease{
		ID: as.release.ID, Version: as.release.Title(), State: as.state(), URL: s.releaseURL(as.release.ID), Commit: as.revision.Commit, RunURL: as.revision.RunURL,
	}
}

// candidateFor finds what a question is about; nil when that was never pushed to the
// profile.
func candidateFor(ctx context.Context, tx Tx, srv *Server, q Question) (*candidate, error) {
	if q.NoBytes {
		return nil, nil
	}
	if q.Digest.IsZero() {
		return candidateOf(ctx, tx, srv, q)
	}
	rs, err := tx.ReleasesByDigest(ctx, srv.ID, q.Profile, q.Digest)
	if q.Version != "" {
		rs = slices.DeleteFunc(rs, func(r Release) bool { return r.Version != q.Version })
	}
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	line, err := lineOf(ctx, tx, ProfileKey{srv.ID, q.Profile})
	if err != nil {
		return nil, err
	}
	held, err := holding(ctx, tx, rs, q.Digest)
	if err != nil {
		return nil, err
	}
	best := &rs[0]
	for i := range rs {
		if held[rs[i].ID].preference(&rs[i], line) < held[best.ID].preference(best, line) {
			best = &rs[i]
		}
	}
	h := held[best.ID]
	return &candidate{server: srv, release: best, revision: h.revision, listing: h.listing}, nil
}

// candidateOf is what a version stands for: what it was released as, else its head.
func candidateOf(ctx context.Context, tx Tx, srv *Server, q Question) (*candidate, error) {
	rs, err := tx.ReleasesByVersion(ctx, []VersionKey{{ProfileKey{srv.ID, q.Profile}, q.Version}})
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	rev := rs[0].Head
	if rs[0].released() {
		if rev, err = releasedRevision(ctx, tx, &rs[0]); err != nil {
			return nil, err
		}
	}
	return newCandidate(ctx, tx, srv, &rs[0], rev)
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

// preference orders releases that hold a digest, best first: what the profile released
// last, a version under review now, an older release, a ref, overtaken, no longer the
// head, withdrawn. Nothing is asked of bytes that are the current release, whoever pushes
// them again; to go back to an older one is a step of its own, that may break callers. A
// ref is nothing that is going to be released: what somebody pushes from a branch never
// closes the gate for bytes that are. Neither does a part, which comes last.
func (h *holder) preference(r *Release, line Line) int {
	switch {
	case !h.whole():
		return 7
	case r.withdrawn():
		return 6
	case r.Head.N != h.revision.N:
		return 5
	case r.released() && line.Base != nil && r.ID == line.Base.ID:
		return 0
	case r.released():
		return 2
	case r.supersededBy(line):
		return 4
	case r.Version == "":
		return 3
	}
	return 1
}

// newCandidate is a stored revision as the gate is asked about it.
func newCandidate(ctx context.Context, tx Tx, srv *Server, r *Release, rev Revision) (*candidate, error) {
	info, err := tx.ListingInfoByID(ctx, rev.ListingID)
	if err != nil {
		return nil, err
	}
	return &candidate{server: srv, release: r, revision: rev, listing: *info}, nil
}
