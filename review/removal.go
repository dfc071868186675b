package review

import (
	"context"
	"slices"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

// An approval of a removal holds until the tool is back, and that is judged on the line
// of each version by itself: what a branch, a part of a listing or another version under
// review still lists says nothing of the version that waits for the removal. It ends for
// all of them once something is released, with the tool or without it.

// holds reports whether the listing has what a removal is about.
func (c *candidate) holds(v *Verdict) bool {
	if v.Subject == change.SubjectInstructions {
		return c.listing.Instructions.Present
	}
	return v.Subject == change.SubjectTool && slices.ContainsFunc(c.tools, func(t ToolRef) bool { return t.Name == v.Name })
}

// whole reports whether the listing says what is not in it.
func (in *ListingInfo) whole() bool { return in.Complete && in.Kind == surface.KindListing }

// endByPush ends approvals of removals for the release that the push is for, when what
// they are about is back in it: the next removal is a new question there. It returns
// their ids.
func (s *Service) endByPush(ctx context.Context, tx Tx, c *candidate) ([]string, error) {
	if c.revision.N == 1 || !c.listing.whole() {
		return nil, nil // what was never gone from a version can't be back in it
	}
	approvals, err := tx.Removals(ctx, c.server.ID, c.release.Profile)
	approvals = slices.DeleteFunc(approvals, func(v Verdict) bool { return v.endedIn(c.release) != nil || !c.holds(&v) })
	if err != nil || len(approvals) == 0 {
		return nil, err
	}
	before, err := lastWhole(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range approvals {
		if v := &approvals[i]; v.ReleaseID == c.release.ID || before != nil && !before.holds(v) {
			ids = append(ids, v.ID)
		}
	}
	return ids, tx.EndRemovals(ctx, ids, Ending{
		Ending:    gate.Ending{How: gate.EndedByPush, Title: c.release.Title(), Revision: c.revision.N},
		ReleaseID: c.release.ID, At: c.revision.PushedAt,
	})
}

// lastWhole is the newest earlier revision of the candidate's release that is a whole
// listing, nil for none.
func lastWhole(ctx context.Context, tx Tx, c *candidate) (*candidate, error) {
	revisions, err := tx.Revisions(ctx, []string{c.release.ID})
	if err != nil {
		return nil, err
	}
	var ids []string // newest first
	for _, r := range revisions {
		if r.N < c.revision.N {
			ids = append(ids, r.ListingID)
		}
	}
	infos, err := tx.ListingInfosByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(infos, func(in ListingInfo) bool { return in.ID == id && in.whole() })
		if i < 0 {
			continue
		}
		refs, err := tx.ToolRefs(ctx, []string{id})
		return &candidate{listing: infos[i], tools: refs[id]}, err
	}
	return nil, nil
}

// endByRelease ends approvals of removals as their question is answered: those of what
// the release takes away are used up, and those of what it has ask again. It returns
// their ids.
func (as *assessment) endByRelease(ctx context.Context, tx Tx) ([]string, error) {
	approvals, err := tx.Removals(ctx, as.server.ID, as.release.Profile)
	if err != nil {
		return nil, err
	}
	gone := map[bytesKey]bool{}
	for _, c := range as.outline.Changes {
		if c.To.IsZero() {
			gone[bytesKey{c.Subject, c.From}] = true
		}
	}
	ids := []string{}
	ended := map[gate.EndingKind][]string{}
	for i := range approvals {
		switch v := &approvals[i]; {
		case gone[bytesKey{v.Subject, v.From}]:
			ended[gate.EndedByRelease] = append(ended[gate.EndedByRelease], v.ID)
		case !as.release.ReleasedAside && as.holds(v):
			// A hotfix of an older version has what a later one took away: nothing is back.
			ended[gate.EndedByReturn] = append(ended[gate.EndedByReturn], v.ID)
		}
	}
	for how, some := range ended {
		err := tx.EndRemovals(ctx, some, Ending{
			Ending:    gate.Ending{How: how, Title: as.release.Title(), Revision: as.revision.N},
			ReleaseID: as.release.ID, At: as.release.ReleasedAt,
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	slices.Sort(ids)
	return ids, nil
}
