package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"encoding/base32"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// browser signs in by password, with a name for itself and an address.
func (in *instance) browser(email, agent, addr string) who {
	in.t.Helper()
	from := func(r *http.Request) {
		r.RemoteAddr = addr + ":1234"
		r.Header.Set("User-Agent", agent)
	}
	return cookieOf(in.t, in.postForm(from, "/sign-in", url.Values{"email": {email}, "password": {password}}))
}

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	phone   = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"
)

func TestSessionsPage(t *testing.T) {
	in := newInstance(t)
	ann, _ := in.addLocal("ann", people.Admin), in.addLocal("bob", people.Viewer)
	desk, mobile := in.browser("ann@example.org", firefox, "192.0.2.1"), in.browser("ann@example.org", phone, "192.0.2.2")
	third := in.browser("ann@example.org", "<script>alert(1)</script>", "192.0.2.3")
	bob := in.browser("bob@example.org", firefox, "192.0.2.9")

	page := in.get(desk, "/account").html(t)
	list := text(page.Find("section[aria-labelledby=sessions]"))
	for _, want := range []string{"Firefox on Linux this one", "192.0.2.1", "Safari on iPhone", "192.0.2.2", "Unknown browser"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q: %s", want, list)
		}
	}
	if strings.Contains(list, "192.0.2.9") || page.Find("section[aria-labelledby=sessions] li").Length() != 3 {
		t.Errorf("the list shows others: %s", list)
	}
	end := page.Find("li:contains('Safari on iPhone') form").AttrOr("action", "")
	in.want(http.StatusSeeOther, in.postForm(bob, end, nil)) // of another: no effect
	in.want(http.StatusOK, in.get(mobile, "/account"))
	in.want(http.StatusSeeOther, in.postForm(desk, end, nil))
	if a := in.get(mobile, "/account"); a.status != http.StatusSeeOther {
		t.Errorf("the ended session: %d", a.status)
	}
	in.want(http.StatusSeeOther, in.postForm(desk, "/account/sessions/end-others", nil))
	if a := in.get(third, "/account"); a.status != http.StatusSeeOther {
		t.Errorf("every other session was ended, one goes on: %d", a.status)
	}
	in.want(http.StatusOK, in.get(desk, "/account"))
	in.want(http.StatusOK, in.get(bob, "/account"))

	ended := func() int {
		return strings.Count(in.want(http.StatusOK, in.get(desk, "/audit?act=session.end")).body, "session.end</")
	}
	before := ended()
	fourth := in.browser("ann@example.org", firefox, "192.0.2.4")
	in.want(http.StatusSeeOther, in.postForm(fourth, "/sign-out", nil))
	if a := in.get(fourth, "/account"); a.status != http.StatusSeeOther || ended() != before+1 {
		t.Errorf("signed out: %d, and the audit has %d acts of it, before %d", a.status, ended(), before)
	}

	in.want(http.StatusForbidden, in.postForm(bob, "/people/"+ann.ID+"/sessions/end", nil))
	in.want(http.StatusSeeOther, in.postForm(desk, "/people/"+in.userOf("bob@example.org").ID+"/sessions/end", nil))
	if a := in.get(bob, "/account"); a.status != http.StatusSeeOther {
		t.Errorf("an administrator ended it, it goes on: %d", a.status)
	}
}

// app is what a person has in their pocket.
type app struct{ secret []byte }

func (a app) code(in *instance) string { return people.FactorCode(a.secret, in.now) }

// enrol sets a second factor up by the pages, and returns the app and the recovery
// codes.
func (in *instance) enrol(as who) (app, []string) {
	in.t.Helper()
	begun := in.want(http.StatusOK, in.postForm(as, "/account/second-factor", nil))
	page := begun.html(in.t)
	if page.Find("svg.qr path").AttrOr("d", "") == "" || begun.header.Get("Cache-Control") != "no-store" {
		in.t.Error("there is nothing to scan, or it may be kept")
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(text(page.Find("#key")), " ", ""))
	in.must(err)
	a := app{secret}
	wrong := in.postForm(as, "/account/second-factor/confirm", url.Values{"code": {"000000"}})
	if wrong.status != http.StatusBadRequest || wrong.html(in.t).Find("svg.qr").Length() != 1 {
		in.t.Errorf("a wrong code: %d", wrong.status)
	}
	done := in.want(http.StatusOK, in.postForm(as, "/account/second-factor/confirm", url.Values{"code": {a.code(in)}}))
	codes := strings.Fields(text(done.html(in.t).Find("#codes")))
	if len(codes) != people.RecoveryCodes {
		in.t.Errorf("recovery codes %q", codes)
	}
	in.now = in.now.Add(30 * time.Second)
	return a, codes
}

