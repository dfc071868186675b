package review

import (
	"context"
	"time"
)

// Keeping is how long what nobody needs for ever is kept.
type Keeping struct {
	Deliveries time.Duration // the record of a push
	Notices    time.Duration // that was read
	Refs       time.Duration // a push without a version, since the last one to its ref
	Reports    time.Duration // what was worked out of listings, since somebody last needed it
}

// Forgotten says what was forgotten.
type Forgotten struct {
	Deliveries int `json:"deliveries"`
	Notices    int `json:"notices"`
	Refs       int `json:"refs"`
	Reports    int `json:"reports"`
	Links      int `json:"links"`
	Live       int `json:"live"` // listings that were read at endpoints, and that nothing refers to

	// Waits is when the clock will be believed. Until then nothing is forgotten but Live,
	// which is read again; zero when it is believed.
	Waits time.Time `json:"-"`
}

const (
	forgetStep    = 200 // rows of one transaction, so that nobody waits long for it
	forgetRefStep = 50  // refs of one, each with its revisions
	forgetSteps   = 50  // of each kind and run; the next run goes on

	// liveGrace is how long a listing that was read at an endpoint stays after another
	// one took its place: somebody may be looking at it.
	liveGrace = time.Hour

	// keepLinks is how long a link stays that let somebody in and has expired. An invitation
	// that nobody took stays with the account that waits for its person.
	keepLinks = 90 * 24 * time.Hour
)

// Forget removes what is older than it is kept, in bounded steps. Listings go with
// their ref when nobody released, answered, discussed or overrode it, and nothing
// else holds them; versions, verdicts, threads and the audit stay for ever. Reports go
// when nobody needed them for long, whatever they are about: they are made anew. The
// act is audited when something was forgotten.
//
// A clock that jumped ahead since the last call makes nothing old: see [SeenClock]. It is
// meant to be called every hour.
func (s *Service) Forget(ctx context.Context, keep Keeping) (Forgotten, error) {
	waits, err := s.seeClock(ctx)
	if err != nil {
		return Forgotten{}, err
	}
	var f Forgotten
	if f.Live, err = s.forgetLive(ctx); err == nil && waits.IsZero() {
		err = s.forgetOld(ctx, keep, &f)
	}
	if err == nil && f != (Forgotten{}) {
		err = s.store.Update(ctx, func(tx Tx) error {
			return s.audit(ctx, tx, Actor{Shell: true, Via: "retention"}, act{name: "retention.forget", after: f})
		})
	}
	f.Waits = waits
	return f, err
}

// forgetOld forgets what is older than it is kept, one kind after the other.
func (s *Service) forgetOld(ctx context.Context, keep Keeping, f *Forgotten) (err error) {
	if f.Deliveries, err = s.forgetOlder(ctx, forgetStep, keep.Deliveries, Tx.ForgetDeliveries); err != nil {
		return err
	}
	if f.Notices, err = s.forgetOlder(ctx, forgetStep, keep.Notices, Tx.ForgetNotices); err != nil {
		return err
	}
	if f.Links, err = s.forgetLinks(ctx); err != nil {
		return err
	}
	if f.Refs, err = s.forgetOlder(ctx, forgetRefStep, keep.Refs, s.forgetRefs); err != nil {
		return err
	}
	f.Reports, err = s.forgetOlder(ctx, forgetStep, keep.Reports, s.forgetReports)
	return err
}

// forgetOlder removes what is older than keep in transactions of step things, as long as
// there are so many.
func (s *Service) forgetOlder(ctx context.Context, step int, keep time.Duration, forget func(tx Tx, ctx context.Context, before time.Time, most int) (int, error)) (int, error) {
	total := 0
	for range forgetSteps {
		n := 0
		run := func(tx Tx) (err error) {
			n, err = forget(tx, ctx, s.now().Add(-keep), step)
			return err
		}
		err := s.store.Update(ctx, run)
		if KindOf(err) == Invalid { // somebody just referred to one of them: found again, it is not among them
			err = s.store.Update(ctx, run)
		}
		if total += n; err != nil || n < step {
			return total, err
		}
	}
	return total, nil
}

// forgetLive removes listings that were read at endpoints and that nothing refers to.
func (s *Service) forgetLive(ctx context.Context) (int, error) {
	return s.forgetOlder(ctx, forgetStep, liveGrace, Tx.ForgetLive)
}

// forgetLinks removes links that ended long ago.
func (s *Service) forgetLinks(ctx context.Context) (int, error) {
	return s.forgetOlder(ctx, forgetStep, keepLinks, Tx.ForgetLinks)
}

func (s *Service) forgetReports(tx Tx, ctx context.Context, before time.Time, most int) (int, error) {
	return tx.ForgetReports(ctx, s.now(), before, most)
}

// forgetRefs removes releases without a version, and says so of each in the same
// transaction.
func (s *Service) forgetRefs(tx Tx, ctx context.Context, before time.Time, most int) (int, error) {
	ids, err := tx.ForgottenRefs(ctx, before, most)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	releases, err := tx.ReleasesByID(ctx, ids)
	if err != nil {
		return 0, err
	}
	if err := tx.ForgetRefs(ctx, ids); err != nil {
		return 0, err
	}
	for _, r := range releases {
		err := s.audit(ctx, tx, Actor{Shell: true, Via: "retention"}, act{
			name: "release.forget", serverID: r.ServerID, subject: r.ID,
			after: map[string]any{"ref": r.Ref, "profile": r.Profile, "digest": r.Head.Digest, "pushed": r.Head.PushedAt},
		})
		if err != nil {
			return 0, err
		}
	}
	return len(releases), nil
}
