package review_test

import (
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

func TestPulseComesBack(t *testing.T) {
	for _, p := range []review.Pulse{
		{},
		{Revision: 3, Answers: 107, Comments: 6, Threads: 2, Open: 5, Gate: gate.Blocked, State: review.StateInReview},
		{Revision: 1, Gate: gate.Pass, State: review.StateReleased},
	} {
		got, ok := review.ParsePulse(p.String())
		if !ok || got != p {
			t.Errorf("%s came back as %+v (%v)", p, got, ok)
		}
	}
}

func TestWhatIsNoPulse(t *testing.T) {
	good := review.Pulse{Revision: 3, Gate: gate.Pass, State: review.StateReady}.String()
	for _, text := range []string{"", "3", "x", good + "x", good + "\n", " " + good, "03" + good[1:], good[:len(good)-1], "99999999999999999999" + good[1:]} {
		if p, ok := review.ParsePulse(text); ok {
			t.Errorf("%q was read as %+v", text, p)
		}
	}
}

func FuzzPulse(f *testing.F) {
	f.Add(review.Pulse{Revision: 3, Gate: gate.Pass, State: review.StateReady}.String())
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := review.ParsePulse(text); ok && p.String() != text {
			t.Errorf("%q was read as %s", text, p)
		}
	})
}
