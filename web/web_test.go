package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
)

// lostSessions is a database that went away: requests without a cookie don't
// notice.
type lostSessions struct {
	scs.GobCodec
	scs.CtxStore
}

func (lostSessions) FindCtx(context.Context, string) ([]byte, bool, error) {
	return nil, false, errors.New("the database is away")
}

// bareServer is a server for tests that end before the service is asked.
func bareServer(t *testing.T, change func(*Options)) *Server {
	t.Helper()
	opt := Options{
		BaseURL: "https://countersign.example", Sessions: lostSessions{}, ListingBytes: 64 << 10,
		Log: slog.New(slog.DiscardHandler), Build: BuildInfo{Version: "1.2.3", Commit: "abc"},
	}
	if change != nil {
		change(&opt)
	}
	s, err := New(review.NewService(nil, review.Config{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func serve(s *Server, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// withRoute adds a route of the test's own, behind all that stands before routes.
func withRoute(s *Server, r route) {
	s.echo.Add(r.method, r.path, r.handle, s.guards(r)...)
}

func TestBaseURLs(t *testing.T) {
	for _, raw := range []string{"", "countersign.example", "ftp://a.example", "https://", "https://u:p@a.example", "https://a.example/?q=1", "https://a.example/path"} {
		if _, err := New(nil, Options{BaseURL: raw, Sessions: lostSessions{}}); err == nil {
			t.Errorf("New accepts the base URL %q", raw)
		}
	}
	if _, err := New(nil, Options{BaseURL: "https://a.example"}); err == nil {
		t.Error("New accepts a server without a store for sessions")
	}
}

func TestHealth(t *testing.T) {
	s := bareServer(t, nil)
	resp := serve(s, httptest.NewRequest("GET", "/healthz", nil))
	if got, want := bodyOf(t, resp), `{"status":"ok","version":"1.2.3","commit":"abc"}`+"\n"; resp.StatusCode != 200 || got != want {
		t.Errorf("/healthz = %d %q, want 200 %q", resp.StatusCode, got, want)
	}
	resp = serve(s, httptest.NewRequest("GET", "/readyz", nil))
	if resp.StatusCode != 200 {
		t.Errorf("/readyz = %d, want 200", resp.StatusCode)
	}
	s = bareServer(t, func(o *Options) {
		o.Ready = func(context.Context) error { return errors.New("password of the database: hunter2") }
	})
	resp = serve(s, httptest.NewRequest("GET", "/readyz", nil))
	if got := bodyOf(t, resp); resp.StatusCode != 503 || strings.Contains(got, "hunter2") || resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("/readyz = %d %q, want a problem of status 503 that says no more than needed", resp.StatusCode, got)
	}
}

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	s := bareServer(t, nil)
	type ask struct{ method, path string }
	asks := []ask{{"GET", "/no/such/page"}, {"GET", "/api/v1/nothing"}, {"PATCH", "/api/v1/servers"}, {"GET", "/static/none/app.css"}}
	for _, r := range s.routes() {
		asks = append(asks, ask{r.method, strings.NewReplacer(":", "", "*", "x").Replace(r.path)})
	}
	for _, a := range asks {
		h := serve(s, httptest.NewRequest(a.method, a.path, nil)).Header
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "same-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Cross-Origin-Embedder-Policy": "require-corp",
			"Strict-Transport-Security":    "max-age=31536000",
			"Permissions-Policy":           permissionsPolicy,
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %s = %q, want %q", a.method, a.path, name, got, want)
			}
		}
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s %s: policy %q lacks %s", a.method, a.path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
			t.Errorf("%s %s: policy %q is loose", a.method, a.path, csp)
		}
		if len(h.Get("X-Request-Id")) != 16 {
			t.Errorf("%s %s: request id %q", a.method, a.path, h.Get("X-Request-Id"))
		}
		if h.Get("Cache-Control") == "" {
			t.Errorf("%s %s: no Cache-Control", a.method, a.path)
		}
	}
}

func TestNonceIsNewEachTime(t *testing.T) {
	s := bareServer(t, nil)
	seen := map[string]bool{}
	for range 20 {
		seen[serve(s, httptest.NewRequest("GET", "/healthz", nil)).Header.Get("Content-Security-Policy")] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d policies in 20 answers", len(seen))
	}
}

