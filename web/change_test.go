package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/web/api"
)

func TestStatesJoinTheDiff(t *testing.T) {
	diff := []byte(`{"class":"text","changes":[{"id":"ch_1","tool":"pay\ud800"},{"id":"ch_2", "n":1.0 }],"engine":"1"}`)
	open := api.ChangeState{State: "open", Requirements: []api.Requirement{{ID: "approval:pay", State: "open"}}}
	got, err := withStates(diff, map[string]api.ChangeState{"ch_1": open, "ch_2": {State: "not applicable"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"class":"text","changes":[{"id":"ch_1","tool":"pay\ud800","state":"open",` +
		`"requirements":[{"id":"approval:pay","state":"open","why":"","who_can":[],"url":""}],"verdicts":[]},` +
		`{"id":"ch_2", "n":1.0 ,"state":"not applicable","requirements":[],"verdicts":[]}],"engine":"1"}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := withStates(diff, nil); err == nil {
		t.Error("a change without a state is no error")
	}
}

func TestStateOfAChange(t *testing.T) {
	d := review.Decided{Change: change.Change{ID: "ch_1"}}
	if got := presentState(d); got.State != "not applicable" || len(got.Requirements) != 0 {
		t.Errorf("nothing asked: %+v", got)
	}
	d.Requirement = &gate.Requirement{ID: "approval:a", State: gate.Satisfied}
	d.Verdicts = []review.Verdict{{ID: "v1", Kind: review.Approve, UsedUp: true}, {ID: "v2", Kind: review.Reject, UserLabel: "Ann"}}
	got := presentState(d)
	if got.State != "satisfied" || len(got.Requirements) != 1 || len(got.Verdicts) != 2 {
		t.Fatalf("state = %+v", got)
	}
	if got.Verdicts[0].Active || !got.Verdicts[1].Active || got.Verdicts[1].By != "Ann" || got.Verdicts[1].Verdict != "reject" {
		t.Errorf("verdicts = %+v", got.Verdicts)
	}
}
