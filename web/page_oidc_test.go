package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"github.com/countersign/countersign/internal/oidc"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web"
)

// idp is an identity provider on this machine.
type idp struct {
	*mockoidc.MockOIDC
	asked []url.Values // what browsers were sent to it with
}

// withProvider gives the instance an identity provider.
func (in *instance) withProvider() *idp {
	in.t.Helper()
	m, err := mockoidc.Run()
	in.must(err)
	in.t.Cleanup(func() { m.Shutdown() })
	p, err := oidc.New(oidc.Config{Issuer: m.Issuer(), ClientID: m.ClientID, ClientSecret: m.ClientSecret,
		RedirectURL: baseURL + web.ProviderBack, Now: func() time.Time { return in.now }})
	in.must(err)
	in.serve(p)
	return &idp{MockOIDC: m}
}

// pass lets time go by, there and here.
func (p *idp) pass(in *instance, d time.Duration) {
	in.now = in.now.Add(d)
	p.FastForward(d)
}

// person is somebody at the provider; set changes what it claims of them.
type person struct {
	mockoidc.MockUser
	name string
	auth time.Time // when they last signed in there; zero is not said
	aud  string    // whom it was said to, "" is us
}

func (p *person) Claims(scope []string, base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	if p.aud != "" {
		base.Audience = jwt.ClaimStrings{p.aud}
	}
	claims := jwt.MapClaims{"iss": base.Issuer, "sub": base.Subject, "aud": base.Audience, "exp": base.ExpiresAt, "iat": base.IssuedAt,
		"nonce": base.Nonce, "email": p.Email, "email_verified": p.EmailVerified, "name": p.name}
	if !p.auth.IsZero() {
		claims["auth_time"] = p.auth.Unix()
	}
	return claims, nil
}

func at(subject, email string) *person {
	return &person{MockUser: mockoidc.MockUser{Subject: subject, Email: email, EmailVerified: true}}
}

// browser keeps the cookie that it was given last.
type browser struct {
	in     *instance
	cookie *http.Cookie
}

func (b *browser) as(r *http.Request) {
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
}

func (b *browser) keep(a answer) answer {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		b.cookie = c
	}
	return a
}

func (b *browser) get(path string) answer { return b.keep(b.in.get(b.as, path)) }

func (b *browser) post(path string, form url.Values) answer {
	return b.keep(b.in.postForm(b.as, path, form))
}

// there plays the visit to the provider and returns the path that it leads back to.
func (p *idp) there(t *testing.T, to string, u mockoidc.User) string {
	t.Helper()
	sent, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, p.AuthorizationEndpoint()) {
		t.Fatalf("sent to %q, %v", to, err)
	}
	p.asked = append(p.asked, sent.Query())
	p.QueueUser(u)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	back, ok := strings.CutPrefix(resp.Header.Get("Location"), baseURL)
	if !ok {
		t.Fatalf("the provider leads to %q (status %d)", resp.Header.Get("Location"), resp.StatusCode)
	}
	return back
}

// away begins to sign in and returns where the provider leads back to.
func (b *browser) away(p *idp, u mockoidc.User, next string) string {
	b.in.t.Helper()
	a := b.get("/sign-in/oidc?next=" + url.QueryEscape(next))
	if a.status != http.StatusSeeOther {
		b.in.t.Fatalf("to the provider: %d %s", a.status, a.body)
	}
	return p.there(b.in.t.(*testing.T), a.header.Get("Location"), u)
}

func (b *browser) signIn(p *idp, u mockoidc.User) answer {
	b.in.t.Helper()
	return b.get(b.away(p, u, "/servers"))
}

// refusedSignIn checks that nobody came in and that the page says why, where one can
// sign in as usual.
func (b *browser) refusedSignIn(a answer, status int, words ...string) {
	b.in.t.Helper()
	if a.status != status || !strings.Contains(a.body, `name="password"`) {
		b.in.t.Errorf("status %d, want %d and the page to sign in: %s", a.status, status, a.body)
	}
	said := alertOf(b.in.t, a)
	for _, w := range words {
		if !strings.Contains(said, w) {
			b.in.t.Errorf("%q does not say %q", said, w)
		}
	}
	if home := b.get("/"); home.status != http.StatusSeeOther {
		b.in.t.Errorf("home afterwards: %d, want to be asked to sign in", home.status)
	}
}

func alertOf(t testing.TB, a answer) string {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(doc.Find(`[role=alert], [role=status] .bad`).Text()), " ")
}

