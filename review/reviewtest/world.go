package reviewtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// world is one case's instance: a service, its clock and its people.
type world struct {
	testing.TB
	ctx   context.Context
	store *counter
	svc   *review.Service
	clock time.Time

	shell                           review.Actor
	admin, ana, ben, rita, rob, vic review.Actor
	server                          *review.Server
	secret                          string
	pushes                          int
	forged                          bool // the case wrote to the database past the workflow
	live                            *liveServers
}

const baseURL = "https://review.example"

var instanceSecret = []byte("0123456789abcdef0123456789abcdef")

// newInstance is a world without people.
func newInstance(t testing.TB, store review.Store) *world {
	w := &world{
		TB: t, ctx: t.Context(), store: &counter{Store: store}, clock: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		shell: review.Actor{Shell: true, Via: "shell"}, live: &liveServers{answers: map[string]func(http.Header) (string, error){}},
	}
	w.svc = review.NewService(w.store, w.config())
	return w
}

func (w *world) config() review.Config {
	return review.Config{
		BaseURL: baseURL, Secret: instanceSecret, Now: func() time.Time { return w.clock },
		Reader: w.live,
		Limits: review.Limits{PushesPerMinute: 1000, PushesPerDay: 2000, OpenReleases: 200},
	}
}

func newWorld(t testing.TB, store review.Store) *world {
	w := newInstance(t, store)
	w.admin = w.person("Ada", people.Admin, "")
	w.server, w.secret = w.addServer("mot", gate.Team)
	w.ana, w.ben = w.person("Ana", people.Maintainer, "mot"), w.person("Ben", people.Maintainer, "mot")
	w.rita, w.rob = w.person("Rita", people.Reviewer, "mot"), w.person("Rob", people.Reviewer, "mot")
	w.vic = w.person("Vic", people.Viewer, "mot")
	return w
}

func (w *world) addServer(slug string, p gate.Preset) (*review.Server, string) {
	w.Helper()
	srv, secret, err := w.svc.AddServer(w.ctx, w.shell, review.NewServer{Slug: slug, Name: strings.ToUpper(slug), Preset: p})
	w.must(err)
	return srv, secret
}

// person adds an account from the shell, with a password made of the name.
func (w *world) person(name string, role people.Role, slug string) review.Actor {
	w.Helper()
	u, _, err := w.svc.AddUser(w.ctx, w.shell, review.NewUser{
		Email: email(name), Name: name, Role: role, Servers: on(slug),
	})
	w.must(err)
	return review.Actor{User: u, Via: "browser", Addr: "192.0.2.1"}
}

func email(name string) string { return strings.ToLower(name) + "@example.com" }

// again reads the actor's account anew, as each request does.
func (w *world) again(a review.Actor) review.Actor {
	w.Helper()
	u, err := w.svc.UserByID(w.ctx, a.User.ID)
	w.must(err)
	a.User = u
	return a
}

// token makes a token from the shell and returns who it acts for, and its text.
func (w *world) token(n review.NewToken) (review.Actor, string) {
	w.Helper()
	secret, _, err := w.svc.CreateToken(w.ctx, w.shell, n)
	w.must(err)
	a, err := w.svc.TokenActor(w.ctx, secret, "192.0.2.9")
	w.must(err)
	return a, secret
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("unexpected: %v", err)
	}
}

// refused checks an error's kind and that its sentence holds each of words.
func (w *world) refused(err error, kind review.Kind, words ...string) {
	w.Helper()
	if got := review.KindOf(err); err == nil || got != kind {
		w.Fatalf("got %v, want an error of kind %q", err, kind)
	}
	for _, word := range words {
		if !strings.Contains(sentenceOf(err), word) {
			w.Errorf("%q does not say %q", sentenceOf(err), word)
		}
	}
}

func sentenceOf(err error) string {
	var e *review.Error
	if errors.As(err, &e) {
		return e.Sentence
	}
	return err.Error()
}

