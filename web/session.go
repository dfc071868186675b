package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

const (
	sessionIdle    = 12 * time.Hour
	sessionRefresh = 5 * time.Minute    // how stale the end of a session may get before it is written again
	sessionLongest = 7 * 24 * time.Hour // however busy it is

	// Keys that the store reads too are those of package people.
	sessionUser    = people.SessionUser
	sessionSince   = people.SessionSince
	sessionFlashes = "flashes"
	sessionProof   = "proof" // Unix seconds of when somebody last proved who they are
	sessionFlow    = "flow"  // what is asked of the identity provider, see page_oidc.go
	sessionHalf    = "half"  // id of a user whose code is still missing
	halfLasts      = 10 * time.Minute
	longestAgent   = 300 // bytes of what a browser says it is
)

// SessionStore keeps sessions by a hash of their token. It is its own codec, since
// it wants to know whose a session is.
type SessionStore interface {
	scs.CtxStore
	scs.Codec
}

// newSessions makes the session manager. The idle time is kept by moving the
// deadline (see touchSession) and not by scs, which would write on every request.
//
// A browser gives a cookie to every port of a host. So that instances side by side, as
// in development, don't sign each other's people out, the name carries a port that is
// not the usual one; port is "" for that.
func newSessions(store SessionStore, secure bool, port string) *scs.SessionManager {
	m := scs.New()
	m.Store, m.Codec = store, store
	m.Lifetime = sessionIdle
	m.HashTokenInStore = true
	m.Cookie.Name = "countersign"
	if secure {
		// Browsers hold the prefix to: secure, no domain, path "/".
		m.Cookie.Name = "__Host-countersign"
	}
	if port != "" {
		m.Cookie.Name += "-" + port
	}
	m.Cookie.Secure = secure
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Path = "/"
	return m
}

// loadSession makes the session of the request's cookie available, and keeps it
// when the answer begins. A session that nothing was put in is never stored.
func (s *Server) loadSession(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		token := ""
		if cookie, err := c.Cookie(s.sessions.Cookie.Name); err == nil {
			token = cookie.Value
		}
		ctx, err := s.sessions.Load(c.Request().Context(), token)
		if err != nil {
			return &review.Error{Kind: review.Unavailable, Sentence: "The session could not be read. Try again in a moment.", Err: err}
		}
		c.SetRequest(c.Request().WithContext(ctx))
		c.Set(sessionKey, true)
		c.Response().Before(func() { s.saveSession(c) })
		return next(c)
	}
}

func (s *Server) saveSession(c echo.Context) {
	s.bindFlashes(c)
	ctx, w := c.Request().Context(), c.Response().Writer
	switch s.sessions.Status(ctx) {
	case scs.Modified:
		token, expiry, err := s.sessions.Commit(ctx)
		if err != nil {
			// The answer is under way. What is lost is a message or a refreshed end:
			// signing in commits before it answers.
			s.log.ErrorContext(ctx, "session not kept", "request", requestIDOf(c), "error", err)
			return
		}
		s.sessions.WriteSessionCookie(ctx, w, token, expiry)
	case scs.Destroyed:
		s.sessions.WriteSessionCookie(ctx, w, "", time.Time{})
	}
}

// touchSession moves the end of a session in use, at most once in sessionRefresh.
// It reports false when the session has lasted as long as any may.
func (s *Server) touchSession(c echo.Context) bool {
	ctx, now := c.Request().Context(), s.opt.Now()
	end := time.Unix(s.sessions.GetInt64(ctx, sessionSince), 0).Add(sessionLongest)
	if !now.Before(end) {
		return false
	}
	idle := now.Add(sessionIdle)
	if end.Before(idle) {
		idle = end
	}
	if idle.Sub(s.sessions.Deadline(ctx)) >= sessionRefresh {
		s.sessions.SetDeadline(ctx, idle)
		s.sessions.Put(ctx, people.SessionSeen, now.Unix())
		s.sessions.Put(ctx, people.SessionAddr, c.RealIP())
	}
	return true
}

