package prose_test

import (
	"testing"

	"github.com/countersign/countersign/review/prose"
)

func TestBlank(t *testing.T) {
	for _, s := range []string{"", " \t\n", "\u200b", "\u3164", "\u2800 \u2800", "\u00a0", "\u202e\u2066", "\ufeff"} {
		if !prose.Blank(s) {
			t.Errorf("Blank(%+q) = false", s)
		}
	}
	for _, s := range []string{".", "ok", "\u200bok", "خ", "👍"} {
		if prose.Blank(s) {
			t.Errorf("Blank(%+q) = true", s)
		}
	}
}
