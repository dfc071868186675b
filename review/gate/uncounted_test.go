package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
)

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
