package web

import (
	"context"
	"net/http"

	"github.com/countersign/countersign/review/people"
)

// Row is a route of the table, for tests from outside.
type Row struct {
	Method, Path string
	Open         bool
	Role         people.Role
	AnyServer    bool
	Scopes       []people.Scope
	Signed       bool
	Proven       bool
	Pusher       bool
	Asks         []string // parameters that a question takes; others are refused
}

// Rows returns the table of routes.
func (s *Server) Rows() []Row {
	var rows []Row
	for _, r := range s.routes() {
		rows = append(rows, Row{
			Method: r.method, Path: r.path,
			Open: r.who.open, Role: r.who.role, AnyServer: r.who.any, Scopes: r.who.scopes, Signed: r.who.signed, Proven: r.proof, Pusher: r.who.pusher, Asks: r.query,
		})
	}
	return rows
}

// SignedIn returns the cookie of a new session of a user, as signing in makes it.
func (s *Server) SignedIn(ctx context.Context, userID string) (*http.Cookie, error) {
	ctx, err := s.sessions.Load(ctx, "")
	if err != nil {
		return nil, err
	}
	s.putSession(ctx, userID, "192.0.2.1", "")
	token, _, err := s.sessions.Commit(ctx)
	return &http.Cookie{Name: s.sessions.Cookie.Name, Value: token}, err
}

// SessionEnds returns how long sessions live unused, and at all, in seconds.
func SessionEnds() (idle, longest float64) { return sessionIdle.Seconds(), sessionLongest.Seconds() }
