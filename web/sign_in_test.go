package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

const password = "correct horse battery staple"

// addLocal adds an account with a password.
func (in *instance) addLocal(name string, role people.Role) *people.User {
	in.t.Helper()
	u, _, err := in.svc.AddUser(in.t.Context(), shell, review.NewUser{Email: name + "@example.org", Name: name, Role: role, Password: password})
	in.must(err)
	return u
}

func (in *instance) postForm(as who, path string, form url.Values) answer {
	in.t.Helper()
	r := httptest.NewRequestWithContext(in.t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	as(r)
	return in.send(r)
}

func (in *instance) tryPassword(email, password, addr string) answer {
	in.t.Helper()
	from := func(r *http.Request) { r.RemoteAddr = addr + ":1234" }
	return in.postForm(from, "/sign-in", url.Values{"email": {email}, "password": {password}})
}

// cookieOf is the session that an answer gives.
func cookieOf(t testing.TB, a answer) who {
	t.Helper()
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 || cookies[0].Value == "" {
		t.Fatalf("status %d with cookies %v, want a session", a.status, cookies)
	}
	return func(r *http.Request) { r.AddCookie(cookies[0]) }
}

func TestSigningIn(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	a := in.tryPassword("Ann@Example.org", password, "192.0.2.1")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/" {
		t.Fatalf("sign-in: %d to %q", a.status, a.header.Get("Location"))
	}
	if got := in.get(cookieOf(t, a), "/"); got.status != 200 {
		t.Errorf("home: %d", got.status)
	}
	for _, next := range []string{"//evil.example/", "https://evil.example/", `/\evil.example`, "javascript:alert(1)", "/\t/evil.example", "evil"} {
		a := in.postForm(nobody, "/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password}, "next": {next}})
		if to := a.header.Get("Location"); to != "/" {
			t.Errorf("next=%q leads to %q, want home", next, to)
		}
	}
}

// TestWrongAddressAndWrongPasswordLookAlike: nobody learns who has an account.
func TestWrongAddressAndWrongPasswordLookAlike(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	wrong := in.tryPassword("ann@example.org", "not the password at all", "192.0.2.1")
	unknown := in.tryPassword("bob@example.org", "not the password at all", "192.0.2.1")
	if wrong.status < 400 || unknown.status != wrong.status {
		t.Errorf("wrong password %d, unknown address %d, want the same refusal", wrong.status, unknown.status)
	}
	if a, b := withoutNonce(wrong.body), strings.ReplaceAll(withoutNonce(unknown.body), "bob@", "ann@"); a != b {
		t.Errorf("the pages differ:\n%s\n%s", a, b)
	}
	if strings.Contains(wrong.body, "not the password at all") {
		t.Error("the page repeats the password")
	}
}

func withoutNonce(page string) string {
	for {
		before, rest, ok := strings.Cut(page, `nonce="`)
		if !ok {
			return page
		}
		_, after, _ := strings.Cut(rest, `"`)
		page = before + after
	}
}

func TestSignInIsThrottled(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	var last answer
	for range 30 {
		if last = in.tryPassword("ann@example.org", "wrong wrong wrong", "192.0.2.1"); last.status == 429 {
			break
		}
	}
	if last.status != 429 || last.header.Get("Retry-After") == "" {
		t.Fatalf("30 wrong passwords: %d, Retry-After %q, want 429", last.status, last.header.Get("Retry-After"))
	}
	if a := in.tryPassword("ann@example.org", password, "192.0.2.1"); a.status != 429 {
		t.Errorf("the right password, throttled: %d, want 429", a.status)
	}
	in.now = in.now.Add(24 * time.Hour)
	if a := in.tryPassword("ann@example.org", password, "192.0.2.1"); a.status != http.StatusSeeOther {
		t.Errorf("a day later: %d, want to be let in", a.status)
	}
}

// TestALinkIsUsedUpByItsForm is acceptance line 25: a scanner that opens it does
// no harm.
func TestALinkIsUsedUpByItsForm(t *testing.T) {
	in := newInstance(t)
	link, err := in.svc.NewSetUpLink(t.Context())
	in.must(err)
	path := strings.TrimPrefix(link, baseURL)
	if path == link {
		t.Fatalf("link %q does not begin with the base URL", link)
	}
	for range 2 {
		if a := in.get(nobody, path); a.status != 200 || len(a.header.Values("Set-Cookie")) != 0 {
			t.Fatalf("opening the link: %d, cookies %v", a.status, a.header.Values("Set-Cookie"))
		}
	}
	form := url.Values{"email": {"root@example.org"}, "name": {"Root"}, "password": {password}}
	a := in.postForm(nobody, path, form)
	if a.status != http.StatusSeeOther {
		t.Fatalf("using the link: %d %s", a.status, a.body)
	}
	if got := in.get(cookieOf(t, a), "/"); got.status != 200 {
		t.Errorf("home: %d", got.status)
	}
	if a := in.postForm(nobody, path, form); a.status != 404 {
		t.Errorf("using it again: %d, want 404", a.status)
	}
	if strings.Contains(in.log.String(), strings.TrimPrefix(path, "/links/")) {
		t.Error("the log holds the link")
	}
}

// TestResetEndsSessions: who lost a password loses every session with it.
func TestResetEndsSessions(t *testing.T) {
	in := newInstance(t)
	u := in.addLocal("ann", people.Admin)
	old := in.signedIn(u)
	token := withToken(in.addToken("", "ann@example.org", people.ScopeReview))
	link, err := in.svc.ResetLink(t.Context(), shell, "ann@example.org")
	in.must(err)
	a := in.postForm(nobody, strings.TrimPrefix(link, baseURL), url.Values{"password": {"another " + password}})
	if a.status != http.StatusSeeOther {
		t.Fatalf("reset: %d %s", a.status, a.body)
	}
	if got := in.get(old, "/api/v1/servers"); got.status != 401 {
		t.Errorf("a session from before: %d, want 401", got.status)
	}
	if got := in.get(token, "/api/v1/servers"); got.status != 401 {
		t.Errorf("a token from before: %d, want 401", got.status)
	}
	if got := in.get(cookieOf(t, a), "/api/v1/servers"); got.status != 200 {
		t.Errorf("the session of the reset: %d", got.status)
	}
}

// TestHostIsNotBelieved is acceptance line 26: addresses come from BASE_URL.
func TestHostIsNotBelieved(t *testing.T) {
	in := newInstance(t)
	in.hub.Close() // a stream says what is, and ends
	u := in.addLocal("ann", people.Admin)
	cookie := in.signedIn(u)
	evil := func(r *http.Request) {
		cookie(r)
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		r.Header.Set("Forwarded", "host=evil.example")
	}
	in.addServer("git", "")
	in.pushed("git", "version=1", v1)
	for _, row := range in.web.Rows() {
		if row.Method != http.MethodGet || strings.Contains(row.Path, ":token") {
			continue
		}
		path := strings.NewReplacer(":server", "git", ":id", "none", "*", "none").Replace(row.Path)
		if a := in.get(evil, path); strings.Contains(a.body, "evil.example") || strings.Contains(a.header.Get("Location"), "evil.example") {
			t.Errorf("%s repeats the host that the request made up", path)
		}
	}
	for _, path := range []string{"/people", "/people/reset"} {
		a := in.postForm(evil, path, url.Values{"email": {"bob@example.org"}, "name": {"Bob"}, "role": {"viewer"}})
		if strings.Contains(a.body, "evil.example") {
			t.Errorf("POST %s: a link to a host that the request made up", path)
		}
	}
}
