package e2e

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
)

// onBothDatabases runs a test on a new database of each kind.
func onBothDatabases(t *testing.T, test func(*testing.T, *rig)) {
	t.Run("SQLite", func(t *testing.T) { test(t, newRig(t, "sqlite:"+filepath.Join(t.TempDir(), "countersign.db"))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, newRig(t, testkit.Postgres(t))) })
}

// soakRounds is the number of rounds that a variable names, else many under
// COUNTERSIGN_SOAK=1 and few otherwise.
func soakRounds(variable string, few, many int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		return many
	}
	return few
}

// TestKillProgram kills the real program at random moments while it takes pushes
// and verdicts, and looks whether all that it had acknowledged is there, and nothing
// by halves. COUNTERSIGN_KILL_ROUNDS sets another number of rounds. Kills that come
// early find few answers, so it goes on until there are as many as rounds.
func TestKillProgram(t *testing.T) {
	rounds := soakRounds("COUNTERSIGN_KILL_ROUNDS", 3, 500)
	onBothDatabases(t, func(t *testing.T, r *rig) {
		kills, pushes, verdicts, broken := 0, 0, 0, 0
		for ; (kills < rounds || min(pushes, verdicts) < rounds) && kills < 10*rounds && !t.Failed(); kills++ {
			p := r.start()
			l := r.startLoad(2, func() string { return p.url })
			l.grows(1+rand.IntN(25), time.Minute)
			time.Sleep(rand.N(30 * time.Millisecond))
			l.ending.Store(true)
			p.kill()
			l.end()
			l.check()
			pushes, verdicts, broken = pushes+len(l.pushes), verdicts+2*len(l.verdicts), broken+l.answers[0]
		}
		t.Logf("%d kills: %d pushes and %d verdicts acknowledged, all there; %d requests broke off", kills, pushes, verdicts, broken)
		if pushes < rounds || verdicts < rounds {
			t.Errorf("only %d pushes and %d verdicts in %d rounds: too few to say anything", pushes, verdicts, kills)
		}
	})
}
