package reviewtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

var threadCases = map[string]func(*world){
	"a blocking thread":                   threadBlocks,
	"who resolves what blocks":            threadResolvers,
	"follows the tool":                    threadFollows,
	"anchors and bodies":                  threadBad,
	"comments an hour":                    threadLimit,
	"nobody else's threads":               threadForeign,
	"a released version can't be blocked": threadReleased,
}

func (w *world) open(a review.Actor, p *review.Pushed, tool string, blocks bool) *review.Thread {
	w.Helper()
	t, err := w.svc.OpenThread(w.ctx, a, idOf(p), review.Anchor{Tool: tool, Pointer: "/description", Quote: "s."}, "Why?", blocks)
	w.must(err)
	return t
}

func threadBlocks(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	w.approve(w.rita, idOf(p), "find")
	t := w.open(w.rita, p, "find", true)
	g := w.wantGate(p, gate.Blocked, "thread:"+t.ID)
	if r := w.requirement(g, "thread:"+t.ID); !strings.Contains(r.Why, "opened by Rita") || !strings.HasSuffix(r.URL, "?view=threads#t-"+t.ID) {
		w.Errorf("%+v", r)
	}
	t, err := w.svc.AddComment(w.ctx, w.rob, t.ID, "Because.")
	w.must(err)
	if len(t.Comments) != 2 || t.Comments[1].UserLabel != "Rob" || t.Anchor.Digest.IsZero() {
		w.Errorf("%+v", t)
	}
	_, err = w.svc.ResolveThread(w.ctx, w.rita, t.ID)
	w.must(err)
	w.wantGate(p, gate.Pass)
	_, err = w.svc.ReopenThread(w.ctx, w.rob, t.ID)
	w.must(err)
	w.wantGate(p, gate.Blocked)
	quiet := w.open(w.rita, p, "drop", false)
	w.wantGate(p, gate.Blocked, "thread:"+t.ID)
	if quiet.Blocks {
		w.Error("a comment blocks")
	}
}

func threadResolvers(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = email("Ana")
	p := w.pushAs(m)
	t := w.open(w.rita, p, "find", true)
	for _, who := range []review.Actor{w.ana, w.rob} { // the author, and another reviewer
		_, err := w.svc.ResolveThread(w.ctx, who, t.ID)
		w.refused(err, review.Forbidden, "blocks")
	}
	_, err := w.svc.ResolveThread(w.ctx, w.vic, t.ID)
	w.refused(err, review.Forbidden)
	_, err = w.svc.ResolveThread(w.ctx, w.ben, t.ID)
	w.must(err)
	own := w.open(w.ana, p, "find", true)
	_, err = w.svc.ResolveThread(w.ctx, w.ana, own.ID)
	w.must(err)
}

func threadFollows(w *world) {
	first := w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	t := w.open(w.rita, p, "find", true)
	later := w.push("3", changed("Finds. Never thrice."))
	w.approve(w.rita, idOf(later), "find")
	w.wantGate(later, gate.Blocked, "thread:"+t.ID)
	ts, err := w.svc.Threads(w.ctx, w.vic, idOf(later))
	w.must(err)
	if len(ts) != 1 || ts[0].ID != t.ID {
		w.Errorf("the later page shows %+v", ts)
	}
	if c := w.change(idOf(later), "find"); c.Threads != 1 {
		w.Errorf("%d threads beside the change", c.Threads)
	}
	_, err = w.svc.ResolveThread(w.ctx, w.rita, t.ID)
	w.must(err)
	shows := func(p *review.Pushed) (open, all int) {
		ts, err := w.svc.Threads(w.ctx, w.vic, idOf(p))
		w.must(err)
		for i := range ts {
			if ts[i].Open() {
				open++
			}
		}
		return open, len(ts)
	}
	w.clock = w.clock.Add(time.Second)
	after := w.push("4", changed("Finds. Never at all."))
	for _, c := range []struct {
		name string
		p    *review.Pushed
		all  int // while it is resolved
	}{{"its own", p, 1}, {"the later", later, 1}, {"one before it", first, 0}, {"one after it", after, 0}} {
		if open, all := shows(c.p); open != 0 || all != c.all {
			w.Errorf("resolved, %s page shows %d, %d of them open", c.name, all, open)
		}
	}
	_, err = w.svc.ReopenThread(w.ctx, w.rita, t.ID)
	w.must(err)
	for _, q := range []*review.Pushed{p, later, first, after} {
		if open, all := shows(q); open != 1 || all != 1 {
			w.Errorf("reopened, a page shows %d, %d of them open", all, open)
		}
	}
}

func threadBad(w *world) {
	p := w.push("1", three())
	for name, at := range map[string]review.Anchor{
		"tool": {Tool: "nothing"}, "side": {Tool: "find", Side: "left"}, "pointer": {Tool: "find", Pointer: "description"},
		"quote": {Tool: "find", Quote: strings.Repeat("x", 20<<10)}, "old": {Tool: "find", Side: review.OldSide},
	} {
		if _, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), at, "Hello", false); review.KindOf(err) != review.Invalid {
			w.Errorf("%s: %v", name, err)
		}
	}
	for words, at := range map[string]review.Anchor{
		"What stands there: Finds.": {Tool: "find", Pointer: "/description", Quote: "Loses."},
		"nothing at /title":         {Tool: "find", Pointer: "/title", Quote: "Finds."},
		"No revision of 1":          {Tool: "find", Digest: surface.HashOf([]byte("other"))},
	} {
		_, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), at, "Hello", false)
		w.refused(err, review.Unprocessable, words)
	}
	for _, body := range []string{"", " \n", "\xff", "a\x00b", strings.Repeat("x", 64<<10+1)} {
		if _, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), review.Anchor{}, body, false); review.KindOf(err) != review.Invalid {
			w.Errorf("%.10q: %v", body, err)
		}
	}
	_, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), review.Anchor{}, strings.Repeat("x", 64<<10), false)
	w.must(err)
	t, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), review.Anchor{}, "One.\r\nTwo.", false) // as browsers send it
	w.must(err)
	if got := t.Comments[0].Body; got != "One.\nTwo." {
		w.Errorf("kept %q", got)
	}
	_, err = w.svc.AddComment(w.ctx, w.rita, "nothing", "Hello")
	w.refused(err, review.NotFound)
}

func threadLimit(w *world) {
	p := w.push("1", three())
	var err error
	for i := range 101 {
		_, err = w.svc.OpenThread(w.ctx, w.rita, idOf(p), review.Anchor{}, fmt.Sprint("Hello ", i), false)
	}
	w.refused(err, review.RateLimited)
	w.clock = w.clock.Add(time.Hour)
	w.open(w.rita, p, "find", false)
}

func threadForeign(w *world) {
	p := w.push("1", three())
	t := w.open(w.rita, p, "find", false)
	w.addServer("b", gate.Team)
	eve := w.person("Eve", "maintainer", "b")
	_, err := w.svc.AddComment(w.ctx, eve, t.ID, "Hello")
	w.refused(err, review.NotFound)
	_, err = w.svc.Threads(w.ctx, eve, idOf(p))
	w.refused(err, review.NotFound)
	_, err = w.svc.ResolveThread(w.ctx, eve, t.ID)
	w.refused(err, review.NotFound)
}

func threadReleased(w *world) {
	p := w.released("1", three())
	_, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), review.Anchor{Tool: "find"}, "Hm.", true)
	w.refused(err, review.Conflict, "can't block")
	next := w.push("2", changed("Finds. Never twice."))
	w.open(w.rita, next, "find", true)
	w.wantGate(p, gate.Pass) // what is released is not held up by what comes next
}
