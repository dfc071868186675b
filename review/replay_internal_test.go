package review

import (
	"encoding/json"
	"fmt"
	"testing"
)

// forgotten is a history of pushes without a version, each forgotten at the end, and of
// others that stay.
func forgotten(n int) []AuditEntry {
	var acts []AuditEntry
	for i := range n {
		for _, id := range []string{fmt.Sprint("gone", i), fmt.Sprint("stays", i)} {
			after, _ := json.Marshal(pushFacts{Profile: "default", Ref: id, Revision: 1, Authors: true})
			acts = append(acts, AuditEntry{ID: id, Act: "listing.push", ServerID: "srv", Subject: id, After: string(after)})
		}
	}
	for i := range n {
		acts = append(acts, AuditEntry{ID: fmt.Sprint("forget", i), Act: "release.forget", ServerID: "srv", Subject: fmt.Sprint("gone", i)})
	}
	return acts
}

// TestForgottenRefs takes away what only a push without a version held, and nothing of
// others.
func TestForgottenRefs(t *testing.T) {
	r := replay{state: newState()}
	for _, e := range forgotten(50) {
		r.tell(&e)
	}
	if n := len(r.state.things); r.tooOld > 0 || n != 100 {
		t.Errorf("%d things are left of 50 pushes that stay, %d acts too old", n, r.tooOld)
	}
}

// BenchmarkForgottenRefs shows that each forgotten push costs the same, however long the
// history is.
func BenchmarkForgottenRefs(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		acts := forgotten(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				r := replay{state: newState()}
				for i := range acts {
					r.tell(&acts[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/ref")
		})
	}
}