func TestProviderMakesNewcomers(t *testing.T) {
	onBoth(t, func(t *testing.T, in *instance) {
		in.addLocal("ann", people.Admin)
		p, b := in.withProvider(), &browser{in: in}
		if a := b.get("/sign-in"); !strings.Contains(a.body, "Sign in with 127.0.0.1:") {
			t.Errorf("no button: %s", a.body)
		}
		nia := at("nia-1", "nia@example.org")
		nia.name = "Nia"
		back := b.away(p, nia, "/servers")
		if q := p.asked[0]; q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 43 ||
			len(q.Get("nonce")) < 43 || q.Get("redirect_uri") != baseURL+web.ProviderBack || q.Has("prompt") {
			t.Errorf("asked with %v", q)
		}
		before := b.cookie.Value
		if a := b.get(back); a.status != http.StatusSeeOther || a.header.Get("Location") != "/servers" || b.cookie.Value == before {
			t.Fatalf("back: %d to %q, session renewed %t: %s", a.status, a.header.Get("Location"), b.cookie.Value != before, a.body)
		}
		home := b.get("/")
		if home.status != 200 || !strings.Contains(home.body, "no role on any server") || !strings.Contains(home.body, "nia@example.org") {
			t.Errorf("home: %d %s", home.status, home.body)
		}
		u, err := in.svc.UserByEmail(t.Context(), shell, "nia@example.org")
		if err != nil || len(u.Memberships) != 0 || u.Name != "Nia" || !u.Joined() {
			t.Fatalf("account %+v, %v", u, err)
		}
		// The second time it is the same account, whatever the address is by then.
		again := &browser{in: in}
		if a := again.signIn(p, at("nia-1", "nia@elsewhere.example")); a.status != http.StatusSeeOther || !strings.Contains(again.get("/account").body, "nia@example.org") {
			t.Errorf("again: %d", a.status)
		}
		if strings.Contains(in.log.String(), "code=") {
			t.Error("the log holds a code")
		}
	})
}

func TestProviderVouchesForMail(t *testing.T) {
	in := newInstance(t)
	p := in.withProvider()
	b := &browser{in: in}
	b.refusedSignIn(b.signIn(p, at("root", "root@example.org")), 409, "Nobody has an account yet")
	in.addLocal("ann", people.Admin)
	unverified := at("nia-1", "nia@example.org")
	unverified.EmailVerified = false
	b.refusedSignIn(b.signIn(p, unverified), 403, "does not vouch for your mail address")
	if _, err := in.svc.UserByEmail(t.Context(), shell, "nia@example.org"); review.KindOf(err) != review.NotFound {
		t.Errorf("an account was made: %v", err)
	}
}

// TestAcceptance27: the same mail address with another subject is not linked, and
// the page says how to link it oneself.
func TestAcceptance27(t *testing.T) {
	onBoth(t, func(t *testing.T, in *instance) {
		ann := in.addLocal("ann", people.Admin)
		p, b := in.withProvider(), &browser{in: in}
		b.refusedSignIn(b.signIn(p, at("mallory", "Ann@Example.org")), 409, "an account with the address", "Sign in as usual", "link it from your account page")
		if links, err := in.svc.Identities(t.Context(), review.Actor{User: ann, Via: "browser"}); err != nil || len(links) != 0 {
			t.Errorf("linked: %+v, %v", links, err)
		}
		// Also to somebody whom the provider did sign in before, under another subject.
		b.signIn(p, at("nia-1", "nia@example.org"))
		other := &browser{in: in}
		other.refusedSignIn(other.signIn(p, at("nia-2", "nia@example.org")), 409, "Sign in as usual")
	})
}

