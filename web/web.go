// Package web is the server that people and machines talk to: pages, the JSON
// API and the webhook, over one review.Service.
//
// # One table
//
// Every address stands in the table of routes.go (pages in page_routes.go) with
// who may call it. The router is built from it, and so is the test that tries
// every route as nobody, as every role and with every kind of token.
//
// # A handler
//
// A handler binds the request, makes one call of the service and renders. It
// returns errors instead of writing them: errors.go is the one place where a
// review.Kind becomes a status, and an error becomes application/problem+json for
// machines or a page for people. What is not a *review.Error is a defect: it is
// logged, and the caller sees the id of the request and nothing else.
//
// # What the outside can do
//
// Bodies are read up to a limit per route, and compressed ones are counted after
// unpacking. Addresses in links come from BASE_URL, never from the request. State
// is changed by POST only, and a POST that a browser sends from another site is
// refused by what the browser says of itself, so forms carry no tokens. Pages run
// under a policy that lets nothing in but what carries the nonce of the request.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/oidc"
	"github.com/countersign/countersign/review"
)

// Options is what a Server needs besides the service.
type Options struct {
	// BaseURL is how people reach the server, without a trailing slash. Its
	// scheme decides whether cookies are secure and HSTS is sent.
	BaseURL string
	// Sessions keeps what browsers are signed in. Only hashes of tokens reach it.
	Sessions SessionStore
	// ListingBytes is the largest listing, unpacked; zero is 8 MiB.
	ListingBytes int64
	// TrustedProxies may say for whom they ask (X-Forwarded-For). None by default:
	// then the address of the connection is the caller's.
	TrustedProxies []netip.Prefix
	// Ready reports whether the server can do its work; nil means that it can.
	Ready func(context.Context) error
	// Log gets one line per request and every defect; nil is slog.Default().
	Log *slog.Logger
	// Metrics answers /metrics; nil is nothing there. It sees to who may ask.
	Metrics http.Handler
	// Requested is told of every request: its method, the template of its route,
	// "" for none, the status and how long it took. nil is nobody.
	Requested func(method, route string, status int, took time.Duration)
	// StopGrace is how long running requests may take when the server ends; zero is
	// 20 s.
	StopGrace time.Duration
	// Build is shown by /healthz and at the foot of pages.
	Build BuildInfo
	// Provider lets people sign in with an OpenID Connect provider; nil is none. Its
	// redirect URL is BaseURL + [ProviderBack].
	Provider *oidc.Provider
	// Live wakes pages that wait for news; nil is a hub that nobody tells anything,
	// so that pages are told when they ask.
	Live *live.Hub
	// Stories are pages made from fixtures, shown under /storybook to whoever works on
	// them; none for a server that people use.
	Stories []Story
	// ProofLasts is how long somebody need not prove again who they are before what
	// takes a proof; zero is review.ProofLasts.
	ProofLasts time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// BuildInfo says what program runs.
type BuildInfo struct {
	Version string
	Commit  string
}

// Server answers HTTP. Make it with New.
type Server struct {
	svc      *review.Service
	opt      Options
	base     *url.URL
	log      *slog.Logger
	echo     *echo.Echo
	sessions *scs.SessionManager
	hub      *live.Hub
	cross    *http.CrossOriginProtection
	pushing  chan struct{} // a place for every push that is being worked on
	room     atomic.Int64  // bytes that bodies of pushes may still take
}

const (
	defaultListingBytes = 8 << 20
	readHeaderTimeout   = 10 * time.Second
	readTimeout         = 2 * time.Minute // 8 MiB over a slow line
	writeTimeout        = 3 * time.Minute // runs from the request's first line: the body, 10 s of analysis, the answer
	idleTimeout         = 120 * time.Second
	defaultStopGrace    = 20 * time.Second
	maxHeaderBytes      = 64 << 10
)

// New returns a Server over the service. It fails when BaseURL is no address.
func New(svc *review.Service, opt Options) (*Server, error) {
	base, err := parseBaseURL(opt.BaseURL)
	if err != nil {
		return nil, err
	}
	if opt.Sessions == nil {
		return nil, errors.New("web: no store for sessions")
	}
	s := &Server{svc: svc, opt: withDefaults(opt), base: base, pushing: make(chan struct{}, pushesAtOnce)}
	s.room.Store(pushesAtOnce * s.opt.ListingBytes)
	s.log, s.hub = s.opt.Log, s.opt.Live
	s.sessions = newSessions(s.opt.Sessions, s.secure(), oddPort(base))
	s.cross = http.NewCrossOriginProtection()
	if err := s.cross.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, fmt.Errorf("web: base URL: %w", err)
	}
	s.echo = s.router()
	return s, nil
}

