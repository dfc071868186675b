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
	got, err := withStates(diff, map[string]api.ChangeState{"ch_1": open, "ch_2": {State: "not applicable"}},
		api.SightState{Hosts: []string{"codex"}, Tokens: 5, Growth: -2})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"class":"text","changes":[{"id":"ch_1","tool":"pay\ud800","state":"open",` +
		`"requirements":[{"id":"approval:pay","state":"open","why":"","who_can":[],"url":""}],"verdicts":[],"growth_tokens":0,"invisible_in":[],"edits_invisible_in":{},"moves_cut":[]},` +
		`{"id":"ch_2", "n":1.0 ,"state":"not applicable","requirements":[],"verdicts":[],"growth_tokens":0,"invisible_in":[],"edits_invisible_in":{},"moves_cut":[]}],"engine":"1",` +
		`"sight":{"hosts":["codex"],"tokenizer":"","tokens":5,"growth":-2,"cache_prefix":{"kept":0,"kept_tokens":0,"resent_tokens":0,"broken_by":"","position":0,"why":""}}}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := withStates(diff, nil, api.SightState{}); err == nil {
		t.Error("a change without a state is no error")
	}
}

func TestStateOfAChange(t *testing.T) {
	d := review.Decided{Change: change.Change{ID: "ch_1"}}
	if got := presentState(d, review.ChangeSight{}); got.State != "not applicable" || len(got.Requirements) != 0 {
		t.Errorf("nothing asked: %+v", got)
	}
	d.Requirement = &gate.Requirement{ID: "approval:a", State: gate.Satisfied}
	d.Verdicts = []review.Verdict{{ID: "v1", Kind: review.Approve, UsedUp: true}, {ID: "v2", Kind: review.Reject, UserLabel: "Ann"}}
	got := presentState(d, review.ChangeSight{Growth: 3, Unseen: []string{"codex"}, Moved: []review.MovedCut{{Host: "zed", Behind: []string{"a\xff"}}}})
	if got.State != "satisfied" || len(got.Requirements) != 1 || len(got.Verdicts) != 2 {
		t.Fatalf("state = %+v", got)
	}
	if got.GrowthTokens != 3 || got.InvisibleIn[0] != "codex" || got.MovesCut[0].Behind[0] != "a\uFFFD" || got.MovesCut[0].Front == nil {
		t.Errorf("sight = %+v", got)
	}
	if got.Verdicts[0].Active || !got.Verdicts[1].Active || got.Verdicts[1].By != "Ann" || got.Verdicts[1].Verdict != "reject" {
		t.Errorf("verdicts = %+v", got.Verdicts)
	}
}
