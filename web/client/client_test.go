package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	webhook "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/web/client"
)

const (
	digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

// answering returns a server that gives every request the same answer.
func answering(t *testing.T, status int, contentType, body string) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv
}

func newClient(t *testing.T, base string) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: base, Server: "git", Token: "cs_token"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func passFor(server, profile, digest string) string {
	return `{"gate":"pass","why":"","requirements":[],"independent":true,"server":"` + server +
		`","profile":"` + profile + `","digest":"` + digest + `","approvals":[],"overrides":[]}`
}

func TestAddressesThatAreRefused(t *testing.T) {
	for _, base := range []string{
		"", "countersign.example", "http://countersign.example", "http://192.0.2.1:8080", "http://localhost.example",
		"ftp://countersign.example", "https://user:pw@countersign.example", "https://countersign.example/under/a/path",
		"https://countersign.example/?a=b", "http://127.0.0.1.example",
	} {
		if _, err := client.New(client.Options{BaseURL: base, Server: "git"}); client.KindOf(err) != client.Usage {
			t.Errorf("New(%q) = %v, want a usage error", base, err)
		}
	}
	for _, base := range []string{
		"https://countersign.example", "https://countersign.example/", "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080",
	} {
		if _, err := client.New(client.Options{BaseURL: base, Server: "git"}); err != nil {
			t.Errorf("New(%q): %v", base, err)
		}
	}
}