func TestPlainHTTPSendsNoHSTS(t *testing.T) {
	s := bareServer(t, func(o *Options) { o.BaseURL = "http://127.0.0.1:8080" })
	if got := serve(s, httptest.NewRequest("GET", "/healthz", nil)).Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("Strict-Transport-Security = %q on plain HTTP", got)
	}
	if s.sessions.Cookie.Name != "countersign-8080" || s.sessions.Cookie.Secure {
		t.Errorf("cookie = %+v: a browser would not send it back", s.sessions.Cookie)
	}
}

func TestCookieOnHTTPS(t *testing.T) {
	c := bareServer(t, nil).sessions.Cookie
	if c.Name != "__Host-countersign" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("cookie = %+v", c)
	}
}

// TestCookieOfInstancesSideBySide: a browser gives the cookies of a host to every port of
// it, so two instances of one host have cookies of two names.
func TestCookieOfInstancesSideBySide(t *testing.T) {
	for base, want := range map[string]string{
		"http://localhost:8081": "countersign-8081", "http://localhost": "countersign", "http://localhost:80": "countersign", "http://[::1]:9000": "countersign-9000",
		"https://h.example:8443": "__Host-countersign-8443", "https://h.example": "__Host-countersign", "https://h.example:443": "__Host-countersign",
	} {
		c := bareServer(t, func(o *Options) { o.BaseURL = base }).sessions.Cookie
		if c.Name != want || c.Domain != "" || c.Path != "/" {
			t.Errorf("%s: %+v, want %s", base, c, want)
		}
	}
}

func TestUnknownErrorsShowOnlyTheRequest(t *testing.T) {
	for name, handle := range map[string]echo.HandlerFunc{
		"error":    func(echo.Context) error { return errors.New("secret-of-ours") },
		"internal": func(echo.Context) error { return &review.Error{Kind: review.Internal, Sentence: "secret-of-ours"} },
		"panic":    func(echo.Context) error { panic("secret-of-ours") },
		"no kind":  func(echo.Context) error { return &review.Error{Kind: "novel", Sentence: "secret-of-ours"} },
		"wrapped": func(echo.Context) error {
			return &review.Error{Kind: review.Invalid, Sentence: "no", Err: errors.New("secret-of-ours")}
		},
	} {
		for _, path := range []string{"/api/v1/boom", "/boom"} {
			var log bytes.Buffer
			s := bareServer(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			withRoute(s, get(path, anybody, handle))
			resp := serve(s, httptest.NewRequest("GET", path, nil))
			body := bodyOf(t, resp)
			id := resp.Header.Get("X-Request-Id")
			if strings.Contains(body, "secret-of-ours") {
				t.Errorf("%s %s: the answer tells: %s", name, path, body)
			}
			if name == "wrapped" {
				continue
			}
			if resp.StatusCode != 500 || !strings.Contains(body, id) {
				t.Errorf("%s %s: %d %s, want 500 with request %s", name, path, resp.StatusCode, body, id)
			}
			if !strings.Contains(log.String(), "secret-of-ours") || !strings.Contains(log.String(), id) {
				t.Errorf("%s %s: the log does not say what happened to %s: %s", name, path, id, &log)
			}
		}
	}
}

func TestEveryKindHasItsStatus(t *testing.T) {
	for kind, status := range map[review.Kind]int{
		review.Invalid: 400, review.Unauthenticated: 401, review.Forbidden: 403, review.NotFound: 404, review.Conflict: 409,
		review.Stale: 409, review.TooLarge: 413, review.Unsupported: 415, review.Unprocessable: 422, review.RateLimited: 429,
		review.Unavailable: 503, review.Internal: 500,
	} {
		s := bareServer(t, nil)
		withRoute(s, get("/api/v1/boom", anybody, func(echo.Context) error { return review.Errorf(kind, "What happened.") }))
		resp := serve(s, httptest.NewRequest("GET", "/api/v1/boom", nil))
		body := bodyOf(t, resp)
		if resp.StatusCode != status || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s, want %d", kind, resp.StatusCode, resp.Header.Get("Content-Type"), status)
		}
		if kind != review.Internal && !strings.Contains(body, `"detail":"What happened."`) {
			t.Errorf("%s: %s", kind, body)
		}
		if wait := resp.Header.Get("Retry-After"); (wait != "") != (status == 429 || status == 503) {
			t.Errorf("%s: Retry-After %q", kind, wait)
		}
		if ask := resp.Header.Get("WWW-Authenticate"); (ask != "") != (status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", kind, ask)
		}
	}
}

