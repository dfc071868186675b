package reviewtest

import (
	"time"

	"github.com/countersign/countersign/review"
)

var retentionCases = map[string]func(*world){
	"what nobody needs is forgotten": forgetOld,
	"what somebody answered stays":   forgetNothingAnswered,
}

const day = 24 * time.Hour

// pushRef pushes without a version, as a pull request does.
func (w *world) pushRef(ref, body string) *review.Pushed {
	m := w.sending("", body)
	m.params = review.PushParams{Ref: ref}
	return w.pushAs(m)
}

func (w *world) forget(keep time.Duration) review.Forgotten {
	w.Helper()
	f, err := w.svc.Forget(w.ctx, review.Keeping{Deliveries: keep, Notices: keep, Refs: keep, Reports: keep})
	w.must(err)
	return f
}

func forgetOld(w *world) {
	first := w.released("1.0.0", three())
	shared := listing(tool("find", "Finds."), tool("extra", "Is in a version too."))
	w.pushRef("pr-1", listing(tool("find", "Finds."), tool("only_here", "Nobody else has this.")))
	w.pushRef("pr-1", listing(tool("find", "Finds."), tool("only_here", "Nobody else has this either.")))
	same := w.pushRef("pr-2", shared)
	v2 := w.push("2.0.0", shared)
	w.clock = w.clock.Add(100 * day)
	young := w.pushRef("pr-3", listing(tool("find", "Finds a third time.")))
	if f := w.forget(200 * day); f != (review.Forgotten{}) {
		w.Errorf("young things were forgotten: %+v", f)
	}
	f := w.forget(50 * day)
	if f.Refs != 2 || f.Deliveries != 5 {
		w.Errorf("forgotten are %+v, want 2 refs and 5 deliveries", f)
	}
	for _, gone := range []*review.Pushed{same} {
		if _, err := w.svc.Release(w.ctx, w.admin, idOf(gone)); review.KindOf(err) != review.NotFound {
			w.Errorf("a forgotten ref: %v", err)
		}
	}
	w.view(idOf(young))
	w.wantGate(first, "pass")
	// Bytes that a version has too are still there, and whole.
	if _, _, err := w.svc.Listing(w.ctx, w.admin, v2.Answer.Listing.ID); err != nil {
		w.Errorf("the listing of a version: %v", err)
	}
	if again := w.forget(50 * day); again != (review.Forgotten{}) {
		w.Errorf("a second run forgot %+v", again)
	}
	entries, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{}, review.Page{Limit: 1})
	w.must(err)
	if len(entries) != 1 || entries[0].Act != "retention.forget" {
		w.Errorf("the audit begins with %+v", entries)
	}
	w.pushRef("pr-1", three()) // the name is free again
}

func forgetNothingAnswered(w *world) {
	w.released("1.0.0", three())
	answered := w.pushRef("pr-1", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists them all.")))
	talked := w.pushRef("pr-2", listing(tool("find", "Finds one."), tool("drop", "Drops."), tool("list", "Lists.")))
	w.approve(w.rita, idOf(answered), "list")
	_, err := w.svc.OpenThread(w.ctx, w.rita, idOf(talked), review.Anchor{Tool: "find", Side: "new"}, "Why?", false)
	w.must(err)
	w.clock = w.clock.Add(1000 * day)
	if f := w.forget(50 * day); f.Refs != 0 {
		w.Errorf("refs were forgotten: %+v", f)
	}
	w.view(idOf(answered))
	w.view(idOf(talked))
}
