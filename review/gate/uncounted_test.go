package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
)

// TestWhoCanStill names nobody whose answer would not count, and everybody whose would.
func TestWhoCanStill(t *testing.T) {
	behaviour, breaking, back := find(change.Behaviour), find(change.Breaking), find(change.Behaviour)
	back.From = h("z")
	two := gate.Line{Approvals: 2, Owner: true}
	kin := func(f *gate.Facts) { // Rita invited Rob yesterday
		for i := range f.People {
			if f.People[i].ID == "rob" {
				f.People[i].Email, f.People[i].InvitedBy, f.People[i].Since = "rob@example.org", "rita", day0.AddDate(0, 0, -1)
			}
		}
	}
	for name, c := range map[string]struct {
		subject gate.Subject
		given   []gate.Verdict
		set     func(*gate.Facts)
		can     []string
		why     string
	}{
		"a guest beside their inviter":  {behaviour, []gate.Verdict{says("rita", gate.Approve, behaviour, "")}, kin, []string{"Ana", "Ben"}, "1 of 2 approvals"},
		"an inviter beside their guest": {behaviour, []gate.Verdict{says("rob", gate.Approve, behaviour, "")}, kin, []string{"Ana", "Ben"}, "1 of 2 approvals"},
		"a guest who is the owner": {behaviour, []gate.Verdict{says("rita", gate.Approve, behaviour, ""), says("ana", gate.Approve, behaviour, "")}, func(f *gate.Facts) {
			kin(f)
			f.Policy.Owners = []gate.OwnerRule{{People: []string{"rob@example.org"}}}
		}, []string{"Rob"}, "An owner is missing"},
		"a guest after a month": {behaviour, []gate.Verdict{says("rita", gate.Approve, behaviour, "")}, func(f *gate.Facts) {
			kin(f)
			f.Now = day0.AddDate(0, 0, 40)
		}, []string{"Ana", "Ben", "Rob"}, "1 of 2 approvals"},
		"the step stands, the bytes were taken back": {breaking, []gate.Verdict{says("rita", gate.Approve, breaking, "Nobody calls it."), says("rita", gate.Withdraw, back, "")},
			func(f *gate.Facts) { f.Policy.Lines = nil }, []string{"Ana", "Ben", "Rita", "Rob"}, "approvals of the bytes that it leads to were taken back elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(gate.Team, c.subject)
			f.Now = day0
			f.Policy.Lines = map[gate.Row]gate.Line{gate.RowBehaviour: two}
			f.Verdicts = c.given
			c.set(&f)
			r := gate.Evaluate(f).Answer.Requirements[0]
			slices.Sort(r.WhoCan)
			if !slices.Equal(r.WhoCan, c.can) || r.State != gate.Open || !strings.Contains(r.Why, c.why) {
				t.Errorf("%s %v: %s", r.State, r.WhoCan, r.Why)
			}
		})
	}
}

// TestUncountedIsSaid has an approval of every kind that does not count: each blocks,
// and the gate says why.
func TestUncountedIsSaid(t *testing.T) {
	behaviour, breaking := find(change.Behaviour), find(change.Breaking)
	destructive := behaviour
	destructive.Destructive = true
	approves := func(s gate.Subject, note string, with func(*gate.Verdict)) func(*gate.Facts) {
		return func(f *gate.Facts) {
			v := says("rita", gate.Approve, s, note)
			if with != nil {
				with(&v)
			}
			f.Verdicts = append(f.Verdicts, v)
		}
	}
	for name, c := range map[string]struct {
		subject gate.Subject
		set     []func(*gate.Facts)
		why     string
	}{
		"an author": {behaviour, []func(*gate.Facts){approves(behaviour, "", nil), func(f *gate.Facts) { f.Authors = []string{"rita"} }},
			"The approval by Rita does not count: who wrote or pushed it"},
		"without a reason": {breaking, []func(*gate.Facts){approves(breaking, " ", nil)}, "it gives no reason"},
		"a token from the shell": {behaviour, []func(*gate.Facts){approves(behaviour, "", func(v *gate.Verdict) { v.Shell = true }), func(f *gate.Facts) { f.Policy.NoShellTokens = true }},
			"made on the command line"},
		"too old": {destructive, []func(*gate.Facts){approves(destructive, "", nil), func(f *gate.Facts) {
			f.Policy.DestructiveDays, f.Now = 30, day0
			f.Now = f.Verdicts[0].At.AddDate(0, 0, 30)
		}}, "older than the 30 days"},
		"some edits only": {behaviour, []func(*gate.Facts){approves(behaviour, "", func(v *gate.Verdict) { v.Edit = "ed_1" })}, "of some of the edits"},
		"a starting point that is too old": {destructive, []func(*gate.Facts){func(f *gate.Facts) {
			f.Policy.DestructiveDays, f.Now = 30, day0
			f.Subjects[0].Baseline, f.Baseline.At = true, day0.AddDate(0, 0, -31)
		}}, "The starting point vouched for it until"},
		"a release that is too old": {destructive, []func(*gate.Facts){func(f *gate.Facts) {
			f.Policy.DestructiveDays, f.Now = 30, day0
			f.Subjects[0].Released = gate.Release{Title: "1.7.0", At: day0.AddDate(0, 0, -31)}
		}}, "Release 1.7.0 vouched for it until"},
		"one person twice": {behaviour, []func(*gate.Facts){approves(behaviour, "", nil), func(f *gate.Facts) {
			f.Policy.Lines = map[gate.Row]gate.Line{gate.RowBehaviour: {Approvals: 2}}
			f.Verdicts = append(f.Verdicts, says("rob", gate.Approve, behaviour, ""))
			for i := range f.People {
				if f.People[i].ID == "rob" {
					f.People[i].InvitedBy, f.People[i].Since = "rita", f.Verdicts[0].At.Add(-time.Hour)
				}
			}
		}}, "count as one person"},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(gate.Team, c.subject)
			for _, set := range c.set {
				set(&f)
			}
			o := gate.Evaluate(f)
			if o.Answer.Result != gate.Blocked || len(o.Answer.Requirements) == 0 || !strings.Contains(o.Answer.Requirements[0].Why, c.why) {
				t.Errorf("%s: %+v", o.Answer.Result, o.Answer.Requirements)
			}
		})
	}
}
