package review_test

import (
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

// TestFamiliesThatATeamNames: a pattern of the policy wins over the words of names.
func TestFamiliesThatATeamNames(t *testing.T) {
	names := []string{"invoice_get", "invoice_void", "charge_refund"}
	srv := &review.Server{}
	if f := srv.Families(names).Families; len(f) != 2 || f[0].Name != "invoice" {
		t.Fatalf("without a pattern: %+v", f)
	}
	srv.Policy = gate.Policy{Families: map[string][]string{"billing": {"invoice_*", "charge_*"}}}
	if f := srv.Families(names).Families; len(f) != 1 || f[0].Name != "billing" || len(f[0].Tools) != 3 {
		t.Errorf("with a pattern: %+v", f)
	}
}
