package reviewtest

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lock"
)

// Gate, lock and verify are asked about the same thing by different people: they say the
// same, whichever is asked, and before a release as after it.
var agreeCases = map[string]func(*world){
	"an author's own answer is marked in what carries it": agreeAlone,
	"a removal is told apart, and who approved it":        agreeRemoved,
	"a rejection elsewhere":                               agreeRejected,
	"every version that holds it raises the alarm":        agreeHolders,
	"a version is asked for":                              agreeVersion,
	"the current release pushed again":                    agreeCurrent,
	"which release a tool is of":                          agreeElsewhere,
	"an author pairs nothing":                             agreePairing,
}

func (w *world) question(q review.Question) *review.GateAnswer {
	w.Helper()
	g, err := w.svc.Gate(w.ctx, w.vic, "mot", q)
	w.must(err)
	return g
}

func approvalsOf(g *review.GateAnswer, tool string) []review.Approval {
	return slices.DeleteFunc(slices.Clone(g.Approvals), func(a review.Approval) bool { return a.Tool != tool })
}

func agreeAlone(w *world) {
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe))
	if g := w.gate(w.released("1", three()).Answer.Listing.Digest); !g.Independent {
		w.Error("a baseline of somebody else's push is marked")
	}
	two, err := w.svc.Upload(w.ctx, w.ana, "mot", review.PushParams{Version: "2"}, []byte(changed("Finds. Never twice.")), "")
	w.must(err)
	w.clock = w.clock.Add(1e9)
	w.approve(w.ana, idOf(two), "find")
	if g := w.wantGate(two, gate.Pass); g.Independent {
		w.Error("before the release it is not marked")
	}
	w.release(two)
	g := w.wantGate(two, gate.Pass)
	if a := approvalsOf(g, "find"); g.Independent || len(a) != 1 || a[0].By != "Ana" || a[0].Note != "It is fine." || a[0].Independent {
		w.Errorf("after the release: independent %t, %+v", g.Independent, a)
	}
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.Team))
	for version, text := range map[string]string{"3": "Lists all."} {
		p := w.push(version, listing(tool("find", "Finds. Never twice."), tool("drop", "Drops."), tool("list", text)))
		w.approveAll(idOf(p))
		w.release(p)
		g := w.wantGate(p, gate.Pass)
		find, list := approvalsOf(g, "find"), approvalsOf(g, "list")
		if g.Independent || len(find) != 1 || find[0].By != "release 2" || find[0].Independent || len(list) != 1 || !list[0].Independent {
			w.Errorf("carried into %s: independent %t, %+v, %+v", version, g.Independent, find, list)
		}
	}
	back := w.push("4", listing(tool("find", "Finds. Never twice. "), tool("drop", "Drops."), tool("list", "Lists all.")))
	w.approveAll(idOf(back))
	if g := w.wantGate(back, gate.Pass); !g.Independent {
		w.Error("Rita approved the bytes anew, and they are still marked")
	}
	w.release(back)
	again := w.push("5", listing(tool("find", "Finds. Never twice."), tool("drop", "Drops."), tool("list", "Lists all.")))
	if g := w.wantGate(again, gate.Pass); g.Independent {
		w.Error("a revert to what an author approved alone is not marked")
	}
}

func agreeRemoved(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds."), tool("list", "Lists.")))
	w.approve(w.rita, idOf(p), "drop")
	for range 2 {
		g := w.wantGate(p, gate.Pass)
		if a := approvalsOf(g, "drop"); len(a) != 1 || a[0].Kind != change.Removed || a[0].By != "Rita" || a[0].Note != "It is fine." {
			w.Errorf("the removal: %+v", a)
		}
		if a := approvalsOf(g, "find"); len(a) != 1 || a[0].Kind != "" {
			w.Errorf("what stays: %+v", a)
		}
		if w.view(idOf(p)).Release.ReleasedAt.IsZero() {
			w.release(p)
		}
	}
}

func agreeRejected(w *world) {
	one := w.released("1", three())
	w.released("2", changed("Finds. Never twice."))
	back := w.push("3", three())
	w.must(w.decide(w.rob, idOf(back), review.Reject, "It lies.", "find"))
	if g := w.question(review.Question{Version: "1"}); g.Result != gate.Blocked || g.Digest != one.Answer.Listing.Digest {
		w.Errorf("the gate of what was rejected elsewhere is %s", g.Result)
	}
	_, err := w.svc.Lock(w.ctx, w.vic, "mot", "", "1")
	w.refused(err, review.Conflict, "no lock", "Rejected by Rob: It lies.")
	c, err := w.svc.Verify(w.ctx, w.vic, "mot", "", []byte(three()))
	w.must(err)
	if c.State != lock.Same || c.Gate != gate.Blocked || !strings.Contains(c.Why, "Rejected by Rob") {
		w.Errorf("verify says %s, %s, %q", c.State, c.Gate, c.Why)
	}
	w.must(w.decide(w.rob, idOf(back), review.Withdraw, "It does not.", "find"))
	_, err = w.svc.Lock(w.ctx, w.vic, "mot", "", "1")
	w.refused(err, review.Unavailable) // it would be signed
	if c, err = w.svc.Verify(w.ctx, w.vic, "mot", "", []byte(three())); err != nil || c.Gate != gate.Pass {
		w.Errorf("verify after it was taken back: %+v, %v", c, err)
	}
}

