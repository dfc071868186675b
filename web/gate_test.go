package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/countersign/countersign/web/api"
)

// TestGateLeadsToThePlace follows the address of every requirement, and finds there what
// it is about: the change open, the tool with the error, the thread.
func TestGateLeadsToThePlace(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	const commit, run = "0a1b2c3d", "https://ci.example/runs/7"
	pushed := p.pushed("git", "version=9.0.0&commit="+commit+"&run_url="+url.QueryEscape(run),
		listing(tool("entity_get", "Reads one entity, and deletes it."), tool("entity_put", "Writes one entity."), tool("twin", "One."), tool("twin", "Another.")))
	if pushed.Release.Commit != commit || pushed.Release.RunURL != run {
		t.Errorf("the answer to the push is %+v", pushed.Release)
	}
	p.want(201, p.postJSON(admin(callers), "/api/v1/releases/"+pushed.Release.ID+"/threads", `{"body":"Why?","blocks":true}`))
	var answer api.GateAnswer
	p.must(json.Unmarshal([]byte(p.want(200, p.get(admin(callers), "/api/v1/servers/git/gate?digest="+pushed.Listing.Digest)).body), &answer))
	if r := answer.Release; r == nil || r.Commit != commit || r.RunURL != run {
		t.Errorf("the answer of the gate is about %+v", r)
	}
	kinds := map[string]bool{}
	for _, r := range answer.Requirements {
		kind, about, _ := strings.Cut(r.ID, ":")
		kinds[kind] = true
		u, err := url.Parse(r.URL)
		p.must(err)
		page := p.want(200, p.get(admin(callers), u.RequestURI()))
		if u.Fragment == "" || !strings.Contains(page.body, `id="`+u.Fragment+`"`) || strings.Contains(page.body, "This tool is not in this release.") {
			t.Errorf("%s leads to %s, which has no such place", r.ID, r.URL)
		}
		opened := page.body[max(0, strings.Index(page.body, `id="`+u.Fragment+`"`)):]
		if name, _, _ := strings.Cut(about, " "); kind == "approval" && !strings.Contains(opened[:min(len(opened), 600)], name) {
			t.Errorf("%s leads to %s, where %.600s is open", r.ID, r.URL, opened)
		}
	}
	for _, kind := range []string{"approval", "problem", "thread"} {
		if !kinds[kind] {
			t.Errorf("no requirement is of the kind %s: %+v", kind, answer.Requirements)
		}
	}
}
