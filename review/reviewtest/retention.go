package reviewtest

import (
	"slices"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

var retentionCases = map[string]func(*world){
	"what nobody needs is forgotten":      forgetOld,
	"what somebody answered stays":        forgetNothingAnswered,
	"links that ended are forgotten":      forgetLinks,
	"somebody answers in between":         forgetAnswered,
	"a clock far ahead makes nothing old": forgetClockAhead,
	"a clock that was right is believed":  forgetClockProved,
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

// proveClock lets the days pass after which a clock that
// jumped is believed.
func (w *world) proveClock() {
	w.Helper()
	w.forget(5000 * day)
	for range 7 {
		w.clock = w.clock.Add(day)
		w.forget(5000 * day)
	}
}

// forgetClockAhead: a clock is ahead by months, once and again, and is set right. Whatever
// was there is there, although people pushed meanwhile.
func forgetClockAhead(w *world) {
	ref := w.pushRef("pr-1", three())
	w.proveClock()
	right := w.clock
	for range 2 {
		w.clock = w.clock.Add(300 * day)
		w.pushRef("pr-2", listing(tool("find", "Finds twice.")))
		for range 6 * 4 {
			f := w.forget(50 * day)
			if f.Deliveries+f.Refs+f.Notices+f.Reports > 0 {
				w.Fatalf("a clock that jumped ahead %s ago made old: %+v", w.clock.Sub(right), f)
			}
			if left := f.Waits.Sub(w.clock); left < day || left > 7*day {
				w.Fatalf("it waits for %s", left)
			}
			w.clock = w.clock.Add(6 * time.Hour)
		}
	}
	w.clock = right.Add(12 * day)
	if f := w.forget(50 * day); f != (review.Forgotten{}) {
		w.Errorf("the clock is right again: %+v", f)
	}
	w.view(idOf(ref))
	// Of two instances one has a clock that is a year ahead: it never forgets a thing.
	for range 9 {
		w.clock = w.clock.Add(day)
		w.forget(50 * day)
		w.clock = w.clock.Add(365 * day)
		if f := w.forget(50 * day); f.Refs > 0 || f.Waits.IsZero() {
			w.Fatalf("the other instance forgot %+v", f)
		}
		w.clock = w.clock.Add(-365 * day)
	}
	w.view(idOf(ref))
}

// forgetClockProved: an instance was switched off for months, and nobody used it. It
// forgets after a week, and again at once when it runs on.
func forgetClockProved(w *world) {
	w.pushRef("pr-1", three())
	w.proveClock()
	w.clock = w.clock.Add(100 * day)
	if f := w.forget(50 * day); f.Refs != 0 || !f.Waits.Equal(w.clock.Add(7*day)) {
		w.Errorf("after the jump: %+v", f)
	}
	for n := range 7 * 4 {
		w.clock = w.clock.Add(6 * time.Hour)
		if f := w.forget(50 * day); (f.Refs == 1) != (n == 7*4-1) {
			w.Fatalf("after %d hours: %+v", 6*(n+1), f)
		}
	}
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
	w.proveClock()
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

// forgetLinks: links that were used or have expired go after 90 days, by a clock that is
// believed. The invitation of somebody who never came stays, and can be renewed.
func forgetLinks(w *world) {
	zoe, _, err := w.svc.AddUser(w.ctx, w.admin, review.NewUser{Email: "zoe@example.com", Name: "Zoe", Role: people.Viewer, Servers: []string{"mot"}})
	w.must(err)
	for range 3 {
		_, err := w.svc.ResetLink(w.ctx, w.admin, w.vic.User.Email)
		w.must(err)
	}
	w.proveClock()
	if f := w.forget(5000 * day); f != (review.Forgotten{}) {
		w.Errorf("links of last week were forgotten: %+v", f)
	}
	w.clock = w.clock.Add(100 * day)
	if f := w.forget(5000 * day); f.Links != 0 || f.Waits.IsZero() {
		w.Errorf("a clock that jumped makes links old: %+v", f)
	}
	gone := 0
	for range 7 {
		w.clock = w.clock.Add(day)
		gone += w.forget(5000 * day).Links
	}
	if gone < 3 {
		w.Errorf("%d links were forgotten", gone)
	}
	if f := w.forget(5000 * day); f != (review.Forgotten{}) {
		w.Errorf("a second run forgot %+v", f)
	}
	open, err := w.svc.Invitations(w.ctx, w.admin)
	w.must(err)
	if !slices.ContainsFunc(open, func(i review.Invitation) bool { return i.User.ID == zoe.ID && !i.Until.IsZero() }) {
		w.Errorf("open invitations are %+v", open)
	}
}

// forgetAnswered: that somebody answers in one ref while it is being forgotten, with
// others, keeps none of these.
func forgetAnswered(w *world) {
	w.pushRef("pr-1", three())
	w.pushRef("pr-2", listing(tool("find", "Finds twice.")))
	w.clock = w.clock.Add(100 * day)
	w.proveClock()
	w.store.answered = 1
	if f := w.forget(50 * day); f.Refs != 2 || w.store.answered != 0 {
		w.Errorf("forgotten are %+v", f)
	}
}

func forgetNothingAnswered(w *world) {
	w.released("1.0.0", three())
	answered := w.pushRef("pr-1", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists them all.")))
	talked := w.pushRef("pr-2", listing(tool("find", "Finds one."), tool("drop", "Drops."), tool("list", "Lists.")))
	w.approve(w.rita, idOf(answered), "list")
	_, err := w.svc.OpenThread(w.ctx, w.rita, idOf(talked), review.Anchor{Tool: "find", Side: "new"}, "Why?", false)
	w.must(err)
	w.clock = w.clock.Add(1000 * day)
	w.proveClock()
	if f := w.forget(50 * day); f.Refs != 0 {
		w.Errorf("refs were forgotten: %+v", f)
	}
	w.view(idOf(answered))
	w.view(idOf(talked))
}
