package review

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
)

// Endpoint is where a server runs: an address at which its listing is read at
// intervals and held against what is released in a profile.
type Endpoint struct {
	ID       string
	ServerID string
	Profile  string
	Name     string // "EU production", of one server each once
	URL      string // shown to whoever reads the server: it holds no secret
	// Headers are the names of what is sent with each request. The values are in Sealed
	// only, and are never given out again.
	Headers []string
	Sealed  []byte // AES-256-GCM under a key derived from SECRET; nil without headers
	Every   time.Duration
	At      time.Time
	By      string // user id, "" for the shell
}

// Reader reads live servers. It decides what addresses may be dialled: that is the
// operator's word, not a maintainer's.
type Reader interface {
	// Allows says, for a person, why an address can't be read at all; nil when it may be
	// tried. What it resolves to is checked when it is dialled.
	Allows(address *url.URL) error
	// Read returns the listing of the server at an address in a form that package surface
	// reads. Its error is one sentence, and may quote the server.
	Read(ctx context.Context, address string, header http.Header) ([]byte, error)
}

// EndpointStore keeps endpoints and whose turn it is to be read.
type EndpointStore interface {
	InsertEndpoint(ctx context.Context, e *Endpoint, next time.Time) error // Conflict when the name is taken
	UpdateEndpoint(ctx context.Context, e *Endpoint, next time.Time) error // Conflict when the name is taken
	// DeleteEndpoint removes an endpoint with its readings, drifts and unread notices.
	DeleteEndpoint(ctx context.Context, id string) error
	EndpointByID(ctx context.Context, id string) (*Endpoint, error)
	// Endpoints returns those of servers, by name; nil is all.
	Endpoints(ctx context.Context, serverIDs []string) ([]Endpoint, error)

	// Turns returns when endpoints are read next, by id.
	Turns(ctx context.Context, endpointIDs []string) (map[string]Turn, error)
	// ClaimEndpoint gives the endpoint whose turn came first to a reader until a time,
	// and returns its id; NotFound when it is nobody's turn. Two readers never hold one.
	ClaimEndpoint(ctx context.Context, claim string, now, until time.Time) (string, error)
	// ClaimOne is ClaimEndpoint of one endpoint, whether it is its turn or not; Conflict
	// when it is being read, or was tried since.
	ClaimOne(ctx context.Context, id, claim string, now, until, since time.Time) error
	// EndTurn ends a claim; NotFound when it ran out and another reader has it, or the
	// endpoint is gone.
	EndTurn(ctx context.Context, id, claim string, t Turn) error
	// ForgetReadings removes what was read at an endpoint: readings and drifts.
	ForgetReadings(ctx context.Context, endpointID string) error
}

// Turn is when an endpoint is read.
type Turn struct {
	Next     time.Time
	Tried    time.Time // zero before the first reading
	Failures int       // in a row, up to the last reading
}

// NewEndpoint is an endpoint to add, or what one becomes.
type NewEndpoint struct {
	Name    string
	Profile string // "" is the default one
	URL     string
	Every   time.Duration // 0 is an hour
	// Headers are sent with each request. When an endpoint is changed, nil keeps those
	// that it has; they are kept only while the address has the same origin, since
	// whoever may change the address must not learn them by it.
	Headers []Header
}

// Header is a header to send, such as Authorization.
type Header struct{ Name, Value string }

// Bounds of endpoints.
const (
	maxEndpoints    = 10 // of a server
	maxHeaders      = 10
	maxHeaderBytes  = 8 << 10 // of all together
	minEvery        = 5 * time.Minute
	maxEvery        = 7 * 24 * time.Hour
	usualEvery      = time.Hour
	maxEndpointName = 60
)

// headerName is a token of RFC 9110.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

const headerVault = "countersign: headers of endpoints, version 1"

