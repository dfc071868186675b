package review_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
)

// TestHolding: of several waivers the one is told that holds, and that nobody could
// check before that a risk was accepted.
func TestHolding(t *testing.T) {
	pending := review.Waiver{ID: "pending", Severity: lint.Critical, Kind: lint.CouldNotTell}
	second := pending
	second.ID, second.ConfirmedAt = "second", time.Unix(1, 0)
	risk := review.Waiver{ID: "risk", Severity: lint.Warn, Kind: lint.AcceptedRisk}
	unchecked := review.Waiver{ID: "unchecked", Severity: lint.Warn, Kind: lint.CouldNotTell}
	for _, c := range []struct {
		want     string
		severity lint.Severity
		waived   bool
		have     []review.Waiver
	}{
		{"", lint.Warn, false, []review.Waiver{risk}}, // one of its places is not waived
		{"risk", lint.Warn, true, []review.Waiver{risk}},
		{"unchecked", lint.Warn, true, []review.Waiver{risk, unchecked, risk}},
		{"second", lint.Critical, true, []review.Waiver{pending, second}},
	} {
		f := review.Finding{Finding: lint.Finding{Severity: c.severity}, Waivers: c.have, Waived: c.waived}
		got := ""
		if w := f.Holding(); w != nil {
			got = w.ID
		}
		if got != c.want {
			t.Errorf("%v: %q holds, want %q", c.have, got, c.want)
		}
	}
}
