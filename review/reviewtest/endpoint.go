package reviewtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// liveServers are servers that run somewhere: what is answered at an address, and what
// was sent there.
type liveServers struct {
	mu      sync.Mutex
	answers map[string]func(http.Header) (string, error)
	asked   []string
	onRead  func()
}

func (l *liveServers) Allows(u *url.URL) error {
	if u.Scheme != "https" {
		return review.Errorf(review.Invalid, "Only https is read, but for hosts that the operator allows.")
	}
	return nil
}

func (l *liveServers) Read(_ context.Context, address string, h http.Header) ([]byte, error) {
	l.mu.Lock()
	l.asked = append(l.asked, address)
	answer, ok := l.answers[address]
	during := l.onRead
	l.mu.Unlock()
	if during != nil {
		during()
	}
	if !ok {
		return nil, errors.New("dial tcp: connection refused")
	}
	body, err := answer(h)
	return []byte(body), err
}

func (l *liveServers) times() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asked)
}

// inbox is what somebody sees first.
func (w *world) inbox(a review.Actor) *review.Inbox {
	w.Helper()
	in, err := w.svc.Inbox(w.ctx, a, review.Page{Limit: 100})
	w.must(err)
	return in
}

// auditAbout are the acts on one kind of thing, newest first.
func (w *world) auditAbout(noun string) []review.AuditAct {
	w.Helper()
	all, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{Server: "mot", Act: noun}, review.Page{Limit: 500})
	w.must(err)
	return all
}

// runs has a server list something at an address.
func (w *world) runs(address, body string) {
	w.answers(address, func(http.Header) (string, error) { return body, nil })
}

func (w *world) answers(address string, f func(http.Header) (string, error)) {
	w.live.mu.Lock()
	defer w.live.mu.Unlock()
	w.live.answers[address] = f
}

const euAddress = "https://eu.example/mcp"

// endpoint adds one that is read every hour.
func (w *world) endpoint(name, address string, headers ...review.Header) *review.Endpoint {
	w.Helper()
	e, err := w.svc.AddEndpoint(w.ctx, w.ana, "mot", review.NewEndpoint{Name: name, URL: address, Headers: headers})
	w.must(err)
	return e
}

// reads moves the clock by two hours, which is beyond any interval with its jitter,
// and reads all that is due.
func (w *world) reads(hours int) {
	w.Helper()
	w.clock = w.clock.Add(time.Duration(hours) * time.Hour)
	for {
		more, err := w.svc.ReadDue(w.ctx)
		w.must(err)
		if !more {
			return
		}
	}
}

// at is how an endpoint is now.
func (w *world) at(e *review.Endpoint) *review.EndpointLog {
	w.Helper()
	l, err := w.svc.Endpoint(w.ctx, w.vic, "mot", e.ID)
	w.must(err)
	return l
}

// wantLive checks the state of an endpoint and words of its sentence.
func (w *world) wantLive(e *review.Endpoint, state review.LiveState, words ...string) review.EndpointView {
	w.Helper()
	v := w.at(e).Endpoints[0]
	if v.Now == nil || v.Now.State != state {
		w.Fatalf("the endpoint is %+v, want %s", v.Now, state)
	}
	for _, word := range words {
		if !strings.Contains(v.Now.Why, word) {
			w.Errorf("%q does not say %q", v.Now.Why, word)
		}
	}
	return v
}

var endpointCases = map[string]func(*world){
	"who may add, change, remove and read": endpointRoles,
	"what can't be an endpoint":            endpointRefused,
	"headers are sealed and never told":    endpointHeaders,
	"another origin gets no old headers":   endpointMoved,
	"headers under another SECRET":         endpointResealed,
	"two instances never read twice":       endpointClaims,
	"a reader that died is no obstacle":    endpointDied,
	"removed while it is read":             endpointRemoved,
	"back off while it does not answer":    endpointBackOff,
	"changes of state, not readings":       endpointReadings,
	"the audit has every act":              endpointAudit,
	"without a reader":                     endpointNoReader,
}