func TestSecondFactor(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	other := in.browser("ann@example.org", phone, "192.0.2.2")
	ann := in.browser("ann@example.org", firefox, "192.0.2.1")
	a, codes := in.enrol(ann)
	if got := in.get(other, "/account"); got.status != http.StatusSeeOther {
		t.Errorf("a session from before goes on: %d", got.status)
	}
	in.want(http.StatusOK, in.get(ann, "/account"))
	in.want(http.StatusConflict, in.postForm(ann, "/account/second-factor", nil))

	half := in.postForm(nobody, "/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password}, "next": {"/people"}})
	if to := half.header.Get("Location"); to != "/sign-in/code?next=%2Fpeople" {
		t.Fatalf("the password leads to %q", to)
	}
	waits := cookieOf(t, half)
	for _, path := range []string{"/account", "/people", "/"} {
		if got := in.get(waits, path); got.status != http.StatusSeeOther {
			t.Errorf("with the password alone %s is %d", path, got.status)
		}
	}
	if got := in.get(waits, "/api/v1/servers"); got.status != http.StatusUnauthorized {
		t.Errorf("with the password alone the API is %d", got.status)
	}
	in.want(http.StatusOK, in.get(waits, "/sign-in/code?next=/people"))
	if got := in.postForm(waits, "/sign-in/code", url.Values{"code": {"000000"}}); got.status != http.StatusUnauthorized || got.html(t).Find("[role=alert]").Length() != 1 {
		t.Errorf("a wrong code: %d", got.status)
	}
	code := a.code(in)
	whole := in.postForm(waits, "/sign-in/code", url.Values{"code": {code}, "next": {"/people"}})
	if whole.status != http.StatusSeeOther || whole.header.Get("Location") != "/people" {
		t.Fatalf("the code: %d to %q", whole.status, whole.header.Get("Location"))
	}
	in.want(http.StatusOK, in.get(cookieOf(t, whole), "/people"))
	if got := in.get(waits, "/sign-in/code"); got.status != http.StatusSeeOther {
		t.Errorf("the half session is still there: %d", got.status)
	}
	again := cookieOf(t, in.tryPassword("ann@example.org", password, "192.0.2.1"))
	in.want(http.StatusUnauthorized, in.postForm(again, "/sign-in/code", url.Values{"code": {code}})) // used
	in.want(http.StatusSeeOther, in.postForm(again, "/sign-in/code", url.Values{"code": {codes[0]}}))

	late := cookieOf(t, in.tryPassword("ann@example.org", password, "192.0.2.1"))
	in.want(http.StatusSeeOther, in.postForm(nobody, "/sign-in/code", url.Values{"code": {codes[1]}})) // of nobody
	// A reset link is no way around it.
	link, err := in.svc.ResetLink(t.Context(), shell, "ann@example.org")
	in.must(err)
	reset := in.postForm(nobody, strings.TrimPrefix(link, baseURL), url.Values{"password": {password}})
	if to := reset.header.Get("Location"); !strings.HasPrefix(to, "/sign-in/code") {
		t.Errorf("after a reset: %d to %q", reset.status, to)
	}
	_ = late
	cookieOf(t, in.postForm(cookieOf(t, reset), "/sign-in/code", url.Values{"code": {codes[1]}}))
}

func TestEndedFactorByAdministrator(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	bob := in.addLocal("bob", people.Reviewer)
	as := in.browser("bob@example.org", firefox, "192.0.2.1")
	in.enrol(as)
	ann := in.browser("ann@example.org", firefox, "192.0.2.2")
	if page := text(in.get(ann, "/people").html(t).Find("main")); !strings.Contains(page, "Remove second factor") {
		t.Errorf("the page of people: %s", page)
	}
	in.want(http.StatusSeeOther, in.postForm(ann, "/people/"+bob.ID+"/second-factor/remove", nil))
	if a := in.get(as, "/account"); a.status != http.StatusSeeOther {
		t.Errorf("his session goes on: %d", a.status)
	}
	in.browser("bob@example.org", firefox, "192.0.2.1")
}

// TestProof: what can't be taken back easily asks anew who one is, keeps what was
// posted, and goes on with it, without a script.
func TestProof(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.addLocal("ann", people.Admin)
	ann := in.browser("ann@example.org", firefox, "192.0.2.1")
	form := url.Values{"name": {"ci of git"}, "server": {"git"}, "scope": {"push", "gate"}, "days": {"30"}}
	in.want(http.StatusCreated, in.postForm(ann, "/tokens", form)) // signed in just now

	in.now = in.now.Add(11 * time.Minute)
	asked := in.want(http.StatusForbidden, in.postForm(ann, "/tokens", form))
	page := asked.html(t).Find("form[action='/tokens']")
	kept := url.Values{}
	for _, field := range page.Find("input[type=hidden]").EachIter() {
		kept.Add(field.AttrOr("name", ""), field.AttrOr("value", ""))
	}
	if kept.Encode() != form.Encode() {
		t.Errorf("kept %v, posted %v", kept, form)
	}
	if n := in.tokens(); n != 1 {
		t.Fatalf("%d tokens before the proof", n)
	}
	kept.Set("proof-password", "not the password")
	wrong := in.want(http.StatusUnauthorized, in.postForm(ann, "/tokens", kept))
	if got := wrong.html(t); got.Find("[role=alert]").Length() != 1 || got.Find("input[name=scope]").Length() != 2 || strings.Contains(wrong.body, "not the password") {
		t.Errorf("after a wrong password: %s", text(got.Find("main")))
	}
	kept.Set("proof-password", password)
	made := in.want(http.StatusCreated, in.postForm(ann, "/tokens", kept))
	if !strings.HasPrefix(text(made.html(t).Find("#token")), "cs_") || in.tokens() != 2 {
		t.Errorf("the form did not go on: %s", text(made.html(t).Find("main")))
	}
	in.want(http.StatusCreated, in.postForm(ann, "/tokens", form)) // proved just now

	in.now = in.now.Add(11 * time.Minute)
	policy := `{"version":1,"yaml":"preset: team\nall_threads_block: true\n"}`
	if p := in.problem("the API in the browser", in.postJSON(ann, "/api/v1/servers/git/policy", policy), http.StatusForbidden); !strings.Contains(p.Detail, "fresh proof") {
		t.Errorf("the API says %q", p.Detail)
	}
	in.want(http.StatusOK, in.get(ann, "/tokens")) // looking takes no proof

	a, _ := app{}, 0
	if begun := in.postForm(ann, "/account/second-factor", nil); begun.status != http.StatusForbidden {
		t.Errorf("setting up a second factor takes no proof: %d", begun.status)
	}
	in.want(http.StatusOK, in.postForm(ann, "/account/second-factor", url.Values{"proof-password": {password}}))
	a, _ = in.enrol(ann)
	in.now = in.now.Add(11 * time.Minute)
	in.want(http.StatusUnauthorized, in.postForm(ann, "/account/second-factor/codes", url.Values{"proof-password": {password}}))
	in.want(http.StatusOK, in.postForm(ann, "/account/second-factor/codes", url.Values{"proof-code": {a.code(in)}}))
}

func (in *instance) tokens() int {
	in.t.Helper()
	all, err := in.svc.Tokens(in.t.Context(), shell)
	in.must(err)
	return len(all)
}

// takesProof is what a proof is asked for, whoever adds a route: releases,
// overrides, policies, keys, tokens, secrets, and ways into an account.
var takesProof = regexp.MustCompile(`/(release|override|policy|decide|keys?|rotate|tokens|secret|reset|role|second-factor|identity)$`)

// noProof are routes that only sound like it.
var noProof = []string{
	"POST /api/v1/servers/:server/policy/try", // changes nothing
}

// TestProofTable holds the column of the table of routes: every act of that kind
// takes a proof, nothing that reads does, and the list is written down so that a
// change of it is seen.
func TestProofTable(t *testing.T) {
	var table strings.Builder
	for _, row := range rowsOf(t) {
		name := row.Method + " " + row.Path
		if row.Proven {
			fmt.Fprintln(&table, name)
		}
		if row.Proven && row.Method != http.MethodPost {
			t.Errorf("%s: reading takes no proof", name)
		}
		if row.Method == http.MethodPost && takesProof.MatchString(row.Path) && !row.Proven && !slices.Contains(noProof, name) {
			t.Errorf("%s should take a proof", name)
		}
	}
	golden(t, "proof.txt", table.String())
}

// TestTokensNeedNoProof: a review token has no screen that somebody could sit at.
func TestTokensNeedNoProof(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	p.now = p.now.Add(time.Hour)
	i := slices.IndexFunc(callers, func(c caller) bool { return c.name == "review token" })
	for _, row := range p.web.Rows() {
		if !row.Proven || len(row.Scopes) == 0 {
			continue
		}
		r := p.request(row)
		callers[i].as(r)
		if a := p.send(r); strings.Contains(a.body, "Prove first") {
			t.Errorf("%s %s asks a token for a proof", row.Method, row.Path)
		}
	}
}

func TestDeviceWords(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	for agent, want := range map[string]string{
		"":      "Unknown browser",
		firefox: "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36 Edg/150.0": "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15": "Safari on macOS",
		"Mozilla/5.0 (Linux; Android 16; Pixel) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Mobile Safari/537.36":       "Chrome on Android",
		"curl/8.9":                         "curl",
		"\xff" + strings.Repeat("x", 4000): "Unknown browser",
	} {
		as := in.browser("ann@example.org", agent, "192.0.2.1")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/account", nil)
		as(r)
		page := in.send(r).html(t)
		if got := text(page.Find("li:contains('this one') strong")); got != want {
			t.Errorf("%.60q is %q, want %q", agent, got, want)
		}
	}
}
