package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store"
)

// mountedServers pushes a listing to each of some servers and returns their ids.
func mountedServers(in *instance, listings map[string]string) map[string]string {
	ids := map[string]string{}
	for slug, body := range listings {
		in.addServer(slug, gate.Team)
		ids[slug] = in.pushed(slug, "version=1.0.0", body).Listing.ID
	}
	return ids
}

func togetherQuery(host string, ids ...string) string {
	return "?" + url.Values{"host": {host}, "listing": ids}.Encode()
}

// TestTogetherPage mounts two servers whose tools have one name in a host that puts
// no server in front, and in one that keeps them apart.
func TestTogetherPage(t *testing.T) {
	in := newInstance(t)
	ids := mountedServers(in, map[string]string{
		"git":  listing(tool("find", "Finds commits."), tool("push", "Pushes.")),
		"shop": listing(tool("find", "Finds goods.")),
		"none": listing(tool("find", "Not of yours.")),
	})
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git", "shop"))
	doc := in.want(200, in.get(mia, "/together"+togetherQuery("langchain-mcp-adapters", ids["git"], "", ids["shop"]))).html(t)
	for selector, words := range map[string]string{
		".gate":             "refused",
		".gate .dots":       "1 name collides across servers",
		".facts":            "3 of 3 tools",
		"#clashes ~ * th":   "find",
		".clash":            "shop find",
		"#preflight ~ ul":   "shop find",
		"#shares ~ * tbody": "GIT 1.0.0",
	} {
		if got := text(doc.Find(selector)); !strings.Contains(got, words) {
			t.Errorf("%s says %.300q, want %q", selector, got, words)
		}
	}
	if got := text(doc.Find("main")); strings.Contains(got, "none") && strings.Contains(got, "Not of yours") {
		t.Errorf("a server that she has no role on is offered: %s", got)
	}
	if doc.Find("#pick-none").Length() != 0 || doc.Find("#pick-git option[selected]").AttrOr("value", "") != ids["git"] {
		t.Errorf("the form: %s", text(doc.Find("form")))
	}
	doc = in.want(200, in.get(mia, "/together"+togetherQuery("claude-code", ids["git"], ids["shop"]))).html(t)
	if got := text(doc.Find("main")); !strings.Contains(got, "Claude Code sends all 3 tools.") || !strings.Contains(got, "No two tools") {
		t.Errorf("kept apart: %.600s", got)
	}
	deferred := in.want(200, in.get(mia, "/together"+togetherQuery("claude-code+plain", ids["git"], ids["shop"]))).html(t)
	if got := text(deferred.Find(".gate")); !strings.Contains(got, "sends 0 of 3 tools") || !strings.Contains(got, "3 deferred") {
		t.Errorf("deferred: %s", got)
	}
}

// TestTogetherRefused: what can't be looked at, and what the caller may not see.
func TestTogetherRefused(t *testing.T) {
	in := newInstance(t)
	ids := mountedServers(in, map[string]string{"git": listing(tool("find", "Finds.")), "shop": listing(tool("find", "Finds goods."))})
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	twice := in.pushed("git", "version=2.0.0", listing(tool("find", "Finds more."))).Listing.ID
	capture := in.pushed("git", "version=3.0.0", captureOf(captured("find", "Finds."))).Listing.ID
	for name, c := range map[string]struct {
		query  string
		status int
		words  string
	}{
		"another's":    {togetherQuery("codex", ids["git"], ids["shop"]), 404, ""},
		"none":         {togetherQuery("codex", "none"), 404, ""},
		"twice":        {togetherQuery("codex", ids["git"], twice), 400, "Two listings of git"},
		"no such host": {togetherQuery("netscape", ids["git"]), 400, "netscape"},
		"no variant":   {togetherQuery("codex+netscape", ids["git"]), 400, "netscape"},
		"a provider":   {togetherQuery("openai-chat", ids["git"]), 400, "provider"},
		"a capture":    {togetherQuery("codex", capture), 400, "capture"},
		"too many":     {togetherQuery("codex", make21(ids["git"])...), 400, "up to 20"},
	} {
		t.Run(name, func(t *testing.T) {
			a := in.want(c.status, in.get(mia, "/together"+c.query))
			if got := text(a.html(t).Find("main")); !strings.Contains(got, c.words) {
				t.Errorf("%.300q does not say %q", got, c.words)
			}
			in.want(c.status, in.get(mia, "/api/v1/together"+c.query))
		})
	}
	in.want(401, in.get(nobody, "/api/v1/together"))
	in.want(404, in.get(withToken(in.addToken("git", "", people.ScopeRead)), "/api/v1/together"+togetherQuery("codex", ids["shop"])))
	in.want(403, in.get(withToken(in.addToken("git", "", people.ScopePush)), "/api/v1/together"))
}

