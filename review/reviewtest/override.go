package reviewtest

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

const emergency = "Customers can't pay, see incident 17"

// underReview is a released version, and a next one with one tool changed.
func (w *world) underReview() *review.Pushed {
	w.released("1", three())
	return w.push("2", listing(tool("find", "Finds more."), tool("drop", "Drops."), tool("list", "Lists.")))
}

func (w *world) override(a review.Actor, p *review.Pushed, change ...func(*review.NewOverride)) error {
	w.Helper()
	n := review.NewOverride{Digest: p.Answer.Listing.Digest, Policy: 1, Reason: emergency}
	for _, f := range change {
		f(&n)
	}
	_, err := w.svc.Override(w.ctx, a, idOf(p), n)
	w.clock = w.clock.Add(time.Second)
	return err
}

var overrideCases = map[string]func(*world){
	"passes, is seen, ends":                             overridePasses,
	"who may":                                           overrideWhoMay,
	"what it is bound to":                               overrideBound,
	"new revision: blocked (acceptance 15)":             overrideNewRevision,
	"released by it vouches for nothing":                overrideReleased,
	"released by it is ahead of what was pushed before": overrideSupersedes,
	"12: what an account took back for others is back":  revokeLifted,
	"answers since a time are revoked (acceptance 12)":  revokeAnswers,
	"a rejection outlives its account (acceptance 13)":  rejecterGone,
}

func overridePasses(w *world) {
	p := w.underReview()
	w.wantGate(p, gate.Blocked, "approval:find")
	w.must(w.override(w.admin, p))
	for _, a := range []review.Actor{w.ana, w.rita} {
		in, err := w.svc.Inbox(w.ctx, a, review.Page{})
		w.must(err)
		if len(in.Notices) != 1 || in.Notices[0].Kind != review.NoticeOverride || !strings.Contains(in.Notices[0].Text, emergency) {
			w.Errorf("%s is told %+v", a.User.Name, in.Notices)
		}
	}
	g := w.wantGate(p, gate.Pass)
	if r := w.requirement(g, "approval:find"); r.State != gate.Overridden || !strings.Contains(r.Why, "incident 17") {
		w.Errorf("the requirement is %+v", r)
	}
	if len(g.Overrides) != 1 || g.Overrides[0].By != "Ada" || g.Overrides[0].Reason != emergency || g.Independent {
		w.Errorf("overrides %+v, independent %t", g.Overrides, g.Independent)
	}
	if slices.ContainsFunc(g.Approvals, func(a review.Approval) bool { return a.Tool == "find" }) {
		w.Errorf("an override approved something: %+v", g.Approvals)
	}
	w.refused(w.override(w.admin, p), review.Conflict, "Nothing is open")
	w.clock = w.clock.Add(gate.DefaultOverride - 3*time.Second)
	w.wantGate(p, gate.Pass)
	w.clock = w.clock.Add(time.Second)
	w.wantGate(p, gate.Blocked, "approval:find")

	w.must(w.override(w.admin, p))
	_, err := w.svc.EndOverride(w.ctx, w.ana, idOf(p))
	w.must(err)
	w.wantGate(p, gate.Blocked, "approval:find")
	_, err = w.svc.EndOverride(w.ctx, w.ana, idOf(p))
	w.refused(err, review.Conflict, "Nothing is overridden")
}

