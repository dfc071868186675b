package reviewtest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

// Clocks are set back, and those of two instances differ. What counts is which of
// two acts came later.
var clockCases = map[string]func(*world){
	"an answer after the clock went back is the later one": clockAnswers,
	"a rejection ends an override all the same":            clockOverride,
	"what was released last is the base":                   clockBase,
	"a looser policy does not reach what was open":         clockPolicy,
	"an override ends, and does not begin again":           clockOverrideEnds,
	"a clock that ran far ahead and came back":             clockAhead,
}

func (w *world) setBack() { w.clock = w.clock.Add(-time.Hour) }

func clockAnswers(w *world) {
	p := w.underReview()
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	w.setBack()
	w.must(w.decide(w.rita, idOf(p), review.Reject, "No, wait.", "find"))
	w.wantGate(p, gate.Blocked, "approval:find")
	w.setBack()
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
}

func clockOverride(w *world) {
	p := w.underReview()
	w.must(w.override(w.admin, p))
	w.wantGate(p, gate.Pass)
	w.setBack()
	w.must(w.decide(w.rob, idOf(p), review.Reject, "It must not go out.", "find"))
	w.clock = w.clock.Add(2 * time.Hour)
	w.wantGate(p, gate.Blocked, "approval:find")
}

func clockOverrideEnds(w *world) {
	p := w.underReview()
	w.must(w.override(w.admin, p))
	begun := w.clock
	w.setBack()
	w.wantGate(p, gate.Blocked, "approval:find")
	w.clock = begun
	w.wantGate(p, gate.Pass)
	w.clock = begun.AddDate(1, 0, 0)
	w.wantGate(p, gate.Blocked, "approval:find")
}

// clockBase: a tool that the second release brought is gone in the third push. Seen
// from the first nothing would be missing.
func clockBase(w *world) {
	w.released("1", listing(tool("find", "Finds.")))
	w.setBack()
	w.released("2", listing(tool("find", "Finds."), tool("drop", "Drops.")))
	w.setBack()
	w.wantGate(w.push("3", listing(tool("find", "Finds it."))), gate.Blocked, "approval:find", "removal:drop")
}

func clockPolicy(w *world) {
	p := w.underReview()
	w.setBack()
	looser := gate.Policy{Preset: gate.Team, Lines: map[gate.Row]gate.Line{gate.RowWording: {Approvals: 1, Rule: true}, gate.RowBehaviour: {Approvals: 1, Self: true}}}
	v, err := w.svc.SetPolicy(w.ctx, w.ana, "mot", looser, 1)
	w.must(err)
	_, err = w.svc.DecidePolicy(w.ctx, w.ben, "mot", v.Policy.Version, true)
	w.must(err)
	w.wantGate(p, gate.Blocked, "approval:find")
	w.clock = w.clock.Add(2 * time.Hour)
	w.wantGate(p, gate.Blocked, "approval:find")
}

// clockAhead: a clock that is a year ahead for a while takes nothing away and lets
// nothing pass: what was given before and meanwhile holds, later acts come later, and
// what was released then is the base of what is pushed once the clock is right again.
func clockAhead(w *world) {
	first := w.underReview()
	w.approve(w.rita, idOf(first), "find")
	w.must(w.override(w.admin, w.push("2.1", changed("Finds. Never thrice."))))
	right := w.clock

	w.clock = right.AddDate(1, 0, 0)
	w.wantGate(first, gate.Pass)
	w.wantGate(w.push("2.1", changed("Finds. Never thrice.")), gate.Blocked, "approval:find") // the override is over
	w.release(first)
	next := w.push("3", changed("Finds. Never four times."))
	w.must(w.decide(w.rita, idOf(next), review.Reject, "It says nothing.", "find"))

	w.clock = right.Add(time.Minute)
	w.wantGate(first, gate.Pass)
	w.wantGate(next, gate.Blocked, "approval:find")
	w.must(w.decide(w.rita, idOf(next), review.Withdraw, "It says enough.", "find"))
	w.approve(w.rita, idOf(next), "find")
	w.wantGate(next, gate.Pass)
	w.release(next)
	after := w.push("4", changed("Finds. Never five times."))
	if v := w.view(idOf(after)); v.State != review.StateInReview || v.Base.Version != "3" {
		w.Errorf("4 is %s, compared with %s", v.State, v.Base.Version)
	}
	w.approve(w.rita, idOf(after), "find")
	w.release(after)
}
