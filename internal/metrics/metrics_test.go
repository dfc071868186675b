package metrics_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/metrics"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

func scrape(t *testing.T, h http.Handler, authorization string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

func TestCounts(t *testing.T) {
	m := metrics.New("1.2.3")
	m.Pushed(review.OutcomeNew)
	m.Pushed(review.OutcomeNew)
	m.Pushed(review.PushOutcome(review.RateLimited))
	m.Answered(gate.Blocked)
	m.Decided(review.Approve, 22)
	m.Analysed(40 * time.Millisecond)
	m.Read(review.LiveDiffers)
	m.Drifted(review.DriftHigh)
	m.Requested("GET", "/releases/:id", 200, 3*time.Millisecond)
	m.Requested("GET", "", 404, time.Millisecond)
	m.Requested("BREW", "/healthz", 405, time.Millisecond)
	m.Requested("GET", "/releases/:id/events", 200, time.Hour)
	m.Gauge("countersign_event_streams", "Streams.", nil, func() float64 { return 3 })
	_, got := scrape(t, m.Handler(), "")
	for _, want := range []string{
		`countersign_pushes_total{outcome="new"} 2`,
		`countersign_pushes_total{outcome="rate limited"} 1`,
		`countersign_gate_answers_total{gate="blocked"} 1`,
		`countersign_verdicts_total{verdict="approve"} 22`,
		`countersign_analysis_seconds_count 1`,
		`countersign_live_readings_total{state="differs"} 1`,
		`countersign_drifts_total{level="high"} 1`,
		`countersign_http_request_seconds_count{method="GET",route="/releases/:id",status="2xx"} 1`,
		`countersign_http_request_seconds_count{method="GET",route="none",status="4xx"} 1`,
		`countersign_http_request_seconds_count{method="other",route="/healthz",status="4xx"} 1`,
		`countersign_event_streams 3`,
		`countersign_build_info{version="1.2.3"} 1`,
		"go_goroutines ",
	} {
		if !strings.Contains(got, want+"\n") && !strings.HasSuffix(want, " ") || !strings.Contains(got, want) {
			t.Errorf("no line %s in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "/events") {
		t.Error("a stream counts as a request")
	}
}

func TestOnlyWithTheToken(t *testing.T) {
	m := metrics.New("x")
	token := strings.Repeat("t", 32)
	for _, c := range []struct {
		token, authorization string
		want                 int
	}{
		{"", "", 404}, {"", "Bearer ", 404}, {"", "Bearer x", 404},
		{token, "", 401}, {token, "Bearer", 401}, {token, "Bearer ", 401}, {token, "Bearer " + token[1:], 401}, {token, token, 401},
		{token, "Bearer " + token, 200},
	} {
		if got, body := scrape(t, m.Guarded(c.token), c.authorization); got != c.want || got != 200 && strings.Contains(body, "countersign_build_info") {
			t.Errorf("token %q, %q: %d", c.token, c.authorization, got)
		}
	}
}
