package review_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

var (
	historySeed   = flag.Uint64("history.seed", 1, "first seed of the random histories")
	historyRounds = flag.Int("history.rounds", 3, "random histories on each database")
	historySteps  = flag.Int("history.steps", 50, "steps of each history")
)

// TestHistories compares the gate with a model over random histories. A failure
// names its seed: -history.seed N -history.rounds 1 repeats it.
func TestHistories(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		for n := range *historyRounds {
			seed := *historySeed + uint64(n)
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { reviewtest.History(t, open(t), seed, *historySteps) })
		}
	})
}
