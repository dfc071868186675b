package web

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/static"
)

const (
	requestKey = "request" // id of the request, in Echo's context
	nonceKey   = "nonce"
)

// requestID gives the request an id. One that the caller sent is not taken over:
// it would let a stranger write into our log.
func (s *Server) requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := hex.EncodeToString(randomBytes(8))
		c.Set(requestKey, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

func requestIDOf(c echo.Context) string {
	id, _ := c.Get(requestKey).(string)
	return id
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: the program ends where the system has no randomness
	return b
}

// accessLog writes one line per request: no query, no body, no header, and of an
// address that is a secret only the route.
func (s *Server) accessLog(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		err := next(c)
		r, w := c.Request(), c.Response()
		s.opt.Requested(r.Method, c.Path(), w.Status, time.Since(start))
		s.log.LogAttrs(r.Context(), logLevel(c.Path()), "request",
			slog.String("request", requestIDOf(c)),
			slog.String("method", fmt.Sprintf("%.16s", r.Method)),
			slog.String("path", loggedPath(c)),
			slog.Int("status", w.Status),
			slog.Int64("bytes", w.Size),
			slog.Duration("took", time.Since(start)),
			slog.String("addr", c.RealIP()),
			slog.String("by", actorName(s.actor(c))),
		)
		return err
	}
}

// logLevel keeps out of the log what nobody reads there: style sheets, and probes
// that come every few seconds.
func logLevel(path string) slog.Level {
	if strings.HasPrefix(path, static.Prefix) || path == "/healthz" || path == "/readyz" || path == "/metrics" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// loggedPath is the path as asked for, but for links, whose path is the secret.
func loggedPath(c echo.Context) string {
	if strings.Contains(c.Path(), ":token") {
		return c.Path()
	}
	if strings.HasPrefix(c.Request().URL.Path, "/links/") {
		return "/links/…" // mistyped, but it may still hold the secret
	}
	return fmt.Sprintf("%.200s", c.Request().URL.EscapedPath())
}

func actorName(a review.Actor) string {
	switch {
	case a.Token != nil:
		return "token " + a.Token.ID
	case a.User != nil:
		return "user " + a.User.ID
	}
	return ""
}

// recover turns a panic into an error, so that one request fails and not all.
func (s *Server) recover(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}()
		return next(c)
	}
}

// policyHeaders says to every browser what an answer may do. Nothing comes from
// elsewhere, nothing runs without the request's nonce, nothing frames us.
func (s *Server) policyHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		nonce := base64.RawStdEncoding.EncodeToString(randomBytes(16))
		c.Set(nonceKey, nonce)
		h := c.Response().Header()
		h.Set(echo.HeaderContentSecurityPolicy, pagePolicy(nonce))
		h.Set(echo.HeaderXContentTypeOptions, "nosniff")
		h.Set(echo.HeaderXFrameOptions, "DENY")
		// Not no-referrer: browsers then send "Origin: null" with our own forms.
		h.Set(echo.HeaderReferrerPolicy, "same-origin")
		h.Set("Permissions-Policy", permissionsPolicy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp")
		h.Set(echo.HeaderCacheControl, cachePolicy(c))
		if s.secure() {
			h.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
		}
		return next(c)
	}
}

const permissionsPolicy = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), usb=(), xr-spatial-tracking=()"

func pagePolicy(nonce string) string {
	return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce + "'; " +
		"img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// cachePolicy keeps answers out of shared caches. Pages may stay in the browser,
// so that going back shows what was typed; they are asked for anew otherwise.
func cachePolicy(c echo.Context) string {
	if isAPI(c) {
		return "no-store"
	}
	return "private, no-cache"
}

// nonce returns what scripts and styles of this answer have to carry.
func (s *Server) nonce(c echo.Context) string {
	n, _ := c.Get(nonceKey).(string)
	return n
}

// compress sends answers gzipped to whoever takes them, from a size on where that
// pays.
func compress() echo.MiddlewareFunc {
	return middleware.GzipWithConfig(middleware.GzipConfig{Level: 5, MinLength: 1400, Skipper: isStream})
}

// limitBody cuts a body off at the route's limit; reading on gives an error of
// kind TooLarge.
func (s *Server) limitBody(limit bodyLimit) echo.MiddlewareFunc {
	if limit == 0 {
		limit = smallBody
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if limit == ownLimit {
				return next(c)
			}
			r := c.Request()
			if r.ContentLength > int64(limit) {
				return tooLarge(int64(limit))
			}
			r.Body = http.MaxBytesReader(c.Response(), r.Body, int64(limit))
			return next(c)
		}
	}
}

func tooLarge(limit int64) *review.Error {
	return review.Errorf(review.TooLarge, "The request is larger than %s. Send less at once.", byteSize(limit))
}

// byteSize writes a number of bytes for people.
func byteSize(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// sameOrigin refuses what a browser sends from another site. Machines don't say
// where they come from and pass; they bring a credential that no browser adds.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.cross.Check(c.Request()); err != nil {
			return &review.Error{
				Kind:     review.Forbidden,
				Sentence: "This was sent from another site and not carried out. Open the page here and try again.",
				Err:      err,
			}
		}
		return next(c)
	}
}

// isAPI reports whether machines are asking, so that errors are problem+json.
func isAPI(c echo.Context) bool {
	p := c.Request().URL.Path
	return strings.HasPrefix(p, "/api/") || p == "/healthz" || p == "/readyz"
}