func TestGateAsksWithTokenAndReadsTheAnswer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer cs_token" {
			t.Errorf("Authorization = %q", got)
		}
		if got, want := r.URL.Path, "/api/v1/servers/git/gate"; got != want {
			t.Errorf("path = %q, want %q", got, want)
		}
		if got := r.URL.Query(); got.Get("digest") != digest || got.Get("profile") != "default" {
			t.Errorf("query = %v", got)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"gate":"blocked","why":"1 open","requirements":[{"id":"approval:a","state":"open","why":"w","who_can":["ann"],"url":"u"}],`+
			`"server":"git","profile":"default","digest":"`+digest+`","release":{"id":"r","version":"1.9.0","state":"in review","url":"u"},"approvals":[],"overrides":[],"later":1}`)
	}))
	defer srv.Close()
	r, err := newClient(t, srv.URL).Gate(t.Context(), client.GateRequest{Digest: digest})
	if err != nil {
		t.Fatal(err)
	}
	if r.Answer.Gate != client.Blocked || len(r.Answer.Requirements) != 1 || r.Answer.Release.Version != "1.9.0" {
		t.Errorf("answer = %+v", r.Answer)
	}
}

// TestGateTrustsNoDoubtfulAnswer is acceptance line 23: the command line exits
// with 3 on whatever is of this kind.
func TestGateTrustsNoDoubtfulAnswer(t *testing.T) {
	other := strings.Replace(digest, "0123", "ffff", 1)
	for name, a := range map[string]struct {
		status     int
		kind, body string
	}{
		"HTML":              {200, "text/html", "<!doctype html><title>Sign in</title>"},
		"HTML as JSON":      {200, "application/json", "<html>pass</html>"},
		"no type":           {200, "", passFor("git", "default", digest)},
		"text":              {200, "text/plain", passFor("git", "default", digest)},
		"other JSON":        {200, "application/json", `{"ok":true}`},
		"array":             {200, "application/json", `[]`},
		"null":              {200, "application/json", `null`},
		"cut off":           {200, "application/json", passFor("git", "default", digest)[:60]},
		"two answers":       {200, "application/json", passFor("git", "default", digest) + passFor("git", "default", digest)},
		"gate twice":        {200, "application/json", strings.Replace(passFor("git", "default", digest), "{", `{"gate":"blocked",`, 1)},
		"Gate":              {200, "application/json", strings.Replace(passFor("git", "default", digest), "gate", "Gate", 1)},
		"PASS":              {200, "application/json", strings.Replace(passFor("git", "default", digest), "pass", "PASS", 1)},
		"other server":      {200, "application/json", passFor("shop", "default", digest)},
		"other profile":     {200, "application/json", passFor("git", "read-only", digest)},
		"other digest":      {200, "application/json", passFor("git", "default", other)},
		"no digest":         {200, "application/json", passFor("git", "default", "")},
		"pass but open":     {200, "application/json", strings.Replace(passFor("git", "default", digest), `"requirements":[]`, `"requirements":[{"id":"approval:a","state":"open"}]`, 1)},
		"created":           {201, "application/json", passFor("git", "default", digest)},
		"no content":        {204, "application/json", ""},
		"moved":             {302, "text/html", ""},
		"HTML 404":          {404, "text/html", "<h1>not found</h1>"},
		"HTML 502":          {502, "text/html", "<h1>bad gateway</h1>"},
		"JSON 404":          {404, "application/json", `{"message":"not found"}`},
		"problem of a lie":  {404, "application/problem+json", `{"status":200,"detail":"fine"}`},
		"problem of no one": {404, "application/problem+json", `pass`},
	} {
		srv := answering(t, a.status, a.kind, a.body)
		r, err := newClient(t, srv.URL).Gate(t.Context(), client.GateRequest{Digest: digest})
		if client.KindOf(err) != client.NotUnderstood || r != nil {
			t.Errorf("%s: Gate = %v, %v, want an answer not understood", name, r, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: error of several lines: %q", name, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	followed := false
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		followed = true
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, passFor("git", "default", digest))
	}))
	defer target.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := httptest.NewServer(http.RedirectHandler(target.URL, status))
		_, err := newClient(t, srv.URL).Gate(t.Context(), client.GateRequest{Digest: digest})
		if client.KindOf(err) != client.NotUnderstood || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("status %d: %v", status, err)
		}
		srv.Close()
	}
	if followed {
		t.Error("a redirect was followed, and the token with it")
	}
}

func TestProblemsAreErrorsOfOneLine(t *testing.T) {
	srv := answering(t, 400, "application/problem+json",
		`{"status":400,"detail":"Not accepted: a key twice.","problems":[{"code":"x","level":"error","pointer":"/tools/0","line":812,"column":5,"message":"inputSchema is here twice"}]}`)
	_, err := newClient(t, srv.URL).Push(t.Context(), client.PushRequest{Body: []byte("{}"), Version: "1"})
	var e *client.Error
	if !errors.As(err, &e) || e.Kind != client.Refused || e.Problem.Status != 400 {
		t.Fatalf("error = %v", err)
	}
	want := "the server answered 400: Not accepted: a key twice. [line 812, column 5: inputSchema is here twice]"
	if err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
}

// TestProblemsAreSaidOnce: what the sentence says stands in no place again.
func TestProblemsAreSaidOnce(t *testing.T) {
	srv := answering(t, 422, "application/problem+json",
		`{"status":422,"detail":"Not accepted: this is a prompt.","problems":[{"message":"this is a prompt."},{"pointer":"/prompts","message":"this is a prompt."}]}`)
	_, err := newClient(t, srv.URL).Push(t.Context(), client.PushRequest{Body: []byte("{}"), Version: "1"})
	if want := "the server answered 422: Not accepted: this is a prompt. [/prompts]"; err == nil || err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
}

func TestUnreachable(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	base := srv.URL
	srv.Close()
	_, err := newClient(t, base).Gate(t.Context(), client.GateRequest{Digest: digest})
	if client.KindOf(err) != client.Unreachable {
		t.Errorf("error = %v, want unreachable", err)
	}
	for _, status := range []int{429, 503} {
		srv := answering(t, status, "application/problem+json", fmt.Sprintf(`{"status":%d,"detail":"later"}`, status))
		if _, err := newClient(t, srv.URL).Gate(t.Context(), client.GateRequest{Digest: digest}); client.KindOf(err) != client.Unreachable {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := bytes.Repeat([]byte(" "), 1<<20)
		for range 70 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	_, err := newClient(t, srv.URL).Gate(t.Context(), client.GateRequest{Digest: digest})
	if client.KindOf(err) != client.NotUnderstood || !strings.Contains(err.Error(), "larger") {
		t.Errorf("error = %v", err)
	}
}

// clock is a time that moves only by sleeping.
type clock struct {
	now    time.Time
	pauses []time.Duration
}

func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.pauses = append(c.pauses, d)
	return nil
}

func TestWaitAsksUntilTheGatePasses(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		switch asked {
		case 1:
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(503)
			_, _ = io.WriteString(w, `{"status":503,"detail":"starting"}`)
		case 2, 3:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Replace(passFor("git", "default", digest), "pass", "blocked", 1))
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, passFor("git", "default", digest))
		}
	}))
	defer srv.Close()
	clk := &clock{now: time.Unix(1e9, 0)}
	c := waiting(t, srv.URL, clk)
	r, err := c.WaitGate(t.Context(), client.GateRequest{Digest: digest}, 10*time.Minute)
	if err != nil || r.Answer.Gate != client.Pass {
		t.Fatalf("WaitGate = %v, %v", r, err)
	}
	if asked != 4 || len(clk.pauses) != 3 || clk.pauses[0] != 30*time.Second {
		t.Errorf("asked %d times, pauses %v; want 4, the first pause as the server said", asked, clk.pauses)
	}
}

func waiting(t *testing.T, base string, clk *clock) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{
		BaseURL: base, Server: "git", Token: "cs_token",
		Now: func() time.Time { return clk.now }, Sleep: clk.sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWaitEndsWithTheLastAnswer(t *testing.T) {
	srv := answering(t, 200, "application/json", strings.Replace(passFor("git", "default", digest), "pass", "undecided", 1))
	clk := &clock{now: time.Unix(1e9, 0)}
	r, err := waiting(t, srv.URL, clk).WaitGate(t.Context(), client.GateRequest{Digest: digest}, time.Minute)
	if err != nil || r.Answer.Gate != client.Undecided {
		t.Fatalf("WaitGate = %v, %v", r, err)
	}
	if waited := clk.now.Sub(time.Unix(1e9, 0)); waited != time.Minute {
		t.Errorf("waited %s, want exactly the minute", waited)
	}
}

func TestWaitDoesNotWaitForWhatNoTimeMends(t *testing.T) {
	for name, a := range map[string]struct {
		status     int
		kind, body string
	}{
		"refused":        {401, "application/problem+json", `{"status":401,"detail":"no"}`},
		"not understood": {200, "text/html", "<p>"},
		"gate error":     {200, "application/json", strings.Replace(passFor("git", "default", digest), "pass", "error", 1)},
	} {
		srv := answering(t, a.status, a.kind, a.body)
		clk := &clock{now: time.Unix(1e9, 0)}
		_, _ = waiting(t, srv.URL, clk).WaitGate(t.Context(), client.GateRequest{Digest: digest}, time.Hour)
		if len(clk.pauses) != 0 {
			t.Errorf("%s: waited %v", name, clk.pauses)
		}
	}
}

func TestPushIsSignedOverItsBytesAndBoundToItsQuery(t *testing.T) {
	body := []byte(`{"tools":[]}`)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		wh, err := webhook.NewWebhook(secret)
		if err != nil {
			t.Error(err)
		}
		if err := wh.Verify(got, r.Header); err != nil {
			t.Errorf("an independent verifier refuses the signature: %v", err)
		}
		id := r.Header.Get("webhook-id")
		if bound := client.BindID(id[:strings.LastIndex(id, ".")], r.RequestURI); bound != id {
			t.Errorf("id %q is not bound to %q", id, r.RequestURI)
		}
		if r.Header.Get("Authorization") != "" {
			t.Error("a signed push carries a token")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(201)
		_, _ = io.WriteString(w, `{"listing":{"id":"l","digest":"`+digest+`","tools":0},"analysis":"pending"}`)
	}))
	defer srv.Close()
	c, err := client.New(client.Options{BaseURL: srv.URL, Server: "git", Token: "cs_token", Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Push(t.Context(), client.PushRequest{Body: body, Version: "1.9.0 beta", Commit: "abc", Complete: true})
	if err != nil || r.Status != 201 || r.Answer.Listing.Digest != digest {
		t.Fatalf("Push = %+v, %v", r, err)
	}
}

func TestPushSaysWhatItIsAbout(t *testing.T) {
	want := url.Values{
		"version": {"1"}, "profile": {"p"}, "predecessor": {"0"}, "commit": {"c"}, "author": {"a@example.org"},
		"run_url": {"https://ci.example/1"}, "complete": {"true"}, "preview": {"true"},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query(); got.Encode() != want.Encode() {
			t.Errorf("query = %v, want %v", got, want)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"analysis":"done"}`)
	}))
	defer srv.Close()
	r, err := newClient(t, srv.URL).Push(t.Context(), client.PushRequest{
		Body: []byte("{}"), Version: "1", Profile: "p", Predecessor: "0", Commit: "c", Author: "a@example.org",
		RunURL: "https://ci.example/1", Complete: true, Preview: true,
	})
	if err != nil || r.Status != 200 {
		t.Errorf("Push = %v, %v", r, err)
	}
}

