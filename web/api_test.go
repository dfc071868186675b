package web_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
	"github.com/countersign/countersign/web/client"
)

var review500 = review.Page{Limit: 500}

// changesOf reads the changes of a release by the tool's name.
func (in *instance) changesOf(as who, release string) map[string]changeJSON {
	in.t.Helper()
	a := in.get(as, "/api/v1/releases/"+release+"/changes")
	if a.status != 200 {
		in.t.Fatalf("changes: %d %s", a.status, a.body)
	}
	out := map[string]changeJSON{}
	for _, c := range decode[diffJSON](in.t, a).Changes {
		if c.Tool != nil {
			out[*c.Tool] = c
		}
	}
	return out
}

type diffJSON struct {
	Class   string       `json:"class"`
	Changes []changeJSON `json:"changes"`
}

type changeJSON struct {
	ID   string  `json:"id"`
	Tool *string `json:"tool"`
	Kind string  `json:"kind"`
	api.ChangeState
}

func verdictsOn(kind, note string, changes ...changeJSON) string {
	var items []string
	for _, c := range changes {
		items = append(items, `{"change":"`+c.ID+`","verdict":"`+kind+`","note":"`+note+`"}`)
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
}

// TestTheMainPathByAPI is the story of the first issue, told to the API.
func TestTheMainPathByAPI(t *testing.T) { onBoth(t, theMainPathByAPI) }

func theMainPathByAPI(t *testing.T, in *instance) {
	in.addServer("git", gate.Team)
	ann, bob := in.signedIn(in.addUser("ann", people.Maintainer, "git")), in.signedIn(in.addUser("bob", people.Reviewer, "git"))
	ci := withToken(in.addToken("git", "", people.ScopeGate))

	first := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads."), tool("entity_list", "Lists."), tool("entity_old", "Old.")))
	in.wantGate(ci, first.Listing.Digest, "blocked")
	digest := `{"digest":"` + first.Listing.Digest + `"}`
	in.want(200, in.postJSON(ann, "/api/v1/releases/"+first.Release.ID+"/baseline", digest))
	in.wantGate(ci, first.Listing.Digest, "pass")
	in.want(200, in.postJSON(ann, "/api/v1/releases/"+first.Release.ID+"/release", digest))

	v2 := []string{tool("entity_get", "Reads one, and only one."), tool("entity_list", "Lists."), tool("entity_new", "New.")}
	second := in.pushed("git", "version=2.0.0", listing(v2...))
	in.wantGate(ci, second.Listing.Digest, "blocked")
	changes := in.changesOf(bob, second.Release.ID)
	for name, kind := range map[string]string{"entity_get": "changed", "entity_new": "added", "entity_old": "removed"} {
		if c := changes[name]; c.Kind != kind || c.State != "open" || len(c.Requirements) != 1 || len(c.Requirements[0].WhoCan) == 0 {
			t.Errorf("change of %s: %+v", name, c)
		}
	}
	thread := in.want(201, in.postJSON(bob, "/api/v1/releases/"+second.Release.ID+"/threads",
		`{"anchor":{"tool":"entity_get","pointer":"/description","side":"new"},"body":"Only one?"}`))
	id := decode[api.Thread](t, thread).ID
	in.want(201, in.postJSON(ann, "/api/v1/releases/"+second.Release.ID+"/threads/"+id+"/comments", `{"body":"Yes."}`))

	in.problem("under another release", in.postJSON(ann, "/api/v1/releases/nothing/threads/"+id+"/comments", `{"body":"Yes."}`), 404)
	in.problem("no such thread", in.postJSON(ann, "/api/v1/releases/"+second.Release.ID+"/threads/nothing/resolve", ``), 404)

	in.want(200, in.postJSON(bob, "/api/v1/releases/"+second.Release.ID+"/verdicts", verdictsOn("approve", "Read.", changes["entity_new"], changes["entity_old"])))
	in.want(200, in.postJSON(bob, "/api/v1/releases/"+second.Release.ID+"/verdicts", verdictsOn("reject", "Says too little.", changes["entity_get"])))
	in.wantGate(ci, second.Listing.Digest, "blocked")

	v2[0] = tool("entity_get", "Reads one entity by its id.")
	third := in.pushed("git", "version=2.0.0", listing(v2...))
	if third.Release.ID != second.Release.ID {
		t.Fatal("a new revision is another release")
	}
	again := in.changesOf(bob, third.Release.ID)
	for _, name := range []string{"entity_new", "entity_old"} {
		if c := again[name]; c.ID != changes[name].ID || c.State != "satisfied" {
			t.Errorf("the verdict on %s no longer holds: %+v", name, c)
		}
	}
	in.want(200, in.postJSON(bob, "/api/v1/releases/"+third.Release.ID+"/verdicts", verdictsOn("approve", "Better.", again["entity_get"])))
	in.wantGate(ci, third.Listing.Digest, "pass")
	in.want(200, in.postJSON(ann, "/api/v1/releases/"+third.Release.ID+"/release", `{"digest":"`+third.Listing.Digest+`"}`))

	fourth := in.pushed("git", "version=2.0.1", listing(v2...))
	in.wantGate(ci, fourth.Listing.Digest, "pass")
}

func (in *instance) want(status int, a answer) answer {
	in.t.Helper()
	if a.status != status {
		in.t.Fatalf("%d %s, want %d", a.status, a.body, status)
	}
	return a
}

func (in *instance) wantGate(as who, digest, word string) api.GateAnswer {
	in.t.Helper()
	g := decode[api.GateAnswer](in.t, in.want(200, in.get(as, "/api/v1/servers/git/gate?digest="+digest)))
	if g.Gate != word || g.Server != "git" || g.Profile != "default" || g.Digest != digest {
		in.t.Fatalf("gate = %+v, want %s", g, word)
	}
	return g
}

func TestGateOfUnknownDigest(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ci := withToken(in.addToken("git", "", people.ScopeGate))
	in.wantGate(ci, "sha256:"+strings.Repeat("0", 63)+"1", "undecided")
	for _, digest := range []string{"", "abc", "sha256:xyz", "SHA256:" + strings.Repeat("0", 64), "sha256:" + strings.Repeat("A", 64)} {
		in.problem(digest, in.get(ci, "/api/v1/servers/git/gate?digest="+digest), 400)
	}
}

// TestIncompleteListingCannotPass is acceptance line 6.
func TestIncompleteListingCannotPass(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.JustMe)
	whole := in.release("git", "1.0.0", v1)
	ci := withToken(in.addToken("git", "", people.ScopeGate))
	in.wantGate(ci, whole.Listing.Digest, "pass")
	a := in.push("git", "version=1.1.0", strings.TrimSuffix(listing(tool("entity_get", "Reads one entity."), tool("entity_list", "Lists entities."), tool("entity_x", "X.")), "}")+`,"nextCursor":"2"}`)
	if a.status != 202 {
		t.Fatalf("push: %d %s, want 202", a.status, a.body)
	}
	part := decode[api.PushAnswer](t, a)
	if part.Note == "" {
		t.Errorf("answer %s does not say what is missing", a.body)
	}
	in.wantGate(ci, part.Listing.Digest, "undecided")
}

