package review

import (
	"context"
	"slices"
	"time"
)

// Keeping is how long what nobody needs for ever is kept.
type Keeping struct {
	Deliveries time.Duration // the record of a push
	Notices    time.Duration // that was read
	Refs       time.Duration // a push without a version, since the last one to its ref
}

// Forgotten says what was forgotten.
type Forgotten struct {
	Deliveries int `json:"deliveries"`
	Notices    int `json:"notices"`
	Refs       int `json:"refs"`
	Live       int `json:"live"` // listings that were read at endpoints, and that nothing refers to
}

const (
	forgetStep  = 200 // rows of one transaction, so that nobody waits long for it
	forgetSteps = 50  // of each kind and run; the next run goes on

	// liveGrace is how long a listing that was read at an endpoint stays after another
	// one took its place: somebody may be looking at it.
	liveGrace = time.Hour
)

// Forget removes what is older than it is kept, in bounded steps. Listings go with
// their ref when nobody released, answered, discussed or overrode it, and nothing
// else holds them; versions, verdicts, threads and the audit stay for ever. The
// act is audited when something was forgotten.
func (s *Service) Forget(ctx context.Context, keep Keeping) (Forgotten, error) {
	var f Forgotten
	var err error
	if f.Deliveries, err = s.forgetRows(ctx, keep.Deliveries, Tx.ForgetDeliveries); err != nil {
		return f, err
	}
	if f.Notices, err = s.forgetRows(ctx, keep.Notices, Tx.ForgetNotices); err != nil {
		return f, err
	}
	if f.Live, err = s.forgetLive(ctx); err != nil {
		return f, err
	}
	if f.Refs, err = s.forgetRefs(ctx, keep.Refs); err != nil || f == (Forgotten{}) {
		return f, err
	}
	return f, s.store.Update(ctx, func(tx Tx) error {
		return s.audit(ctx, tx, Actor{Shell: true, Via: "retention"}, act{name: "retention.forget", after: f})
	})
}

// forgetLive removes listings that were read at endpoints and that nothing refers to.
func (s *Service) forgetLive(ctx context.Context) (int, error) {
	return s.forgetRows(ctx, liveGrace, Tx.ForgetLive)
}

func (s *Service) forgetRows(ctx context.Context, keep time.Duration, forget func(Tx, context.Context, time.Time, int) (int, error)) (int, error) {
	total := 0
	for range forgetSteps {
		n := 0
		err := s.store.Update(ctx, func(tx Tx) (err error) {
			n, err = forget(tx, ctx, s.now().Add(-keep), forgetStep)
			return err
		})
		if total += n; err != nil || n < forgetStep {
			return total, err
		}
	}
	return total, nil
}

// forgetRefs takes one transaction a ref. One that something refers to stays.
func (s *Service) forgetRefs(ctx context.Context, keep time.Duration) (int, error) {
	before := s.now().Add(-keep)
	var ids []string
	err := s.store.View(ctx, func(tx Tx) (err error) {
		ids, err = tx.ForgottenRefs(ctx, before, forgetStep)
		return err
	})
	total := 0
	for _, id := range ids {
		gone := false
		err := s.store.Update(ctx, func(tx Tx) error {
			gone = false
			still, err := tx.ForgottenRefs(ctx, before, forgetStep) // somebody may have answered meanwhile
			if err != nil || !slices.Contains(still, id) {
				return err
			}
			gone = true
			return s.forgetRef(ctx, tx, id)
		})
		switch {
		case KindOf(err) == Invalid:
		case err != nil:
			return total, err
		case gone:
			total++
		}
	}
	return total, err
}

// forgetRef removes a release without a version and says so in the same transaction.
func (s *Service) forgetRef(ctx context.Context, tx Tx, id string) error {
	r, err := tx.ReleaseByID(ctx, id)
	if err != nil {
		return err
	}
	if err := tx.ForgetRef(ctx, id); err != nil {
		return err
	}
	return s.audit(ctx, tx, Actor{Shell: true, Via: "retention"}, act{
		name: "release.forget", serverID: r.ServerID, subject: r.ID,
		after: map[string]any{"ref": r.Ref, "profile": r.Profile, "digest": r.Head.Digest, "pushed": r.Head.PushedAt},
	})
}
