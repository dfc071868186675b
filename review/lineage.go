package review

import (
	"context"
	"slices"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// Lineage is one tool through the versions of a profile: those that were released,
// in that order, and the newest that is under review.
type Lineage struct {
	Server    Server
	Profile   string
	Name      string
	Versions  int           // looked at
	Steps     []LineageStep // versions in which the tool changed, newest first
	Sentences []Origin      // of the description that the newest of the versions has
	Gone      bool          // the newest version has no such tool
}

// LineageStep is a version in which the tool became another.
type LineageStep struct {
	Release   Release
	Change    change.Change // against the version before
	Old, New  *surface.Tool // nil: that side has no such tool
	Approvals []Verdict     // of the bytes by people, the newest of each, oldest first
}

// Origin is a sentence of a description, and the version that brought it and since
// which it never was away.
type Origin struct {
	Text    string
	Release Release
}

// lineageVersions is how many releases of a profile are looked at.
const lineageVersions = 200

// Lineage follows a tool by its name. A rename begins a new lineage: the name is
// what callers use. NotFound when no version has the name.
func (s *Service) Lineage(ctx context.Context, a Actor, slug, profile, name string) (*Lineage, error) {
	if profile == "" {
		profile = DefaultProfile
	}
	if name == "" || !keepable(profile, maxName) {
		return nil, errNoSuchThing
	}
	var l *Lineage
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		l = &Lineage{Server: *srv, Profile: profile, Name: name}
		return l.read(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	if len(l.Steps) == 0 {
		return nil, Errorf(NotFound, "No version of %s has a tool of this name.", l.Server.Name)
	}
	return l, nil
}

// read makes a fixed number of store calls, however many versions there are.
func (l *Lineage) read(ctx context.Context, tx Tx) error {
	all, err := tx.Releases(ctx, l.Server.ID, l.Profile, Page{Limit: lineageVersions})
	if err != nil {
		return err
	}
	versions := inOrder(all)
	l.Versions = len(versions)
	ids := headsOf(versions)
	refs, err := tx.ToolRefs(ctx, ids)
	if err != nil {
		return err
	}
	found := make([]*ToolRef, len(versions))
	var hashes, digests []surface.Hash
	for i, id := range ids {
		if found[i] = refNamed(refs[id], l.Name); found[i] != nil {
			hashes, digests = append(hashes, found[i].RawHash), append(digests, found[i].Digest)
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	raw, err := tx.Slices(ctx, unique(hashes))
	if err != nil {
		return err
	}
	given, err := tx.VerdictsOn(ctx, []ProfileKey{{l.Server.ID, l.Profile}}, unique(digests))
	if err != nil {
		return err
	}
	l.walk(versions, found, raw)
	for i := range l.Steps {
		l.Steps[i].Approvals = approvalsOf(&l.Steps[i].Change, l.Name, given)
	}
	return nil
}

// inOrder returns what was released, in that order, then the newest under review.
func inOrder(newestFirst []Release) []Release {
	var out []Release
	var open *Release
	for i := range newestFirst {
		switch r := &newestFirst[i]; {
		case r.released():
			out = append(out, *r)
		case r.open() && open == nil:
			open = r
		}
	}
	slices.Reverse(out) // of two at one moment the one that was pushed first
	slices.SortStableFunc(out, func(a, b Release) int { return a.ReleasedAt.Compare(b.ReleasedAt) })
	if open != nil {
		out = append(out, *open)
	}
	return out
}

func unique(hashes []surface.Hash) []surface.Hash {
	seen := map[surface.Hash]bool{}
	return slices.DeleteFunc(hashes, func(h surface.Hash) bool {
		known := seen[h]
		seen[h] = true
		return known
	})
}

// walk goes from the oldest version to the newest.
func (l *Lineage) walk(versions []Release, found []*ToolRef, raw map[surface.Hash][]byte) {
	var before *surface.Tool
	for i := range versions {
		now := toolOfRef(found[i], raw)
		if same(before, now) {
			continue
		}
		l.step(&versions[i], before, now)
		l.bring(&versions[i], now)
		before = now
	}
	l.Gone = before == nil
	slices.Reverse(l.Steps)
}

func toolOfRef(ref *ToolRef, raw map[surface.Hash][]byte) *surface.Tool {
	if ref == nil {
		return nil
	}
	return &surface.Tool{Position: 1, Name: ref.Name, Raw: raw[ref.RawHash], RawHash: ref.RawHash, Digest: ref.Digest, Offset: -1}
}

func same(a, b *surface.Tool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Digest == b.Digest
}

func (l *Lineage) step(r *Release, before, now *surface.Tool) {
	if c, differs := changeOfOne(before, now); differs {
		l.Steps = append(l.Steps, LineageStep{Release: *r, Change: c, Old: before, New: now})
	}
}

// changeOfOne is what happened to a tool between two versions, under one name or two.
func changeOfOne(before, now *surface.Tool) (c change.Change, differs bool) {
	opt := change.Options{Emptied: true}
	if before != nil && now != nil && before.Name != now.Name {
		opt.Pairings = []change.Pairing{{From: before.Name, To: now.Name}}
	}
	for _, c := range change.Compare(listingOfOne(before), listingOfOne(now), opt).Changes {
		if c.Subject == change.SubjectTool {
			return c, true
		}
	}
	return change.Change{}, false
}

// listingOfOne is a listing of one tool, or of none.
func listingOfOne(t *surface.Tool) *surface.Listing {
	l := &surface.Listing{Kind: surface.KindListing, Complete: true}
	if t != nil {
		l.Tools = []surface.Tool{*t}
		l.Digest = t.Digest
	}
	return l
}

// bring finds out where the sentences of a version come from: one that the version
// before had keeps its origin, as often as it stood there.
func (l *Lineage) bring(r *Release, now *surface.Tool) {
	known := map[string][]Origin{}
	for _, o := range l.Sentences {
		known[o.Text] = append(known[o.Text], o)
	}
	l.Sentences = nil
	if now == nil {
		return
	}
	text, _ := now.Description()
	for _, s := range prose.Sentences(text) {
		o := Origin{Text: s.Text, Release: *r}
		if old := known[s.Text]; len(old) > 0 {
			o, known[s.Text] = old[0], old[1:]
		}
		l.Sentences = append(l.Sentences, o)
	}
}

// approvalsOf are the approvals of the bytes that a change brought or took away that
// stand: a person's last word on them counts.
func approvalsOf(c *change.Change, name string, given []Verdict) []Verdict {
	last := map[string]Verdict{}
	var order []string
	for _, v := range given {
		about := v.To == c.To && (!c.To.IsZero() || v.From == c.From)
		if !about || v.Subject != change.SubjectTool || v.Name != name || v.Edit != "" || !v.RevokedAt.IsZero() {
			continue
		}
		if _, known := last[v.UserID]; !known {
			order = append(order, v.UserID)
		}
		last[v.UserID] = v
	}
	var out []Verdict
	for _, id := range order {
		if last[id].Kind == Approve {
			out = append(out, last[id])
		}
	}
	return out
}
