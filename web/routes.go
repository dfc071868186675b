package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/static"
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
	plain  bool      // asks for no session, so costs no query
	proof  bool      // takes a fresh proof of who one is, in the browser
	query  []string  // what the address of a question of a program may choose by, see knownQuery
}

func get(path string, who need, handle echo.HandlerFunc) route {
	return route{method: http.MethodGet, path: path, who: who, handle: handle}
}

func post(path string, who need, handle echo.HandlerFunc) route {
	return route{method: http.MethodPost, path: path, who: who, handle: handle}
}

// limited sets what a request may carry.
func (r route) limited(body bodyLimit) route {
	r.body = body
	return r
}

// bare leaves the session out, for what is the same for everybody.
func (r route) bare() route {
	r.plain = true
	return r
}

// asks names the parameters of the query.
func (r route) asks(query ...string) route {
	r.query = query
	return r
}

// proven asks whoever is signed in to prove anew who they are when they last did so
// some time ago: what can't be taken back easily is not left to a screen that nobody
// locked. A token needs no proof.
func (r route) proven() route {
	r.proof = true
	return r
}

// need says who may call a route. The rule itself lives in package review, which
// checks the thing that the route is about; here only "nobody at all" is turned
// away, and the rest is what the test expects.
type need struct {
	open   bool           // anybody, signed in or not
	role   people.Role    // least role of a person on the server that the path is about; "" is no person
	any    bool           // the role has to be held on some server, not on a given one
	scopes []people.Scope // one of them lets a token in; none refuses tokens
	signed bool           // the delivery proves itself: by signature or token, see push.go
	pusher bool           // a token that may push needs no role
}

// anybody needs nothing: sign-in, links, health.
var anybody = need{open: true}

// person needs a role on the server that the route is about.
func person(role people.Role) need { return need{role: role} }

// anywhere needs a role on any server: pages and lists that show only what the
// caller may see.
func anywhere(role people.Role) need { return need{role: role, any: true} }

// or lets tokens in that carry one of the scopes. A token of a person (review)
// needs the role as well.
func (n need) or(scopes ...people.Scope) need {
	n.scopes = scopes
	return n
}

// orPusher lets machines in whose token may push.
func (n need) orPusher() need {
	n = n.or(append(n.scopes, people.ScopePush)...)
	n.pusher = true
	return n
}

// delivery is a push: signed, or by a token that may push.
var delivery = need{scopes: []people.Scope{people.ScopePush}, signed: true}

// bodyLimit is the largest request body in bytes that a route reads.
type bodyLimit int64

// smallBody bounds forms and JSON requests.
const smallBody bodyLimit = 1 << 20

// routes is everything that the server answers.
func (s *Server) routes() []route {
	return slices.Concat(s.apiRoutes(), pageRoutes(s), depthPages(s), s.storyRoutes())
}