// check checks what was asked for and fills in what was left out.
func (n *NewEndpoint) check(r Reader) error {
	n.Name, n.URL = strings.TrimSpace(n.Name), strings.TrimSpace(n.URL)
	if n.Profile = strings.TrimSpace(n.Profile); n.Profile == "" {
		n.Profile = DefaultProfile
	}
	if n.Every == 0 {
		n.Every = usualEvery
	}
	switch {
	case prose.Blank(n.Name) || len(n.Name) > maxEndpointName || !plainLine(n.Name):
		return Errorf(Invalid, "Name the endpoint in one line of at most %d bytes, such as EU production.", maxEndpointName)
	case !profileForm.MatchString(n.Profile):
		return errProfile(n.Profile)
	case n.Every < minEvery || n.Every > maxEvery:
		return Errorf(Invalid, "An endpoint is read every 5 minutes to every 7 days.")
	}
	if err := n.checkURL(r); err != nil {
		return err
	}
	return n.checkHeaders()
}

// checkURL refuses what can't be an address, and what would show a secret.
func (n *NewEndpoint) checkURL(r Reader) error {
	u, err := url.Parse(n.URL)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || len(n.URL) > 500 || !plainLine(n.URL):
		return Errorf(Invalid, "The address must be where the server answers MCP over HTTP, such as https://mcp.example.com/mcp.")
	case u.User != nil:
		return Errorf(Invalid, "Leave name and password out of the address, which everybody sees who reads this server: send a header instead.")
	case u.Fragment != "":
		return Errorf(Invalid, "Leave the part behind # out of the address: it is never sent.")
	case r == nil:
		return Errorf(Unavailable, "This instance reads no live servers.")
	}
	if err := r.Allows(u); err != nil {
		return &Error{Kind: Invalid, Sentence: err.Error(), Err: err}
	}
	return nil
}

func (n *NewEndpoint) checkHeaders() error {
	total := 0
	for i, h := range n.Headers {
		name := http.CanonicalHeaderKey(strings.TrimSpace(h.Name))
		n.Headers[i] = Header{name, strings.TrimSpace(h.Value)}
		total += len(name) + len(h.Value)
		switch {
		case !headerName.MatchString(name) || n.Headers[i].Value == "" || !plainLine(h.Value):
			return Errorf(Invalid, "Header %d must be a name and a value in one line, such as Authorization: Bearer abc.", i+1)
		case reservedHeaders[name]:
			return Errorf(Invalid, "The header %s belongs to the protocol and can't be set.", name)
		case slices.ContainsFunc(n.Headers[:i], func(o Header) bool { return o.Name == name }):
			return Errorf(Invalid, "The header %s stands there twice.", name)
		}
	}
	if len(n.Headers) > maxHeaders || total > maxHeaderBytes {
		return Errorf(Invalid, "An endpoint has at most %d headers of %d KiB together.", maxHeaders, maxHeaderBytes>>10)
	}
	return nil
}

// reservedHeaders would change what is asked, or how the answer is framed.
var reservedHeaders = map[string]bool{
	"Host": true, "Content-Length": true, "Content-Type": true, "Content-Encoding": true, "Transfer-Encoding": true, "Connection": true, "Te": true,
	"Trailer": true, "Upgrade": true, "Accept": true, "Accept-Encoding": true, "Mcp-Session-Id": true, "Mcp-Protocol-Version": true, "Last-Event-Id": true,
}

// sealHeaders puts headers into an endpoint.
func (s *Service) sealHeaders(e *Endpoint, headers []Header) error {
	e.Headers, e.Sealed = nil, nil
	if len(headers) == 0 {
		return nil
	}
	v, err := newVault(s.cfg.Secret, headerVault)
	if err != nil {
		return err
	}
	text, err := json.Marshal(headers)
	if err != nil {
		return err
	}
	for _, h := range headers {
		e.Headers = append(e.Headers, h.Name)
	}
	e.Sealed = v.seal(e.ID, text)
	return nil
}

// openHeaders is what is sent to an endpoint.
func (s *Service) openHeaders(e *Endpoint) (http.Header, error) {
	h := http.Header{}
	if e.Sealed == nil {
		return h, nil
	}
	v, err := newVault(s.cfg.Secret, headerVault)
	if err != nil {
		return nil, err
	}
	text, err := v.open(e.ID, e.Sealed)
	if err != nil {
		return nil, err
	}
	var headers []Header
	if err := json.Unmarshal(text, &headers); err != nil {
		return nil, err
	}
	for _, one := range headers {
		h.Set(one.Name, one.Value)
	}
	return h, nil
}

