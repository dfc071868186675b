package review

import (
	"context"
	"slices"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Past is what became of a tool in the versions that lead to a release: a short lineage,
// to stand beside the tool.
type Past struct {
	Server  string // slug
	Profile string
	Steps   []LineageStep // versions in which the tool changed, newest first, at most five
	Older   bool          // there are more, or versions that were not looked at
}

const (
	pastReleases = 100 // of a profile that are read, the newest
	pastVersions = 20  // of these that are looked at
	pastSteps    = 5   // that are shown
)

// Past follows a tool from a release back. Name is what the release calls it; before is
// what the versions before it do, "" for the same. A tool that none of them has has no
// steps.
func (s *Service) Past(ctx context.Context, a Actor, releaseID, name, before string) (*Past, error) {
	var past *Past
	err := s.store.View(ctx, func(tx Tx) error {
		srv, r, err := releaseFor(ctx, tx, a, releaseID, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		past = &Past{Server: srv.Slug, Profile: r.Profile}
		return past.read(ctx, tx, r, name, before)
	})
	if err != nil {
		return nil, err
	}
	return past, nil
}

// stride is a version in which a tool became another, its bytes not read yet.
type stride struct {
	release  *Release
	old, new *ToolRef // nil: that side has no such tool
}

// read makes a fixed number of store calls, and compares only what is shown.
func (p *Past) read(ctx context.Context, tx Tx, r *Release, name, before string) error {
	all, err := tx.Releases(ctx, r.ServerID, r.Profile, Page{Limit: pastReleases})
	if err != nil {
		return err
	}
	versions := leadingTo(r, all)
	p.Older = len(all) == pastReleases
	if cut := len(versions) - pastVersions; cut > 0 {
		versions, p.Older = versions[cut:], true
	}
	ids := headsOf(versions)
	refs, err := tx.ToolRefs(ctx, ids)
	if err != nil {
		return err
	}
	var strides []stride
	var last *ToolRef
	for i := range versions {
		called := name
		if before != "" && versions[i].ID != r.ID {
			called = before
		}
		now := refNamed(refs[ids[i]], called)
		// What stood in the oldest that was looked at may have come long before it.
		if first := i == 0 && p.Older; !first && differ(last, now) {
			strides = append(strides, stride{&versions[i], last, now})
		}
		last = now
	}
	if cut := len(strides) - pastSteps; cut > 0 {
		strides, p.Older = strides[cut:], true
	}
	return p.tell(ctx, tx, r, strides)
}

// leadingTo returns what was released up to a release, in that order, and the release.
func leadingTo(r *Release, newestFirst []Release) []Release {
	var out []Release
	for i := range newestFirst {
		o := &newestFirst[i]
		if end := r.closed(); o.ID != r.ID && o.released() && (end.IsZero() || o.ReleasedAt.Before(end)) {
			out = append(out, *o)
		}
	}
	return append(inOrder(out), *r)
}

// refNamed is the tool of a name among those of a listing, nil when there is none.
func refNamed(refs []ToolRef, name string) *ToolRef {
	if at := slices.IndexFunc(refs, func(r ToolRef) bool { return r.Name == name }); at >= 0 {
		return &refs[at]
	}
	return nil
}

func differ(a, b *ToolRef) bool {
	if a == nil || b == nil {
		return a != b
	}
	return a.Digest != b.Digest
}

// tell reads the bytes of the strides and who approved them.
func (p *Past) tell(ctx context.Context, tx Tx, r *Release, strides []stride) error {
	if len(strides) == 0 {
		return nil
	}
	var hashes, digests []surface.Hash
	for _, st := range strides {
		for _, ref := range []*ToolRef{st.old, st.new} {
			if ref != nil {
				hashes, digests = append(hashes, ref.RawHash), append(digests, ref.Digest)
			}
		}
	}
	raw, err := tx.Slices(ctx, unique(hashes))
	if err != nil {
		return err
	}
	given, err := tx.VerdictsOn(ctx, []ProfileKey{{r.ServerID, r.Profile}}, unique(digests))
	if err != nil {
		return err
	}
	for _, st := range slices.Backward(strides) {
		step := LineageStep{Release: *st.release, Old: toolOfRef(st.old, raw), New: toolOfRef(st.new, raw)}
		step.Change, _ = changeOfOne(step.Old, step.New)
		step.Approvals = approvalsOf(&step.Change, step.Change.Name(), given)
		p.Steps = append(p.Steps, step)
	}
	return nil
}