// apiRoutes are the routes of machines, in the order of docs/api.md, and the
// files that pages load.
func (s *Server) apiRoutes() []route {
	reads := person(people.Viewer).or(people.ScopeRead, people.ScopeReview)
	reviews := person(people.Reviewer).or(people.ScopeReview)
	maintains := person(people.Maintainer).or(people.ScopeReview)
	capturing := reviews.orPusher()
	return append([]route{
		post("/api/v1/servers/:server/listings", delivery, s.pushListing).limited(ownLimit),
		get("/api/v1/servers/:server/gate", person(people.Viewer).or(people.ScopeGate, people.ScopeRead, people.ScopeReview), s.getGate).asks("digest", "version", "profile"),

		get("/api/v1/servers/:server/lock", person(people.Viewer).or(people.ScopeGate, people.ScopeRead, people.ScopeReview), s.getLock).asks("version", "profile"),
		post("/api/v1/servers/:server/verify", person(people.Viewer).or(people.ScopeGate, people.ScopeRead, people.ScopeReview), s.verifyListing).limited(s.uploadBody()),

		get("/api/v1/servers/:server/endpoints", reads, s.listEndpoints),
		post("/api/v1/servers/:server/endpoints/:id/read", person(people.Viewer).or(people.ScopeGate, people.ScopeReview), s.readEndpoint),

		get("/api/v1/servers", anywhere(people.Viewer).or(people.ScopeRead, people.ScopeReview), s.listServers),
		get("/api/v1/together", anywhere(people.Viewer).or(people.ScopeRead, people.ScopeReview), s.togetherAPI).asks("host", "listing"),
		get("/api/v1/servers/:server", reads, s.showServer),
		get("/api/v1/servers/:server/listings", reads, s.listListings).asks("limit", "before"),
		get("/api/v1/servers/:server/policy", reads, s.showPolicy),
		post("/api/v1/servers/:server/policy", person(people.Maintainer), s.setPolicy).proven(),
		post("/api/v1/servers/:server/policy/try", reads, s.tryPolicy),
		post("/api/v1/servers/:server/policy/decide", person(people.Maintainer), s.decidePolicy).proven(),
		post("/api/v1/purge", anywhere(people.Admin), s.forAdmins(s.purge)).proven(),
		get("/api/v1/proposals", anywhere(people.Viewer).or(people.ScopeRead, people.ScopeReview), s.listProposals),
		post("/api/v1/proposals/decide", anywhere(people.Maintainer), s.decideProposal).proven(),
		get("/api/v1/servers/:server/grants", person(people.Maintainer), s.listGrants),
		post("/api/v1/servers/:server/grants", person(people.Admin), s.setGrant).proven(),
		get("/api/v1/servers/:server/releases", reads, s.listReleases).asks("version", "profile", "limit", "before"),
		get("/api/v1/servers/:server/compare", reads, s.compareListings).asks("from", "to"),
		get("/api/v1/listings/:id", reads, s.showListing),
		get("/api/v1/listings/:id/raw", reads, s.rawListing),
		get("/api/v1/listings/:id/families", reads, s.listingFamilies),
		get("/api/v1/listings/:id/cost", reads, s.listingCost).asks("base", "host", "turns", "price", "cache_read", "cache_write"),
		get("/api/v1/listings/:id/preflight", reads, s.listingPreflight).asks("base"),
		get("/api/v1/listings/:id/renderings/:host", reads, s.listingRendering),
		get("/api/v1/listings/:id/captures", reads, s.listCaptures),
		post("/api/v1/listings/:id/captures", capturing, s.addCapture).limited(s.uploadBody()),
		get("/api/v1/listings/:id/captures/:capture/fixture", reads, s.captureFixture),
		post("/api/v1/servers/:server/captures", capturing, s.pushCapture).limited(s.uploadBody()),
		get("/api/v1/servers/:server/hosts", reads, s.listHosts),

		get("/api/v1/releases/:id", reads, s.showRelease),
		get("/api/v1/releases/:id/changes", reads, s.releaseChanges),
		get("/api/v1/releases/:id/requirements", reads, s.releaseRequirements),
		get("/api/v1/releases/:id/threads", reads, s.listThreads),
		post("/api/v1/releases/:id/verdicts", reviews, s.decide),
		post("/api/v1/releases/:id/threads", reviews, s.openThread),
		post("/api/v1/releases/:id/threads/:thread/comments", reviews, s.addComment),
		post("/api/v1/releases/:id/threads/:thread/resolve", reviews, s.resolveThread),
		post("/api/v1/releases/:id/threads/:thread/reopen", reviews, s.reopenThread),
		post("/api/v1/releases/:id/baseline", maintains, s.acceptBaseline),
		post("/api/v1/releases/:id/predecessor", maintains, s.confirmPredecessor),
		post("/api/v1/releases/:id/release", maintains, s.markReleased).proven(),
		post("/api/v1/releases/:id/withdraw", maintains, s.withdrawRelease),
		post("/api/v1/releases/:id/override", person(people.Admin).or(people.ScopeReview), s.overrideRelease).proven(),
		post("/api/v1/releases/:id/override/end", maintains, s.endOverride),

		get("/api/v1/openapi.yaml", anybody, s.openAPI).bare(),
		get(wellKnownKeys, anybody, s.publicKeys).bare(),
		get("/healthz", anybody, s.healthz).bare(),
		get("/readyz", anybody, s.readyz).bare(),
		get("/metrics", anybody, echo.WrapHandler(s.opt.Metrics)).bare(),
		get(static.Prefix+"*", anybody, echo.WrapHandler(static.Handler())).bare(),
	}, append(s.depthRoutes(), s.findingRoutes()...)...)
}
