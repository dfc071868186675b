package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review/people"
)

// route is one row of the table that the router is built from. A test makes the
// table of routes and roles out of the same rows, so a route that is not in the
// table does not exist, and one whose row lies fails.
type route struct {
	method string
	path   string // in Echo's syntax
	who    need
	handle echo.HandlerFunc
	body   bodyLimit // what a request may carry; zero is smallBody
}

// need says who may call a route. The rule itself lives in package review, which
// checks the thing that the route is about; here only "nobody at all" is turned
// away, and the rest is what the test expects.
type need struct {
	open  bool          // anybody, signed in or not
	role  people.Role   // least role of a person on the server that the path is about
	any   bool          // the role has to be held on some server, not on a given one
	scope people.Scope  // of a token; "" refuses tokens
	sign  bool          // a signed webhook delivery may call it too
}

// anybody needs nothing: sign-in, links, health.
var anybody = need{open: true}

// person needs a role on the server that the route is about.
func person(role people.Role) need { return need{role: role} }

// member needs a role on any server: pages and lists that show only what the
// caller may see.
func member(role people.Role) need { return need{role: role, any: true} }

// or lets tokens of a scope in as well.
func (n need) or(scope people.Scope) need {
	n.scope = scope
	return n
}

// orSigned lets a delivery in that carries the server's signature.
func (n need) orSigned() need {
	n.sign = true
	return n
}

// bodyLimit is the largest request body in bytes that a route reads.
type bodyLimit int64

// smallBody bounds forms and JSON requests.
const smallBody bodyLimit = 1 << 20

// routes is everything that the server answers.
func (s *Server) routes() []route {
	return append(s.apiRoutes(), pageRoutes(s)...)
}

// apiRoutes are the routes of machines, in the order of docs/api.md.
func (s *Server) apiRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/healthz", who: anybody, handle: s.healthz},
	}
}
