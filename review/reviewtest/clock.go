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