// tool is a definition; more are further members of the object.
func tool(name, description string, more ...string) string {
	n, _ := json.Marshal(name)
	d, _ := json.Marshal(description)
	members := append([]string{
		`"name":` + string(n), `"description":` + string(d), `"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}`,
	}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

// listing is a result of tools/list.
func listing(tools ...string) string { return `{"tools":[` + strings.Join(tools, ",") + `]}` }

// three is the listing that most cases start from.
func three() string {
	return listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."))
}

// sending is a push that can be changed before it is sent.
type sending struct {
	slug, secret string
	body         string
	params       review.PushParams
	id           string
	at           time.Time
	pathQuery    string
	bearer       string
	addr         string
}

// sending starts a signed push of a version of the world's server.
func (w *world) sending(version, body string) *sending {
	w.pushes++
	return &sending{
		slug: "mot", secret: w.secret, body: body, params: review.PushParams{Version: version},
		id: fmt.Sprintf("msg_%d", w.pushes), at: w.clock, addr: "192.0.2.7",
		pathQuery: "/api/v1/servers/mot/listings?version=" + url.QueryEscape(version),
	}
}

func (w *world) incoming(m *sending) review.Incoming {
	in := review.Incoming{
		Slug: m.slug, Params: m.params, PathQuery: m.pathQuery, Body: []byte(m.body), Wire: []byte(m.body), Bearer: m.bearer, Addr: m.addr,
	}
	if m.bearer != "" {
		return in
	}
	in.WebhookID, in.Timestamp = m.id, fmt.Sprint(m.at.Unix())
	in.Signature = w.sign(m.secret, m.id, m.at, m.body)
	return in
}

func (w *world) sign(secret, id string, at time.Time, body string) string {
	w.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	w.must(err)
	wh, err := webhooks.NewWebhookRaw(key)
	w.must(err)
	sig, err := wh.Sign(id, at, []byte(body))
	w.must(err)
	return sig
}

func (w *world) send(m *sending) (*review.Pushed, error) {
	return w.svc.Deliver(w.ctx, w.incoming(m))
}

// push sends a version and moves the clock by a second, so that pushes have an
// order.
func (w *world) push(version, body string) *review.Pushed {
	w.Helper()
	return w.pushAs(w.sending(version, body))
}

func (w *world) pushAs(m *sending) *review.Pushed {
	w.Helper()
	p, err := w.send(m)
	w.must(err)
	w.clock = w.clock.Add(time.Second)
	return p
}

// view reads a release as an administrator.
func (w *world) view(id string) *review.ReleaseView {
	w.Helper()
	v, err := w.svc.Release(w.ctx, w.admin, id)
	w.must(err)
	return v
}

// change finds the change of a tool (or of "instructions", "order") on a page.
func (w *world) change(id, tool string) review.Decided {
	w.Helper()
	v := w.view(id)
	i := slices.IndexFunc(v.Changes, func(c review.Decided) bool { return c.Name() == tool })
	if i < 0 {
		w.Fatalf("release %s has no change of %q", v.Release.Title(), tool)
	}
	return v.Changes[i]
}

// decide answers to the changes of tools, which stand before the kind and the note.
func (w *world) decide(a review.Actor, id string, kind review.VerdictKind, note string, tools ...string) error {
	w.Helper()
	var items []review.VerdictItem
	for _, name := range tools {
		items = append(items, review.VerdictItem{Change: w.change(id, name).ID, Verdict: kind, Note: note})
	}
	_, err := w.svc.Decide(w.ctx, a, id, items)
	w.clock = w.clock.Add(time.Second)
	return err
}

func (w *world) approve(a review.Actor, id string, tools ...string) {
	w.Helper()
	w.must(w.decide(a, id, review.Approve, "It is fine.", tools...))
}

// approveAll has Rita approve everything that differs.
func (w *world) approveAll(id string) {
	w.Helper()
	var items []review.VerdictItem
	for _, c := range w.view(id).Changes {
		if c.Subject != change.SubjectOrder {
			items = append(items, review.VerdictItem{Change: c.ID, Verdict: review.Approve, Note: "Read it."})
		}
	}
	_, err := w.svc.Decide(w.ctx, w.rita, id, items)
	w.must(err)
	w.clock = w.clock.Add(time.Second)
}

// released pushes a version, accepts it as baseline or approves it, and releases
// it.
func (w *world) released(version, body string) *review.Pushed {
	w.Helper()
	p := w.push(version, body)
	id, digest := p.Answer.Release.ID, p.Answer.Listing.Digest
	if w.view(id).BaselineOpen {
		_, err := w.svc.AcceptBaseline(w.ctx, w.ana, id, digest, nil)
		w.must(err)
	} else if w.gate(digest).Result != gate.Pass {
		w.approveAll(id)
	}
	w.release(p)
	return p
}

func (w *world) release(p *review.Pushed) {
	w.Helper()
	_, err := w.svc.MarkReleased(w.ctx, w.ana, p.Answer.Release.ID, p.Answer.Listing.Digest)
	w.must(err)
	w.clock = w.clock.Add(time.Second)
}

func (w *world) gate(digest surface.Hash) *review.GateAnswer {
	w.Helper()
	g, err := w.svc.Gate(w.ctx, w.admin, "mot", review.Question{Digest: digest})
	w.must(err)
	return g
}

// wantGate checks the gate's answer, and the ids of what is open.
func (w *world) wantGate(p *review.Pushed, want gate.Result, open ...string) *review.GateAnswer {
	w.Helper()
	g := w.gate(p.Answer.Listing.Digest)
	if g.Result != want {
		w.Fatalf("gate is %s (%s), want %s", g.Result, g.Why, want)
	}
	var got []string
	for _, r := range g.Requirements {
		if r.State == gate.Open {
			got = append(got, r.ID)
		}
	}
	slices.Sort(got)
	slices.Sort(open)
	if open != nil && !slices.Equal(got, open) {
		w.Fatalf("open are %q, want %q", got, open)
	}
	return g
}

// requirement returns one line of a gate's answer.
func (w *world) requirement(g *review.GateAnswer, id string) gate.Requirement {
	w.Helper()
	for _, r := range g.Requirements {
		if r.ID == id {
			return r
		}
	}
	w.Fatalf("no requirement %q among %v", id, g.Requirements)
	return gate.Requirement{}
}

func idOf(p *review.Pushed) string { return p.Answer.Release.ID }

// on is the one server of a slug, or every one for "".
func on(slug string) []string {
	if slug == "" {
		return nil
	}
	return []string{slug}
}