// TestStaleVerdictKeepsEverything: 409, the current changes, nothing stored.
func TestStaleVerdictKeepsEverything(t *testing.T) { onBoth(t, staleVerdictKeepsEverything) }

func staleVerdictKeepsEverything(t *testing.T, in *instance) {
	in.addServer("git", gate.Team)
	bob := in.signedIn(in.addUser("bob", people.Reviewer, "git"))
	pushed := in.pushed("git", "version=1", v1)
	before := in.changesOf(bob, pushed.Release.ID)
	in.pushed("git", "version=1", listing(tool("entity_get", "Moved."), tool("entity_list", "Lists entities.")))
	a := in.postJSON(bob, "/api/v1/releases/"+pushed.Release.ID+"/verdicts", verdictsOn("approve", "A note.", before["entity_list"], before["entity_get"]))
	p := in.problem("stale", a, 409)
	if p.Kind != "stale" {
		t.Errorf("kind = %q, want stale", p.Kind)
	}
	current, err := json.Marshal(p.Current)
	in.must(err)
	var ids []changeJSON
	in.must(json.Unmarshal(current, &ids))
	now := in.changesOf(bob, pushed.Release.ID)
	found := false
	for _, c := range ids {
		found = found || c.ID == now["entity_get"].ID
	}
	if !found {
		t.Errorf("current = %s, which lacks %s", current, now["entity_get"].ID)
	}
	if c := now["entity_list"]; c.State != "open" || len(c.Verdicts) != 0 {
		t.Errorf("half of the batch was kept: %+v", c)
	}
	in.problem("never existed", in.postJSON(bob, "/api/v1/releases/"+pushed.Release.ID+"/verdicts", verdictsOn("approve", "", changeJSON{ID: "ch_never"})), 409)
}

