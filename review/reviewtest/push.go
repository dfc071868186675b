package reviewtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

var pushCases = map[string]func(*world){
	"new, same bytes, partial":                  pushStatuses,
	"a replay gets the first body":              pushReplay,
	"an id with another body is a conflict":     pushOtherBody,
	"a refused delivery does not use its id up": pushRefusedID,
	"signatures":                                      pushSignatures,
	"old secret after a rotation":                     pushRotation,
	"21: a bound delivery id, query altered":          pushBound,
	"22: an id of server A used at B":                 pushOtherServer,
	"tokens":                                          pushTokens,
	"24: a token of A at B, and B's listing":          pushForeign,
	"bad payloads":                                    pushBad,
	"bad parameters":                                  pushParams,
	"a version that is released or withdrawn":         pushReuse,
	"pushes per minute":                               pushLimit,
	"open releases":                                   pushOpenReleases,
	"stored bytes":                                    pushStoredBytes,
	"6: approved tools plus nextCursor":               pushPage,
	"a part does not turn the gate of the whole":      pushPartOfWhole,
	"a capture never passes":                          pushCapture,
	"suddenly empty":                                  pushEmpty,
	"unverified deliveries are samples":               pushUnverified,
	"a preview keeps nothing":                         pushPreview,
	"how far an import is":                            pushImport,
	"what the transport refused":                      pushTransport,
	"by ref, then by version":                         pushRef,
	"the base moves between comparison and storing":   pushBaseMoves,
	"many at once":                                    pushConcurrent,
	"many look at once":                               pushLooked,
	"upload":                                          pushUpload,
	"18: NAME beside name, 17: surrogates, 19: a NUL": pushNames,
}

func pushStatuses(w *world) {
	for _, c := range []struct {
		version, body string
		want          review.PushStatus
	}{
		{"1", three(), review.PushNew},
		{"1", three(), review.PushSame},
		{"1", listing(tool("find", "Finds.")), review.PushNew},
		{"2", three(), review.PushNew},
		{"3", `{"tools":[` + tool("find", "Finds.") + `],"nextCursor":"2"}`, review.PushPartial},
	} {
		if p := w.push(c.version, c.body); p.Status != c.want {
			w.Errorf("%s %.40s: %d, want %d", c.version, c.body, p.Status, c.want)
		}
	}
	infos, err := w.svc.Listings(w.ctx, w.vic, "mot", review.Page{})
	w.must(err)
	if len(infos) != 4 {
		w.Errorf("%d listings kept, want 4", len(infos))
	}
}

func pushReplay(w *world) {
	m := w.sending("1", three())
	first := w.pushAs(m)
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe)) // would change the answer
	m.at = w.clock
	again := w.pushAs(m)
	if again.Status != review.PushSame || !bytes.Equal(again.Body, first.Body) {
		w.Errorf("a replay is answered %d %s, first was %s", again.Status, again.Body, first.Body)
	}
	ds, err := w.svc.Deliveries(w.ctx, w.vic, "mot", review.Page{})
	w.must(err)
	if len(ds) != 1 {
		w.Errorf("%d deliveries, want the first alone", len(ds))
	}
	if n := len(w.view(idOf(first)).Revisions); n != 1 {
		w.Errorf("%d revisions after a replay", n)
	}
}

func pushOtherBody(w *world) {
	m := w.sending("1", three())
	w.pushAs(m)
	m.body = listing(tool("find", "Other."))
	_, err := w.send(m)
	w.refused(err, review.Conflict, "webhook-id", "another body")
}

func pushRefusedID(w *world) {
	m := w.sending("1", "<html>")
	_, err := w.send(m)
	w.refused(err, review.Unsupported)
	m.body = three()
	if p := w.pushAs(m); p.Status != review.PushNew {
		w.Errorf("the corrected push is answered %d", p.Status)
	}
}

