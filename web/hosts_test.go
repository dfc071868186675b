package web_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestHostCalls asks for costs, renderings and preflights of a pushed listing.
func TestHostCalls(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	one := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity."))).Listing.ID
	two := in.pushed("git", "version=2.0.0", listing(tool("entity_get", "Reads one entity. Never twice."))).Listing.ID
	for path, words := range map[string][]string{
		"/cost": {`"tokenizer":"o200k_base"`, `"turns":40`, `"base":null`},
		"/cost?base=" + one + "&turns=2&price=1.5&host=codex": {`"turns":2`, `"host":"codex"`, `"why":"edited"`},
		"/preflight?base=" + one:                              {`"host":"claude-code"`, `"status":"ok"`, `"host":"anthropic-messages"`},
		"/renderings/claude-code":                             {`"name":"mcp__git__entity_get"`, `"lost":[]`},
	} {
		a := in.want(200, in.get(mia, "/api/v1/listings/"+two+path))
		for _, w := range words {
			if !strings.Contains(a.body, w) {
				t.Errorf("%s lacks %s: %.400s", path, w, a.body)
			}
		}
	}
	for _, path := range []string{"/cost?turns=0", "/cost?price=much", "/cost?host=netscape", "/cost?base=none", "/renderings/netscape", "/renderings/openai-chat"} {
		in.want(400, in.get(mia, "/api/v1/listings/"+two+path))
	}
}