func TestProviderAnswersThatProveNothing(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	p := in.withProvider()
	nia := func() *person { return at("nia-1", "nia@example.org") }
	with := func(back, name, value string) string {
		u, err := url.Parse(back)
		in.must(err)
		q := u.Query()
		q.Set(name, value)
		return u.Path + "?" + q.Encode()
	}
	session := func(back string) *mockoidc.Session {
		u, err := url.Parse(back)
		in.must(err)
		s, err := p.SessionStore.GetSessionByID(u.Query().Get("code"))
		in.must(err)
		return s
	}
	for name, test := range map[string]func(b *browser) string{
		"wrong state":     func(b *browser) string { return with(b.away(p, nia(), "/"), "state", "forged") },
		"no state":        func(b *browser) string { return with(b.away(p, nia(), "/"), "state", "") },
		"never begun":     func(*browser) string { return web.ProviderBack + "?code=x&state=" },
		"another browser": func(*browser) string { return (&browser{in: in}).away(p, nia(), "/") },
		"too late": func(b *browser) string {
			back := b.away(p, nia(), "/")
			in.now = in.now.Add(11 * time.Minute)
			return back
		},
		"refused at the provider": func(b *browser) string {
			return with(with(b.away(p, nia(), "/"), "code", ""), "error", "access_denied")
		},
		"unknown code":   func(b *browser) string { return with(b.away(p, nia(), "/"), "code", "guessed") },
		"wrong nonce":    func(b *browser) string { back := b.away(p, nia(), "/"); session(back).OIDCNonce = "x"; return back },
		"wrong verifier": func(b *browser) string { back := b.away(p, nia(), "/"); session(back).CodeChallenge = "x"; return back },
		"other audience": func(b *browser) string { u := nia(); u.aud = "another-client"; return b.away(p, u, "/") },
		"used code": func(b *browser) string {
			back := b.away(p, nia(), "/")
			session(back).Granted = true
			return back
		},
		"expired": func(b *browser) string {
			p.FastForward(-time.Hour)
			back := b.away(p, nia(), "/")
			return back
		},
	} {
		t.Run(name, func(t *testing.T) {
			in.t = t
			was := in.now
			b := &browser{in: in}
			a := b.get(test(b))
			b.refusedSignIn(a, 400, "Begin again")
			in.now = was
			p.FastForward(-p.FastForward(0))
		})
	}
	in.t = t
	if _, err := in.svc.UserByEmail(t.Context(), shell, "nia@example.org"); review.KindOf(err) != review.NotFound {
		t.Errorf("an account was made: %v", err)
	}
	b := &browser{in: in}
	back := b.away(p, nia(), "/")
	b.get(with(back, "state", "forged")) // does not end what waits
	if a := b.get(back); a.status != http.StatusSeeOther {
		t.Fatalf("the right answer: %d %s", a.status, a.body)
	}
	if a := b.get(back); a.status != 400 {
		t.Errorf("the same answer again: %d, want 400", a.status)
	}
}

func TestProviderLeadsNowhereElse(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	p := in.withProvider()
	for _, next := range []string{"//evil.example/", "https://evil.example/", `/\evil.example`, "javascript:alert(1)", "/\t/evil.example"} {
		b := &browser{in: in}
		if to := b.get(b.away(p, at("nia-1", "nia@example.org"), next)).header.Get("Location"); to != "/" {
			t.Errorf("next=%q leads to %q, want home", next, to)
		}
	}
}

// link links a person of the provider to the account that the browser is signed in to.
func (b *browser) link(p *idp, u mockoidc.User) answer {
	b.in.t.Helper()
	a := b.post("/account/identity/link", nil)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	b.in.must(err)
	to, _ := doc.Find("main a.primary").Attr("href")
	if a.status != 200 || to == "" {
		b.in.t.Fatalf("to link: %d %s", a.status, a.body)
	}
	return b.get(p.there(b.in.t.(*testing.T), to, u))
}

func (in *instance) browserOf(name string) *browser {
	in.t.Helper()
	b := &browser{in: in}
	b.keep(in.tryPassword(name+"@example.org", password, "192.0.2.1"))
	return b
}

func TestLinkingAProvider(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	in.addLocal("bob", people.Viewer)
	p := in.withProvider()
	ann := in.browserOf("ann")
	p.pass(in, time.Hour)
	if a := ann.post("/account/identity/link", nil); a.status != 403 || !strings.Contains(a.body, "Is it you?") {
		t.Fatalf("without a proof: %d %s", a.status, a.body)
	}
	ann = in.browserOf("ann")
	if a := ann.link(p, at("ann-1", "ann@provider.example")); a.status != http.StatusSeeOther || a.header.Get("Location") != "/account" {
		t.Fatalf("linking: %d %s", a.status, a.body)
	}
	if page := ann.get("/account").body; !strings.Contains(page, "ann@provider.example") || strings.Contains(page, "/account/identity/link") {
		t.Errorf("account page: %s", page)
	}
	in2 := &browser{in: in}
	if a := in2.signIn(p, at("ann-1", "changed@provider.example")); a.status != http.StatusSeeOther || !strings.Contains(in2.get("/account").body, "ann@example.org") {
		t.Errorf("signing in with it: %d %s", a.status, a.body)
	}
	bob := in.browserOf("bob")
	bob.link(p, at("ann-1", "bob@example.org"))
	if said := alertOf(t, bob.get("/account")); !strings.Contains(said, "linked to another account") {
		t.Errorf("bob links what is ann's: %q", said)
	}
	if a := ann.post("/account/identity/unlink", url.Values{"issuer": {p.Issuer()}}); a.status != http.StatusSeeOther {
		t.Fatalf("unlinking: %d %s", a.status, a.body)
	}
	b := &browser{in: in}
	b.refusedSignIn(b.signIn(p, at("ann-1", "ann@example.org")), 409, "Sign in as usual")
}