func pushSignatures(w *world) {
	good := w.incoming(w.sending("1", three()))
	for name, change := range map[string]func(in *review.Incoming){
		"no signature":      func(in *review.Incoming) { in.Signature = "" },
		"wrong signature":   func(in *review.Incoming) { in.Signature = "v1," + strings.Repeat("A", 43) + "=" },
		"another version":   func(in *review.Incoming) { in.Signature = "v2" + in.Signature[2:] },
		"another body":      func(in *review.Incoming) { in.Wire = append([]byte(" "), in.Wire...) },
		"another id":        func(in *review.Incoming) { in.WebhookID += "x" },
		"another timestamp": func(in *review.Incoming) { in.Timestamp = fmt.Sprint(w.clock.Unix() + 1) },
		"old timestamp":     func(in *review.Incoming) { *in = w.old(301 * time.Second) },
		"future timestamp":  func(in *review.Incoming) { *in = w.old(-301 * time.Second) },
		"unknown server":    func(in *review.Incoming) { in.Slug = "nobody" },
		"a huge id":         func(in *review.Incoming) { in.WebhookID = strings.Repeat("x", 300) },
	} {
		in := good
		change(&in)
		_, err := w.svc.Deliver(w.ctx, in)
		if review.KindOf(err) != review.Unauthenticated {
			w.Errorf("%s: %v", name, err)
		}
	}
	wrong, unknown := good, good
	wrong.Signature, unknown.Slug = "v1,AAAA", "nobody"
	_, e1 := w.svc.Deliver(w.ctx, wrong)
	_, e2 := w.svc.Deliver(w.ctx, unknown)
	if sentenceOf(e1) != sentenceOf(e2) {
		w.Errorf("an unknown server (%v) and a wrong signature (%v) can be told apart", e2, e1)
	}
	good.Signature = "v1,AAAA v1a,BBBB " + good.Signature
	if _, err := w.svc.Deliver(w.ctx, good); err != nil {
		w.Errorf("one of several signatures fits: %v", err)
	}
}

// old is a well signed push of another time.
func (w *world) old(age time.Duration) review.Incoming {
	m := w.sending("1", three())
	m.at = w.clock.Add(-age)
	return w.incoming(m)
}

func pushRotation(w *world) {
	old := w.secret
	fresh, err := w.svc.RotateSecret(w.ctx, w.ana, "mot")
	w.must(err)
	w.secret = fresh
	w.push("1", three())
	w.clock = w.clock.Add(23 * time.Hour)
	m := w.sending("2", three())
	m.secret = old
	w.pushAs(m)
	w.clock = w.clock.Add(2 * time.Hour)
	m = w.sending("3", three())
	m.secret = old
	_, err = w.send(m)
	w.refused(err, review.Unauthenticated)
	_, err = w.svc.RotateSecret(w.ctx, w.rita, "mot")
	w.refused(err, review.Forbidden, "maintainer")
}

func pushBound(w *world) {
	m := w.sending("1", three())
	m.id = review.Bind("msg", m.pathQuery)
	m.params.Version, m.pathQuery = "2", strings.Replace(m.pathQuery, "version=1", "version=2", 1)
	_, err := w.send(m)
	w.refused(err, review.Unauthenticated, "bound")
	m = w.sending("1", three())
	m.id = review.Bind("msg", m.pathQuery)
	w.pushAs(m)
}

func pushOtherServer(w *world) {
	_, secret := w.addServer("b", gate.Team)
	m := w.sending("1", three())
	w.pushAs(m)
	m.slug, m.secret = "b", secret
	if p := w.pushAs(m); p.Status != review.PushNew {
		w.Errorf("the id of another server is answered %d", p.Status)
	}
}