func agreeHolders(w *world) {
	w.released("1", three())
	since := w.clock
	w.released("2", changed("Finds. Never twice."))
	for _, version := range []string{"3", "4"} {
		p := w.push(version, listing(tool("find", "Finds. Never twice."), tool("drop", "Drops."), tool("list", "Lists "+version+".")))
		w.approve(w.rob, idOf(p), "list")
		w.release(p)
	}
	done, err := w.svc.RevokeAnswers(w.ctx, w.admin, w.rita.User.ID, since, "Phished.")
	w.must(err)
	if len(done.Alarms) != 3 {
		w.Errorf("alarms: %+v", done.Alarms)
	}
	for version, want := range map[string]gate.Result{"1": gate.Pass, "2": gate.Blocked, "3": gate.Blocked, "4": gate.Blocked} {
		if g := w.question(review.Question{Version: version}); g.Result != want {
			w.Errorf("the gate of %s is %s", version, g.Result)
		}
	}
	next := w.push("5", changed("Finds. Never twice."))
	w.requirement(w.wantGate(next, gate.Blocked), "alarm:4")
}

func agreeVersion(w *world) {
	one := w.released("1", three())
	w.released("2", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."), tool("sort", "Sorts.")))
	w.push("3", three())
	digest := one.Answer.Listing.Digest
	for _, tt := range []struct {
		q    review.Question
		want gate.Result
		of   string
	}{
		{review.Question{Version: "1"}, gate.Pass, "1"},
		{review.Question{Version: "1", Digest: digest}, gate.Pass, "1"},
		{review.Question{Version: "3"}, gate.Blocked, "3"},
		{review.Question{Version: "3", Digest: digest}, gate.Blocked, "3"},
		{review.Question{Digest: digest}, gate.Blocked, "3"},
		{review.Question{Version: "2", Digest: digest}, gate.Undecided, ""},
		{review.Question{Version: "9"}, gate.Undecided, ""},
	} {
		g, of := w.question(tt.q), ""
		if g.Release != nil {
			of = g.Release.Version
		}
		if g.Result != tt.want || of != tt.of {
			w.Errorf("%+v: %s of %q (%s)", tt.q, g.Result, of, g.Why)
		}
	}
	_, err := w.svc.Gate(w.ctx, w.vic, "mot", review.Question{})
	w.refused(err, review.Invalid, "version")
}

func agreeCurrent(w *world) {
	one := w.released("1", three())
	again := w.push("2", three())
	_, err := w.svc.Comment(w.ctx, w.rob, idOf(again), review.NewComment{Body: "Wait.", Blocks: true})
	w.must(err)
	if g := w.wantGate(one, gate.Pass); g.Release.Version != "1" {
		w.Errorf("answered for %s", g.Release.Version)
	}
	if g := w.question(review.Question{Version: "2"}); g.Result != gate.Blocked {
		w.Errorf("the version with the thread is %s", g.Result)
	}
}

func agreeElsewhere(w *world) {
	w.released("1", three())
	w.released("2", listing(tool("find", "Finds."), tool("list", "Lists.")))
	c, err := w.svc.Verify(w.ctx, w.vic, "mot", "", []byte(listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."), tool("steal", "Steals."))))
	w.must(err)
	if c.State != lock.Differs || !strings.Contains(c.Why, "Compared with 2.") || !strings.HasSuffix(c.Why, " As released in 1: drop.") {
		w.Errorf("verify says %s, %q", c.State, c.Why)
	}
}

func agreePairing(w *world) {
	w.released("1", three())
	m := w.sending("2", renamed("search", "Looks through the whole archive of letters."))
	m.params.Author = email("Rita")
	p := w.pushAs(m)
	w.must(w.decide(w.rob, idOf(p), review.Reject, "Callers need it.", "find"))
	_, err := w.svc.Pair(w.ctx, w.ben, idOf(p), "find", "search")
	w.refused(err, review.Conflict, "rejected by Rob")
	w.approve(w.rob, idOf(p), "find", "search")
	w.wantGate(p, gate.Pass)
	_, err = w.svc.Pair(w.ctx, w.rita, idOf(p), "find", "search")
	w.refused(err, review.Forbidden, "a reviewer says")
	_, err = w.svc.Merge(w.ctx, w.rita, idOf(p), []string{"find"}, "search")
	w.refused(err, review.Forbidden)
	w.wantGate(p, gate.Pass)
	v, err := w.svc.Pair(w.ctx, w.ben, idOf(p), "find", "search")
	w.must(err)
	_, err = w.svc.Unpair(w.ctx, w.rita, idOf(p), v.Pairings[0].ID)
	w.refused(err, review.Forbidden)
	mine, err := w.svc.Release(w.ctx, w.rita, idOf(p))
	if w.must(err); v.Actions.Rename != "" || mine.Actions.Rename == "" {
		w.Errorf("offered: %q to Ben, %q to Rita", v.Actions.Rename, mine.Actions.Rename)
	}
}