// TestOneVerdictWithoutAList: what the list of items would hold, alone.
func TestOneVerdictWithoutAList(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	bob := in.signedIn(in.addUser("bob", people.Reviewer, "git"))
	pushed := in.pushed("git", "version=1", v1)
	verdicts, change := "/api/v1/releases/"+pushed.Release.ID+"/verdicts", in.changesOf(bob, pushed.Release.ID)["entity_get"].ID
	one := `"change":"` + change + `","verdict":"approve","note":"Read."`
	in.problem("beside items", in.postJSON(bob, verdicts, `{"items":[{`+one+`}],`+one+`}`), 400)
	in.want(200, in.postJSON(bob, verdicts, `{`+one+`}`))
	if got := in.changesOf(bob, pushed.Release.ID)["entity_get"]; len(got.Verdicts) != 1 {
		t.Errorf("kept: %+v", got)
	}
}

// TestBaselineMoved is acceptance line 9, and the same for a release.
func TestBaselineMoved(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ann := in.signedIn(in.addUser("ann", people.Maintainer, "git"))
	first := in.pushed("git", "version=1", v1)
	in.pushed("git", "version=1", listing(tool("entity_get", "Moved.")))
	for _, act := range []string{"baseline", "release"} {
		a := in.postJSON(ann, "/api/v1/releases/"+first.Release.ID+"/"+act, `{"digest":"`+first.Listing.Digest+`"}`)
		in.problem(act, a, 409)
	}
	for _, act := range []string{"baseline", "release"} {
		in.problem(act+" without a digest", in.postJSON(ann, "/api/v1/releases/"+first.Release.ID+"/"+act, `{}`), 400)
	}
}

// TestListingOfAnotherServer is acceptance line 24.
func TestListingOfAnotherServer(t *testing.T) { onBoth(t, listingOfAnotherServer) }

func listingOfAnotherServer(t *testing.T, in *instance) {
	in.addServer("a", gate.Team)
	in.addServer("b", gate.Team)
	theirs := in.pushed("b", "version=1", v1)
	for name, as := range map[string]who{
		"A's token":  withToken(in.addToken("a", "", people.ScopeRead)),
		"A's person": in.signedIn(in.addUser("ann", people.Maintainer, "a")),
	} {
		for _, path := range []string{
			"/api/v1/listings/" + theirs.Listing.ID, "/api/v1/listings/" + theirs.Listing.ID + "/raw",
			"/api/v1/listings/" + theirs.Listing.ID + "/families", "/api/v1/releases/" + theirs.Release.ID,
			"/api/v1/servers/b", "/api/v1/servers/b/listings",
		} {
			got, never := in.get(as, path), in.get(as, strings.NewReplacer(theirs.Listing.ID, "nothing", theirs.Release.ID, "nothing", "/b", "/nothing").Replace(path))
			in.problem(name+" at "+path, got, 404)
			a, b := decode[api.Problem](t, got), decode[api.Problem](t, never)
			a.Request, b.Request = "", ""
			if diff := cmp.Diff(b, a); diff != "" {
				t.Errorf("%s at %s: what exists looks different (-absent +theirs):\n%s", name, path, diff)
			}
		}
		if a := in.get(as, "/api/v1/servers"); a.status != 200 || strings.Contains(a.body, theirs.Release.ID) {
			t.Errorf("%s sees another server's release: %d %s", name, a.status, a.body)
		}
	}
}