func pushTokens(w *world) {
	_, push := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopePush}})
	_, read := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopeRead}})
	_, viewer := w.token(review.NewToken{UserEmail: email("Vic"), Scopes: []people.Scope{people.ScopePush}})
	for _, c := range []struct {
		bearer string
		want   review.Kind
	}{{"cs_nonsense", review.Unauthenticated}, {read, review.Forbidden}, {viewer, review.Forbidden}} {
		m := w.sending("1", three())
		m.bearer = c.bearer
		_, err := w.send(m)
		w.refused(err, c.want)
	}
	m := w.sending("1", three())
	m.bearer = push
	p := w.pushAs(m)
	if rev := w.view(idOf(p)).Release.Head; rev.PusherID != "" || rev.AuthorID != "" || rev.TokenID == "" {
		w.Errorf("a machine pushed, the revision says %+v", rev)
	}
	m.slug = "nobody"
	_, err := w.send(m)
	w.refused(err, review.NotFound)
	w.clock = w.clock.AddDate(0, 0, 91)
	m.slug = "mot"
	_, err = w.send(m)
	w.refused(err, review.Unauthenticated, "expired")
}

func pushForeign(w *world) {
	_, secret := w.addServer("b", gate.Team)
	m := w.sending("1", three())
	m.slug, m.secret = "b", secret
	p := w.pushAs(m)
	a, text := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopePush, people.ScopeRead, people.ScopeGate}})
	m = w.sending("2", three())
	m.slug, m.bearer = "b", text
	_, err := w.send(m)
	w.refused(err, review.NotFound)
	_, _, err = w.svc.Listing(w.ctx, a, p.Answer.Listing.ID)
	w.refused(err, review.NotFound)
	_, err = w.svc.Release(w.ctx, a, idOf(p))
	w.refused(err, review.NotFound)
	_, err = w.svc.Gate(w.ctx, a, "b", review.Question{Digest: p.Answer.Listing.Digest})
	w.refused(err, review.NotFound)
	for _, who := range []review.Actor{w.rita, w.ana} {
		_, err = w.svc.Release(w.ctx, who, idOf(p))
		w.refused(err, review.NotFound)
		_, err = w.svc.Deliveries(w.ctx, who, "b", review.Page{})
		w.refused(err, review.NotFound)
	}
}

func pushBad(w *world) {
	for body, want := range map[string]review.Kind{
		"":                                        review.Invalid,
		`{"tools":[`:                              review.Invalid,
		`{"tools":[],"tools":[]}`:                 review.Invalid,
		"<!doctype html><form action=/login>":     review.Unsupported,
		"tools:\n  - name: find\n":                review.Unsupported,
		"name,description\nfind,Finds\n":          review.Unsupported,
		`{"tools":null}`:                          review.Unprocessable,
		`{"tools":{}}`:                            review.Unprocessable,
		`{"error":{"code":-32601}}`:               review.Unprocessable,
		`{"tools":[` + strings.Repeat(" ", 9<<20): review.TooLarge,
	} {
		_, err := w.send(w.sending("1", body))
		var e *review.Error
		if !errors.As(err, &e) || e.Kind != want || len(e.Problems) == 0 {
			w.Errorf("%.40q: %v, want %s with a problem", body, err, want)
		}
	}
	rs, err := w.svc.Releases(w.ctx, w.vic, "mot", "", "", review.Page{})
	w.must(err)
	ds, err := w.svc.Deliveries(w.ctx, w.vic, "mot", review.Page{})
	w.must(err)
	if len(rs) != 0 || len(ds) != 10 {
		w.Errorf("%d releases and %d deliveries, want none and 10", len(rs), len(ds))
	}
	for _, d := range ds {
		if d.Status < 400 || d.Outcome == "" || !d.Verified || d.Answer != nil {
			w.Errorf("recorded as %+v", d)
		}
	}
	if p := w.push("1", listing(tool("a/../b", "Odd."))); p.Status != review.PushNew {
		w.Errorf("a tool named a/../b is answered %d", p.Status)
	}
}