func TestNothingHereAndNotLikeThat(t *testing.T) {
	s := bareServer(t, nil)
	for _, a := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/api/v1/nothing", 404, "application/problem+json"},
		{"DELETE", "/api/v1/servers", 405, "application/problem+json"},
		{"GET", "/nothing", 404, "text/"},
		{"POST", "/healthz", 405, "application/problem+json"},
		{"HEAD", "/healthz", 200, "application/json"},
	} {
		resp := serve(s, httptest.NewRequest(a.method, a.path, nil))
		if resp.StatusCode != a.status || !strings.HasPrefix(resp.Header.Get("Content-Type"), a.kind) {
			t.Errorf("%s %s: %d %s, want %d %s", a.method, a.path, resp.StatusCode, resp.Header.Get("Content-Type"), a.status, a.kind)
		}
		if a.status == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", a.method, a.path)
		}
	}
}

func TestLogHoldsNoSecret(t *testing.T) {
	var log bytes.Buffer
	s := bareServer(t, func(o *Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	withRoute(s, get("/links/:token", anybody, func(c echo.Context) error { return c.NoContent(204) }))
	withRoute(s, post("/take", anybody, func(c echo.Context) error { return c.NoContent(204) }))
	serve(s, httptest.NewRequest("GET", "/links/canary-link?next=canary-query", nil))
	serve(s, httptest.NewRequest("GET", "/links/canary-link/", nil))
	r := httptest.NewRequest("POST", "/take?token=canary-query", strings.NewReader("canary-body"))
	r.Header.Set("Authorization", "Bearer canary-header")
	r.Header.Set("X-Request-Id", "canary-id")
	serve(s, r)
	serve(s, httptest.NewRequest("GET", "/api/v1/servers?secret=canary-query", nil))
	if strings.Contains(log.String(), "canary") {
		t.Errorf("the log tells: %s", &log)
	}
	if n := strings.Count(log.String(), `"msg":"request"`); n != 4 {
		t.Errorf("%d lines for 4 requests: %s", n, &log)
	}
	for _, want := range []string{`"path":"/links/:token"`, `"path":"/take"`, `"status":401`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, &log)
		}
	}
}

