package web_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web"
)

var update = flag.Bool("update", false, "write the golden files anew")

// caller is one column of the table: who asks, and what they are to the server
// that the routes are about.
type caller struct {
	name  string
	as    who
	role  people.Role    // on the server
	other bool           // a role on another server only
	scope []people.Scope // of a token; nil is a person or nobody
}

// place is a server with all that a route can be about.
type place struct {
	*instance
	release, listing, thread, digest, change, user, token string
	captured, capture                                     string // a listing, and what a host sent of it
	tool                                                  string // name of one in the newest release
	endpoint, drift                                       string // an endpoint, and what goes on there
}

// newPlace makes a server "git" with a release under review, and a server "shop".
func newPlace(t *testing.T, body string) (*place, []caller) {
	t.Helper()
	in := newInstance(t)
	in.hub.Close() // a stream says what is, and ends
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	roles := map[string]*people.User{}
	for _, role := range []people.Role{people.Viewer, people.Reviewer, people.Maintainer} {
		roles[string(role)] = in.addUser(string(role), role, "git")
	}
	admin := in.addUser("admin", people.Admin, "")
	stranger := in.addUser("stranger", people.Maintainer, "shop")
	p := &place{instance: in, tool: "entity_get", user: in.addUser("subject", people.Viewer, "git").ID}
	pushed := in.pushed("git", "version=1.0.0", body)
	p.release, p.listing, p.digest = pushed.Release.ID, pushed.Listing.ID, pushed.Listing.Digest
	p.open(in.signedIn(roles["maintainer"]))
	p.releasedVersion(roles["maintainer"])
	p.capturedListing(in.signedIn(roles["maintainer"]))
	p.drifted(roles["maintainer"], body)
	_, tok, err := in.svc.CreateToken(t.Context(), shell, tokenOf("git", people.ScopeRead))
	in.must(err)
	p.token = tok.ID
	return p, []caller{
		{name: "nobody", as: nobody},
		{name: "other server", as: in.signedIn(stranger), other: true},
		{name: "viewer", as: in.signedIn(roles["viewer"]), role: people.Viewer},
		{name: "push token", as: withToken(in.addToken("git", "", people.ScopePush)), role: people.Viewer, scope: []people.Scope{people.ScopePush}},
		{name: "gate token", as: withToken(in.addToken("git", "", people.ScopeGate)), role: people.Viewer, scope: []people.Scope{people.ScopeGate}},
		{name: "read token", as: withToken(in.addToken("git", "", people.ScopeRead)), role: people.Viewer, scope: []people.Scope{people.ScopeRead}},
		{name: "other's tokens", as: withToken(in.addToken("shop", "", people.ScopePush, people.ScopeGate, people.ScopeRead)), other: true,
			scope: []people.Scope{people.ScopePush, people.ScopeGate, people.ScopeRead}},
		{name: "reviewer", as: in.signedIn(roles["reviewer"]), role: people.Reviewer},
		{name: "review token", as: withToken(in.addToken("git", "reviewer@example.org", people.ScopeReview)), role: people.Reviewer, scope: []people.Scope{people.ScopeReview}},
		{name: "maintainer", as: in.signedIn(roles["maintainer"]), role: people.Maintainer},
		{name: "admin", as: in.signedIn(admin), role: people.Admin},
	}
}

// open opens a thread and learns the id of a change.
func (p *place) open(as who) {
	p.t.Helper()
	a := p.postJSON(as, "/api/v1/releases/"+p.release+"/threads", `{"body":"Why?"}`)
	if a.status != http.StatusCreated {
		p.t.Fatalf("open a thread: %d %s", a.status, a.body)
	}
	p.thread = decode[struct {
		ID string `json:"id"`
	}](p.t, a).ID
	changes := decode[struct {
		Changes []struct {
			ID string `json:"id"`
		} `json:"changes"`
	}](p.t, p.get(as, "/api/v1/releases/"+p.release+"/changes"))
	p.change = changes.Changes[0].ID
}