func pushParams(w *world) {
	for name, p := range map[string]review.PushParams{
		"neither":    {},
		"both":       {Version: "1", Ref: "pr-1"},
		"profile":    {Version: "1", Profile: "a/b"},
		"run_url":    {Version: "1", RunURL: "http://ci.example"},
		"javascript": {Version: "1", RunURL: "javascript:alert(1)"},
		"author":     {Version: "1", Author: "nobody"},
		"newline":    {Version: "1\n2"},
		"NUL":        {Version: "1\x00"},
		"no text":    {Ref: "\xff", RunURL: "https://\xff", Author: "\x00", Profile: "\xff"},
		"hidden":     {Version: "1\u202e2"},
		"commit":     {Version: "1", Commit: "$(rm)"},
		"long":       {Version: strings.Repeat("1", 300)},
	} {
		m := w.sending("1", three())
		m.params = p
		if _, err := w.send(m); review.KindOf(err) != review.Invalid {
			w.Errorf("%s: %v", name, err)
		}
	}
}

func pushReuse(w *world) {
	p := w.released("1.0.0", three())
	_, err := w.send(w.sending("1.0.0", listing(tool("find", "Other."))))
	w.refused(err, review.Conflict, "1.0.0 is released with other bytes", "new version")
	var e *review.Error
	if !errors.As(err, &e) || e.Code != review.VersionReused {
		w.Errorf("no code to tell it by: %#v", err)
	}
	if again := w.push("1.0.0", three()); again.Status != review.PushSame {
		w.Errorf("the same bytes are answered %d", again.Status)
	}
	_, err = w.svc.WithdrawRelease(w.ctx, w.ana, idOf(p), "It leaks.", false)
	w.must(err)
	_, err = w.send(w.sending("1.0.0", listing(tool("find", "Other."))))
	w.refused(err, review.Conflict, "withdrawn")
	m := w.sending("1.0.0", listing(tool("find", "Other.")))
	m.params.Profile = "eu"
	w.pushAs(m)
}

func pushLimit(w *world) {
	w.svc = review.NewService(w.store, review.Config{Secret: instanceSecret, Now: func() time.Time { return w.clock },
		Limits: review.Limits{PushesPerMinute: 3, PushesPerDay: 5}})
	send := func() error { _, err := w.send(w.sending("1", three())); return err }
	for range 3 {
		w.must(send())
	}
	err := send()
	w.refused(err, review.RateLimited)
	var e *review.Error
	if errors.As(err, &e); e.RetryAfter != time.Minute {
		w.Errorf("retry after %s", e.RetryAfter)
	}
	w.clock = w.clock.Add(time.Minute + time.Second)
	w.must(send())
	w.must(send())
	w.clock = w.clock.Add(time.Hour)
	err = send()
	w.refused(err, review.RateLimited, "a day")
	w.clock = w.clock.Add(24 * time.Hour)
	w.must(send())
}

func pushOpenReleases(w *world) {
	w.svc = review.NewService(w.store, review.Config{Secret: instanceSecret, Now: func() time.Time { return w.clock },
		Limits: review.Limits{OpenReleases: 2}})
	// A history that the shell brings takes no room from what is pushed after it.
	for n := range 3 {
		_, err := w.svc.Upload(w.ctx, w.shell, "mot", review.PushParams{Version: fmt.Sprint("0.", n)}, []byte(three()), "")
		w.must(err)
	}
	first := w.push("1", three())
	w.push("2", three())
	_, err := w.send(w.sending("3", three()))
	w.refused(err, review.RateLimited, "2 releases of this server are open")
	w.push("2", listing(tool("find", "Finds."))) // a revision is no new release
	_, err = w.svc.WithdrawRelease(w.ctx, w.ana, idOf(first), "Not needed.", false)
	w.must(err)
	w.push("3", three())
}

