package web

import (
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/host"
)

// TestMatrixShowsTheWorst lets a field that no tool is sent with hide nothing, and
// shows a tool that is left out as worse than one that lost a keyword.
func TestMatrixShowsTheWorst(t *testing.T) {
	title := func(at int) host.Loss { return host.Loss{Position: at, Pointer: "/title", What: host.NotSent} }
	lost := []host.Loss{
		title(1), {Position: 1, Pointer: "/inputSchema/properties/q/format", What: host.Dropped},
		title(2), {Position: 2, Pointer: "/inputSchema/properties/a b", What: host.Dropped, Gone: true},
		title(3),
	}
	p := hostsPresenter{v: &review.HostsView{
		Tools: []review.ToolRef{{Position: 1, Name: "a"}, {Position: 2, Name: "b"}, {Position: 3, Name: "c"}},
		Fits:  []review.Fit{{Check: &host.Check{Host: "codex"}, Sent: 2, Lost: lost}},
	}}
	var got []string
	for _, r := range p.matrix().Rows {
		got = append(got, r.Cells[0].Badge.Word)
	}
	if len(got) != 2 || got[0] != lossBadge(host.Dropped).Word || got[1] != lossBadge(host.NotSent).Word {
		t.Errorf("a lost keyword and a tool that is left out are shown as %q", got)
	}
	kinds := lossesByKind(lost)
	if kinds[host.Dropped] != 1 || kinds[host.NotSent] != 1 {
		t.Errorf("side by side counts %v", kinds)
	}
}

// TestMatrixTellsOfRefusals: a host that sends every tool to a provider that refuses
// one passes none on.
func TestMatrixTellsOfRefusals(t *testing.T) {
	p := hostsPresenter{v: &review.HostsView{
		Tools: []review.ToolRef{{Position: 1, Name: "a"}},
		Fits: []review.Fit{
			{Check: &host.Check{Host: "codex", Status: host.OK}, Sent: 1},
			{Check: &host.Check{Host: "copilot-cli", Status: host.Refuses}, Sent: 1},
		},
	}}
	const want = "1 tool arrives whole in every host. 1 host passes every tool on as listed. " +
		"1 more sends every tool as listed, and the provider refuses something: the preflight says what."
	if got := p.matrix().Whole.String(); got != want {
		t.Errorf("%s", got)
	}
}