func endpointRoles(w *world) {
	n := review.NewEndpoint{Name: "EU", URL: euAddress}
	for _, a := range []review.Actor{w.rita, w.vic} {
		_, err := w.svc.AddEndpoint(w.ctx, a, "mot", n)
		w.refused(err, review.Forbidden)
	}
	e := w.endpoint("EU", euAddress)
	w.runs(euAddress, three())
	for _, a := range []review.Actor{w.rita, w.vic} {
		_, err := w.svc.ChangeEndpoint(w.ctx, a, "mot", e.ID, n)
		w.refused(err, review.Forbidden)
		w.refused(w.svc.RemoveEndpoint(w.ctx, a, "mot", e.ID), review.Forbidden)
	}
	w.addServer("other", gate.Team)
	stranger := w.person("Sam", people.Maintainer, "other")
	_, err := w.svc.Endpoint(w.ctx, stranger, "mot", e.ID)
	w.refused(err, review.NotFound)
	w.refused(w.svc.RemoveEndpoint(w.ctx, stranger, "mot", e.ID), review.NotFound)
	w.must(w.svc.RemoveEndpoint(w.ctx, stranger, "other", e.ID)) // there is none of that id
	w.at(e)

	// Whoever deploys asks with the token that asks the gate, and no other one.
	asks, _ := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopeGate}})
	_, err = w.svc.ReadEndpoint(w.ctx, asks, "mot", e.ID)
	w.must(err)
	pushes, _ := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopePush, people.ScopeRead}})
	_, err = w.svc.ReadEndpoint(w.ctx, pushes, "mot", e.ID)
	w.refused(err, review.Forbidden, "scope gate")
	_, err = w.svc.ReadEndpoint(w.ctx, w.ana, "mot", e.ID)
	w.refused(err, review.RateLimited, "a moment ago")
	w.clock = w.clock.Add(time.Minute)
	_, err = w.svc.ReadEndpoint(w.ctx, w.vic, "mot", e.ID)
	w.must(err)
	_, err = w.svc.ReadEndpoint(w.ctx, stranger, "mot", e.ID)
	w.refused(err, review.NotFound)
	elsewhere, _ := w.token(review.NewToken{ServerSlug: "mot", Profile: "lite", Scopes: []people.Scope{people.ScopeGate}})
	_, err = w.svc.ReadEndpoint(w.ctx, elsewhere, "mot", e.ID)
	w.refused(err, review.Forbidden, "bound to the profile lite")
}

func endpointRefused(w *world) {
	w.endpoint("EU", euAddress)
	long := strings.Repeat("x", 9000)
	for want, n := range map[string]review.NewEndpoint{
		"already":           {Name: "EU", URL: euAddress},
		"Name the endpoint": {Name: " ", URL: euAddress},
		"one line":          {Name: "a\nb", URL: euAddress},
		"profile":           {Name: "a", URL: euAddress, Profile: "a b"},
		"every 5 minutes":   {Name: "a", URL: euAddress, Every: time.Second},
		"must be where":     {Name: "a", URL: "nowhere"},
		"name and password": {Name: "a", URL: "https://u:p@eu.example/"},
		"behind #":          {Name: "a", URL: euAddress + "#x"},
		"Only https":        {Name: "a", URL: "http://eu.example/mcp"},
		"Header 1":          {Name: "a", URL: euAddress, Headers: []review.Header{{Name: "A b", Value: "c"}}},
		"a value in one":    {Name: "a", URL: euAddress, Headers: []review.Header{{Name: "A", Value: "c\r\nHost: x"}}},
		"belongs to the":    {Name: "a", URL: euAddress, Headers: []review.Header{{Name: "mcp-session-id", Value: "c"}}},
		"stands there":      {Name: "a", URL: euAddress, Headers: []review.Header{{Name: "A", Value: "c"}, {Name: "a", Value: "d"}}},
		"KiB together":      {Name: "a", URL: euAddress, Headers: []review.Header{{Name: "A", Value: long}}},
	} {
		_, err := w.svc.AddEndpoint(w.ctx, w.ana, "mot", n)
		if kind := review.KindOf(err); kind != review.Invalid && kind != review.Conflict {
			w.Errorf("%+v: %v", n, err)
			continue
		}
		if !strings.Contains(sentenceOf(err), want) {
			w.Errorf("%q does not say %q", sentenceOf(err), want)
		}
	}
	for i := range 9 {
		w.endpoint(strings.Repeat("i", i+1), euAddress)
	}
	_, err := w.svc.AddEndpoint(w.ctx, w.ana, "mot", review.NewEndpoint{Name: "one too many", URL: euAddress})
	w.refused(err, review.Conflict, "as many as one may have")
}

const secretHeader = "Bearer canary-4711-secret"

