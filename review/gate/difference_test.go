package gate_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
)

func TestDifferences(t *testing.T) {
	old := owned(gate.OwnerRule{Teams: []string{"pay"}, Names: []string{"pay_*"}, Classes: []change.Class{change.Breaking}})
	old.DestructiveDays, old.Order = 30, true
	now := gate.Policy{Preset: gate.NotOurServer, Lines: map[gate.Row]gate.Line{gate.RowWording: {Approvals: 2, Reason: true}}}
	now.Teams = map[string][]string{"pay": {"ana@example.com"}}
	now.FindingSeverity, now.Limits.Ceiling = lint.High, 9000
	want := []gate.Difference{
		{"preset", "a team", "it is not our server"},
		{"lines/wording", "1 approval", "2 approvals, with a reason"},
		{"lines/behaviour", "1 approval with the owners among them", "1 approval"},
		{"lines/breaking", "1 approval with the owners among them, with a reason", "1 approval"},
		{"lines/hidden", "1 approval with the owners among them, with a reason", "nobody can approve it"},
		{"lines/findings", "1 approval with the owners among them, with a reason", "nobody can approve it"},
		{"teams/pay", "ana@example.com, ben@example.com", "ana@example.com"},
		{"finding_severity", "", "high or graver block"},
		{"limits/ceiling", "", "9000 tokens"},
		{"owners of pay_*, breaking", "team pay", ""},
		{"order_asks", "yes", ""},
		{"destructive_expiry_days", "30 days", ""},
	}
	if diff := cmp.Diff(want, now.Differences(old)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := now.Differences(now); got != nil {
		t.Errorf("with itself: %+v", got)
	}
}

// TestEveryFieldDiffers sets every field of a policy in turn: a field that no clause
// speaks of would change without anybody being shown.
func TestEveryFieldDiffers(t *testing.T) {
	values := map[string]any{
		"Preset": gate.JustMe, "Lines": map[gate.Row]gate.Line{gate.RowBreaking: {Approvals: 3}}, "Owners": []gate.OwnerRule{{People: []string{"a@b"}}},
		"Teams": map[string][]string{"x": {"a@b"}}, "Families": map[string][]string{"x": {"x_*"}}, "FindingSeverity": lint.Warn,
		"AllThreads": true, "Order": true, "RequiredWithDefault": true, "DestructiveDays": 3, "NoShellTokens": true, "SecondFactor": true, "BoundDeliveries": true,
		"Limits": gate.Limits{Growth: 5}, "Rules": map[string]lint.Severity{"param.*": lint.Info},
	}
	for i := range reflect.TypeFor[gate.Policy]().NumField() {
		name := reflect.TypeFor[gate.Policy]().Field(i).Name
		if name == "Version" || name == "LoosenedAt" || name == "Floors" {
			continue // the server's, not the author's
		}
		p := team()
		value, ok := values[name]
		if !ok {
			t.Errorf("the test knows no value for %s", name)
			continue
		}
		reflect.ValueOf(&p).Elem().Field(i).Set(reflect.ValueOf(value))
		if got := p.Differences(team()); len(got) == 0 {
			t.Errorf("%s is set and nothing differs", name)
		}
	}
}