// signIn makes the session the user's, under a new token, so that one planted
// before is worth nothing. It is stored before the answer begins.
func (s *Server) signIn(c echo.Context, u *people.User) error {
	ctx := c.Request().Context()
	if err := s.sessions.Clear(ctx); err != nil {
		return fmt.Errorf("clear session: %w", err)
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	s.putSession(ctx, u.ID, c.RealIP(), c.Request().UserAgent())
	if _, _, err := s.sessions.Commit(ctx); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// putSession fills in a new session of a user, who has just proved who they are.
func (s *Server) putSession(ctx context.Context, userID, addr, agent string) {
	now := s.opt.Now()
	s.sessions.SetDeadline(ctx, now.Add(sessionIdle))
	s.sessions.Put(ctx, sessionUser, userID)
	s.sessions.Put(ctx, people.SessionID, base64.RawURLEncoding.EncodeToString(randomBytes(12)))
	s.sessions.Put(ctx, sessionSince, now.Unix())
	s.sessions.Put(ctx, sessionProof, now.Unix())
	s.sessions.Put(ctx, people.SessionSeen, now.Unix())
	s.sessions.Put(ctx, people.SessionAddr, addr)
	s.sessions.Put(ctx, people.SessionAgent, strings.ToValidUTF8(agent[:min(len(agent), longestAgent)], ""))
}

// holdHalf remembers, for some minutes, whose code is still missing. It is nobody's
// session: nothing but the page that asks for the code reads it.
func (s *Server) holdHalf(c echo.Context, u *people.User) error {
	ctx := c.Request().Context()
	if err := s.sessions.Clear(ctx); err != nil {
		return fmt.Errorf("clear session: %w", err)
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	s.sessions.SetDeadline(ctx, s.opt.Now().Add(halfLasts))
	s.sessions.Put(ctx, sessionHalf, u.ID)
	return nil
}

// signOut ends the session.
func (s *Server) signOut(c echo.Context) error {
	if err := s.sessions.Destroy(c.Request().Context()); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	c.Set(actorKey, review.Actor{Via: "browser", Addr: c.RealIP()})
	return nil
}

// Flash is a message for the page that an act leads to.
type flash struct {
	Kind string `json:"kind"` // "done" or "problem"
	Text string `json:"text"`
	At   string `json:"at,omitempty"` // address of that page, "" for whatever page comes next
	Undo *undo  `json:"undo,omitempty"`
}

// undo is what takes back an answer that was just given.
type undo struct {
	URL      string   `json:"url"`
	Items    []string `json:"items"`
	Subject  string   `json:"subject"`
	Back     string   `json:"back"`
	Profiles []string `json:"profiles,omitempty"`
}

// flash keeps a message for the page that the request leads to.
func (s *Server) flash(c echo.Context, kind, text string) {
	s.keepFlash(c, flash{Kind: kind, Text: text})
}

func (s *Server) keepFlash(c echo.Context, f flash) {
	s.putFlashes(c, append(s.flashes(c), f))
	c.Set(flashedKey, true)
}

func (s *Server) putFlashes(c echo.Context, list []flash) {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always marshal
	}
	s.sessions.Put(c.Request().Context(), sessionFlashes, string(b))
}

// bindFlashes says of the messages of a request which page it leads to, so that none
// comes up in another tab that happens to load first.
func (s *Server) bindFlashes(c echo.Context) {
	at := c.Response().Header().Get(echo.HeaderLocation)
	if c.Get(flashedKey) == nil || at == "" {
		return
	}
	kept := s.flashes(c)
	for i := range kept {
		kept[i].At = cmpOr(kept[i].At, pageOf(at))
	}
	s.putFlashes(c, kept)
}

// pageOf is an address in one spelling, without the place in the page.
func pageOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path + "?" + u.Query().Encode()
}

// mostFlashes bounds what waits for pages that nobody opened.
const mostFlashes = 8

// takeFlashes returns the messages for the page that is asked for, and forgets them.
func (s *Server) takeFlashes(c echo.Context) []flash {
	kept := s.flashes(c)
	var mine, others []flash
	for _, f := range kept {
		if f.At == "" || f.At == pageOf(c.Request().URL.String()) {
			mine = append(mine, f)
		} else {
			others = append(others, f)
		}
	}
	switch {
	case len(mine) == 0 && len(others) <= mostFlashes:
	case len(others) == 0:
		s.sessions.Remove(c.Request().Context(), sessionFlashes)
	default:
		s.putFlashes(c, others[max(0, len(others)-mostFlashes):])
	}
	return mine
}

// flashes returns the kept messages. An error page may be shown before a session
// was loaded: then there are none.
func (s *Server) flashes(c echo.Context) []flash {
	if c.Get(sessionKey) == nil {
		return nil
	}
	if strings.HasPrefix(c.Request().Header.Get("Sec-Purpose"), "prefetch") {
		return nil // nobody looks at the page yet, and perhaps nobody will
	}
	text := s.sessions.GetString(c.Request().Context(), sessionFlashes)
	if text == "" {
		return nil
	}
	var kept []flash
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil // written by another version of the program
	}
	return kept
}