func pushPage(w *world) {
	w.released("1", three())
	body := strings.TrimSuffix(three(), "}") + `,"nextCursor":"2"}`
	p := w.push("2", body)
	if p.Status != review.PushPartial || !strings.Contains(p.Answer.Note, "part") {
		w.Errorf("answered %d: %s", p.Status, p.Answer.Note)
	}
	if g := p.Answer.Gate; g == nil || g.Result != gate.Undecided || !strings.HasPrefix(g.Why, "We can't tell") {
		w.Errorf("the push is told %+v", g)
	}
	if v := w.view(idOf(p)); v.Answer.Result != gate.Undecided {
		w.Errorf("the release's gate: %s", v.Answer.Result)
	}
	_, err := w.svc.MarkReleased(w.ctx, w.ana, idOf(p), p.Answer.Listing.Digest)
	w.refused(err, review.Conflict, "can't tell")
	_, err = w.svc.AcceptBaseline(w.ctx, w.ana, idOf(p), p.Answer.Listing.Digest, nil)
	w.refused(err, review.Conflict)
}

// pushPartOfWhole: a part has the digest of the whole that begins like it, since the
// digest is of the tools. Whoever asks by digest asks about the whole, once it was
// pushed: a push of the part must not turn its gate.
func pushPartOfWhole(w *world) {
	part := func(listing string) string {
		return strings.TrimSuffix(strings.TrimSpace(listing), "}") + `,"nextCursor":"2"}`
	}
	one := w.released("1", three())
	w.push("2", part(three()))
	w.wantGate(one, gate.Pass)
	whole := w.push("3", changed("Finds more."))
	w.approve(w.rita, idOf(whole), "find")
	w.wantGate(whole, gate.Pass)
	w.push("4", part(changed("Finds more."))) // another version
	w.wantGate(whole, gate.Pass)
	w.push("3", part(changed("Finds more."))) // the same one
	w.wantGate(whole, gate.Pass)
	if v := w.view(idOf(whole)); v.Answer.Result != gate.Undecided {
		w.Errorf("the head is a part, and the release's gate says %s", v.Answer.Result)
	}
	alone := w.push("5", part(changed("Finds it all.")))
	w.wantGate(alone, gate.Undecided)
}

func pushCapture(w *world) {
	p := w.push("1", `{"model":"m","tools":[{"name":"find","description":"Finds.","input_schema":{"type":"object"}}],"messages":[]}`)
	if p.Status != review.PushPartial {
		w.Errorf("answered %d", p.Status)
	}
	g := w.wantGate(p, gate.Undecided)
	if !strings.Contains(g.Why, "capture") {
		w.Errorf("why: %s", g.Why)
	}
	_, err := w.svc.AcceptBaseline(w.ctx, w.ana, idOf(p), p.Answer.Listing.Digest, nil)
	w.refused(err, review.Conflict)
}

func pushEmpty(w *world) {
	w.released("1", three())
	p := w.push("2", listing())
	if p.Status != review.PushPartial || !strings.Contains(p.Answer.Note, "complete=true") {
		w.Errorf("answered %d: %s", p.Status, p.Answer.Note)
	}
	w.wantGate(p, gate.Undecided)
	m := w.sending("2", listing())
	m.params.Complete = true
	p = w.pushAs(m)
	if p.Status != review.PushNew {
		w.Errorf("the confirmed push is answered %d", p.Status)
	}
	w.wantGate(p, gate.Blocked, "removal:find", "removal:drop", "removal:list")
	if n := len(w.view(idOf(p)).Revisions); n != 2 {
		w.Errorf("%d revisions", n)
	}
}

func pushUnverified(w *world) {
	for i := range 130 {
		m := w.sending("1", three())
		m.secret, m.addr = "whsec_AAAA", fmt.Sprintf("192.0.2.%d", i)
		_, err := w.send(m)
		w.refused(err, review.Unauthenticated)
	}
	ds, err := w.svc.Deliveries(w.ctx, w.vic, "mot", review.Page{Limit: 500})
	w.must(err)
	if len(ds) != 100 {
		w.Errorf("%d samples are kept, want 100", len(ds))
	}
	for _, d := range ds {
		if d.Verified || !d.BodyHash.IsZero() || d.Params != (review.PushParams{}) {
			w.Fatalf("something of an unverified body is kept: %+v", d)
		}
	}
	for range 100 {
		m := w.sending("1", three())
		m.secret = "whsec_AAAA"
		if _, err = w.send(m); review.KindOf(err) == review.RateLimited {
			break
		}
	}
	w.refused(err, review.RateLimited)
	w.push("1", three()) // who signs is not held up by who can't
}

