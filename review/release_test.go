package review

import (
	"testing"
	"time"

	"github.com/countersign/countersign/review/gate"
)

// TestStates is the table of states.
func TestStates(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	pushed := func(n int) Release { return Release{ID: "r", Head: Revision{PushedAt: at(n)}} }
	released := Release{ID: "last", Head: Revision{PushedAt: at(5)}, ReleasedAt: at(6)}
	done := pushed(1)
	done.ReleasedAt = at(2)
	undone := done
	undone.WithdrawnAt = at(3)
	dropped := pushed(1)
	dropped.WithdrawnAt = at(3)
	for _, c := range []struct {
		name string
		r    Release
		last *Release
		gate gate.Result
		want ReleaseState
	}{
		{"blocked", pushed(1), nil, gate.Blocked, StateInReview},
		{"undecided", pushed(1), nil, gate.Undecided, StateInReview},
		{"failed", pushed(1), nil, gate.Error, StateInReview},
		{"passing", pushed(1), nil, gate.Pass, StateReady},
		{"passing, pushed after the last release", pushed(7), &released, gate.Pass, StateReady},
		{"passing, pushed before it", pushed(4), &released, gate.Pass, StateSuperseded},
		{"blocked, pushed before it", pushed(4), &released, gate.Blocked, StateSuperseded},
		{"released", done, nil, gate.Pass, StateReleased},
		{"released, and another after it", done, &released, gate.Pass, StateReleased},
		{"released, rejected since", done, nil, gate.Blocked, StateReleased},
		{"released and withdrawn", undone, &released, gate.Pass, StateWithdrawn},
		{"withdrawn while open", dropped, &released, gate.Pass, StateWithdrawn},
	} {
		if got := c.r.state(c.last, c.gate); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