func overrideWhoMay(w *world) {
	p := w.underReview()
	w.refused(w.override(w.ana, p), review.Forbidden, "Only an administrator")
	w.refused(w.override(w.vic, p), review.Forbidden)
	_, err := w.svc.GrantOverride(w.ctx, w.ana, "mot", w.ben.User.ID, true)
	w.refused(err, review.Forbidden)
	_, err = w.svc.GrantOverride(w.ctx, w.admin, "mot", w.vic.User.ID, true)
	w.refused(err, review.Conflict, "reviewer first")
	waits, err := w.svc.GrantOverride(w.ctx, w.admin, "mot", w.rita.User.ID, true)
	w.must(err)
	if gs, err := w.svc.Grants(w.ctx, w.ana, "mot"); err != nil || waits == nil || len(gs) > 0 {
		w.Fatalf("one administrator alone lets rita override: %+v, %v", gs, err)
	}
	_, err = w.svc.GrantOverride(w.ctx, w.admin, "mot", w.rita.User.ID, true)
	w.refused(err, review.Conflict, "waits for a second person already")
	for _, a := range []review.Actor{w.admin, w.rita} {
		_, err = w.svc.DecideProposal(w.ctx, a, waits.ID, true)
		w.refused(err, review.Forbidden)
	}
	_, err = w.svc.DecideProposal(w.ctx, w.ana, waits.ID, true)
	w.must(err)
	w.must(w.override(w.rita, p))
	_, err = w.svc.EndOverride(w.ctx, w.admin, idOf(p))
	w.must(err)
	_, err = w.svc.GrantOverride(w.ctx, w.admin, "mot", w.rita.User.ID, false)
	w.must(err)
	w.refused(w.override(w.rita, p), review.Forbidden)
	// One that stays, for whoever edits it by hand.
	waits, err = w.svc.GrantOverride(w.ctx, w.admin, "mot", w.rob.User.ID, true)
	w.must(err)
	_, err = w.svc.DecideProposal(w.ctx, w.ana, waits.ID, true)
	w.must(err)

	own, err := w.svc.Upload(w.ctx, w.admin, "mot", review.PushParams{Version: "3"}, []byte(listing(tool("find", "Finds it all."))), "")
	w.must(err)
	w.refused(w.override(w.admin, own), review.Forbidden, "wrote or pushed")
}

func overrideBound(w *world) {
	p := w.underReview()
	for _, c := range []struct {
		change func(*review.NewOverride)
		kind   review.Kind
		word   string
	}{
		{func(n *review.NewOverride) { n.Reason = "  too short, this  " }, review.Invalid, "20 characters"},
		{func(n *review.NewOverride) { n.For = 8 * 24 * time.Hour }, review.Invalid, "seven days"},
		{func(n *review.NewOverride) { n.For = -time.Hour }, review.Invalid, "seven days"},
		{func(n *review.NewOverride) { n.Policy = 0 }, review.Invalid, "policy_version"},
		{func(n *review.NewOverride) { n.Policy = 2 }, review.Conflict, "policy changed"},
		{func(n *review.NewOverride) { n.Digest[0]++ }, review.Conflict, "listing changed"},
		{func(n *review.NewOverride) { n.Requirements = []string{"approval:drop"} }, review.Conflict, "not open"},
		{func(n *review.NewOverride) { n.Requirements = []string{} }, review.Invalid, "at least one"},
	} {
		w.refused(w.override(w.admin, p, c.change), c.kind, c.word)
	}
	w.must(w.override(w.admin, p, func(n *review.NewOverride) { n.Requirements, n.For = []string{"approval:find"}, time.Hour }))
	_, err := w.svc.OpenThread(w.ctx, w.rob, idOf(p), review.Anchor{Tool: "find", Side: "new"}, "Why more?", true)
	w.must(err)
	if g := w.gate(p.Answer.Listing.Digest); g.Result != gate.Blocked {
		w.Errorf("a thread that came later does not block: %s", g.Why)
	}

	m := w.sending("4", `{"tools":[],"nextCursor":"more"}`)
	part := w.pushAs(m)
	w.refused(w.override(w.admin, part), review.Conflict, "can't be judged")
}

func overrideNewRevision(w *world) {
	p := w.underReview()
	w.must(w.override(w.admin, p))
	w.wantGate(p, gate.Pass)
	next := w.push("2", listing(tool("find", "Finds even more."), tool("drop", "Drops."), tool("list", "Lists.")))
	w.wantGate(next, gate.Blocked, "approval:find")
}

func overrideReleased(w *world) {
	p := w.underReview()
	w.must(w.override(w.admin, p))
	w.release(p)
	next := w.push("3", listing(tool("find", "Finds more."), tool("drop", "Drops."), tool("list", "Lists all.")))
	w.wantGate(next, gate.Blocked, "approval:find", "approval:list")
	w.clock = w.clock.Add(8 * 24 * time.Hour)
	w.wantGate(p, gate.Blocked, "approval:find") // released, and still nobody answered
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	w.wantGate(next, gate.Blocked, "approval:list")
}