func pushPreview(w *world) {
	w.released("1", three())
	m := w.sending("2", listing(tool("find", "Found.")))
	m.params.Preview = true
	p := w.pushAs(m)
	if p.Answer.Listing.ID != "" || p.Answer.Release != nil || p.Answer.Gate.Result != gate.Blocked || p.Answer.Changes["breaking"] == 0 {
		w.Errorf("a preview answers %s", p.Body)
	}
	if again := w.pushAs(m); again.Status != review.PushSame || !bytes.Equal(again.Body, p.Body) {
		w.Errorf("a replayed preview answers %s", again.Body)
	}
	rs, err := w.svc.Releases(w.ctx, w.vic, "mot", "2", "", review.Page{})
	w.must(err)
	infos, err := w.svc.Listings(w.ctx, w.vic, "mot", review.Page{})
	w.must(err)
	if len(rs) != 0 || len(infos) != 1 {
		w.Errorf("a preview kept %d releases and %d listings", len(rs), len(infos)-1)
	}
}

func pushTransport(w *world) {
	in := w.incoming(w.sending("1", three()))
	in.Refused = review.Errorf(review.Invalid, "The gzip stream is broken.")
	_, err := w.svc.Deliver(w.ctx, in)
	w.refused(err, review.Invalid, "gzip")
	in.Refused, in.TooLarge = nil, true
	_, err = w.svc.Deliver(w.ctx, in)
	w.refused(err, review.TooLarge)
	ds, err := w.svc.Deliveries(w.ctx, w.admin, "", review.Page{})
	w.must(err)
	if len(ds) != 2 || ds[1].Status != 400 || ds[0].Status != 413 {
		w.Errorf("recorded: %+v", ds)
	}
}

func pushRef(w *world) {
	w.released("1", three())
	changed := listing(tool("find", "Finds. Never twice."), tool("drop", "Drops."), tool("list", "Lists."))
	m := w.sending("", changed)
	m.params = review.PushParams{Ref: "pr-12"}
	p := w.pushAs(m)
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	_, err := w.svc.MarkReleased(w.ctx, w.ana, idOf(p), p.Answer.Listing.Digest)
	w.refused(err, review.Conflict, "no version")
	v2 := w.push("2", changed)
	w.wantGate(v2, gate.Pass)
	w.release(v2)
	if s := w.view(idOf(p)).State; s != review.StateSuperseded {
		w.Errorf("the ref is %s", s)
	}
}

// pushBaseMoves releases another version while a push waits between its comparison
// and the transaction that stores it.
func pushBaseMoves(w *world) {
	w.released("1", three())
	two := w.push("2", listing(tool("find", "Finds. Two."), tool("drop", "Drops."), tool("list", "Lists.")))
	w.approve(w.rita, idOf(two), "find")
	once := sync.Once{}
	w.svc = review.NewService(&hooked{Store: w.store, beforeUpdate: func(n int) {
		if n == 2 { // the first found that the comparison is missing
			once.Do(func() { w.release(two) })
		}
	}}, review.Config{Secret: instanceSecret, Now: func() time.Time { return w.clock }})
	p := w.push("3", three())
	v := w.view(idOf(p))
	if v.Base == nil || v.Base.Version != "2" || p.Answer.Changes["text"] != 1 {
		w.Errorf("compared with %v: %s", v.Base, p.Body)
	}
}

