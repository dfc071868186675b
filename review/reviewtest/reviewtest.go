// Package reviewtest checks the workflow as a whole: every case drives
// [review.Service] over a real store and looks at what it answers. The same cases
// run on every database.
//
// A case is a story. Its world has one server ("mot", the team's policy), an
// administrator, two maintainers (Ana and Ben), two reviewers (Rita and Rob) and
// a viewer (Vic). Its clock stands still unless the case moves it. Each ends with a
// look at whether the audit says all that the database has.
package reviewtest

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/review"
)

// Exercise runs every case. open returns an empty store each time.
func Exercise(t *testing.T, open func(testing.TB) review.Store) { ExerciseSome(t, open) }

// ExerciseSome is Exercise for some cases: whole groups by name, or a case of one as
// group/case. None is all of them.
func ExerciseSome(t *testing.T, open func(testing.TB) review.Store, some ...string) {
	known := map[string]bool{}
	t.Run("set-up", func(t *testing.T) { setUp(newInstance(t, open(t))) })
	for _, group := range []struct {
		name  string
		cases map[string]func(*world)
	}{
		{"story", storyCases},
		{"host", hostCases},
		{"push", pushCases},
		{"clock", clockCases},
		{"approval", approvalCases},
		{"release", releaseCases},
		{"override", overrideCases},
		{"agree", agreeCases},
		{"policy", policyCases},
		{"proposal", proposalCases},
		{"thread", threadCases},
		{"depth", depthCases},
		{"talk", talkCases},
		{"people", peopleCases},
		{"factor", factorCases},
		{"identity", identityCases},
		{"list", listCases},
		{"finding", findingCases},
		{"retention", retentionCases},
		{"search", searchCases},
		{"purge", purgeCases},
		{"reseal", resealCases},
		{"endpoint", endpointCases},
		{"drift", driftCases},
	} {
		asked := map[string]func(*world){}
		for name, run := range group.cases {
			if full := group.name + "/" + name; len(some) == 0 || slices.Contains(some, group.name) || slices.Contains(some, full) {
				known[group.name], known[full] = true, true
				asked[name] = run
			}
		}
		if len(asked) == 0 {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			for name, run := range asked {
				t.Run(name, func(t *testing.T) {
					w := newWorld(t, open(t))
					run(w)
					w.replays()
				})
			}
		})
	}
	for _, name := range some {
		if !known[name] {
			t.Errorf("there is no case %q", name)
		}
	}
}