// overrideSupersedes lets a version out by override: what was pushed before it is behind,
// as after any release, and what comes next is compared with what was answered for.
func overrideSupersedes(w *world) {
	w.released("1", three())
	early := w.push("2", listing(tool("find", "Finds."), tool("drop", "Drops more."), tool("list", "Lists.")))
	w.approveAll(idOf(early))
	forced := w.push("3", listing(tool("find", "Finds more."), tool("drop", "Drops."), tool("list", "Lists.")))
	w.must(w.override(w.admin, forced))
	w.release(forced)

	v := w.view(idOf(early))
	if v.State != review.StateSuperseded || !strings.Contains(v.Overtaken, "Superseded by 3. Push it again") {
		w.Errorf("2 is %s after 3 was published: %q", v.State, v.Overtaken)
	}
	_, err := w.svc.MarkReleased(w.ctx, w.ana, idOf(early), early.Answer.Listing.Digest)
	w.refused(err, review.Conflict, "Superseded by 3")
	again := w.push("2", listing(tool("find", "Finds."), tool("drop", "Drops more."), tool("list", "Lists.")))
	if b := w.view(idOf(again)).Base; b == nil || b.Version != "1" {
		w.Errorf("2 is compared with %+v", b)
	}
	w.release(again) // its answers hold
	if s := w.view(idOf(forced)).State; s != review.StateReleased {
		w.Errorf("3 is %s", s)
	}

	waits := w.push("4", listing(tool("find", "Finds."), tool("drop", "Drops more."), tool("list", "Lists.")))
	broken := w.push("5", changed("Finds less."))
	w.must(w.override(w.admin, broken))
	w.release(broken)
	_, err = w.svc.MarkReleased(w.ctx, w.ana, idOf(waits), waits.Answer.Listing.Digest)
	w.refused(err, review.Conflict, "Superseded by 5")
	_, err = w.svc.WithdrawRelease(w.ctx, w.ana, idOf(broken), "It broke.", false)
	w.must(err)
	w.release(waits) // nothing that stands was pushed after it
}

func revokeAnswers(w *world) {
	w.released("1", three())
	since := w.clock
	p := w.push("2", listing(tool("find", "Finds more."), tool("drop", "Drops."), tool("list", "Lists.")))
	w.approve(w.rita, idOf(p), "find")
	w.release(p)
	next := w.push("3", listing(tool("find", "Finds more."), tool("drop", "Drops."), tool("list", "Lists all.")))
	w.must(w.decide(w.rita, idOf(next), review.Reject, "Not yet.", "list"))
	w.must(w.decide(w.rita, idOf(next), review.Approve, "Now.", "list"))
	w.must(w.override(w.admin, w.push("9", listing(tool("find", "Other."))))) // somebody else's stays
	w.wantGate(next, gate.Pass)

	_, err := w.svc.RevokeAnswers(w.ctx, w.ana, w.rita.User.ID, since, "Phished.")
	w.refused(err, review.NotFound)
	_, err = w.svc.RevokeAnswers(w.ctx, w.admin, w.rita.User.ID, since, " ")
	w.refused(err, review.Invalid)
	_, err = w.svc.PreviewRevocation(w.ctx, w.ana, w.rita.User.ID, since)
	w.refused(err, review.NotFound)
	ahead, err := w.svc.PreviewRevocation(w.ctx, w.admin, w.rita.User.ID, since)
	w.must(err)
	w.wantGate(next, gate.Pass)
	done, err := w.svc.RevokeAnswers(w.ctx, w.admin, w.rita.User.ID, since, "Phished.")
	w.must(err)
	if ahead.Verdicts != done.Verdicts || len(ahead.Released) != len(done.Releases) || ahead.Released[0].ID != done.Releases[0].ID {
		w.Errorf("the preview said %+v", ahead)
	}
	if done.Verdicts != 2 || done.Overrides != 0 || len(done.Alarms) != 1 || done.Alarms[0].ReleaseID != idOf(p) {
		w.Errorf("revoked %+v", done)
	}
	g := w.wantGate(next, gate.Blocked, "approval:list", "alarm:2")
	if r := w.requirement(g, "approval:list"); !strings.Contains(r.Why, "Rejected by Rita") {
		w.Errorf("her rejection does not stand again: %s", r.Why)
	}
	if r := w.requirement(w.wantGate(p, gate.Blocked, "alarm:2"), "alarm:2"); !strings.Contains(r.Why, "Phished.") || !slices.Equal(r.WhoCan, []string{"Ada", "Ana", "Ben"}) {
		w.Errorf("the released version asks for %+v", r)
	}
	_, err = w.svc.Lock(w.ctx, w.ana, "mot", "", "2")
	w.refused(err, review.Conflict, "no lock", "Phished.")
	if a := w.gate(p.Answer.Listing.Digest).Alarms; len(a) != 1 || !strings.Contains(a[0].Why, "Phished.") {
		w.Errorf("the released version raises no alarm: %+v", a)
	}
	home, err := w.svc.Home(w.ctx, w.vic)
	w.must(err)
	if told := w.notices(w.ana)[0]; told.Kind != review.NoticeAlarm || !strings.HasPrefix(told.Text, "of MOT "+done.Releases[0].Title()+": ") {
		w.Errorf("the alarm is told as %+v", told)
	}
	if len(home.Alarms) != 1 || home.Alarms[0].Release.ID != idOf(p) || len(home.Servers[0].Alarms) != 1 {
		w.Errorf("home raises %+v", home.Alarms)
	}
	w.refused(w.svc.ClearAlarms(w.ctx, w.rob, idOf(p), "Looked."), review.Forbidden)
	w.refused(w.svc.ClearAlarms(w.ctx, w.ana, idOf(p), ""), review.Invalid)
	w.must(w.svc.ClearAlarms(w.ctx, w.ana, idOf(p), "Read again by Ben."))
	if a := w.gate(p.Answer.Listing.Digest).Alarms; len(a) != 0 {
		w.Errorf("a cleared alarm is still raised: %+v", a)
	}
	w.wantGate(p, gate.Pass)
	_, err = w.svc.Lock(w.ctx, w.ana, "mot", "", "2")
	w.refused(err, review.Unavailable, "key") // it would be signed
	w.wantGate(next, gate.Blocked, "approval:list")
	again, err := w.svc.RevokeAnswers(w.ctx, w.admin, w.rita.User.ID, since, "Phished.")
	w.must(err)
	if again.Verdicts != 0 || len(again.Alarms) != 0 {
		w.Errorf("revoked twice: %+v", again)
	}
}

