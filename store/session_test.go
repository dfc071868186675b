package store_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

func TestSessions(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		s := open(t)
		sessions := s.Sessions()
		m := scs.New()
		m.Store, m.Codec = sessions, sessions
		ctx := t.Context()
		begin := func(user string, lasts time.Duration) string {
			t.Helper()
			loaded, err := m.Load(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			m.Put(loaded, people.SessionUser, user)
			m.Put(loaded, "attempts", 7)
			m.SetDeadline(loaded, time.Now().Add(lasts))
			token, _, err := m.Commit(loaded)
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		who := func(token string) (string, int) {
			t.Helper()
			loaded, err := m.Load(ctx, token)
			if err != nil {
				t.Fatal(err)
			}
			return m.GetString(loaded, people.SessionUser), m.GetInt(loaded, "attempts")
		}
		ada, again, zoe := begin("ada", time.Hour), begin("ada", time.Hour), begin("zoe", time.Hour)
		old := begin("zoe", -time.Second)
		for token, want := range map[string]string{ada: "ada", again: "ada", zoe: "zoe", old: "", "unknown": ""} {
			if user, attempts := who(token); user != want || (want != "") != (attempts == 7) {
				t.Errorf("session of %q (%d attempts), want %q", user, attempts, want)
			}
		}
		if n, err := sessions.DeleteExpired(ctx); n != 1 || err != nil {
			t.Errorf("%d expired sessions deleted, error %v", n, err)
		}
		if err := s.Update(ctx, func(tx review.Tx) error { return tx.DeleteSessionsOfUser(ctx, "ada") }); err != nil {
			t.Fatal(err)
		}
		for token, want := range map[string]string{ada: "", again: "", zoe: "zoe"} {
			if user, _ := who(token); user != want {
				t.Errorf("after ada's sessions ended: %q, want %q", user, want)
			}
		}
		for range 2 { // ending it twice is no error
			if err := sessions.Delete(zoe); err != nil {
				t.Error(err)
			}
		}
		if user, _ := who(zoe); user != "" {
			t.Errorf("deleted, but still of %q", user)
		}
	})
}

// TestSessionChangesUser signs in within a session that was nobody's.
func TestSessionChangesUser(t *testing.T) {
	s := storetest.Open(t)
	m := scs.New()
	m.Store, m.Codec = s.Sessions(), s.Sessions()
	handler := m.LoadAndSave(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user := r.URL.Query().Get("sign-in"); user != "" {
			if err := m.RenewToken(r.Context()); err != nil {
				t.Error(err)
			}
			m.Put(r.Context(), people.SessionUser, user)
		}
		m.Put(r.Context(), "seen", true)
		w.Write([]byte(m.GetString(r.Context(), people.SessionUser)))
	}))
	var cookie *http.Cookie
	get := func(target string) string {
		r := httptest.NewRequest("GET", target, nil)
		if cookie != nil {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		for _, c := range w.Result().Cookies() {
			cookie = c
		}
		return w.Body.String()
	}
	get("/")
	anonymous := cookie.Value
	get("/?sign-in=ada")
	if got := get("/"); got != "ada" || cookie.Value == anonymous {
		t.Fatalf("signed in as %q, token renewed: %v", got, cookie.Value != anonymous)
	}
	if err := s.Update(t.Context(), func(tx review.Tx) error { return tx.DeleteSessionsOfUser(t.Context(), "ada") }); err != nil {
		t.Fatal(err)
	}
	if got := get("/"); got != "" {
		t.Errorf("still signed in as %q", got)
	}
}

func TestSessionsNeedTheirCodec(t *testing.T) {
	sessions := storetest.Open(t).Sessions()
	for _, data := range []string{"", "\x05abc", "\xff"} {
		if err := sessions.Commit("token", []byte(data), time.Now().Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "needs Sessions as its Codec") {
			t.Errorf("data %q: %v", data, err)
		}
		if _, _, err := sessions.Decode([]byte(data)); err == nil {
			t.Errorf("data %q was decoded", data)
		}
	}
}

func TestSessionsAnswerFailure(t *testing.T) {
	sessions := storetest.Open(t).Sessions()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, found, err := sessions.FindCtx(ctx, "token"); found || review.KindOf(err) != review.Unavailable {
		t.Errorf("found %v, error %v", found, err)
	}
	if err := sessions.DeleteCtx(ctx, "token"); review.KindOf(err) != review.Unavailable {
		t.Errorf("delete: %v", err)
	}
}
