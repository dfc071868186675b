package reviewtest

import (
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

var storyCases = map[string]func(*world){
	"from the first push to the second release": storyMain,
	"just me":        storyJustMe,
	"not our server": storyNotOurServer,
}

// storyMain is the main path: baseline, release, a push with a changed, a removed
// and a new tool, decisions, a fix, release, and the same bytes again.
func storyMain(w *world) {
	v1 := w.push("1.0.0", three())
	if v1.Status != review.PushNew {
		w.Fatalf("the first push is answered %d", v1.Status)
	}
	g := w.wantGate(v1, gate.Blocked, "approval:find", "approval:drop", "approval:list")
	if !strings.Contains(g.Why, "1 decision open") || !strings.Contains(g.Why, "starting point") {
		w.Errorf("why: %s", g.Why)
	}
	_, err := w.svc.AcceptBaseline(w.ctx, w.ana, idOf(v1), v1.Answer.Listing.Digest, nil)
	w.must(err)
	g = w.wantGate(v1, gate.Pass)
	if len(g.Approvals) != 3 || g.Approvals[0].By != "baseline by Ana" {
		w.Errorf("approvals: %v", g.Approvals)
	}
	w.release(v1)

	v2 := w.push("1.1.0", listing(tool("find", "Finds. Never call it twice."), tool("list", "Lists."), tool("sort", "Sorts.")))
	w.wantGate(v2, gate.Blocked, "approval:find", "removal:drop", "approval:sort")
	_, err = w.svc.OpenThread(w.ctx, w.rita, idOf(v2), review.Anchor{Tool: "find", Pointer: "/description"}, "Why never twice?", false)
	w.must(err)
	w.approve(w.rita, idOf(v2), "drop", "sort")
	w.must(w.decide(w.rita, idOf(v2), review.Reject, "Say why.", "find"))
	g = w.wantGate(v2, gate.Blocked, "approval:find")
	if r := w.requirement(g, "approval:find"); !strings.Contains(r.Why, "Rejected by Rita: Say why.") || r.WhoCan[0] != "Rita" {
		w.Errorf("rejected: %+v", r)
	}

	fixed := w.push("1.1.0", listing(tool("find", "Finds. Never call it twice, it locks."), tool("list", "Lists."), tool("sort", "Sorts.")))
	if n := w.view(idOf(fixed)).Release.Head.N; n != 2 {
		w.Errorf("the fix is revision %d", n)
	}
	w.wantGate(fixed, gate.Blocked, "approval:find")
	w.approve(w.rob, idOf(fixed), "find")
	g = w.wantGate(fixed, gate.Pass)
	if !strings.Contains(g.Why, "3 approved by people") || !g.Independent {
		w.Errorf("why: %s, independent %t", g.Why, g.Independent)
	}
	w.release(fixed)
	g = w.wantGate(fixed, gate.Pass)
	if g.Release.State != review.StateReleased {
		w.Errorf("state is %s", g.Release.State)
	}

	again := w.push("1.1.1", listing(tool("find", "Finds. Never call it twice, it locks."), tool("list", "Lists."), tool("sort", "Sorts.")))
	w.wantGate(again, gate.Pass)
	if s := w.view(idOf(again)).State; s != review.StateReady {
		w.Errorf("the same bytes again are %s", s)
	}
}

func storyJustMe(w *world) {
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe))
	w.server.Policy.Preset = gate.JustMe
	w.released("1.0.0", three())
	up, err := w.svc.Upload(w.ctx, w.ana, "mot", review.PushParams{Version: "1.1.0"},
		[]byte(listing(tool("find", "Finds!"), tool("drop", "Drops. Never undo."), tool("list", "Lists."))), "")
	w.must(err)
	g := w.gate(up.Answer.Listing.Digest)
	if !g.Independent {
		w.Error("nothing is approved yet")
	}
	for _, r := range g.Requirements {
		if r.State == gate.Open && r.Class == "text" {
			w.Errorf("%s asks for a person", r.ID)
		}
	}
	w.approve(w.ana, idOf(up), "drop")
	g = w.wantGate(up, gate.Pass)
	if g.Independent {
		w.Error("Ana approved her own push, and nothing says so")
	}
}

func storyNotOurServer(w *world) {
	w.released("1.0.0", three())
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.NotOurServer))
	p := w.push("1.1.0", listing(tool("find", "Finds.\u200b"), tool("drop", "Drops."), tool("list", "Lists.")))
	g := w.wantGate(p, gate.Blocked, "approval:find")
	if r := w.requirement(g, "approval:find"); len(r.WhoCan) != 0 || !strings.Contains(r.Why, "Hidden characters") {
		w.Errorf("hidden characters: %+v", r)
	}
	w.refused(w.decide(w.rita, idOf(p), review.Approve, "Fine.", "find"), review.Conflict, "Hidden characters")
}