// releasedVersion releases a version in a profile of its own, so that there is a
// lock file.
func (p *place) releasedVersion(u *people.User) {
	p.t.Helper()
	pushed := p.pushed("git", "version=0.9.0&profile=locked", listing(tool("entity_get", "Reads one entity.")))
	p.captured = pushed.Listing.ID
	h, err := surface.ParseHash(pushed.Listing.Digest)
	p.must(err)
	maintainer := review.Actor{User: u, Via: "browser"}
	_, err = p.svc.AcceptBaseline(p.t.Context(), maintainer, pushed.Release.ID, h, nil)
	p.must(err)
	_, err = p.svc.MarkReleased(p.t.Context(), maintainer, pushed.Release.ID, h)
	p.must(err)
}

// capturedListing brings what a host sent of the released listing, whose one tool
// keeps its name in every host, whatever the listing under review is called.
func (p *place) capturedListing(as who) {
	p.t.Helper()
	a := p.want(http.StatusCreated, p.postJSON(as, "/api/v1/listings/"+p.captured+"/captures", captureOf(captured("entity_get", "Reads one entity."))))
	p.capture = decode[struct {
		ID string `json:"id"`
	}](p.t, a).ID
}

// drifted has the server run what is under review where another listing is released.
func (p *place) drifted(u *people.User, body string) {
	p.t.Helper()
	if body == listing(tool("entity_get", "Reads one entity.")) { // which is what is released
		body = listing(tool("entity_get", "Reads one entity, live."))
	}
	p.runs.say(body)
	e, err := p.svc.AddEndpoint(p.t.Context(), review.Actor{User: u, Via: "browser"}, "git", review.NewEndpoint{
		Name: "EU <b>production</b>", Profile: "locked", URL: "https://live.example/mcp?<script>", Headers: []review.Header{{Name: "Authorization", Value: "Bearer canary"}},
	})
	p.must(err)
	if _, err := p.svc.ReadDue(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	l, err := p.svc.Endpoint(p.t.Context(), shell, "git", e.ID)
	p.must(err)
	p.endpoint = e.ID
	p.drift = l.Endpoints[0].Drift.ID
}

var pathParameter = regexp.MustCompile(`[:*]\w*`)

// fill puts the ids of the place into a route's path.
func (p *place) fill(row web.Row) string {
	id := p.release
	switch {
	case strings.Contains(row.Path, ":capture"):
		id = p.captured
	case strings.Contains(row.Path, "/listings/:id"):
		id = p.listing
	case strings.Contains(row.Path, "/people/:id"), strings.Contains(row.Path, "/users/:id"):
		id = p.user
	case strings.Contains(row.Path, "/tokens/:id"):
		id = p.token
	case strings.Contains(row.Path, "/endpoints/:id"):
		id = p.endpoint
	}
	return pathParameter.ReplaceAllStringFunc(row.Path, func(name string) string {
		switch name {
		case ":server":
			return "git"
		case ":id":
			return id
		case ":thread":
			return p.thread
		case ":capture":
			return p.capture
		case ":drift":
			return p.drift
		case ":host":
			return "claude-code"
		case ":token":
			return "no-such-link"
		case "*":
			return "none"
		}
		p.t.Fatalf("the test does not know what to put for %s in %s", name, row.Path)
		return ""
	})
}

// request is what a caller who may would send.
func (p *place) request(row web.Row) *http.Request {
	path := p.fill(row) + "?" + p.query(row)
	if row.Method == http.MethodGet {
		return httptest.NewRequest(row.Method, path, nil)
	}
	if strings.HasPrefix(row.Path, "/api/") {
		r := httptest.NewRequest(row.Method, path, strings.NewReader(p.jsonBody(row)))
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	r := httptest.NewRequest(row.Method, path, strings.NewReader(p.formBody(row).Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (p *place) query(row web.Row) string {
	if row.Path == "/search" {
		return url.Values{"q": {"e"}}.Encode()
	}
	if strings.HasSuffix(row.Path, "/lock") {
		return "version=0.9.0&profile=locked"
	}
	all := url.Values{"digest": {p.digest}, "from": {p.listing}, "to": {p.listing}, "ref": {"pr-1"}, "name": {p.tool}}
	for name := range all {
		if row.Method == http.MethodGet && (strings.HasPrefix(row.Path, "/api/") || row.Asks != nil) && !slices.Contains(row.Asks, name) {
			all.Del(name)
		}
	}
	return all.Encode()
}

func (p *place) jsonBody(row web.Row) string {
	switch action := row.Path[strings.LastIndexByte(row.Path, '/')+1:]; action {
	case "verify":
		return listing(tool("entity_get", "Reads one entity."))
	case "listings":
		return listing(tool("entity_get", "Reads one entity, pushed anew."))
	case "verdicts":
		return `{"items":[{"change":"` + p.change + `","verdict":"approve","note":"Read."}]}`
	case "threads", "comments":
		return `{"body":"Why?"}`
	case "edit":
		return `{"comment":"none","body":"Why?"}`
	case "viewed":
		return `{"changes":["` + p.change + `"]}`
	case "drafts":
		return `{"comment":{"body":"Hm."}}`
	case "aliases", "pairings":
		return `{"old":"entity_read","new":"entity_get"}`
	case "baseline", "release":
		return `{"digest":"` + p.digest + `"}`
	case "policy", "try":
		return `{"version":1,"yaml":"preset: team\nall_threads_block: true\n"}`
	case "decide":
		if strings.Contains(row.Path, "/proposals/") {
			return `{"id":"none","agree":true}`
		}
		return `{"version":7,"agree":true}`
	case "purge":
		return `{"text":"nowhere to be found","reason":"A token of production."}`
	case "override":
		return `{"digest":"` + p.digest + `","policy_version":1,"reason":"Customers are down, see incident 17."}`
	case "waivers":
		return `{"fingerprint":"sha256:none","kind":"accepted-risk","reason":"Known."}`
	case "grants":
		return `{"user":"subject@example.org","permission":"override","may":false}`
	case "proposed":
		return `{"release":"` + p.release + `","waivers":[]}`
	case "predecessor":
		return `{"predecessor":"0.9.0"}`
	case "withdraw":
		return `{"reason":"A mistake."}`
	}
	return `{}`
}

// formBody fills in every field that a form of the dashboard has; a form takes
// what it knows.
func (p *place) formBody(row web.Row) url.Values {
	kept := "0 comment "
	if strings.HasPrefix(row.Path, "/servers/:server/drafts") {
		kept = "0 form alias"
	}
	return url.Values{
		"change": {p.change}, "verdict": {"approve"}, "note": {"Read."}, "body": {"Why?"}, "kept": {kept}, "digest": {p.digest},
		"reason": {"A mistake, see incident 17."}, "policy": {"1"}, "hours": {"1"}, "requirement": {"approval:entity_get"},
		"ref": {"pr-2"}, "listing": {listing(tool("entity_get", "Pasted."))},
		"thread": {p.thread}, "preset": {"team"}, "slug": {"novel"}, "name": {"Novel"},
		"email": {"novel@example.org"}, "role": {"viewer"}, "server": {"git"}, "scope": {"read"},
		"user": {p.user}, "id": {p.token}, "token": {p.token}, "shown": {p.change}, "viewed": {p.change},
		"address": {"https://live.example/mcp"}, "every": {"1h0m0s"}, "days": {"7"},
		"old": {"entity_read"}, "new": {"entity_get"}, "target": {"none"},
	}
}

// verdict is what an answer says of access. An open route lets everybody in, even
// if only to hear that a password is wrong or a link unknown.
func verdict(row web.Row, status int, location string) string {
	switch {
	case status >= 500:
		return fmt.Sprintf("%d!", status)
	case row.Open:
		return "yes"
	case status == http.StatusSeeOther && strings.HasPrefix(location, "/sign-in"):
		return "sign in"
	case status == http.StatusUnauthorized && !strings.HasPrefix(row.Path, "/api/"):
		return "sign in" // beside what was typed
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound:
		return fmt.Sprint(status)
	}
	return "yes"
}

// expected is what the row of the table promises to a caller; several answers
// where it doesn't matter which refusal it is.
func expected(row web.Row, c caller) []string {
	isAPI, token := strings.HasPrefix(row.Path, "/api/"), c.scope != nil
	scoped := slices.ContainsFunc(row.Scopes, func(s people.Scope) bool { return slices.Contains(c.scope, s) })
	switch {
	case row.Open:
		return []string{"yes"}
	case !isAPI && (token || c.name == "nobody"):
		return []string{"sign in"} // pages know no tokens
	case c.name == "nobody", row.Signed && !token:
		return []string{"401"}
	case c.other && token && !scoped:
		return []string{"403", "404"} // whether server or scope is named first tells nothing
	case c.other && !row.AnyServer && aboutServer(row):
		return []string{"404"} // not even that it exists
	case c.other && row.Method == http.MethodPost && row.Role != people.NoRole && !ownAccount(row):
		return []string{"403", "404"} // the form names the other server
	case token && !scoped:
		return []string{"403"}
	case row.Signed, row.Pusher && !c.other && slices.Contains(c.scope, people.ScopePush), c.other && row.AnyServer && people.Maintainer.AtLeast(row.Role), !c.other && c.role.AtLeast(row.Role):
		return []string{"yes"}
	case aboutServer(row) && !c.other:
		return []string{"403"}
	}
	return []string{"403", "404"}
}

// ownAccount reports whether a route is about whoever calls it: their account, their
// inbox, or what waits for them, which says the same of what waits for others as of
// nothing.
func ownAccount(row web.Row) bool {
	return strings.Contains(row.Path, "/inbox") || strings.HasPrefix(row.Path, "/account") || strings.HasSuffix(strings.TrimSuffix(row.Path, "/decide"), "/proposals")
}

// aboutServer reports whether a route is about one server, and not about the
// instance or somebody's account.
func aboutServer(row web.Row) bool {
	return regexp.MustCompile(`/servers/:server|/releases/:id|/listings/:id`).MatchString(row.Path)
}

// TestRoutesAndRoles tries every route of the table as everybody. What is wanted
// follows from the row; what was answered is written down in testdata/access.txt,
// so that a change of either is seen.
func TestRoutesAndRoles(t *testing.T) {
	var table strings.Builder
	header := false
	fresh := func() (*place, []caller) { return newPlace(t, listing(tool("entity_get", "Reads one entity."))) }
	asked, askers := fresh() // whoever asks changes nothing for who asks next
	for _, row := range rowsOf(t) {
		p, callers := asked, askers
		if row.Method != http.MethodGet {
			p, callers = fresh()
		}
		if !header {
			fmt.Fprintf(&table, "%-62s", "")
			for _, c := range callers {
				fmt.Fprintf(&table, "%-15s", c.name)
			}
			table.WriteByte('\n')
			header = true
		}
		fmt.Fprintf(&table, "%-62s", row.Method+" "+row.Path)
		for _, c := range callers {
			r := p.request(row)
			c.as(r)
			a := p.send(r)
			got := verdict(row, a.status, a.header.Get("Location"))
			if want := expected(row, c); !slices.Contains(want, got) {
				t.Errorf("%s %s as %s: %s (status %d), want %v\n%.300s", row.Method, row.Path, c.name, got, a.status, want, a.body)
			}
			fmt.Fprintf(&table, "%-15s", got)
		}
		table.WriteByte('\n')
	}
	golden(t, "access.txt", trimLines(table.String()))
}

func tokenOf(slug string, scopes ...people.Scope) review.NewToken {
	return review.NewToken{Name: "subject", ServerSlug: slug, Scopes: scopes}
}

func rowsOf(t *testing.T) []web.Row { return newInstance(t).web.Rows() }

func trimLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", path, diff)
	}
}