// Keys in Echo's context.
const (
	actorKey   = "actor"   // the review.Actor
	flashedKey = "flashed" // set once the request left a message
	sessionKey = "session" // set once the session is loaded
)

// actor returns who makes the request; of nobody it has only the address.
func (s *Server) actor(c echo.Context) review.Actor {
	if a, ok := c.Get(actorKey).(review.Actor); ok {
		return a
	}
	return review.Actor{Via: "browser", Addr: c.RealIP()}
}

// identify finds out who makes the request and turns nobody away from routes
// that aren't open. A credential in the header alone decides: where it is wrong,
// a session beside it doesn't help.
func (s *Server) identify(n need) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if n.signed {
				return next(c) // the delivery proves itself, see push.go
			}
			a, err := s.whoAsks(c, n)
			if err != nil {
				return err
			}
			c.Set(actorKey, a)
			if !n.open && a.User == nil && a.Token == nil {
				return review.Errorf(review.Unauthenticated, "%s", signInSentence(c))
			}
			return next(c)
		}
	}
}

func signInSentence(c echo.Context) string {
	if isAPI(c) {
		return "No credential. Send a token in the Authorization header: Bearer cs_…"
	}
	return "Sign in to see this page."
}

func (s *Server) whoAsks(c echo.Context, n need) (review.Actor, error) {
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" && isAPI(c) && !n.open {
		return s.tokenActor(c, header)
	}
	return s.sessionActor(c)
}

func (s *Server) tokenActor(c echo.Context, header string) (review.Actor, error) {
	token, ok := bearer(header)
	if !ok {
		return review.Actor{}, review.Errorf(review.Unauthenticated, "The Authorization header is not of the form: Bearer cs_…")
	}
	return s.svc.TokenActor(c.Request().Context(), token, c.RealIP())
}

// bearer takes the token out of an Authorization header.
func bearer(header string) (string, bool) {
	scheme, token, ok := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

func (s *Server) sessionActor(c echo.Context) (review.Actor, error) {
	ctx := c.Request().Context()
	nobody := review.Actor{Via: "browser", Addr: c.RealIP()}
	id := s.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nobody, nil
	}
	u, err := s.svc.UserByID(ctx, id)
	switch kind := review.KindOf(err); {
	case err == nil && s.touchSession(c):
		return review.Actor{User: u, Via: "browser", Addr: c.RealIP()}, nil
	case err == nil, kind == review.Unauthenticated, kind == review.NotFound:
		return nobody, s.signOut(c)
	default:
		return nobody, err
	}
}