// endpointHeaders looks for the secret everywhere that it must not be.
func endpointHeaders(w *world) {
	e := w.endpoint("EU", euAddress, review.Header{Name: "authorization", Value: secretHeader})
	if !slices.Equal(e.Headers, []string{"Authorization"}) || strings.Contains(string(e.Sealed), "canary") {
		w.Errorf("the endpoint holds %+v", e)
	}
	w.answers(euAddress, func(h http.Header) (string, error) {
		if h.Get("Authorization") != secretHeader {
			return "", errors.New("no key")
		}
		return "", errors.New(`401: the key "canary-4711-secret" is not known`)
	})
	w.reads(0)
	v := w.wantLive(e, review.LiveUnread, "is not known")
	told, err := json.Marshal(v)
	w.must(err)
	if strings.Contains(string(told), "canary") {
		w.Errorf("the page is told %s", told)
	}
	for _, act := range w.auditOf("endpoint.add") {
		if strings.Contains(act.After, "canary") || !strings.Contains(act.After, "Authorization") {
			w.Errorf("the audit has %s", act.After)
		}
	}
	// Changing something else keeps them; an empty list removes them.
	_, err = w.svc.ChangeEndpoint(w.ctx, w.ana, "mot", e.ID, review.NewEndpoint{Name: "EU 2", URL: euAddress})
	w.must(err)
	w.reads(10)
	w.wantLive(e, review.LiveUnread, "is not known")
	_, err = w.svc.ChangeEndpoint(w.ctx, w.ana, "mot", e.ID, review.NewEndpoint{Name: "EU 2", URL: euAddress, Headers: []review.Header{}})
	w.must(err)
	w.reads(10)
	w.wantLive(e, review.LiveUnread, "no key")
}

// endpointMoved: a maintainer who did not give the key must not learn it by leading
// the reader to a server of their own.
func endpointMoved(w *world) {
	e := w.endpoint("EU", euAddress, review.Header{Name: "Authorization", Value: secretHeader})
	mine := "https://eu.example.attacker.example/mcp"
	got := ""
	w.answers(mine, func(h http.Header) (string, error) { got = h.Get("Authorization"); return three(), nil })
	_, err := w.svc.ChangeEndpoint(w.ctx, w.ben, "mot", e.ID, review.NewEndpoint{Name: "EU", URL: mine})
	w.must(err)
	w.reads(0)
	if w.live.times() != 1 || got != "" {
		w.Errorf("the other origin was sent %q", got)
	}
}

func endpointResealed(w *world) {
	e := w.endpoint("EU", euAddress, review.Header{Name: "Authorization", Value: secretHeader})
	w.answers(euAddress, func(h http.Header) (string, error) {
		if h.Get("Authorization") != secretHeader {
			return "", errors.New("no key")
		}
		return three(), nil
	})
	w.under(otherSecret)
	w.reads(0)
	w.wantLive(e, review.LiveUnread, "another SECRET")
	done, err := w.svc.Reseal(w.ctx, w.shell, instanceSecret)
	w.must(err)
	if done.Headers != 1 {
		w.Errorf("sealed anew: %+v", done)
	}
	w.reads(10)
	w.wantLive(e, review.LiveUnreleased)
	w.under("a third one, that nobody knows any more")
	lost := w.endpoint("US", euAddress, review.Header{Name: "A", Value: "b"})
	w.under(otherSecret)
	done, err = w.svc.Reseal(w.ctx, w.shell, instanceSecret)
	w.must(err)
	if !slices.Equal(done.Live, []string{lost.Name}) {
		w.Errorf("lost are %+v", done)
	}
}

// endpointClaims has several services read one database at once.
func endpointClaims(w *world) {
	for _, name := range []string{"a", "b", "c"} {
		w.endpoint(name, "https://"+name+".example/mcp")
		w.runs("https://"+name+".example/mcp", three())
	}
	services := []*review.Service{w.svc, review.NewService(w.store, w.config()), review.NewService(w.store, w.config())}
	var wait sync.WaitGroup
	for _, svc := range services {
		wait.Go(func() {
			for {
				more, err := svc.ReadDue(w.ctx)
				if err != nil {
					w.Error(err)
				}
				if !more {
					return
				}
			}
		})
	}
	wait.Wait()
	if n := w.live.times(); n != 3 {
		w.Errorf("three endpoints were read %d times", n)
	}
}