// oddPort is the port of an address where it is not the one that its scheme implies.
func oddPort(u *url.URL) string {
	if port := u.Port(); port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		return port
	}
	return ""
}

func parseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("web: base URL: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("web: base URL %q: want http(s)://host", raw)
	}
	if u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("web: base URL %q: a path is not supported, give the server a host of its own", raw)
	}
	return u, nil
}

func withDefaults(opt Options) Options {
	if opt.ListingBytes == 0 {
		opt.ListingBytes = defaultListingBytes
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Live == nil {
		opt.Live = live.NewHub()
	}
	if opt.Metrics == nil {
		opt.Metrics = http.NotFoundHandler()
	}
	if opt.Requested == nil {
		opt.Requested = func(string, string, int, time.Duration) {}
	}
	if opt.StopGrace == 0 {
		opt.StopGrace = defaultStopGrace
	}
	if opt.ProofLasts == 0 {
		opt.ProofLasts = review.ProofLasts
	}
	if opt.Ready == nil {
		opt.Ready = func(context.Context) error { return nil }
	}
	return opt
}

// Pushing counts the pushes that are being worked on.
func (s *Server) Pushing() int { return len(s.pushing) }

// secure reports whether people reach the server over TLS.
func (s *Server) secure() bool { return s.base.Scheme == "https" }

// Handler returns the whole server as a handler.
func (s *Server) Handler() http.Handler { return s.echo }

// Serve answers on ln until ctx ends, closes event streams, lets running requests
// finish within StopGrace, cuts off those that don't, and returns nil. Any other end is
// an error.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	srv.RegisterOnShutdown(s.hub.Close) // streams would hold the end up
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("web: serve: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.StopGrace)
	defer cancel()
	if err := srv.Shutdown(end); err != nil {
		// Nothing failed: who was not ready by then was told nothing, and nothing is lost.
		s.log.Warn("requests that were still running were cut off", "after", s.opt.StopGrace.String())
		return srv.Close()
	}
	return nil
}

// router builds Echo from the table of routes.
func (s *Server) router() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(echoLog{s.log})
	e.IPExtractor = ipExtractor(s.opt.TrustedProxies)
	e.HTTPErrorHandler = s.handleError
	e.Pre(s.requestID, s.accessLog, s.policyHeaders, compress(), s.answerErrors, s.recover)
	e.Use(s.greet)
	for _, r := range s.routes() {
		e.Add(r.method, r.path, r.handle, s.guards(r)...)
		if r.method == http.MethodGet {
			e.Add(http.MethodHead, r.path, r.handle, s.guards(r)...)
		}
	}
	return e
}

// greet loads the session where no route is, so that the page that says so still
// knows who asked.
func (s *Server) greet(next echo.HandlerFunc) echo.HandlerFunc {
	known := s.loadSession(s.identify(anybody)(next))
	return func(c echo.Context) error {
		if c.Path() == "" && !isAPI(c) {
			return known(c)
		}
		return next(c)
	}
}

// guards are what stands before the handler of one route.
func (s *Server) guards(r route) []echo.MiddlewareFunc {
	if r.plain {
		return []echo.MiddlewareFunc{s.limitBody(r.body)}
	}
	guards := []echo.MiddlewareFunc{s.limitBody(r.body), s.sameOrigin, s.loadSession, s.identify(r.who), patient}
	if r.proof {
		guards = append(guards, s.askProof)
	}
	if r.method == http.MethodGet && (strings.HasPrefix(r.path, "/api/") || r.query != nil) {
		guards = append(guards, knownQuery(r.query))
	}
	return guards
}

// pagePatience is how long a page waits for comparisons that are made anew, before it
// says how many are left.
const pagePatience = 3 * time.Second

// patient lets pages say that work is going on. Acts wait until they are done, and
// programs ask for answers.
func patient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if r := c.Request(); r.Method == http.MethodGet && !isAPI(c) && !isStream(c) {
			c.SetRequest(r.WithContext(review.WithPatience(r.Context(), pagePatience)))
		}
		return next(c)
	}
}

// ipExtractor trusts no header unless the operator named proxies.
func ipExtractor(trusted []netip.Prefix) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range trusted {
		options = append(options, echo.TrustIPRange(&net.IPNet{
			IP:   p.Masked().Addr().AsSlice(),
			Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// echoLog carries what Echo itself has to say into our log.
type echoLog struct{ log *slog.Logger }

func (l echoLog) Write(b []byte) (int, error) {
	l.log.Debug("echo", "text", string(b))
	return len(b), nil
}