// TestALinkIsBegunByItsForm: somebody who is led to the callback with another's
// answer does not let them in.
func TestALinkIsBegunByItsForm(t *testing.T) {
	in := newInstance(t)
	ann := in.addLocal("ann", people.Admin)
	in.addLocal("bob", people.Viewer)
	p := in.withProvider()
	a, b := in.browserOf("ann"), in.browserOf("bob")
	form := b.post("/account/identity/link", nil)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(form.body))
	in.must(err)
	to, _ := doc.Find("main a.primary").Attr("href")
	a.get(p.there(t, to, at("bob-1", "bob@example.org")))
	if links, err := in.svc.Identities(t.Context(), review.Actor{User: ann, Via: "browser"}); err != nil || len(links) != 0 {
		t.Errorf("linked: %+v, %v", links, err)
	}
	r := httptest.NewRequest(http.MethodPost, "/account/identity/link", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	a.as(r)
	if got := in.send(r); got.status != 403 {
		t.Errorf("begun from another site: %d, want 403", got.status)
	}
}

func TestProviderAndAccountState(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	p := in.withProvider()
	in.browserOf("ann").link(p, at("ann-1", "ann@example.org"))
	b := &browser{in: in}
	b.signIn(p, at("nia-1", "nia@example.org"))
	nia, err := in.svc.UserByEmail(t.Context(), shell, "nia@example.org")
	in.must(err)
	in.must(in.svc.DisableUser(t.Context(), shell, nia.ID))
	b.refusedSignIn(b.signIn(p, at("nia-1", "new@example.org")), 401, "disabled")

	in.enrol(in.browserOf("ann").as)
	c := &browser{in: in}
	a := c.signIn(p, at("ann-1", "ann@example.org"))
	if to := a.header.Get("Location"); !strings.HasPrefix(to, "/sign-in/code") {
		t.Fatalf("with a second factor: %d to %q, want to be asked for a code", a.status, to)
	}
	if home := c.get("/"); home.status != http.StatusSeeOther {
		t.Errorf("home before the code: %d", home.status)
	}
}

func TestProvingWithAProvider(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	p, b := in.withProvider(), &browser{in: in}
	b.signIn(p, at("nia-1", "nia@example.org"))
	p.pass(in, time.Hour)
	ask := func() answer { return b.post("/account/second-factor", nil) }
	if a := ask(); a.status != 403 || !strings.Contains(a.body, `href="/account/prove"`) || strings.Contains(a.body, "proof-password") {
		t.Fatalf("asked for a proof: %d %s", a.status, a.body)
	}
	for name, test := range map[string]struct {
		who  *person
		auth time.Duration // of the last sign-in there, from now
		want string
	}{
		"no time said":  {at("nia-1", "nia@example.org"), 0, "did not ask you to sign in anew"},
		"long ago":      {at("nia-1", "nia@example.org"), -2 * time.Minute, "did not ask you to sign in anew"},
		"somebody else": {at("mallory", "nia@example.org"), time.Second, "not linked to"},
	} {
		if test.auth != 0 {
			test.who.auth = in.now.Add(test.auth)
		}
		b.get(p.there(t, b.get("/account/prove").header.Get("Location"), test.who))
		if said := alertOf(t, b.get("/account")); !strings.Contains(said, test.want) {
			t.Errorf("%s: the page says %q", name, said)
		}
		if a := ask(); a.status != 403 {
			t.Errorf("%s: %d, want still to be asked", name, a.status)
		}
	}
	nia := at("nia-1", "nia@example.org")
	nia.auth = in.now
	b.get(p.there(t, b.get("/account/prove").header.Get("Location"), nia))
	if q := p.asked[len(p.asked)-1]; q.Get("prompt") != "login" || q.Get("max_age") != "0" {
		t.Errorf("asked with %v", q)
	}
	if a := ask(); a.status != 200 {
		t.Errorf("with a proof: %d %s", a.status, a.body)
	}
}

func TestProviderAway(t *testing.T) {
	in := newInstance(t)
	in.addLocal("ann", people.Admin)
	p := in.withProvider()
	in.must(p.Shutdown())
	b := &browser{in: in}
	a := b.get("/sign-in/oidc?next=/servers")
	b.refusedSignIn(a, 503, "can't be reached", "password works")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if a := in.tryPassword("ann@example.org", password, "192.0.2.1"); a.status != http.StatusSeeOther {
		t.Errorf("with a password: %d", a.status)
	}
}
