package review_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

var (
	historySeed   = flag.Uint64("history.seed", 1, "first seed of the random histories")
	historyRounds = flag.Int("history.rounds", 0, "random histories on each database; 0 is few, or many under COUNTERSIGN_SOAK=1")
	historySteps  = flag.Int("history.steps", 50, "acts of each history")
	historyTell   = flag.Bool("history.tell", false, "print every story, not only those that went wrong")
	historyActs   = flag.String("history.acts", "", "play exactly these acts, as a failure prints them")
)

// TestSoakHistories compares the gate with a model over random histories. A failure
// prints its seed, the shortest history that was found to fail in the same way, and
// how to play it again.
func TestSoakHistories(t *testing.T) {
	rounds := *historyRounds
	if rounds == 0 {
		rounds = 3
		if os.Getenv("COUNTERSIGN_SOAK") == "1" {
			rounds = 150
		}
	}
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		if *historyActs != "" {
			playHistory(t, open, "given", parseActs(t, *historyActs))
			return
		}
		for n := range rounds {
			seed := *historySeed + uint64(n)
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				playHistory(t, open, fmt.Sprint("seed ", seed), reviewtest.NewActs(seed, *historySteps))
			})
		}
	})
}

// shrinkTries bounds how often a history that failed is played again, shorter.
const shrinkTries = 120

func playHistory(t *testing.T, open func(testing.TB) *store.Store, name string, acts reviewtest.Acts) {
	wrong, story := reviewtest.History(t, open(t), acts)
	if wrong == "" {
		if *historyTell {
			t.Log(strings.Join(story, "\n"))
		}
		return
	}
	least := reviewtest.Shrink(acts, shrinkTries, func(shorter reviewtest.Acts) bool {
		other, _ := reviewtest.History(t, open(t), shorter)
		return other != ""
	})
	wrong, story = reviewtest.History(t, open(t), least)
	var numbers []string
	for _, a := range least {
		numbers = append(numbers, strconv.FormatUint(a, 36))
	}
	t.Fatalf("%s: %s\nThis happened:\n  %s\nAgain with -history.acts=%s", name, wrong, strings.Join(story, "\n  "), strings.Join(numbers, ","))
}

func parseActs(t *testing.T, list string) reviewtest.Acts {
	var acts reviewtest.Acts
	for _, f := range strings.Split(list, ",") {
		a, err := strconv.ParseUint(f, 36, 64)
		if err != nil {
			t.Fatal(err)
		}
		acts = append(acts, a)
	}
	return acts
}
