package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
)

// overriding is an override of the tool find, given a minute after noon.
func overriding(ids ...string) gate.Override {
	return gate.Override{
		ID: "o", By: "Ada", ByID: "ada", Reason: "Customers are down, see incident 17", Policy: 1, Requirements: ids,
		At: day0.Add(time.Minute), Until: day0.Add(48 * time.Hour),
	}
}

func TestOverride(t *testing.T) {
	cases := []struct {
		name   string
		change func(*gate.Facts)
		want   gate.Result
		state  gate.State // of approval:find
	}{
		{"covers what was open", func(*gate.Facts) {}, gate.Pass, gate.Overridden},
		{"is over", func(f *gate.Facts) { f.Now = f.Overrides[0].Until }, gate.Blocked, gate.Open},
		{"has not begun", func(f *gate.Facts) { f.Now = day0 }, gate.Blocked, gate.Open},
		{"another policy", func(f *gate.Facts) { f.Policy.Version = 2 }, gate.Blocked, gate.Open},
		{"another requirement", func(f *gate.Facts) { f.Overrides[0].Requirements = []string{"approval:drop"} }, gate.Blocked, gate.Open},
		{"a thread came later", func(f *gate.Facts) { f.Threads = []gate.Thread{{ID: "t", OpenedBy: "rob"}} }, gate.Blocked, gate.Overridden},
		{"a rejection from before", func(f *gate.Facts) {
			v := says("rob", gate.Reject, find(change.Behaviour), "No.")
			v.At = day0
			f.Verdicts = []gate.Verdict{v}
		}, gate.Pass, gate.Overridden},
		{"a rejection came later", func(f *gate.Facts) {
			v := says("rob", gate.Reject, find(change.Behaviour), "No.")
			v.At = day0.Add(time.Hour)
			f.Verdicts = []gate.Verdict{v}
		}, gate.Blocked, gate.Open},
		{"a rejection from before, another later", func(f *gate.Facts) {
			old, late := says("rob", gate.Reject, find(change.Behaviour), "No."), says("rita", gate.Reject, find(change.Behaviour), "Nor I.")
			old.At, late.At = day0, day0.Add(time.Hour)
			f.Verdicts = []gate.Verdict{old, late}
		}, gate.Blocked, gate.Open},
		{"withdrawn", func(f *gate.Facts) {
			f.Withdrawn = "It leaks"
			f.Overrides[0].Requirements = []string{"approval:find", "withdrawn"}
		}, gate.Blocked, gate.Overridden},
		{"incomplete", func(f *gate.Facts) {
			f.Listing.Complete = false
			f.Overrides[0].Requirements = []string{"approval:find", "complete"}
		}, gate.Undecided, gate.Open},
		{"not analysed", func(f *gate.Facts) { f.Listing.Analysed = false }, gate.Undecided, gate.Open},
		{"nothing is open", func(f *gate.Facts) {
			f.Verdicts = []gate.Verdict{says("ana", gate.Approve, find(change.Behaviour), "Fine.")}
		}, gate.Pass, gate.Satisfied},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := facts(gate.Team, find(change.Behaviour))
			f.Now, f.Overrides = day0.Add(2*time.Hour), []gate.Override{overriding("approval:find")}
			c.change(&f)
			o := gate.Evaluate(f)
			if o.Answer.Result != c.want {
				t.Errorf("gate is %s (%s), want %s", o.Answer.Result, o.Answer.Why, c.want)
			}
			i := slices.IndexFunc(o.Answer.Requirements, func(r gate.Requirement) bool { return r.ID == "approval:find" })
			if got := o.Answer.Requirements[i].State; got != c.state {
				t.Errorf("the requirement is %s, want %s", got, c.state)
			}
			if c.state == gate.Overridden {
				checkSetAside(t, o)
			}
		})
	}
}

// checkSetAside looks for what everybody must see: who, why, and that nothing was
// approved.
func checkSetAside(t *testing.T, o gate.Outcome) {
	t.Helper()
	if len(o.Overrides) != 1 || len(o.Approvals) != 0 {
		t.Errorf("overrides %v, approvals %v", o.Overrides, o.Approvals)
	}
	if o.Answer.Result != gate.Pass {
		return
	}
	for _, word := range []string{"by override only", "Ada", "incident 17", "2026-11-05 09:00 UTC", "Nothing was approved"} {
		if !strings.Contains(o.Answer.Why, word) {
			t.Errorf("%q does not say %q", o.Answer.Why, word)
		}
	}
	if o.Answer.Independent {
		t.Error("a pass by override is no independent one")
	}
}
