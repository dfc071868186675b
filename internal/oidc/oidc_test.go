package oidc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/oidc"
)

// provider serves a discovery document that change may alter. The rest of the flow
// is tested from its pages, in web.
func provider(t *testing.T, change func(map[string]any)) *oidc.Provider {
	t.Helper()
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		doc := map[string]any{"issuer": srv.URL, "authorization_endpoint": srv.URL + "/authorize", "token_endpoint": srv.URL + "/token", "jwks_uri": srv.URL + "/keys"}
		change(doc)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(doc)
	})
	return at(t, srv.URL, time.Now)
}

func at(t *testing.T, issuer string, now func() time.Time) *oidc.Provider {
	t.Helper()
	p, err := oidc.New(oidc.Config{Issuer: issuer, ClientID: "us", ClientSecret: "secret", RedirectURL: "https://countersign.example/back", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDiscovery(t *testing.T) {
	for name, test := range map[string]struct {
		change func(map[string]any)
		wrong  string // "" is taken
	}{
		"plain":                {func(map[string]any) {}, ""},
		"says it knows S256":   {func(d map[string]any) { d["code_challenge_methods_supported"] = []string{"plain", "S256"} }, ""},
		"plain PKCE only":      {func(d map[string]any) { d["code_challenge_methods_supported"] = []string{"plain"} }, "S256"},
		"another issuer":       {func(d map[string]any) { d["issuer"] = "https://elsewhere.example" }, "issuer"},
		"no keys":              {func(d map[string]any) { delete(d, "jwks_uri") }, "jwks_uri"},
		"a script to go on to": {func(d map[string]any) { d["authorization_endpoint"] = "javascript:alert(1)" }, "authorization_endpoint"},
		"a file of tokens":     {func(d map[string]any) { d["token_endpoint"] = "file:///etc/passwd" }, "token_endpoint"},
		"endless":              {func(d map[string]any) { d["x"] = strings.Repeat("x", 2<<20) }, "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			to, f, err := provider(t, test.change).Begin(t.Context(), false)
			if test.wrong == "" {
				if err != nil || to == "" || !f.Came(f.State) || f.Came("") || f.Came(f.State+"x") {
					t.Errorf("%q, %+v, %v", to, f, err)
				}
				return
			}
			if !errors.Is(err, oidc.ErrUnreachable) || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("error %v, want one about %s", err, test.wrong)
			}
		})
	}
}

// TestNoRedirectIsFollowed: a provider sends us nowhere else.
func TestNoRedirectIsFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer srv.Close()
	if _, _, err := at(t, srv.URL, time.Now).Begin(t.Context(), false); !errors.Is(err, oidc.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
}

// TestAProviderComesBack: one that was away is asked again, but not by everybody at
// once.
func TestAProviderComesBack(t *testing.T) {
	var asked atomic.Int32
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"jwks_uri":%q}`, srv.URL, srv.URL, srv.URL, srv.URL)
	}))
	defer srv.Close()
	now := time.Now()
	p := at(t, srv.URL, func() time.Time { return now })
	for range 3 {
		if _, _, err := p.Begin(t.Context(), false); !errors.Is(err, oidc.ErrUnreachable) {
			t.Errorf("away: %v", err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times within a moment", n)
	}
	now = now.Add(time.Minute)
	for range 3 {
		if _, _, err := p.Begin(t.Context(), false); err != nil {
			t.Errorf("back again: %v", err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
}

// TestTokensThatCanNotBeHad tells whose fault it is.
func TestTokensThatCanNotBeHad(t *testing.T) {
	for status, want := range map[int]error{400: oidc.ErrRefused, 401: oidc.ErrRefused, 500: oidc.ErrUnreachable, 503: oidc.ErrUnreachable, 200: oidc.ErrRefused} {
		tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"access_token":"x","token_type":"bearer"}`) // and no id_token
		}))
		defer tokens.Close()
		p := provider(t, func(d map[string]any) { d["token_endpoint"] = tokens.URL })
		_, f, err := p.Begin(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := p.Finish(t.Context(), f, "secret-code"); !errors.Is(err, want) || strings.Contains(err.Error(), "secret-code") {
			t.Errorf("status %d: %+v, %v; want %v", status, c, err, want)
		}
	}
}
