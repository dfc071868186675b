package web_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/metrics"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web"
)

// TestNothingOfARequestIsLoggedOrCounted sends a canary in every place that a
// caller fills in, and looks for it in the log and in the metrics.
func TestNothingOfARequestIsLoggedOrCounted(t *testing.T) {
	in := newInstance(t)
	meter := metrics.New("test")
	in.svc = review.NewService(in.store, review.Config{BaseURL: baseURL, Secret: []byte(strings.Repeat("s", 32)), Observer: meter})
	var err error
	in.web, err = web.New(in.svc, web.Options{BaseURL: baseURL, Sessions: in.store.Sessions(), Log: slog.New(slog.NewJSONHandler(in.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: meter.Guarded(canary + canary + canary), Requested: meter.Requested})
	in.must(err)
	in.now = time.Now()
	in.addServer("shop", gate.Team)
	ada := in.addUser("ada", people.Admin, "")
	token := in.addToken("shop", "ada@example.org", people.ScopeReview, people.ScopePush)
	asAda := in.signedIn(ada)
	query := url.Values{"version": {canary}, "run_url": {"https://" + canary + ".example"}}.Encode()
	in.pushed("shop", query, listing(tool(canary, canary)))
	in.push("shop", query, "not JSON "+canary)
	in.secret[canary] = in.secret["shop"]
	in.push(canary, query, listing(tool(canary, canary)))
	in.postForm(nobody, "/sign-in", url.Values{"email": {canary + "@example.org"}, "password": {canary}})
	in.get(nobody, "/links/"+canary)
	in.get(withToken(canary), "/api/v1/servers")
	in.get(withToken(token), "/api/v1/servers/shop/gate?digest="+canary)
	in.get(asAda, "/servers/shop?q="+canary)
	r := httptest.NewRequest(canary, "/healthz", nil)
	r.Header.Set("User-Agent", canary)
	r.Header.Set("Cookie", "session="+canary)
	r.Header.Set("X-Request-Id", canary)
	in.send(r)
	r = httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer "+canary+canary+canary)
	scraped := in.send(r)
	if scraped.status != http.StatusOK || !strings.Contains(scraped.body, `countersign_pushes_total{outcome="unprocessable"}`) && !strings.Contains(scraped.body, `countersign_pushes_total{outcome="invalid"} 1`) {
		t.Fatalf("metrics: %d %s", scraped.status, scraped.body)
	}
	logged := in.log.String()
	withoutPaths := regexp.MustCompile(`"path":"[^"]*"`).ReplaceAllString(logged, "") // a path that is no secret is logged
	for what, text := range map[string]string{"log": withoutPaths, "metrics": scraped.body} {
		if at := strings.Index(text, canary); at >= 0 && !strings.Contains(text[max(0, at-20):at], `"method":"`) {
			t.Errorf("the %s holds the canary: …%.300s", what, text[max(0, at-150):])
		}
	}
	if strings.Contains(logged, "/links/"+canary) {
		t.Error("the log holds a link's secret")
	}
	if n := strings.Count(logged, `"msg":"request"`); n < 9 || n != strings.Count(logged, `"request":"`) {
		t.Errorf("%d requests are logged, not all with an id:\n%s", n, logged)
	}
}

// TestRouteLabelsAreTemplates asks for everything, and for addresses that are none.
func TestRouteLabelsAreTemplates(t *testing.T) {
	in := newInstance(t)
	type seen struct{ method, route string }
	var all []seen
	var err error
	in.web, err = web.New(in.svc, web.Options{BaseURL: baseURL, Sessions: in.store.Sessions(), Log: slog.New(slog.DiscardHandler),
		Requested: func(method, route string, status int, took time.Duration) {
			if status < 100 || took < 0 {
				t.Errorf("%s %s: status %d, took %s", method, route, status, took)
			}
			all = append(all, seen{method, route})
		}})
	in.must(err)
	var templates []string
	for _, r := range in.web.Rows() {
		templates = append(templates, r.Path)
	}
	for n := range 50 {
		for _, path := range []string{"/servers/%d", "/servers/%d/x", "/%d", "/links/%d", "/releases/%d", "/api/v1/%d", "/api/v1/servers/%d/gate", "/static/%d"} {
			in.get(nobody, fmt.Sprintf(path, n))
		}
	}
	if len(all) != 400 {
		t.Fatalf("%d requests were told of", len(all))
	}
	for _, s := range all {
		if s.route != "" && !slices.Contains(templates, s.route) {
			t.Errorf("%s %q is no template of the table of routes", s.method, s.route)
		}
	}
}
