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
	line := Line{&released, &released}
	forced := Release{ID: "forced", Head: Revision{PushedAt: at(8)}, ReleasedAt: at(9), ReleasedOverride: "o"}
	done := pushed(1)
	done.ReleasedAt = at(2)
	undone := done
	undone.WithdrawnAt = at(3)
	dropped := pushed(1)
	dropped.WithdrawnAt = at(3)
	for _, c := range []struct {
		name string
		r    Release
		line Line
		gate gate.Result
		want ReleaseState
	}{
		{"blocked", pushed(1), Line{}, gate.Blocked, StateInReview},
		{"undecided", pushed(1), Line{}, gate.Undecided, StateInReview},
		{"failed", pushed(1), Line{}, gate.Error, StateInReview},
		{"passing", pushed(1), Line{}, gate.Pass, StateReady},
		{"passing, pushed after the last release", pushed(7), line, gate.Pass, StateReady},
		{"passing, pushed before it", pushed(4), line, gate.Pass, StateSuperseded},
		{"blocked, pushed before it", pushed(4), line, gate.Blocked, StateSuperseded},
		{"passing, pushed before what an override let out", pushed(7), Line{&released, &forced}, gate.Pass, StateSuperseded},
		{"passing, and only an override let anything out", pushed(7), Line{nil, &forced}, gate.Pass, StateSuperseded},
		{"passing, pushed after what an override let out", pushed(9), Line{&released, &forced}, gate.Pass, StateReady},
		{"passing, before the base that was pushed after what an override let out", pushed(4), Line{&released, &Release{ID: "forced", Head: Revision{PushedAt: at(2)}, ReleasedAt: at(9)}}, gate.Pass, StateSuperseded},
		{"released", done, Line{}, gate.Pass, StateReleased},
		{"released, and another after it", done, line, gate.Pass, StateReleased},
		{"released, rejected since", done, Line{}, gate.Blocked, StateReleased},
		{"released and withdrawn", undone, line, gate.Pass, StateWithdrawn},
		{"withdrawn while open", dropped, line, gate.Pass, StateWithdrawn},
	} {
		if got := c.r.state(c.line, c.gate); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
