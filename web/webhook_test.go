package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
	"github.com/countersign/countersign/web/client"
)

func gzipped(t testing.TB, body string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var v1 = listing(tool("entity_get", "Reads one entity."), tool("entity_list", "Lists entities."))

// TestStatusesOfAPush is the contract's list of statuses, one by one. What is
// refused says where and what to do, and leaves nothing behind but its record.
func TestStatusesOfAPush(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	in.pushed("git", "version=1.0.0", v1)
	for _, c := range []struct {
		name   string
		d      delivery
		status int
		says   string // part of the sentence or of the first problem
		place  string // pointer or line:column of the first problem
	}{
		{"new version", delivery{query: "version=1.1.0", body: []byte(listing(tool("entity_get", "Reads.")))}, 201, "", ""},
		{"same bytes", delivery{query: "version=1.0.0", body: []byte(v1)}, 200, "", ""},
		{"new revision", delivery{query: "version=1.0.0", body: []byte(listing(tool("entity_get", "Other.")))}, 201, "", ""},
		{"without a version", delivery{query: "ref=pr-12", body: []byte(v1)}, 201, "", ""},
		{"packed", delivery{query: "version=1.2.0", body: gzipped(t, v1), bend: packedWire}, 201, "", ""},
		{"a page is missing", delivery{query: "version=1.3.0", body: []byte(`{"tools":[` + tool("a_b", "x") + `],"nextCursor":"2"}`)}, 202, "", ""},

		{"truncated", delivery{query: "version=2", body: []byte(v1[:len(v1)/2])}, 400, "", "line"},
		{"a key twice", delivery{query: "version=2", body: []byte(`{"tools":[],"tools":[]}`)}, 400, "twice", "line"},
		{"not text", delivery{query: "version=2", body: []byte{0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d}}, 400, "", ""},
		{"empty", delivery{query: "version=2", body: nil}, 400, "", ""},
		{"damaged gzip", delivery{query: "version=2", body: gzipped(t, v1)[:20], bend: packedWire}, 400, "gzip", ""},
		{"neither version nor ref", delivery{query: "", body: []byte(v1)}, 400, "version", ""},
		{"version and ref", delivery{query: "version=2&ref=pr-1", body: []byte(v1)}, 400, "ref", ""},
		{"version twice", delivery{query: "version=2&version=3", body: []byte(v1)}, 400, "2 times", ""},
		{"complete=perhaps", delivery{query: "version=2&complete=perhaps", body: []byte(v1)}, 400, "complete", ""},

		{"no signature", delivery{query: "version=2", body: []byte(v1), bend: unsigned}, 401, "", ""},
		{"wrong signature", delivery{query: "version=2", body: []byte(v1), secret: "whsec_" + strings.Repeat("QUFB", 8)}, 401, "signature", ""},
		{"another body", delivery{query: "version=2", body: []byte(v1), bend: otherBody}, 401, "signature", ""},
		{"old timestamp", delivery{query: "version=2", body: []byte(v1), at: in.now.Add(-301 * time.Second)}, 401, "timestamp", ""},
		{"early timestamp", delivery{query: "version=2", body: []byte(v1), at: in.now.Add(301 * time.Second)}, 401, "timestamp", ""},
		{"unknown server", delivery{slug: "nowhere", query: "version=2", body: []byte(v1), secret: in.secret["git"]}, 401, "signature", ""},
		{"another server's secret", delivery{query: "version=2", body: []byte(v1), secret: in.secret["shop"]}, 401, "signature", ""},

		{"20 MB", delivery{query: "version=2", body: bytes.Repeat([]byte(" "), 20<<20)}, 413, "larger", ""},
		{"a bomb", delivery{query: "version=2", body: gzipped(t, strings.Repeat(" ", 40<<20)), bend: packedWire}, 413, "larger", ""},
		{"HTML", delivery{query: "version=2", body: []byte("<!doctype html><html><body>Welcome</body></html>")}, 415, "HTML", ""},
		{"a login page", delivery{query: "version=2", body: []byte("<html><form action=/login><input type=password></form></html>")}, 415, "HTML", ""},
		{"YAML", delivery{query: "version=2", body: []byte("tools:\n  - name: a\n    description: b\n")}, 415, "", ""},
		{"brotli", delivery{query: "version=2", body: []byte(v1), bend: brotli}, 415, "encoding", ""},
		{"tools:null", delivery{query: "version=2", body: []byte(`{"tools":null}`)}, 422, "null", "/tools"},
		{"other JSON", delivery{query: "version=2", body: []byte(`{"hello":"world"}`)}, 422, "", ""},
		{"a JSON-RPC error", delivery{query: "version=2", body: []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`)}, 422, "", ""},
	} {
		if c.d.slug == "" {
			c.d.slug = "git"
		}
		a := in.send(in.sign(c.d))
		if a.status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, a.status, a.body, c.status)
			continue
		}
		if c.status < 300 {
			continue
		}
		p := in.problem(c.name, a, c.status)
		text := p.Detail
		for _, pr := range p.Problems {
			text += " " + pr.Message
		}
		if !strings.Contains(text, c.says) {
			t.Errorf("%s: %q does not say %q", c.name, text, c.says)
		}
		if c.place == "line" && (len(p.Problems) == 0 || p.Problems[0].Line == 0 || p.Problems[0].Column == 0) {
			t.Errorf("%s: no place in %+v", c.name, p.Problems)
		}
		if strings.HasPrefix(c.place, "/") && (len(p.Problems) == 0 || p.Problems[0].Pointer != c.place) {
			t.Errorf("%s: problems %+v, want one at %s", c.name, p.Problems, c.place)
		}
	}
	in.recorded(t)
}

func packedWire(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }
func brotli(r *http.Request)     { r.Header.Set("Content-Encoding", "br") }

func unsigned(r *http.Request) {
	for _, h := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		r.Header.Del(h)
	}
}

func otherBody(r *http.Request) { r.Body, r.ContentLength = http.NoBody, 0 }

// recorded checks that every delivery of TestStatusesOfAPush was kept with its
// reason, and nothing of the refused ones.
func (in *instance) recorded(t *testing.T) {
	t.Helper()
	kept, err := in.svc.Deliveries(t.Context(), shell, "", review500) // some have no server that they are known to be for
	in.must(err)
	refused := map[int]int{}
	for _, d := range kept {
		if d.Status >= 300 {
			refused[d.Status]++
			if d.Outcome == "" || d.ListingID != "" || d.ReleaseID != "" {
				t.Errorf("refused delivery %+v: no reason, or something was kept", d)
			}
		}
	}
	for status, least := range map[int]int{400: 9, 401: 7, 413: 2, 415: 4, 422: 3} {
		if refused[status] < least {
			t.Errorf("%d deliveries of status %d are recorded, want at least %d", refused[status], status, least)
		}
	}
	listings := decode[api.Listings](t, in.get(withToken(in.addToken("git", "", people.ScopeRead)), "/api/v1/servers/git/listings?limit=500"))
	if n := len(listings.Listings); n != 6 {
		t.Errorf("%d listings are kept, want 6", n)
	}
}

func TestReleasedVersionIsClosed(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.JustMe)
	in.release("git", "1.0.0", v1)
	p := in.problem("other bytes", in.push("git", "version=1.0.0", listing(tool("entity_get", "Slipped in."))), 409)
	if !strings.Contains(p.Detail, "1.0.0") {
		t.Errorf("detail %q does not name the version", p.Detail)
	}
	if a := in.push("git", "version=1.0.0", v1); a.status != 200 {
		t.Errorf("the same bytes: %d %s, want 200", a.status, a.body)
	}
	if a := in.push("git", "version=1.0.0&profile=read-only", listing(tool("entity_get", "Another profile."))); a.status != 201 {
		t.Errorf("another profile: %d %s, want 201", a.status, a.body)
	}
}

// release pushes a version, accepts it as baseline and releases it.
func (in *instance) release(slug, version, body string) api.PushAnswer {
	in.t.Helper()
	pushed := in.pushed(slug, "version="+version, body)
	admin := in.signedIn(in.addUser("releaser-"+slug+"-"+version, people.Admin, ""))
	path := "/api/v1/releases/" + pushed.Release.ID
	digest := `{"digest":"` + pushed.Listing.Digest + `"}`
	if a := in.postJSON(admin, path+"/baseline", digest); a.status != 200 {
		in.t.Fatalf("baseline: %d %s", a.status, a.body)
	}
	if a := in.postJSON(admin, path+"/release", digest); a.status != 200 {
		in.t.Fatalf("release: %d %s", a.status, a.body)
	}
	return pushed
}

func TestReplayGetsTheFirstAnswer(t *testing.T) { onBoth(t, replayGetsTheFirstAnswer) }

func replayGetsTheFirstAnswer(t *testing.T, in *instance) {
	in.addServer("git", gate.Team)
	first := in.send(in.sign(delivery{slug: "git", query: "version=1", id: "msg_once", body: []byte(v1)}))
	if first.status != 201 {
		t.Fatalf("first: %d %s", first.status, first.body)
	}
	in.pushed("git", "version=1", listing(tool("entity_get", "Newer.")))
	again := in.send(in.sign(delivery{slug: "git", query: "version=1", id: "msg_once", body: []byte(v1)}))
	if again.status != 200 || again.body != first.body {
		t.Errorf("replay: %d %s, want 200 and the first body %s", again.status, again.body, first.body)
	}
	releases := decode[api.Releases](t, in.get(withToken(in.addToken("git", "", people.ScopeRead)), "/api/v1/servers/git/releases"))
	if n := releases.Releases[0].Revision.Number; n != 2 {
		t.Errorf("head is revision %d, want 2: the replay changed something", n)
	}
}

// TestBoundDelivery is acceptance line 21.
func TestBoundDelivery(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	d := delivery{slug: "git", query: "version=1.0.0", body: []byte(v1), bound: true}
	d.bend = func(r *http.Request) {
		r.URL.RawQuery = "version=9.9.9"
		r.RequestURI = r.URL.RequestURI()
	}
	in.problem("query altered", in.send(in.sign(d)), 401)
	d.bend = nil
	if a := in.send(in.sign(d)); a.status != 201 {
		t.Errorf("query as bound: %d %s, want 201", a.status, a.body)
	}
}

// TestIDOfAnotherServer is acceptance line 22: ids are remembered per server.
func TestIDOfAnotherServer(t *testing.T) {
	in := newInstance(t)
	in.addServer("a", gate.Team)
	in.addServer("b", gate.Team)
	for _, slug := range []string{"a", "b"} {
		if a := in.send(in.sign(delivery{slug: slug, query: "version=1", id: "msg_shared", body: []byte(v1)})); a.status != 201 {
			t.Errorf("server %s: %d %s, want 201", slug, a.status, a.body)
		}
	}
}

// TestRefusedIDCanBeUsedAgain: a delivery that failed is mended and sent again.
func TestRefusedIDCanBeUsedAgain(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.problem("broken", in.send(in.sign(delivery{slug: "git", query: "version=1", id: "msg_1", body: []byte("{")})), 400)
	if a := in.send(in.sign(delivery{slug: "git", query: "version=1", id: "msg_1", body: []byte(v1)})); a.status != 201 {
		t.Errorf("mended: %d %s, want 201", a.status, a.body)
	}
}

func TestSeveralSignaturesWhileASecretIsRotated(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	old := in.secret["git"]
	fresh, err := in.svc.RotateSecret(t.Context(), shell, "git")
	in.must(err)
	body := []byte(v1)
	for name, secret := range map[string]string{"old": old, "new": fresh} {
		if a := in.send(in.sign(delivery{slug: "git", query: "version=" + name, secret: secret, body: body})); a.status != 201 {
			t.Errorf("%s secret: %d %s, want 201", name, a.status, a.body)
		}
	}
	both := delivery{slug: "git", query: "version=both", id: "msg_both", secret: fresh, body: body, bend: func(r *http.Request) {
		wrong, err := client.Sign("whsec_"+strings.Repeat("QUFB", 8), "msg_both", in.now, body, "")
		in.must(err)
		r.Header.Set("Webhook-Signature", wrong.Value+" "+r.Header.Get("Webhook-Signature"))
	}}
	if a := in.send(in.sign(both)); a.status != 201 {
		t.Errorf("two signatures: %d %s, want 201", a.status, a.body)
	}
	in.now = in.now.Add(25 * time.Hour)
	in.problem("old secret a day later", in.send(in.sign(delivery{slug: "git", query: "version=late", secret: old, body: body})), 401)
}

func TestPushByToken(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	push := withToken(in.addToken("git", "", people.ScopePush))
	if a := in.postJSON(push, "/api/v1/servers/git/listings?version=1", v1); a.status != 201 {
		t.Errorf("push: %d %s, want 201", a.status, a.body)
	}
	in.problem("another server", in.postJSON(push, "/api/v1/servers/shop/listings?version=1", v1), 404)
	in.problem("no such server", in.postJSON(push, "/api/v1/servers/nowhere/listings?version=1", v1), 404)
	in.problem("no scope", in.postJSON(withToken(in.addToken("git", "", people.ScopeGate)), "/api/v1/servers/git/listings?version=1", v1), 403)
	in.problem("no such token", in.postJSON(withToken("cs_"+strings.Repeat("A", 43)), "/api/v1/servers/git/listings?version=1", v1), 401)
	in.problem("a token in the query", in.postJSON(nobody, "/api/v1/servers/git/listings?version=1&token="+strings.Repeat("A", 43), v1), 401)
}

// TestAwkwardNames: a tool named like a path is a name like any other.
func TestAwkwardNames(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	pushed := in.pushed("git", "version=1", listing(tool("a/../b", "Climbs."), tool("<img src=x>", "Draws."), tool("pay\u202e", "Turns.")))
	read := withToken(in.addToken("git", "", people.ScopeRead))
	for _, path := range []string{
		"/api/v1/listings/" + pushed.Listing.ID, "/api/v1/listings/" + pushed.Listing.ID + "/families",
		"/api/v1/releases/" + pushed.Release.ID + "/changes", "/api/v1/releases/" + pushed.Release.ID + "/requirements",
	} {
		a := in.get(read, path)
		if a.status != 200 || !strings.Contains(a.body, `a/../b`) {
			t.Errorf("%s: %d %.300s", path, a.status, a.body)
		}
	}
}

// TestLoneSurrogatesStayApart is acceptance line 17 through the API.
func TestLoneSurrogatesStayApart(t *testing.T) { onBoth(t, loneSurrogatesStayApart) }

func loneSurrogatesStayApart(t *testing.T, in *instance) {
	in.addServer("git", gate.Team)
	seen := map[string]bool{}
	for i, escape := range []string{`\ud800`, `\udfff`, `\ufffd`} {
		body := `{"tools":[{"name":"pay` + escape + `","description":"x","inputSchema":{"type":"object"}}]}`
		pushed := in.pushed("git", fmt.Sprintf("version=%d", i), body)
		seen[pushed.Listing.Digest] = true
		read := withToken(in.addToken("git", "", people.ScopeRead))
		a := in.get(read, "/api/v1/listings/"+pushed.Listing.ID)
		if i < 2 && !strings.Contains(a.body, escape) {
			t.Errorf("the listing does not show %s: %s", escape, a.body)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d digests for three names", len(seen))
	}
}

// TestOneDeliveryAtOnce sends the same delivery several times at the same moment,
// as a sender does that lost patience: one counts, all hear the same.
func TestOneDeliveryAtOnce(t *testing.T) { onBoth(t, oneDeliveryAtOnce) }

func oneDeliveryAtOnce(t *testing.T, in *instance) {
	in.addServer("git", gate.Team)
	const senders = 6
	requests := make([]*http.Request, senders)
	for i := range requests {
		requests[i] = in.sign(delivery{slug: "git", query: "version=1", id: "msg_impatient", body: []byte(v1)})
	}
	answers := make([]*httptest.ResponseRecorder, senders)
	var wg sync.WaitGroup
	for i, r := range requests {
		answers[i] = httptest.NewRecorder()
		wg.Go(func() { in.web.Handler().ServeHTTP(answers[i], r) })
	}
	wg.Wait()
	created := 0
	for _, a := range answers {
		if a.Code == 201 {
			created++
		} else if a.Code != 200 {
			t.Errorf("answer %d %s", a.Code, a.Body)
		}
		if a.Body.String() != answers[0].Body.String() {
			t.Errorf("two answers to one delivery:\n%s\n%s", answers[0].Body, a.Body)
		}
	}
	if created != 1 {
		t.Errorf("%d of %d created something", created, senders)
	}
}

// TestTheLargestListing: 2,000 tools in just under 8 MiB have to work.
func TestTheLargestListing(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	const tools, size = 2000, 8 << 20
	long := strings.Repeat("All that is said about it. ", 150)
	parts := make([]string, tools)
	for i := range parts {
		parts[i] = tool(fmt.Sprintf("entity_get_%04d", i), long)
	}
	body := listing(parts...)
	body += strings.Repeat(" ", size-len(body))
	a := in.push("git", "version=1", body)
	if a.status != 201 {
		t.Fatalf("push of %d bytes: %d %.300s", len(body), a.status, a.body)
	}
	if got := decode[api.PushAnswer](t, a); got.Listing.Tools != tools {
		t.Errorf("%d tools are kept, want %d", got.Listing.Tools, tools)
	}
	in.problem("one byte more", in.push("git", "version=2", body+" "), 413)
}