func pushConcurrent(w *world) {
	m := w.sending("1", three())
	var wg sync.WaitGroup
	answers := make([]*review.Pushed, 8)
	errs := make([]error, 8)
	for i := range answers {
		wg.Go(func() { answers[i], errs[i] = w.send(m) })
	}
	wg.Wait()
	fresh := 0
	for i, p := range answers {
		w.must(errs[i])
		if p.Status == review.PushNew {
			fresh++
		}
		if !bytes.Equal(p.Body, answers[0].Body) {
			w.Errorf("answer %d differs", i)
		}
	}
	if infos, _ := w.svc.Listings(w.ctx, w.vic, "mot", review.Page{}); fresh != 1 || len(infos) != 1 {
		w.Errorf("%d new answers, %d listings", fresh, len(infos))
	}
}

// pushLooked: after a push everybody who was told of it looks, and what they all need is
// made once. Who comes between the end of that and its being kept makes it again.
func pushLooked(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds another."), tool("drop", "Drops.")))
	const readers = 20
	store := &hooked{Store: w.store}
	store.beforeUpdate = func(n int) {
		for limit := time.Now().Add(10 * time.Second); n == 1 && store.views.Load() < readers && time.Now().Before(limit); {
			time.Sleep(time.Millisecond) // until all have looked and found nothing kept
		}
	}
	svc := review.NewService(store, review.Config{Secret: instanceSecret, Now: func() time.Time { return w.clock }})
	gone, leave := context.WithCancel(w.ctx)
	leave()
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			if i == 0 {
				_, _ = svc.Release(gone, w.rita, idOf(p)) // who hangs up takes nothing from the others
				return
			}
			v, err := svc.Release(w.ctx, w.rita, idOf(p))
			if err != nil || v.Sight.Tokens == 0 {
				w.Errorf("a reader is told %v", err)
			}
		})
	}
	wg.Wait()
	if n := store.n.Load(); n == 0 || n > readers/2 {
		w.Errorf("what %d readers need was made %d times", readers, n)
	}
}

func pushUpload(w *world) {
	_, err := w.svc.Upload(w.ctx, w.vic, "mot", review.PushParams{Version: "1"}, []byte(three()), "")
	w.refused(err, review.Forbidden, "reviewer")
	p, err := w.svc.Upload(w.ctx, w.rita, "mot", review.PushParams{Version: "1"}, []byte(three()), "")
	w.must(err)
	if h := w.view(idOf(p)).Release.Head; h.PusherID != w.rita.User.ID || h.AuthorID != w.rita.User.ID {
		w.Errorf("the revision says %+v", h)
	}
	_, err = w.svc.Upload(w.ctx, w.rita, "mot", review.PushParams{Version: "2"}, []byte("<html>"), "")
	w.refused(err, review.Unsupported)
	ds, err := w.svc.Deliveries(w.ctx, w.vic, "mot", review.Page{})
	w.must(err)
	if len(ds) != 2 || ds[0].Via != "upload" || ds[0].Status != 415 || ds[1].By != "Rita" {
		w.Errorf("recorded: %+v", ds)
	}
	// The command line is nobody: what it imports has no author.
	p, err = w.svc.Upload(w.ctx, review.Actor{Shell: true, Via: "shell"}, "mot", review.PushParams{Version: "3"}, []byte(changed("Finds it.")), "")
	w.must(err)
	if h := w.view(idOf(p)).Release.Head; h.PusherID != "" || h.AuthorID != "" || h.Author != "" || h.PushedBy != "shell" {
		w.Errorf("the revision of an import says %+v", h)
	}
}