// endpointFacts is what the audit keeps of an endpoint.
type endpointFacts struct {
	Name    string   `json:"name"`
	Profile string   `json:"profile"`
	URL     string   `json:"url"`
	Every   string   `json:"every"`
	Headers []string `json:"headers"`       // their names
	Fresh   bool     `json:"headers_given"` // the values were given with this act
}

func (e *Endpoint) facts(fresh bool) endpointFacts {
	return endpointFacts{Name: e.Name, Profile: e.Profile, URL: e.URL, Every: e.Every.String(), Headers: append([]string{}, e.Headers...), Fresh: fresh}
}

// AddEndpoint adds an endpoint to a server. It takes a maintainer; its first reading
// is due at once.
func (s *Service) AddEndpoint(ctx context.Context, a Actor, slug string, n NewEndpoint) (*Endpoint, error) {
	var e *Endpoint
	err := s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return err
		}
		if err := n.check(s.cfg.Reader); err != nil {
			return err
		}
		others, err := tx.Endpoints(ctx, []string{srv.ID})
		switch {
		case err != nil:
			return err
		case len(others) >= maxEndpoints:
			return Errorf(Conflict, "This server has %d endpoints, which is as many as one may have. Remove one first.", len(others))
		}
		e = &Endpoint{ID: newID(), ServerID: srv.ID, Profile: n.Profile, Name: n.Name, URL: n.URL, Every: n.Every, At: s.now(), By: a.userID()}
		if err := s.sealHeaders(e, n.Headers); err != nil {
			return err
		}
		if err := endpointTaken(tx.InsertEndpoint(ctx, e, s.now()), e.Name); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "endpoint.add", serverID: srv.ID, subject: e.ID, after: e.facts(len(n.Headers) > 0), kept: leaving(e)})
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func endpointTaken(err error, name string) error {
	if KindOf(err) == Conflict {
		return Errorf(Conflict, "This server has an endpoint %s already. Choose another name.", name)
	}
	return err
}

// ChangeEndpoint changes an endpoint. Headers that were not given anew stay, unless
// the address leads to another origin: then they are gone, since they were meant for
// the old one. What was read before was read elsewhere or against something else
// when address or profile changed, so that is forgotten.
func (s *Service) ChangeEndpoint(ctx context.Context, a Actor, slug, id string, n NewEndpoint) (*Endpoint, error) {
	var e *Endpoint
	err := s.store.Update(ctx, func(tx Tx) error {
		srv, was, err := endpointFor(ctx, tx, a, slug, id, people.Maintainer)
		if err != nil {
			return err
		}
		if err := n.check(s.cfg.Reader); err != nil {
			return err
		}
		now := *was
		e = &now
		e.Profile, e.Name, e.URL, e.Every = n.Profile, n.Name, n.URL, n.Every
		switch {
		case n.Headers != nil:
			err = s.sealHeaders(e, n.Headers)
		case !sameOrigin(was.URL, e.URL):
			err = s.sealHeaders(e, nil)
		}
		if err != nil {
			return err
		}
		if was.URL != e.URL || was.Profile != e.Profile {
			if err := tx.ForgetReadings(ctx, e.ID); err != nil {
				return err
			}
		}
		if err := endpointTaken(tx.UpdateEndpoint(ctx, e, s.now()), e.Name); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "endpoint.change", serverID: srv.ID, subject: e.ID, before: was.facts(false), after: e.facts(len(n.Headers) > 0), kept: leaving(e),
		})
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func sameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	return err == nil && u.Scheme == v.Scheme && strings.EqualFold(u.Host, v.Host)
}

// RemoveEndpoint removes an endpoint, its headers, and what was read there. Who
// removes one that is not there any more has what they want.
func (s *Service) RemoveEndpoint(ctx context.Context, a Actor, slug, id string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		srv, e, err := endpointFor(ctx, tx, a, slug, id, people.Maintainer)
		if KindOf(err) == NotFound && srv != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tx.DeleteEndpoint(ctx, e.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "endpoint.remove", serverID: srv.ID, subject: e.ID, before: e.facts(false)})
	})
}

