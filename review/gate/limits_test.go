package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
)

func TestLimits(t *testing.T) {
	fine, bad := gate.HostFit{Host: "codex"}, gate.HostFit{Host: "codex", Refuses: 2, First: "A list of types is refused"}
	for name, c := range map[string]struct {
		limits   gate.Limits
		measured gate.Measured
		released string
		open     []string
		why      string
	}{
		"nothing is asked":          {gate.Limits{}, gate.Measured{Hosts: []gate.HostFit{bad}, Tokens: 1e6}, "", nil, "Safe to publish"},
		"a host takes it":           {gate.Limits{Hosts: []string{"codex"}}, gate.Measured{Hosts: []gate.HostFit{fine}}, "", nil, "Safe to publish"},
		"a host refuses":            {gate.Limits{Hosts: []string{"codex"}}, gate.Measured{Hosts: []gate.HostFit{bad}}, "", []string{"preflight:codex"}, "1 limit not kept"},
		"another host refuses":      {gate.Limits{Hosts: []string{"cline"}}, gate.Measured{Hosts: []gate.HostFit{bad, {Host: "cline"}}}, "", nil, "Safe to publish"},
		"a host nobody knows":       {gate.Limits{Hosts: []string{"gone", "codex"}}, gate.Measured{Hosts: []gate.HostFit{fine}}, "", []string{"preflight:gone"}, "1 limit not kept"},
		"at the ceiling":            {gate.Limits{Ceiling: 100}, gate.Measured{Tokens: 100}, "", nil, "Safe to publish"},
		"over the ceiling":          {gate.Limits{Ceiling: 100}, gate.Measured{Tokens: 101}, "", []string{"tokens"}, "1 limit not kept"},
		"as much growth as allowed": {gate.Limits{Growth: 10}, gate.Measured{Tokens: 60, Base: 50}, "", nil, "Safe to publish"},
		"too much growth":           {gate.Limits{Growth: 10}, gate.Measured{Tokens: 61, Base: 50}, "", []string{"tokens"}, "1 limit not kept"},
		"a first listing":           {gate.Limits{Growth: 10}, gate.Measured{Tokens: 61}, "", nil, "Safe to publish"},
		"both":                      {gate.Limits{Hosts: []string{"codex"}, Ceiling: 1}, gate.Measured{Hosts: []gate.HostFit{bad}, Tokens: 2}, "", []string{"preflight:codex", "tokens"}, "2 limits not kept"},
		"released already":          {gate.Limits{Hosts: []string{"codex"}}, gate.Measured{Hosts: []gate.HostFit{bad}}, "1.1", nil, "Released as 1.1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(gate.Team, same())
			f.Policy.Limits, f.Measured, f.ReleasedAs = c.limits, c.measured, c.released
			o := gate.Evaluate(f)
			if got := open(o); !slices.Equal(got, c.open) {
				t.Errorf("open: %q, want %q", got, c.open)
			}
			if (len(c.open) > 0) != (o.Answer.Result == gate.Blocked) || !strings.Contains(o.Answer.Why, c.why) {
				t.Errorf("%s: %s", o.Answer.Result, o.Answer.Why)
			}
		})
	}
}

// TestEveryReason names all limits of tokens that are not kept: of the listing, and of
// what the hosts that are asked for send of it.
func TestEveryReason(t *testing.T) {
	f := facts(gate.Team, same())
	f.Policy.Limits = gate.Limits{Hosts: []string{"codex", "gemini-cli"}, Ceiling: 100, Growth: 10}
	f.Measured = gate.Measured{Tokens: 120, Base: 100, Hosts: []gate.HostFit{
		{Host: "codex", Name: "Codex", Tokens: 90, Base: 85}, {Host: "gemini-cli", Name: "Gemini CLI", Tokens: 180, Base: 150}, {Host: "cline", Name: "Cline", Tokens: 999},
	}}
	for _, r := range gate.Evaluate(f).Answer.Requirements {
		if r.ID != "tokens" {
			continue
		}
		for _, say := range []string{
			"It costs about 120 tokens, and the ceiling is 100. It costs about 20 tokens more than", "and may grow by 10.",
			"As Gemini CLI sends it, it costs about 180 tokens, and the ceiling is 100.", "As Gemini CLI sends it, it costs about 30 tokens more than",
		} {
			if !strings.Contains(r.Why, say) {
				t.Errorf("it does not say %q: %s", say, r.Why)
			}
		}
		if strings.Contains(r.Why, "Codex") || strings.Contains(r.Why, "Cline") {
			t.Errorf("it names a host that keeps the limits, or was not asked for: %s", r.Why)
		}
		return
	}
	t.Error("nothing about tokens")
}