// endpointDied: a reader that took an endpoint and never came back holds it up for a
// while only, and what it brings later counts for nothing.
func endpointDied(w *world) {
	e := w.endpoint("EU", euAddress)
	w.runs(euAddress, three())
	again := false
	w.live.onRead = func() {
		if again {
			return
		}
		again = true
		more, err := w.svc.ReadDue(w.ctx)
		w.must(err)
		if more {
			w.Error("it was read twice at once")
		}
		w.clock = w.clock.Add(3 * time.Minute) // the claim runs out
		w.reads(0)
	}
	w.reads(0)
	l := w.at(e)
	if len(l.Readings) != 1 || l.Readings[0].Times != 1 || w.live.times() != 2 {
		w.Errorf("read %d times, kept are %+v", w.live.times(), l.Readings)
	}
}

func endpointRemoved(w *world) {
	e := w.endpoint("EU", euAddress)
	w.runs(euAddress, three())
	w.live.onRead = func() { w.must(w.svc.RemoveEndpoint(w.ctx, w.ana, "mot", e.ID)) }
	w.reads(0)
	_, err := w.svc.Endpoint(w.ctx, w.ana, "mot", e.ID)
	w.refused(err, review.NotFound)
}

func endpointBackOff(w *world) {
	w.released("1", three())
	e := w.endpoint("EU", euAddress)
	w.runs(euAddress, three())
	w.reads(0)
	w.wantLive(e, review.LiveSame, "`1`")
	w.answers(euAddress, func(http.Header) (string, error) { return "", errors.New("connection refused") })
	before := w.live.times()
	for range 24 {
		w.reads(1)
	}
	v := w.wantLive(e, review.LiveUnread, "connection refused")
	if n := w.live.times() - before; n < 5 || n > 10 || v.Turn.Failures != n {
		w.Errorf("in a day it was tried %d times, %d failures", n, v.Turn.Failures)
	}
	if v.Drift != nil || len(w.inbox(w.ana).Home.Drifts) != 0 || len(w.inbox(w.ana).Notices) != 0 {
		w.Error("an outage is no drift")
	}
	w.runs(euAddress, three())
	w.reads(6)
	if v := w.wantLive(e, review.LiveSame); v.Turn.Failures != 0 {
		w.Errorf("after it answered: %+v", v.Turn)
	}
	w.runs(euAddress, "<html>")
	w.reads(2)
	w.wantLive(e, review.LiveUnread, "not with a listing")
}

func endpointReadings(w *world) {
	w.released("1", three())
	e := w.endpoint("EU", euAddress)
	w.runs(euAddress, three())
	for range 30 {
		w.reads(2)
	}
	l := w.at(e)
	if len(l.Readings) != 1 || l.Readings[0].Times != 30 {
		w.Errorf("thirty equal readings are kept as %+v", l.Readings)
	}
	for i := range 60 {
		body := three()
		if i%2 == 0 {
			body = "no listing"
		}
		w.runs(euAddress, body)
		w.reads(6)
	}
	if n := len(w.at(e).Readings); n != 50 {
		w.Errorf("%d changes of state are kept", n)
	}
}

func endpointAudit(w *world) {
	e := w.endpoint("EU", euAddress)
	_, err := w.svc.ChangeEndpoint(w.ctx, w.ben, "mot", e.ID, review.NewEndpoint{Name: "EU", Profile: "lite", URL: euAddress, Every: 5 * time.Minute})
	w.must(err)
	w.must(w.svc.RemoveEndpoint(w.ctx, w.ana, "mot", e.ID))
	acts := w.auditAbout("endpoint")
	if len(acts) != 3 || !strings.Contains(acts[1].Before, `"profile":"default"`) || !strings.Contains(acts[1].After, `"every":"5m0s"`) || acts[1].Actor != "Ben" {
		w.Errorf("the audit has %+v", acts)
	}
}

func endpointNoReader(w *world) {
	e := w.endpoint("EU", euAddress)
	cfg := w.config()
	cfg.Reader = nil
	w.svc = review.NewService(w.store, cfg)
	if more, err := w.svc.ReadDue(w.ctx); more || err != nil {
		w.Errorf("read %v, %v", more, err)
	}
	_, err := w.svc.ReadEndpoint(w.ctx, w.ana, "mot", e.ID)
	w.refused(err, review.Unavailable)
	_, err = w.svc.AddEndpoint(w.ctx, w.ana, "mot", review.NewEndpoint{Name: "US", URL: euAddress})
	w.refused(err, review.Unavailable)
}