func TestCompare(t *testing.T) {
	srv := answering(t, 200, "application/json", `{"from":null,"to":null,"class":"text","changes":[{"tool":"pay\ud800"}]}`)
	b, err := newClient(t, srv.URL).Compare(t.Context(), "1", "2")
	if err != nil || !bytes.Contains(b, []byte(`pay\ud800`)) {
		t.Errorf("Compare = %q, %v: the bytes have to stay as they came", b, err)
	}
	srv = answering(t, 200, "application/json", `{"ok":true}`)
	if _, err := newClient(t, srv.URL).Compare(t.Context(), "1", "2"); client.KindOf(err) != client.NotUnderstood {
		t.Errorf("other JSON: %v", err)
	}
}

func TestSignRefusesDamagedSecrets(t *testing.T) {
	for _, s := range []string{"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%", "whsec_abc"} {
		if _, err := client.Sign(s, "msg_1", time.Unix(1, 0), nil, ""); client.KindOf(err) != client.Usage {
			t.Errorf("Sign with %q = %v, want a usage error", s, err)
		}
	}
}

func TestBindID(t *testing.T) {
	const path = "/api/v1/servers/git/listings?version=1.9.0"
	got := client.BindID("msg_1", path)
	if want := "msg_1.c44e2cdc32ae8450"; got != want { // printf %s "$path" | sha256sum
		t.Errorf("BindID = %q, want %q", got, want)
	}
	if got == client.BindID("msg_1", path+"1") {
		t.Error("another query has the same binding")
	}
}

func TestNoCredential(t *testing.T) {
	c, err := client.New(client.Options{BaseURL: "https://c.example", Server: "git"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Gate(t.Context(), client.GateRequest{Digest: digest}); client.KindOf(err) != client.Usage {
		t.Errorf("no token: %v", err)
	}
}