// endpointFor returns an endpoint of a server when the actor is at least need there;
// the server alone where it has none of that id.
func endpointFor(ctx context.Context, tx Tx, a Actor, slug, id string, need people.Role, scopes ...people.Scope) (*Server, *Endpoint, error) {
	srv, err := serverFor(ctx, tx, a, slug, need, scopes...)
	if err != nil {
		return nil, nil, err
	}
	e, err := tx.EndpointByID(ctx, id)
	if KindOf(err) == NotFound || err == nil && e.ServerID != srv.ID {
		return srv, nil, errNoSuchThing
	}
	return srv, e, err
}

// EndpointView is an endpoint with what is known of it.
type EndpointView struct {
	Endpoint
	Turn    Turn
	Now     *Reading   // the last one, nil before the first
	Drift   *DriftView // that is going on, nil for none
	Release *Release   // that Now is, or was compared with; nil for none
}

// EndpointsView is every endpoint of a server.
type EndpointsView struct {
	Server    Server
	Role      people.Role // of the actor
	Endpoints []EndpointView
	May       bool // this instance reads live servers
}

// Endpoints lists the endpoints of a server with their live state, by name.
func (s *Service) Endpoints(ctx context.Context, a Actor, slug string) (*EndpointsView, error) {
	var v *EndpointsView
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		v = &EndpointsView{Server: *srv, Role: a.role(srv.ID), May: s.cfg.Reader != nil}
		v.Endpoints, err = s.liveStates(ctx, tx, []string{srv.ID})
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// EndpointLog is one endpoint with what it answered before.
type EndpointLog struct {
	EndpointsView           // with this endpoint alone
	Readings      []Reading // newest first
	Drifts        []DriftView
}

// Endpoint returns one endpoint with its past.
func (s *Service) Endpoint(ctx context.Context, a Actor, slug, id string) (*EndpointLog, error) {
	var l *EndpointLog
	err := s.store.View(ctx, func(tx Tx) error {
		srv, _, err := endpointFor(ctx, tx, a, slug, id, people.Viewer, people.ScopeRead)
		if err == nil {
			l, err = s.endpointLog(ctx, tx, a, srv, id)
		}
		return err
	})
	return l, err
}

func (s *Service) endpointLog(ctx context.Context, tx Tx, a Actor, srv *Server, id string) (*EndpointLog, error) {
	l := &EndpointLog{EndpointsView: EndpointsView{Server: *srv, Role: a.role(srv.ID), May: s.cfg.Reader != nil}}
	all, err := s.liveStates(ctx, tx, []string{srv.ID})
	if err != nil {
		return nil, err
	}
	l.Endpoints = slices.DeleteFunc(all, func(v EndpointView) bool { return v.ID != id })
	if len(l.Endpoints) == 0 {
		return nil, errNoSuchThing
	}
	if l.Readings, err = tx.Readings(ctx, id); err != nil {
		return nil, err
	}
	l.Drifts, err = s.driftViews(ctx, tx, DriftFilter{EndpointID: id})
	return l, err
}

// liveStates reads the endpoints of servers, a fixed number of store calls however
// many there are.
func (s *Service) liveStates(ctx context.Context, tx Tx, serverIDs []string) ([]EndpointView, error) {
	list, err := tx.Endpoints(ctx, serverIDs)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var ids []string
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	turns, err := tx.Turns(ctx, ids)
	if err != nil {
		return nil, err
	}
	last, err := tx.LastReadings(ctx, ids)
	if err != nil {
		return nil, err
	}
	drifts, err := s.driftViews(ctx, tx, DriftFilter{ServerIDs: serverIDs, Open: true})
	if err != nil {
		return nil, err
	}
	var releaseIDs []string
	for _, r := range last {
		releaseIDs = append(releaseIDs, r.ReleaseID)
	}
	releases, err := tx.ReleasesByID(ctx, releaseIDs)
	if err != nil {
		return nil, err
	}
	views := make([]EndpointView, len(list))
	for i, e := range list {
		v := EndpointView{Endpoint: e, Turn: turns[e.ID]}
		if r, ok := last[e.ID]; ok {
			v.Now = &r
			if n := slices.IndexFunc(releases, func(rel Release) bool { return rel.ID == r.ReleaseID }); n >= 0 {
				v.Release = &releases[n]
			}
		}
		if n := slices.IndexFunc(drifts, func(d DriftView) bool { return d.EndpointID == e.ID }); n >= 0 {
			v.Drift = &drifts[n]
		}
		views[i] = v
	}
	return views, nil
}