// TestRawIsAFile is acceptance line 31: a listing full of HTML downloads.
func TestRawIsAFile(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	body := listing(tool("<script>alert(1)</script>", "<img src=x onerror=alert(1)>")) + " \n"
	pushed := in.pushed("git", "version=1", body)
	a := in.get(withToken(in.addToken("git", "", people.ScopeRead)), "/api/v1/listings/"+pushed.Listing.ID+"/raw")
	if a.status != 200 || a.body != body {
		t.Errorf("raw: %d, not the bytes that were pushed: %q", a.status, a.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := a.header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="git-`) {
		t.Errorf("Content-Disposition = %q", got)
	}
	if got := a.header.Get("Content-Security-Policy"); !strings.Contains(got, "sandbox") || !strings.Contains(got, "default-src 'none'") {
		t.Errorf("Content-Security-Policy = %q", got)
	}
}

func TestOverride(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	pushed := in.pushed("git", "version=1", v1)
	admin := in.signedIn(in.addUser("admin", people.Admin, ""))
	path := "/api/v1/releases/" + pushed.Release.ID + "/override"
	in.problem("no digest", in.postJSON(admin, path, `{}`), 400)
	in.problem("short", in.postJSON(admin, path, `{"digest":"`+pushed.Listing.Digest+`","policy_version":1,"reason":"Please."}`), 400)
	in.problem("stale policy", in.postJSON(admin, path, `{"digest":"`+pushed.Listing.Digest+`","policy_version":7,"reason":"`+incident+`"}`), 409)
	a := in.postJSON(admin, path, `{"digest":"`+pushed.Listing.Digest+`","policy_version":1,"reason":"`+incident+`","hours":2}`)
	detail := decode[api.ReleaseDetail](t, a)
	if a.status != 200 || detail.Answer.Gate != "pass" || len(detail.Overrides) != 1 || detail.Overrides[0].Reason != incident {
		t.Fatalf("%d %s", a.status, a.body)
	}
	answer := decode[api.GateAnswer](t, in.get(admin, "/api/v1/servers/git/gate?digest="+pushed.Listing.Digest))
	if len(answer.Overrides) != 1 || answer.Overrides[0].Until.Sub(answer.Overrides[0].At) != 2*time.Hour || answer.Policy != 1 || answer.Independent {
		t.Errorf("the gate says %+v", answer)
	}
	for _, r := range answer.Requirements {
		if r.State != "overridden" {
			t.Errorf("%s is %s", r.ID, r.State)
		}
	}
	ended := decode[api.ReleaseDetail](t, in.postJSON(admin, path+"/end", ""))
	if ended.Answer.Gate != "blocked" || len(ended.Overrides) != 0 {
		t.Errorf("after its end: %+v", ended.Answer)
	}
}

const incident = "Customers are down, see incident 17."

func TestCompareByAnyName(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	one := in.pushed("git", "version=1", v1)
	two := in.pushed("git", "version=2", listing(tool("entity_get", "Changed."), tool("entity_list", "Lists entities.")))
	read := withToken(in.addToken("git", "", people.ScopeRead))
	var first string
	for _, pair := range [][2]string{{one.Listing.ID, two.Listing.ID}, {one.Listing.Digest, two.Listing.Digest}, {"1", "2"}} {
		a := in.want(200, in.get(read, "/api/v1/servers/git/compare?from="+pair[0]+"&to="+pair[1]))
		if d := decode[diffJSON](t, a); len(d.Changes) != 1 || d.Changes[0].Kind != "changed" {
			t.Errorf("%v: %s", pair, a.body)
		}
		if first == "" {
			first = a.body
		}
		if a.body != first {
			t.Errorf("%v gives another answer than by id", pair)
		}
	}
	in.problem("nothing to compare", in.get(read, "/api/v1/servers/git/compare?from=1"), 400)
	in.problem("no such version", in.get(read, "/api/v1/servers/git/compare?from=1&to=9"), 404)
}

func TestListsGoOn(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	for _, v := range []string{"1", "2", "3"} {
		in.pushed("git", "version="+v, listing(tool("entity_get", "Version "+v)))
	}
	read := withToken(in.addToken("git", "", people.ScopeRead))
	var seen []string
	next := ""
	for range 5 {
		page := decode[api.Releases](t, in.want(200, in.get(read, "/api/v1/servers/git/releases?limit=2&before="+next)))
		for _, r := range page.Releases {
			seen = append(seen, r.Version)
		}
		if next = page.Next; next == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"3", "2", "1"}, seen); diff != "" {
		t.Errorf("versions in pages (-want +got):\n%s", diff)
	}
	for _, limit := range []string{"0", "501", "-1", "many"} {
		in.problem("limit "+limit, in.get(read, "/api/v1/servers/git/releases?limit="+limit), 400)
	}
}

