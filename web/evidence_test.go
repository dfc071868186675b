package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/web/api"
)

// TestEvidenceTravels gives evidence over the API and in the form, and finds it
// beside the approval, in the gate's answer and in the changelog.
func TestEvidenceTravels(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	reviewer, viewer := callers[7].as, callers[2].as
	verdicts := "/api/v1/releases/" + p.release + "/verdicts"
	item := func(evidence string) string {
		return `{"items":[{"change":"` + p.change + `","verdict":"approve","note":"Read.","evidence":` + evidence + `}]}`
	}
	for _, bad := range []string{`[{"prompt":"","outcome":"x"}]`, `[{"prompt":"x"}]`, `[{"prompt":"x","outcome":"y","more":1}]`, "[" + strings.Repeat(`{"prompt":"x","outcome":"y"},`, 20) + `{"prompt":"x","outcome":"y"}]`} {
		p.problem(bad, p.postJSON(reviewer, verdicts, item(bad)), http.StatusBadRequest)
	}
	p.want(200, p.postJSON(reviewer, verdicts, item(`[{"prompt":"Find order 7","host":"claude-code 2.1","outcome":"Called it once"},{"prompt":"Drop all","outcome":"Refused"}]`)))
	gate := decode[api.GateAnswer](t, p.want(200, p.get(viewer, "/api/v1/servers/git/gate?digest="+url.QueryEscape(p.digest))))
	if len(gate.Approvals) != 1 || len(gate.Approvals[0].Evidence) != 2 || gate.Approvals[0].Evidence[0].Host != "claude-code 2.1" || !gate.Approvals[0].Independent {
		t.Errorf("the gate says %+v", gate.Approvals)
	}
	for path, want := range map[string]string{
		"/releases/" + p.release + "?view=tools":       "Called it once",
		"/api/v1/releases/" + p.release + "/changelog": "Tried: Find order 7",
	} {
		if a := p.want(200, p.get(viewer, path)); !strings.Contains(a.body, want) {
			t.Errorf("%s does not say %q:\n%.2000s", path, want, a.body)
		}
	}
}