func make21(id string) []string {
	out := make([]string, 21)
	for i := range out {
		out[i] = id
	}
	return out
}

// TestTogetherAPI asks for counts, limit, tokens and collisions.
func TestTogetherAPI(t *testing.T) {
	in := newInstance(t)
	var many []string
	for n := range 100 {
		many = append(many, tool(fmt.Sprintf("entity_get_%d", n), "Reads."))
	}
	ids := mountedServers(in, map[string]string{"git": listing(many...), "shop": listing(many...)})
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git", "shop"))
	type share struct {
		Server string `json:"server"`
		Sent   int    `json:"sent"`
		Tokens int    `json:"tokens"`
	}
	type clash struct {
		Name   string `json:"name"`
		Across bool   `json:"across_servers"`
		Tools  []struct {
			Server string `json:"server"`
			Sent   string `json:"sent"`
		} `json:"tools"`
	}
	type answer struct {
		Listed     int     `json:"listed"`
		Sent       int     `json:"sent"`
		Limit      int     `json:"limit"`
		LimitOf    string  `json:"limit_of"`
		Tokens     int     `json:"tokens"`
		Servers    []share `json:"servers"`
		Collisions []clash `json:"collisions"`
		Issues     []struct {
			Rule string `json:"rule"`
		} `json:"issues"`
	}
	got := decode[answer](t, in.want(200, in.get(mia, "/api/v1/together"+togetherQuery("langchain-mcp-adapters", ids["git"], ids["shop"]))))
	if got.Listed != 200 || got.Sent != 200 || got.Limit != 128 || got.LimitOf != "openai-chat" || got.Tokens == 0 {
		t.Errorf("counts: %d of %d, limit %d of %s, %d tokens", got.Sent, got.Listed, got.Limit, got.LimitOf, got.Tokens)
	}
	if len(got.Servers) != 2 || got.Servers[0].Server != "git" || got.Servers[0].Tokens+got.Servers[1].Tokens != got.Tokens {
		t.Errorf("servers: %+v", got.Servers)
	}
	if len(got.Collisions) != 100 || !got.Collisions[0].Across || got.Collisions[0].Tools[1].Server != "shop" {
		t.Fatalf("%d collisions: %+v", len(got.Collisions), got.Collisions)
	}
	rules := map[string]bool{}
	for _, i := range got.Issues {
		rules[i.Rule] = true
	}
	if !rules["too-many-tools"] || !rules["rendered-name-collision"] {
		t.Errorf("issues: %v", rules)
	}
	got = decode[answer](t, in.want(200, in.get(mia, "/api/v1/together"+togetherQuery("cursor", ids["git"], ids["shop"]))))
	if got.Sent != 40 || got.Limit != 40 || got.LimitOf != "cursor" || got.Servers[1].Sent != 0 {
		t.Errorf("cursor: %+v", got.Servers)
	}
	got = decode[answer](t, in.want(200, in.get(mia, "/api/v1/together")))
	if got.Listed != 0 || len(got.Servers) != 0 {
		t.Errorf("nothing picked: %+v", got)
	}
}

// TestTogetherIsKept counts the statements behind the page: as many for many servers
// as for two, and fewer the second time, when nothing is rendered anew.
func TestTogetherIsKept(t *testing.T) {
	ask := func(servers int) (first, second int) {
		in := newInstance(t)
		var slugs, ids []string
		for n := range servers {
			slug := fmt.Sprintf("s%d", n)
			slugs = append(slugs, slug)
			in.addServer(slug, gate.Team)
			ids = append(ids, in.pushed(slug, "version=1.0.0", listing(tool("find", "Finds."))).Listing.ID)
		}
		mia := in.signedIn(in.addUser("mia", people.Viewer, slugs...))
		count := func() int {
			r := httptest.NewRequest(http.MethodGet, "/together"+togetherQuery("codex", ids...), nil)
			mia(r)
			ctx, queries := store.CountQueries(t.Context())
			in.want(200, in.send(r.WithContext(ctx)))
			return queries.Count()
		}
		return count(), count()
	}
	first, two := ask(2)
	_, twelve := ask(12)
	if two != twelve || two >= first || two > 20 {
		t.Errorf("%d statements, then %d; of twelve servers %d", first, two, twelve)
	}
}