func pushNames(w *world) {
	w.released("1", listing(tool("pay", "Pays."), tool("payx", "Pays x.")))
	odd := func(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }
	seen := map[surface.Hash]string{}
	for i, name := range []string{`\ud800`, `\udfff`, `\ufffd`} {
		p := w.push(fmt.Sprint("2.", i), listing(tool("pay", "Pays."), tool("payx", "Pays x."), odd(name)))
		c := w.view(idOf(p)).Changes[0]
		if other, ok := seen[c.To]; ok {
			w.Errorf("%s and %s have one digest", name, other)
		}
		seen[c.To] = name
	}
	twins := w.push("3", listing(tool("pay", "Pays.", `"NAME":"other"`), tool("payx", "Pays x.")))
	w.wantGate(twins, gate.Blocked, "approval:pay")

	nul := w.push("4", listing(tool("pay", "Pays."), tool("payx", "Pays x."), odd(`pay\u0000x`)))
	c := w.view(idOf(nul)).Changes[0]
	_, err := w.svc.Decide(w.ctx, w.rita, idOf(nul), []review.VerdictItem{{Change: c.ID, Verdict: review.Reject, Note: "No."}})
	w.must(err)
	w.wantGate(nul, gate.Blocked)
	w.wantGate(w.push("5", listing(tool("pay", "Pays."), tool("payx", "Pays x."))), gate.Pass)
}

func pushStoredBytes(w *world) {
	long := strings.Repeat("It reads a lot. ", 4000)
	w.svc = review.NewService(w.store, review.Config{Secret: instanceSecret, Now: func() time.Time { return w.clock },
		Limits: review.Limits{StoredBytes: 150_000}})
	w.push("1", listing(tool("find", long+"1")))
	for n := range 5 { // the same definition again costs nothing
		w.push("1", listing(tool("find", long+"1"), tool(fmt.Sprintf("small_%d", n), "Is small.")))
	}
	w.push("1", listing(tool("find", long+"2")))
	w.push("1", listing(tool("find", long+"3")))
	_, err := w.send(w.sending("1", listing(tool("find", long+"4"))))
	w.refused(err, review.RateLimited, "which is what a server may take")
	var e *review.Error
	if errors.As(err, &e); e.RetryAfter <= 0 {
		w.Error("nothing says when to try again")
	}
	w.push("1", listing(tool("find", long+"3"))) // the head's own bytes are no new listing
	other, secret := w.addServer("other", gate.Team)
	m := w.sending("1", listing(tool("find", long+"4")))
	m.slug, m.secret, m.pathQuery = other.Slug, secret, "/api/v1/servers/other/listings?version=1"
	w.pushAs(m) // each server has its own
}

// pushImport: how far an import is stands in what was delivered, whatever CI pushes
// meanwhile and however the import ends.
func pushImport(w *world) {
	importing := func() *review.Import {
		w.Helper()
		im, err := w.svc.Importing(w.ctx, w.rita, "mot")
		w.must(err)
		return im
	}
	upload := func(place int, body string) error {
		w.clock = w.clock.Add(time.Second)
		_, err := w.svc.Upload(w.ctx, w.admin, "mot", review.PushParams{Version: fmt.Sprint(place), Complete: true, Place: place, Of: 3}, []byte(body), "")
		return err
	}
	w.push("9", three())
	if im := importing(); im != nil {
		w.Fatalf("before an import there is %+v", im)
	}
	w.must(upload(1, changed("Finds 1.")))
	w.push("10", three())
	if im := importing(); im == nil || im.Place != 1 || im.Of != 3 || !im.Working {
		w.Fatalf("after the first of three: %+v", im)
	}
	if upload(2, "{}") == nil {
		w.Fatal("what is no listing was taken")
	}
	if im := importing(); im == nil || im.Place != 2 || !im.Working {
		w.Fatalf("after one that was refused: %+v", im)
	}
	w.clock = w.clock.Add(time.Hour)
	if im := importing(); im == nil || im.Place != 2 || im.Working || im.Done() {
		w.Fatalf("after it was killed: %+v", im)
	}
	w.must(upload(3, changed("Finds 3.")))
	if im := importing(); im == nil || !im.Done() || im.Working {
		w.Fatalf("at its end: %+v", im)
	}
	w.clock = w.clock.Add(time.Hour)
	if im := importing(); im != nil {
		w.Fatalf("long after its end: %+v", im)
	}
	w.addServer("other", gate.Team)
	_, err := w.svc.Importing(w.ctx, w.person("stranger", people.Viewer, "other"), "mot")
	w.refused(err, review.NotFound)
}
