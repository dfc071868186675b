// Package metrics counts what happens, for Prometheus.
//
// No label holds anything that a caller chose: routes are the templates of the
// table of routes, methods and outcomes come from short lists of ours. So nobody
// can fill the memory of the program, or of who scrapes it, and nothing of a
// listing, an address or a person stands in an answer.
package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

// Metrics is what one program counts. It implements [review.Observer]; all
// methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	pushes   *prometheus.CounterVec
	answers  *prometheus.CounterVec
	verdicts *prometheus.CounterVec
	analysis prometheus.Histogram
	readings *prometheus.CounterVec
	drifts   *prometheus.CounterVec
	requests *prometheus.HistogramVec
}

var _ review.Observer = (*Metrics)(nil)

// New returns metrics of a program of the given version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		pushes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_pushes_total", Help: "Pushes by what became of them: new, same, partial, or the kind of the refusal.",
		}, []string{"outcome"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_gate_answers_total", Help: "Answers of the gate to who asked it.",
		}, []string{"gate"}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_verdicts_total", Help: "Answers of people that were stored.",
		}, []string{"verdict"}),
		analysis: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "countersign_analysis_seconds", Help: "Time that one comparison of two listings took.",
			Buckets: prometheus.ExponentialBuckets(0.002, 3, 9), // 2 ms to 13 s
		}),
		readings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_live_readings_total", Help: "Readings of endpoints, by what they came to.",
		}, []string{"state"}),
		drifts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_drifts_total", Help: "Drifts that people were told of: high, quiet, or asks.",
		}, []string{"level"}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "countersign_http_request_seconds", Help: "Time that requests took, by route and class of status; event streams are left out.",
			Buckets: []float64{.005, .02, .05, .1, .25, 1, 5, 20},
		}, []string{"method", "route", "status"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "countersign_build_info", Help: "Always 1; the label says what runs.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.pushes, m.answers, m.verdicts, m.analysis, m.readings, m.drifts, m.requests, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Pushed counts a push.
func (m *Metrics) Pushed(outcome review.PushOutcome) {
	m.pushes.WithLabelValues(string(outcome)).Inc()
}

// Answered counts an answer of the gate.
func (m *Metrics) Answered(r gate.Result) { m.answers.WithLabelValues(string(r)).Inc() }

// Decided counts answers of people.
func (m *Metrics) Decided(kind review.VerdictKind, n int) {
	m.verdicts.WithLabelValues(string(kind)).Add(float64(n))
}

// Analysed remembers how long a comparison took.
func (m *Metrics) Analysed(took time.Duration) { m.analysis.Observe(took.Seconds()) }

// Read counts a reading of an endpoint.
func (m *Metrics) Read(state review.LiveState) { m.readings.WithLabelValues(string(state)).Inc() }

// Drifted counts a drift that people were told of.
func (m *Metrics) Drifted(level review.DriftLevel) { m.drifts.WithLabelValues(string(level)).Inc() }

// Requested remembers a request: route is the template of its route, "" when
// there is none.
func (m *Metrics) Requested(method, route string, status int, took time.Duration) {
	if strings.HasSuffix(route, "/events") {
		return // it takes as long as its reader stays
	}
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(methodLabel(method), route, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
}

// methodLabel keeps out methods that somebody made up.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		return method
	}
	return "other"
}

// Gauge adds a value that is asked for at each scrape. labels are constant.
func (m *Metrics) Gauge(name, help string, labels map[string]string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
}

// Counter is Gauge of a value that only grows.
func (m *Metrics) Counter(name, help string, labels map[string]string, value func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, value))
}

// Handler answers scrapes, not compressed since the web server sees to that, without asking who does it: for an address that only the
// scraper reaches.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}

// Guarded answers scrapes that bring the token; without a token there is nothing
// at the address.
func (m *Metrics) Guarded(token string) http.Handler {
	if token == "" {
		return http.NotFoundHandler()
	}
	want := sha256.Sum256([]byte(token))
	answer := m.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		sum := sha256.Sum256([]byte(given)) // of equal lengths, so that the comparison tells nothing
		if !ok || subtle.ConstantTimeCompare(sum[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Send the token of COUNTERSIGN_METRICS_TOKEN as bearer token.", http.StatusUnauthorized)
			return
		}
		answer.ServeHTTP(w, r)
	})
}