// TestAnswersAreWhatTheClientReads holds the JSON of the service against the types
// of the API: no field unknown to them.
func TestAnswersAreWhatTheClientReads(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	a := in.push("git", "version=1", v1)
	strictly[api.PushAnswer](t, a)
	pushed := decode[api.PushAnswer](t, a)
	read := withToken(in.addToken("git", "", people.ScopeRead, people.ScopeGate))
	strictly[api.GateAnswer](t, in.get(read, "/api/v1/servers/git/gate?digest="+pushed.Listing.Digest))
	in.release("git", "2", v1)
	strictly[api.GateAnswer](t, in.get(read, "/api/v1/servers/git/gate?digest="+pushed.Listing.Digest))
	strictly[api.Server](t, in.get(read, "/api/v1/servers/git"))
	strictly[api.ReleaseDetail](t, in.get(read, "/api/v1/releases/"+pushed.Release.ID))
	strictly[api.Problem](t, in.get(read, "/api/v1/releases/none"))
}

func strictly[T any](t *testing.T, a answer) {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v, json.RejectUnknownMembers(true)); err != nil {
		t.Errorf("%T: %v in %s", v, err, a.body)
	}
}

// TestClientAgainstTheServer runs the command line's client against the real
// server over a connection.
func TestClientAgainstTheServer(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	srv := httptest.NewServer(in.web.Handler())
	defer srv.Close()
	c, err := client.New(client.Options{
		BaseURL: srv.URL, Server: "git", Secret: in.secret["git"], Token: in.addToken("git", "", people.ScopeGate, people.ScopeRead),
	})
	in.must(err)
	one, err := c.Push(t.Context(), client.PushRequest{Body: []byte(v1), Version: "1.0.0+build 7", Commit: "abc"})
	in.must(err)
	two, err := c.Push(t.Context(), client.PushRequest{Body: []byte(v1), Ref: "pr-1"})
	in.must(err)
	if one.Status != 201 || two.Status != 201 || one.Answer.Listing.Digest != two.Answer.Listing.Digest {
		t.Errorf("pushes: %d %s, %d %s", one.Status, one.JSON, two.Status, two.JSON)
	}
	g, err := c.Gate(t.Context(), client.GateRequest{Digest: one.Answer.Listing.Digest})
	if err != nil || g.Answer.Gate != client.Blocked {
		t.Errorf("gate = %+v, %v", g, err)
	}
	if _, err := c.Compare(t.Context(), one.Answer.Listing.ID, two.Answer.Listing.ID); err != nil {
		t.Errorf("compare: %v", err)
	}
	_, err = c.Push(t.Context(), client.PushRequest{Body: []byte("<html>"), Version: "2"})
	if client.KindOf(err) != client.Refused {
		t.Errorf("HTML: %v", err)
	}
}

// TestPredecessorByAPI confirms the predecessor of a push by its name, once.
func TestPredecessorByAPI(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	fix := p.pushed("git", "version=0.9.1&profile=locked&predecessor=0.9.0", listing(tool("entity_get", "Reads one entity at once.")))
	at := "/api/v1/releases/" + fix.Release.ID + "/predecessor"
	p.problem("no name", p.postJSON(admin(callers), at, `{}`), 400)
	if refused := p.problem("another", p.postJSON(admin(callers), at, `{"predecessor":"0.8.0"}`), 409); !strings.Contains(refused.Detail, "names 0.9.0 as predecessor now") {
		t.Errorf("another name: %s", refused.Detail)
	}
	page := p.want(200, p.get(admin(callers), "/releases/"+fix.Release.ID))
	if !strings.Contains(page.body, "/predecessor?named=0.9.0") {
		t.Error("the form does not say what was seen")
	}
	r := decode[api.ReleaseDetail](t, p.want(200, p.postJSON(admin(callers), at, `{"predecessor":"0.9.0"}`)))
	if r.Base == nil || r.Base.Version != "0.9.0" || !strings.Contains(r.BaseWhy, "a maintainer confirmed") {
		t.Errorf("compared with %+v: %s", r.Base, r.BaseWhy)
	}
	p.problem("again", p.postJSON(admin(callers), at, `{"predecessor":"0.9.0"}`), 409)
}