// revokeLifted: what an account took back for somebody who left stands again with the
// account's answers revoked.
func revokeLifted(w *world) {
	p := w.underReview()
	w.must(w.decide(w.rob, idOf(p), review.Reject, "It lies.", "find"))
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.rob.User.ID))
	w.clock = w.clock.Add(time.Minute)
	since := w.clock
	w.must(w.decide(w.ana, idOf(p), review.Withdraw, "He left.", "find"))
	w.approve(w.rita, idOf(p), "find")
	w.release(p)
	w.wantGate(p, gate.Pass)
	ahead, err := w.svc.PreviewRevocation(w.ctx, w.admin, w.ana.User.ID, since)
	w.must(err)
	done, err := w.svc.RevokeAnswers(w.ctx, w.admin, w.ana.User.ID, since, "Phished.")
	w.must(err)
	if ahead.Restored != 1 || done.Restored != 1 || len(done.Alarms) != 1 || done.Alarms[0].ReleaseID != idOf(p) {
		w.Errorf("restored %+v, the preview said %+v", done, ahead)
	}
	g := w.wantGate(p, gate.Blocked)
	if r := w.requirement(g, "approval:find"); !strings.Contains(r.Why, "Rejected by Rob: It lies.") {
		w.Errorf("why: %s", r.Why)
	}
	again, err := w.svc.RevokeAnswers(w.ctx, w.admin, w.ana.User.ID, since, "Phished.")
	if w.must(err); again.Restored != 0 {
		w.Errorf("restored twice: %+v", again)
	}
	w.refused(w.decide(w.ben, idOf(p), review.Withdraw, "I looked myself.", "find"), review.Conflict, "released")
}

func rejecterGone(w *world) {
	p := w.underReview()
	w.must(w.decide(w.rob, idOf(p), review.Reject, "It lies.", "find"))
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.rob.User.ID))
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Blocked, "approval:find")
	w.must(w.setRole(w.shell, w.rita.User.ID, "mot", people.Maintainer))
	w.wantGate(p, gate.Blocked, "approval:find")
}
