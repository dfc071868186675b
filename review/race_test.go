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
		race := reviewtest.NewRace(t, open(t))
		var sum reviewtest.RaceTally
		for n := range rounds {
			sum.Add(race.Round(*historySeed + uint64(n)))
			if t.Failed() {
				return
			}
		}
		t.Logf("%d rounds: %+v", rounds, sum)
		if sum.Answers < rounds || sum.Stale == 0 || sum.Passes == 0 {
			t.Errorf("%d rounds: %+v: too little to say anything", rounds, sum)
		}
	})
}
