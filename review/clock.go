package review

import (
	"context"
	"time"
)

// SeenClock is what the run that forgets saw of the clock, whichever instance ran.
type SeenClock struct {
	Seen    time.Time // by the last run; zero before the first one
	Doubted time.Time // when it was first seen after a jump; zero while it is believed
}

const (
	// clockGap is how far the clock may be past the last run, which was an hour ago, and
	// still be believed: what a wrong one makes old too early is a day at most.
	clockGap = 24 * time.Hour
	// clockProof is how long a clock that jumped has to go on without another jump. It
	// is also how long an instance waits that was switched off for days.
	clockProof = 7 * 24 * time.Hour
)

// at is what is seen of the clock by a run at now. A clock that goes back by as much as
// it had jumped is believed at once: it was wrong, and is right again.
func (c SeenClock) at(now time.Time) SeenClock {
	switch {
	case now.Sub(c.Seen) > clockGap:
		c.Doubted = now
	case c.Doubted.Sub(now) > clockGap, now.Sub(c.Doubted) >= clockProof:
		c.Doubted = time.Time{}
	}
	c.Seen = now
	return c
}

// seeClock notes what the clock says, and returns when it will be believed; zero when
// it is.
func (s *Service) seeClock(ctx context.Context) (time.Time, error) {
	var until time.Time
	err := s.store.Update(ctx, func(tx Tx) error {
		c, err := tx.SeenClock(ctx)
		if err != nil {
			return err
		}
		c, until = c.at(s.now()), time.Time{}
		if !c.Doubted.IsZero() {
			until = c.Doubted.Add(clockProof)
		}
		return tx.SeeClock(ctx, c)
	})
	return until, err
}