func TestOtherSitesChangeNothing(t *testing.T) {
	s := bareServer(t, nil)
	withRoute(s, post("/act", anybody, func(c echo.Context) error { return c.NoContent(204) }))
	for name, a := range map[string]struct {
		headers map[string]string
		status  int
	}{
		"our own form":      {map[string]string{"Sec-Fetch-Site": "same-origin"}, 204},
		"typed":             {map[string]string{"Sec-Fetch-Site": "none"}, 204},
		"another site":      {map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a sibling":         {map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"old browser":       {map[string]string{"Origin": "https://countersign.example"}, 204},
		"old, another":      {map[string]string{"Origin": "https://evil.example"}, 403},
		"old, hidden":       {map[string]string{"Origin": "null"}, 403},
		"no browser":        {nil, 204},
		"another, as ours":  {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, 403},
		"behind a renaming": {map[string]string{"Origin": "https://countersign.example", "X-Forwarded-Host": "evil.example"}, 204},
	} {
		r := httptest.NewRequest("POST", "/act", nil)
		r.Host = "backend:8080"
		for k, v := range a.headers {
			r.Header.Set(k, v)
		}
		if got := serve(s, r).StatusCode; got != a.status {
			t.Errorf("%s: %d, want %d", name, got, a.status)
		}
	}
}

func TestCallersAddress(t *testing.T) {
	for name, a := range map[string]struct {
		trusted []netip.Prefix
		from    string
		want    string
	}{
		"no proxy":      {nil, "192.0.2.1:1", "192.0.2.1"},
		"loopback":      {nil, "127.0.0.1:1", "127.0.0.1"},
		"trusted":       {[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "10.1.2.3:1", "203.0.113.9"},
		"other proxy":   {[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "192.168.1.1:1", "192.168.1.1"},
		"trusted v6":    {[]netip.Prefix{netip.MustParsePrefix("fd00::/8")}, "[fd00::1]:1", "203.0.113.9"},
		"unmasked form": {[]netip.Prefix{netip.MustParsePrefix("10.1.2.3/8")}, "10.9.9.9:1", "203.0.113.9"},
	} {
		s := bareServer(t, func(o *Options) { o.TrustedProxies = a.trusted })
		var got string
		withRoute(s, get("/who", anybody, func(c echo.Context) error {
			got = s.actor(c).Addr
			return c.NoContent(204)
		}))
		r := httptest.NewRequest("GET", "/who", nil)
		r.RemoteAddr = a.from
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
		r.Header.Set("X-Real-Ip", "203.0.113.8")
		serve(s, r)
		if got != a.want {
			t.Errorf("%s: %s, want %s", name, got, a.want)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := bareServer(t, nil)
	withRoute(s, post("/api/v1/small", anybody, func(c echo.Context) error {
		var v map[string]string
		return readJSON(c, &v)
	}))
	withRoute(s, post("/form", anybody, func(c echo.Context) error {
		_, err := s.form(c)
		return err
	}))
	big := strings.Repeat("x", int(smallBody))
	for _, a := range []struct{ path, kind, body string }{
		{"/api/v1/small", "application/json", `{"a":"` + big + `"}`},
		{"/form", "application/x-www-form-urlencoded", "a=" + big},
		{"/form", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n" + big + "\r\n--b--\r\n"},
	} {
		for _, chunked := range []bool{false, true} {
			r := httptest.NewRequest("POST", a.path, strings.NewReader(a.body))
			r.Header.Set("Content-Type", a.kind)
			if chunked {
				r.ContentLength = -1
			}
			if resp := serve(s, r); resp.StatusCode != 413 {
				t.Errorf("%s (%s, chunked %v): %d %s, want 413", a.path, a.kind, chunked, resp.StatusCode, bodyOf(t, resp))
			}
		}
	}
}

func TestUploadsDoNotTouchTheDisk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := bareServer(t, nil)
	r := post("/upload", anybody, func(c echo.Context) error {
		if _, err := s.form(c); err != nil {
			return err
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("temporary files %v, %v", entries, err)
		}
		return c.NoContent(204)
	})
	withRoute(s, r.limited(s.uploadBody()))
	body := "--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n" + strings.Repeat("x", 1<<20) + "\r\n--b--\r\n"
	req := httptest.NewRequest("POST", "/upload", strings.NewReader(body))
	req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	if got := serve(s, req).StatusCode; got != 204 {
		t.Errorf("upload: %d", got)
	}
}

func TestAnswersArePacked(t *testing.T) {
	s := bareServer(t, nil)
	withRoute(s, get("/long", anybody, func(c echo.Context) error { return c.String(200, strings.Repeat("long ", 1000)) }))
	withRoute(s, get("/api/v1/refuse", anybody, func(c echo.Context) error {
		return review.Errorf(review.Conflict, "%s", strings.Repeat("long ", 1000))
	}))
	for _, path := range []string{"/long", "/api/v1/refuse"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		resp := serve(s, r)
		if resp.Header.Get("Content-Encoding") != "gzip" || len(bodyOf(t, resp)) > 1000 {
			t.Errorf("%s is not packed", path)
		}
		if !strings.Contains(strings.Join(resp.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: Vary = %q", path, resp.Header.Values("Vary"))
		}
	}
}

func TestLostSessionStoreIsUnavailable(t *testing.T) {
	s := bareServer(t, nil)
	r := httptest.NewRequest("GET", "/api/v1/servers", nil)
	r.AddCookie(&http.Cookie{Name: "__Host-countersign", Value: "something"})
	if resp := serve(s, r); resp.StatusCode != 503 || strings.Contains(bodyOf(t, resp), "database is away") {
		t.Errorf("status %d, want 503", resp.StatusCode)
	}
}

// TestServeLetsRequestsFinish ends the server while a request is inside.
func TestServeLetsRequestsFinish(t *testing.T) {
	s := bareServer(t, nil)
	inside, goOn := make(chan struct{}), make(chan struct{})
	withRoute(s, get("/slow", anybody, func(c echo.Context) error {
		close(inside)
		<-goOn
		return c.String(200, "done")
	}))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	var wg sync.WaitGroup
	wg.Go(func() {
		resp, err := http.Get("http://" + ln.Addr().String() + "/slow")
		if err != nil {
			t.Errorf("the request was cut off: %v", err)
			return
		}
		defer resp.Body.Close()
		if b, _ := io.ReadAll(resp.Body); string(b) != "done" {
			t.Errorf("answer = %q", b)
		}
	})
	<-inside
	stop()
	close(goOn)
	wg.Wait()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestServeReportsFailure(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := bareServer(t, nil).Serve(t.Context(), ln); err == nil {
		t.Error("Serve on a closed listener is no error")
	}
}
