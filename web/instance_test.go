package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/oidc"
	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
	"github.com/countersign/countersign/web"
	"github.com/countersign/countersign/web/api"
	"github.com/countersign/countersign/web/client"
)

const baseURL = "https://countersign.example"

var shell = review.Actor{Shell: true, Via: "shell"}

// instance is a whole server on a database of its own. Its clock stands still
// until the test moves it.
type instance struct {
	t      testing.TB
	store  *store.Store
	svc    *review.Service
	web    *web.Server
	secret map[string]string // webhook secrets by slug
	log    *logText
	hub    *live.Hub
	now    time.Time
	runs   running
}

// running is what every live server lists.
type running struct {
	mu   sync.Mutex
	body string
	why  error
}

func (r *running) say(body string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body, r.why = body, nil
}

func (r *running) fail(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = why
}

func (r *running) Allows(*url.URL) error { return nil }

func (r *running) Read(context.Context, string, http.Header) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []byte(r.body), r.why
}

// logText is the log, of requests that may run at the same time.
type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newInstance(t testing.TB) *instance {
	t.Helper()
	return newInstanceOn(t, storetest.SQLite(t))
}

// onBoth runs a test on a new instance over SQLite and over PostgreSQL.
func onBoth(t *testing.T, test func(*testing.T, *instance)) {
	t.Run("SQLite", func(t *testing.T) { test(t, newInstance(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, newInstanceOn(t, testkit.Postgres(t))) })
}

var signer = proof.NewSigner([]byte(strings.Repeat("k", proof.SeedSize)))

func newInstanceOn(t testing.TB, database string) *instance {
	t.Helper()
	st, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	in := &instance{t: t, store: st, secret: map[string]string{}, log: new(logText), hub: live.NewHub(), now: time.Now().Truncate(time.Second)}
	clock := func() time.Time { return in.now }
	in.svc = review.NewService(st, review.Config{
		BaseURL: baseURL, Secret: []byte(strings.Repeat("s", 32)), Now: clock, Signer: func() (*proof.Signer, error) { return signer, nil },
		Reader: &in.runs,
		Limits: review.Limits{PushesPerMinute: 10_000, PushesPerDay: 10_000, OpenReleases: 10_000, CommentsPerHour: 10_000},
	})
	in.must(in.svc.PublishKey(t.Context()))
	in.serve(nil)
	return in
}

// serve makes the server, with an identity provider or nil.
func (in *instance) serve(provider *oidc.Provider) {
	in.t.Helper()
	var err error
	in.web, err = web.New(in.svc, web.Options{
		BaseURL: baseURL, Sessions: in.store.Sessions(), Ready: in.store.Ping, Live: in.hub, Now: func() time.Time { return in.now },
		Log: slog.New(slog.NewTextHandler(in.log, nil)), Provider: provider,
	})
	in.must(err)
}

func (in *instance) must(err error) {
	in.t.Helper()
	if err != nil {
		in.t.Fatal(err)
	}
}

func (in *instance) addServer(slug string, preset gate.Preset) *review.Server {
	in.t.Helper()
	srv, secret, err := in.svc.AddServer(in.t.Context(), shell, review.NewServer{Slug: slug, Name: strings.ToUpper(slug), Preset: preset})
	in.must(err)
	in.secret[slug] = secret
	return srv
}

// addUser adds an account without a password: tests sign in by cookie.
func (in *instance) addUser(name string, role people.Role, slugs ...string) *people.User {
	in.t.Helper()
	slugs = slices.DeleteFunc(slugs, func(slug string) bool { return slug == "" })
	n := review.NewUser{Email: name + "@example.org", Name: name, Role: role, Servers: slugs}
	u, _, err := in.svc.AddUser(in.t.Context(), shell, n)
	in.must(err)
	return u
}

func (in *instance) addToken(slug, email string, scopes ...people.Scope) string {
	in.t.Helper()
	secret, _, err := in.svc.CreateToken(in.t.Context(), shell, review.NewToken{Name: "ci", ServerSlug: slug, UserEmail: email, Scopes: scopes})
	in.must(err)
	return secret
}

// who is how a request says who makes it.
type who func(*http.Request)

func nobody(*http.Request) {}

func withToken(token string) who {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func (in *instance) signedIn(u *people.User) who {
	in.t.Helper()
	cookie, err := in.web.SignedIn(in.t.Context(), u.ID)
	in.must(err)
	return func(r *http.Request) { r.AddCookie(cookie) }
}

// answer is what came back, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (in *instance) send(r *http.Request) answer {
	in.t.Helper()
	w := httptest.NewRecorder()
	before := len(in.log.String())
	in.web.Handler().ServeHTTP(w, r)
	if w.Code == http.StatusInternalServerError {
		in.t.Errorf("%s %s failed on our side:\n%s", r.Method, r.URL, in.log.String()[before:])
	}
	return answer{w.Code, w.Header(), w.Body.String()}
}

func (in *instance) get(as who, path string) answer {
	in.t.Helper()
	r := httptest.NewRequestWithContext(in.t.Context(), http.MethodGet, path, nil)
	as(r)
	return in.send(r)
}

func (in *instance) postJSON(as who, path, body string) answer {
	in.t.Helper()
	r := httptest.NewRequestWithContext(in.t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	as(r)
	return in.send(r)
}

// delivery is a signed push that a test bends before it is sent.
type delivery struct {
	slug, query, id, secret string
	at                      time.Time
	body                    []byte
	bound                   bool
	bend                    func(*http.Request)
}

var deliveries int

// sign makes the request of a delivery with whatever was left out.
func (in *instance) sign(d delivery) *http.Request {
	in.t.Helper()
	if d.id == "" {
		deliveries++
		d.id = fmt.Sprintf("msg_%d", deliveries)
	}
	if d.secret == "" {
		d.secret = in.secret[d.slug]
	}
	if d.at.IsZero() {
		d.at = in.now
	}
	path := "/api/v1/servers/" + d.slug + "/listings?" + d.query
	binds := ""
	if d.bound {
		binds = path
	}
	s, err := client.Sign(d.secret, d.id, d.at, d.body, binds)
	in.must(err)
	r := httptest.NewRequestWithContext(in.t.Context(), http.MethodPost, path, strings.NewReader(string(d.body)))
	r.Header.Set("Webhook-Id", s.ID)
	r.Header.Set("Webhook-Timestamp", s.Timestamp)
	r.Header.Set("Webhook-Signature", s.Value)
	if d.bend != nil {
		d.bend(r)
	}
	return r
}

func (in *instance) push(slug, query, body string) answer {
	in.t.Helper()
	return in.send(in.sign(delivery{slug: slug, query: query, body: []byte(body)}))
}

// pushed pushes what has to be accepted.
func (in *instance) pushed(slug, query, body string) api.PushAnswer {
	in.t.Helper()
	a := in.push(slug, query, body)
	if a.status > 202 {
		in.t.Fatalf("push to %s?%s: %d %s", slug, query, a.status, a.body)
	}
	return decode[api.PushAnswer](in.t, a)
}

func decode[T any](t testing.TB, a answer) T {
	t.Helper()
	var v T
	// Names of tools may hold lone surrogates.
	if err := json.Unmarshal([]byte(a.body), &v, jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatalf("status %d: %v in %s", a.status, err, a.body)
	}
	return v
}

// problem decodes an answer that has to be an error of a status.
func (in *instance) problem(what string, a answer, status int) api.Problem {
	in.t.Helper()
	if a.status != status || a.header.Get("Content-Type") != "application/problem+json" {
		in.t.Fatalf("%s: %d %s %s, want a problem of status %d", what, a.status, a.header.Get("Content-Type"), a.body, status)
	}
	p := decode[api.Problem](in.t, a)
	if p.Status != status || p.Detail == "" || p.Request == "" || p.Kind == "" {
		in.t.Errorf("%s: problem %+v", what, p)
	}
	return p
}

// tool writes the definition of a tool.
func tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`, name, description)
}

// listing writes a listing of tools.
func listing(tools ...string) string { return `{"tools":[` + strings.Join(tools, ",") + `]}` }
