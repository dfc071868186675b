package review_test

import (
	"flag"
	"os"
	"testing"

	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

var raceRounds = flag.Int("race.rounds", 0, "rounds of TestRace on each database; 0 is few, or 1,000 under COUNTERSIGN_SOAK=1")

// raceHistory is after how many rounds a history ends and another begins: what is stored
// makes rounds slower, and finds nothing that a shorter one doesn't.
const raceHistory = 100

// TestRace has twenty reviewers decide on what one pusher changes meanwhile.
func TestRace(t *testing.T) {
	rounds := *raceRounds
	if rounds == 0 {
		rounds = 6
		if os.Getenv("COUNTERSIGN_SOAK") == "1" {
			rounds = 1000
		}
	}
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		var race *reviewtest.Race
		var sum reviewtest.RaceTally
		says := func(n int) bool { return sum.Answers >= n && sum.Stale > 0 && sum.Passes > 0 }
		n := 0
		// On a machine that is busy with others few rounds may come to nothing: then some more.
		for ; n < rounds || n < 5*rounds && !says(n); n++ {
			if n%raceHistory == 0 {
				race = reviewtest.NewRace(t, open(t))
			}
			sum.Add(race.Round(*historySeed + uint64(n)))
			if t.Failed() {
				return
			}
		}
		t.Logf("%d rounds: %+v", n, sum)
		if !says(n) {
			t.Errorf("%d rounds: %+v: too little to say anything", n, sum)
		}
	})
}
