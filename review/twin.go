package review

import (
	"context"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/people"
)

// Twin is another profile that waits for an answer to the very same changes: the
// same definition before and after. An answer is never carried over by itself; who
// means it names the profile.
type Twin struct {
	Profile   string
	ReleaseID string
	Title     string
	Changes   []string // ids that both releases have
}

// DecideAlso is Decide that also answers, in the same transaction and by the same
// rules, for other profiles of the server whose newest release under review has the
// identical changes. Each answer is stored for its own profile. Invalid when a
// profile has none of the changes.
func (s *Service) DecideAlso(ctx context.Context, a Actor, releaseID string, items []VerdictItem, profiles []string) (*ReleaseView, error) {
	if err := checkItems(items); err != nil {
		return nil, err
	}
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		sp, err := s.newSpeech(ctx, tx, a, as)
		if err != nil {
			return err
		}
		if err := s.decideOn(ctx, tx, sp, items); err != nil {
			return err
		}
		if err := s.decideTwins(ctx, tx, a, as, items, profiles); err != nil {
			return err
		}
		return sp.end("")
	})
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		s.cfg.Observer.Decided(it.Verdict, max(1, len(it.Changes)))
	}
	return s.Release(ctx, a, releaseID)
}

// decideOn stores a batch of answers to one release.
func (s *Service) decideOn(ctx context.Context, tx Tx, sp *speech, items []VerdictItem) error {
	d, err := s.answers(ctx, tx, sp.a, sp.as, items)
	if err != nil {
		return err
	}
	d.complete()
	if err := d.store(ctx, tx); err != nil {
		return err
	}
	if err := d.see(ctx, tx); err != nil {
		return err
	}
	sp.decided(items, d)
	return s.looked(ctx, tx, sp.a, sp.as)
}

// answers checks a batch of answers to one release, and stores nothing.
func (s *Service) answers(ctx context.Context, tx Tx, a Actor, as *assessment, items []VerdictItem) (*decision, error) {
	if err := contradiction(items); err != nil {
		return nil, err
	}
	r, err := s.reread.report(ctx, tx, as.pair)
	if err != nil {
		return nil, err
	}
	d := newDecision(s, a, as, r)
	for _, item := range items {
		if err := d.item(item); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (s *Service) decideTwins(ctx context.Context, tx Tx, a Actor, as *assessment, items []VerdictItem, profiles []string) error {
	if len(profiles) == 0 {
		return nil
	}
	others, err := s.otherProfiles(ctx, tx, as)
	if err != nil {
		return err
	}
	for _, name := range profiles {
		i := slices.IndexFunc(others, func(o candidate) bool { return o.release.Profile == name })
		if i < 0 {
			return Errorf(Invalid, "The profile %s has no release under review.", visible(name))
		}
		other, err := s.assessOne(ctx, tx, others[i], nil)
		if err != nil {
			return err
		}
		same := sharedItems(items, other.outline)
		if len(same) == 0 {
			return Errorf(Invalid, "The profile %s has none of these changes.", visible(name))
		}
		sp, err := s.newSpeech(ctx, tx, a, other)
		if err != nil {
			return err
		}
		if err := s.decideOn(ctx, tx, sp, same); err != nil {
			return err
		}
		if err := sp.end(""); err != nil {
			return err
		}
	}
	return nil
}

// sharedItems are the items, of which only changes that an outline has are left.
func sharedItems(items []VerdictItem, o *outline) []VerdictItem {
	has := map[string]bool{}
	for _, c := range o.Changes {
		has[c.ID] = true
	}
	var same []VerdictItem
	for _, it := range items {
		it.Changes = slices.DeleteFunc(slices.Clone(it.Changes), func(id string) bool { return !has[id] })
		if has[it.Change] || len(it.Changes) > 0 {
			same = append(same, it)
		}
	}
	return same
}

// otherProfiles returns the newest release under review of each other profile of
// the server.
func (s *Service) otherProfiles(ctx context.Context, tx Tx, as *assessment) ([]candidate, error) {
	rs, err := tx.OpenReleasesOf(ctx, as.server.ID, "")
	if err != nil {
		return nil, err
	}
	newest := map[string]*Release{}
	var ids []string
	for i := range rs { // newest first
		r := &rs[i]
		if r.Profile == as.release.Profile || newest[r.Profile] != nil {
			continue
		}
		newest[r.Profile] = r
		ids = append(ids, r.Head.ListingID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	infos, err := tx.ListingInfosByID(ctx, ids)
	var out []candidate
	for _, in := range infos {
		r := newest[in.Profile]
		out = append(out, candidate{server: as.server, release: r, revision: r.Head, listing: in})
	}
	return out, err
}

// twins finds the other profiles that have changes of the release, with a fixed
// number of store calls.
func (s *Service) twins(ctx context.Context, tx Tx, as *assessment) ([]Twin, error) {
	if !as.release.open() {
		return nil, nil
	}
	others, err := s.otherProfiles(ctx, tx, as)
	if err != nil || len(others) == 0 {
		return nil, err
	}
	l := loader{ctx: ctx, tx: tx, read: s.reread, now: s.now()}
	for _, c := range others {
		l.found = append(l.found, &assessment{candidate: c})
	}
	for _, step := range []func() error{l.bases, l.names, l.outlines} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	here := map[string]bool{}
	for _, c := range as.outline.Changes {
		here[c.ID] = true
	}
	var out []Twin
	for _, o := range l.found {
		t := Twin{Profile: o.release.Profile, ReleaseID: o.release.ID, Title: o.release.Title()}
		for _, c := range o.outline.Changes {
			if here[c.ID] && c.ID != "" {
				t.Changes = append(t.Changes, c.ID)
			}
		}
		if len(t.Changes) > 0 && !o.release.supersededBy(o.line) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Twin) int { return strings.Compare(a.Profile, b.Profile) })
	return out, nil
}
