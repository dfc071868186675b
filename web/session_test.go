package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store"
)

// house is a server on a real database with one account and routes that sign in,
// keep a message, and say who asks.
type house struct {
	*testing.T
	*Server
	store *store.Store
	user  *people.User
	now   time.Time
}

func newHouse(t *testing.T) *house {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "countersign.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, store: st, now: time.Now()}
	svc := review.NewService(st, review.Config{BaseURL: "https://countersign.example", Secret: []byte(strings.Repeat("s", 32))})
	h.Server, err = New(svc, Options{
		BaseURL: "https://countersign.example", Sessions: st.Sessions(), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return h.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []people.Role{people.Admin, people.Viewer} { // the viewer signs in
		h.user, _, err = svc.AddUser(t.Context(), review.Actor{Shell: true}, review.NewUser{Email: string(role) + "@example.org", Role: role})
		if err != nil {
			t.Fatal(err)
		}
	}
	withRoute(h.Server, post("/test/in", anybody, func(c echo.Context) error {
		if err := h.signIn(c, h.user); err != nil {
			return err
		}
		return c.NoContent(204)
	}))
	withRoute(h.Server, post("/test/out", anybody, func(c echo.Context) error {
		if err := h.signOut(c); err != nil {
			return err
		}
		return c.NoContent(204)
	}))
	withRoute(h.Server, post("/test/say", anybody, func(c echo.Context) error {
		h.flash(c, "done", "Kept.")
		h.flash(c, "problem", "Lost.")
		return c.NoContent(204)
	}))
	withRoute(h.Server, get("/test/hear", anybody, func(c echo.Context) error {
		var text []string
		for _, f := range h.takeFlashes(c) {
			text = append(text, f.Kind+" "+f.Text)
		}
		return c.String(200, strings.Join(text, ";"))
	}))
	withRoute(h.Server, get("/api/v1/test/who", anywhere(people.Viewer), func(c echo.Context) error {
		return c.String(200, h.actor(c).User.ID)
	}))
	return h
}

// send asks with a cookie and returns the answer and the cookie to ask with next.
func (h *house) send(method, path string, cookie *http.Cookie) (*http.Response, *http.Cookie) {
	h.Helper()
	r := httptest.NewRequestWithContext(h.Context(), method, path, nil)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	resp := serve(h.Server, r)
	for _, c := range resp.Cookies() {
		cookie = c
	}
	return resp, cookie
}

func (h *house) wantStatus(what string, cookie *http.Cookie, status int) {
	h.Helper()
	if resp, _ := h.send("GET", "/api/v1/test/who", cookie); resp.StatusCode != status {
		h.Errorf("%s: %d, want %d", what, resp.StatusCode, status)
	}
}

func TestSigningInMakesANewSession(t *testing.T) {
	h := newHouse(t)
	_, planted := h.send("POST", "/test/say", nil)
	if planted == nil {
		t.Fatal("a message made no session")
	}
	_, cookie := h.send("POST", "/test/in", planted)
	if cookie.Value == planted.Value {
		t.Error("the session keeps its token over the sign-in")
	}
	h.wantStatus("after signing in", cookie, 200)
	h.wantStatus("with the token from before", planted, 401)
	if cookie.Name != "__Host-countersign" || !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
		t.Errorf("cookie = %+v", cookie)
	}
	if until := time.Until(cookie.Expires); until > sessionIdle+time.Minute || until < sessionIdle-time.Minute {
		t.Errorf("the cookie lives %s, want %s", until, sessionIdle)
	}
}

func TestSigningOutEndsTheSession(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.send("POST", "/test/in", nil)
	_, gone := h.send("POST", "/test/out", cookie)
	if gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("the browser keeps %+v", gone)
	}
	h.wantStatus("with the old cookie", cookie, 401)
}

func TestSessionsEnd(t *testing.T) {
	for name, end := range map[string]func(*house){
		"reset": func(h *house) {
			err := h.store.Update(h.Context(), func(tx review.Tx) error { return tx.DeleteSessionsOfUser(h.Context(), h.user.ID) })
			if err != nil {
				h.Fatal(err)
			}
		},
		"account disabled": func(h *house) {
			if err := h.svc.DisableUser(h.Context(), review.Actor{Shell: true}, h.user.ID); err != nil {
				h.Fatal(err)
			}
		},
		"a week in use": func(h *house) { h.now = h.now.Add(sessionLongest) },
	} {
		h := newHouse(t)
		_, cookie := h.send("POST", "/test/in", nil)
		h.wantStatus(name+", before", cookie, 200)
		end(h)
		h.wantStatus(name, cookie, 401)
	}
}

// TestUnusedSessionEnds: nobody is asked to sign out where they no longer sit.
func TestUnusedSessionEnds(t *testing.T) {
	for unused, want := range map[time.Duration]int{sessionIdle - time.Minute: 200, sessionIdle + time.Minute: 401} {
		h := newHouse(t)
		h.now = h.now.Add(-unused)
		_, cookie := h.send("POST", "/test/in", nil)
		h.now = h.now.Add(unused)
		h.wantStatus(unused.String()+" unused", cookie, want)
	}
}

// TestUseMovesTheEnd: a session in use lives on, and is written at most once in
// five minutes.
func TestUseMovesTheEnd(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.send("POST", "/test/in", nil)
	if resp, _ := h.send("GET", "/api/v1/test/who", cookie); len(resp.Cookies()) != 0 {
		t.Errorf("the session was written at once: %v", resp.Cookies())
	}
	h.now = h.now.Add(sessionRefresh + time.Minute)
	resp, again := h.send("GET", "/api/v1/test/who", cookie)
	if len(resp.Cookies()) != 1 || again.Value != cookie.Value || !again.Expires.After(cookie.Expires) {
		t.Errorf("the end was not moved: %v, before %v", again, cookie)
	}
}

func TestWithoutASessionNothingIsWritten(t *testing.T) {
	h := newHouse(t)
	ctx, queries := store.CountQueries(t.Context())
	resp := serve(h.Server, httptest.NewRequestWithContext(ctx, "GET", "/test/hear", nil))
	if queries.Count() != 0 || len(resp.Cookies()) != 0 {
		t.Errorf("%d statements and cookies %v for nobody", queries.Count(), resp.Cookies())
	}
}

func TestMessagesAreShownOnce(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.send("POST", "/test/say", nil)
	resp, cookie := h.send("GET", "/test/hear", cookie)
	if got := bodyOf(t, resp); got != "done Kept.;problem Lost." {
		t.Errorf("messages = %q", got)
	}
	if resp, _ := h.send("GET", "/test/hear", cookie); bodyOf(t, resp) != "" {
		t.Error("the messages are shown twice")
	}
}

// TestAWrongTokenIsNotHelpedByACookie: what is in the header alone decides.
func TestAWrongTokenIsNotHelpedByACookie(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.send("POST", "/test/in", nil)
	for _, header := range []string{"Bearer cs_" + strings.Repeat("A", 43), "Basic YTpi", "Bearer", "Bearer "} {
		r := httptest.NewRequest("GET", "/api/v1/test/who", nil)
		r.AddCookie(cookie)
		r.Header.Set("Authorization", header)
		if resp := serve(h.Server, r); resp.StatusCode != 401 {
			t.Errorf("%q beside a session: %d, want 401", header, resp.StatusCode)
		}
	}
}

func TestPlantedCookiesAreNobody(t *testing.T) {
	h := newHouse(t)
	for _, value := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 5000)} {
		h.wantStatus("cookie of "+value[:min(len(value), 5)], &http.Cookie{Name: "__Host-countersign", Value: value}, 401)
	}
}
