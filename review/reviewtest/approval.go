package reviewtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

var approvalCases = map[string]func(*world){
	"1: CI pushed her commit, she approves":             approvalAuthor,
	"1: she approves what others push again":            approvalPushedAgain,
	"2: a token with push and review decides its push":  approvalToken,
	"3: team policy, one word changed":                  approvalOneWord,
	"8: a new profile":                                  approvalProfile,
	"11: removal approved, tool back, removed again":    approvalRemoval,
	"a removal is judged on the line of its version":    approvalRemovalLines,
	"13: the rejecter left":                             approvalRejecterLeft,
	"the rejecter lost the role":                        approvalRejecterDowngraded,
	"20: two approved digests under one name":           approvalTwins,
	"who may decide":                                    approvalRoles,
	"stale: nothing is stored":                          approvalStale,
	"5: decided from another base than the gate's":      approvalOtherBase,
	"a batch is atomic":                                 approvalAtomic,
	"a reason where the policy asks for one":            approvalReason,
	"content holds in any version, transition does not": approvalTransition,
	"a rejection blocks until it is taken back":         approvalRejection,
	"an author can't take a rejection back":             approvalAuthorRejected,
	"edit by edit":                                      approvalEdits,
	"evidence stays when one edit is taken back":        approvalEvidence,
	"one answer for many tools":                         approvalMany,
	"one answer that breaks many tools takes a reason":  approvalSweeps,
	"equal by rule":                                     approvalRule,
	"hidden characters are never passed by rule":        approvalHidden,
	"instructions":                                      approvalInstructions,
	"order":                                             approvalOrder,
	"errors block":                                      approvalErrors,
	"nobody who may decide is left":                     approvalNobody,
	"a policy applies at once":                          approvalPolicy,
	"a verdict on one tool changes no other":            approvalOthers,
	"a ref never closes the gate for what is released":  approvalRefBesideReleased,
	"bad items": approvalBad,
}

// changed is three with another text for find.
func changed(text string) string {
	return listing(tool("find", text), tool("drop", "Drops."), tool("list", "Lists."))
}

func approvalAuthor(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = email("Rita")
	p := w.pushAs(m)
	w.approve(w.rita, idOf(p), "find")
	g := w.wantGate(p, gate.Blocked, "approval:find")
	if r := w.requirement(g, "approval:find"); slices.Contains(r.WhoCan, "Rita") || !slices.Contains(r.WhoCan, "Rob") {
		w.Errorf("who can: %q", r.WhoCan)
	}
	v, err := w.svc.Release(w.ctx, w.rita, idOf(p))
	w.must(err)
	if c := v.Changes[0]; c.CanDecide || !strings.Contains(c.CannotWhy, "would not count") || !c.Verdicts[0].OwnPush {
		w.Errorf("her page says %t, %q", c.CanDecide, c.CannotWhy)
	}
	w.approve(w.rob, idOf(p), "find")
	if g := w.wantGate(p, gate.Pass); !g.Independent {
		w.Error("Rob is not the author")
	}
}

// approvalPushedAgain: the bytes that she brought stay hers in whatever release
// somebody pushes them again, alone or among other tools, and so does a removal.
func approvalPushedAgain(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = email("Rita")
	w.pushAs(m)
	again := w.pushAs(w.sending("3", changed("Finds. Never twice.")))
	w.approve(w.rita, idOf(again), "find")
	w.wantGate(again, gate.Blocked, "approval:find")
	among := w.pushAs(w.sending("4", listing(tool("find", "Finds. Never twice."), tool("drop", "Drops."), tool("list", "Lists."), tool("sort", "Sorts."))))
	w.approve(w.rita, idOf(among), "sort")
	w.wantGate(among, gate.Blocked, "approval:find", "approval:sort")

	gone := w.sending("5", listing(tool("find", "Finds."), tool("drop", "Drops.")))
	gone.params.Author = email("Rita")
	w.pushAs(gone)
	p := w.pushAs(w.sending("6", listing(tool("find", "Finds."), tool("drop", "Drops."))))
	w.approve(w.rita, idOf(p), "list")
	w.wantGate(p, gate.Blocked, "removal:list")
	w.approve(w.rob, idOf(p), "list")
	w.wantGate(p, gate.Pass)
}

func approvalToken(w *world) {
	w.released("1", three())
	bot, secret := w.token(review.NewToken{UserEmail: email("Rita"), ServerSlug: "mot", Scopes: []people.Scope{people.ScopePush, people.ScopeReview}})
	m := w.sending("2", changed("Finds. Never twice."))
	m.bearer = secret
	p := w.pushAs(m)
	w.refused(w.decide(bot, idOf(p), review.Approve, "Fine.", "find"), review.Forbidden, "pushed")
	w.approve(w.rita, idOf(p), "find") // the same person in the browser: stored, and not counted
	w.wantGate(p, gate.Blocked, "approval:find")
	machine, _ := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopeRead}})
	_, err := w.svc.Decide(w.ctx, machine, idOf(p), []review.VerdictItem{{Change: w.change(idOf(p), "find").ID, Verdict: review.Approve}})
	w.refused(err, review.Forbidden)
}

func approvalOneWord(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Found."))
	g := w.wantGate(p, gate.Blocked, "approval:find")
	if r := w.requirement(g, "approval:find"); r.Why != "Needs an approval." || r.Class != change.Text {
		w.Errorf("%+v", r)
	}
}

func approvalProfile(w *world) {
	w.released("1", three())
	m := w.sending("1", three())
	m.params.Profile = "eu"
	p := w.pushAs(m)
	g, err := w.svc.Gate(w.ctx, w.vic, "mot", review.Question{Profile: "eu", Digest: p.Answer.Listing.Digest})
	w.must(err)
	if g.Result != gate.Blocked || g.Profile != "eu" || g.Server != "mot" {
		w.Errorf("gate of the new profile: %+v", g)
	}
	g, err = w.svc.Gate(w.ctx, w.vic, "mot", review.Question{Profile: "us", Digest: p.Answer.Listing.Digest})
	w.must(err)
	if g.Result != gate.Undecided || g.Release != nil {
		w.Errorf("gate of a profile without pushes: %+v", g)
	}
}

func approvalRemoval(w *world) {
	w.released("1", three())
	without := listing(tool("find", "Finds."), tool("list", "Lists."))
	p := w.push("2", without)
	w.approve(w.rita, idOf(p), "drop")
	w.wantGate(p, gate.Pass)
	w.push("2", three())
	p = w.push("3", without)
	w.wantGate(p, gate.Blocked, "removal:drop")
	w.approve(w.rita, idOf(p), "drop")
	w.release(p)
	w.released("4", three()) // back, as released before
	p = w.push("5", without)
	w.wantGate(p, gate.Blocked, "removal:drop") // the approval was used up
}

// approvalRemovalLines: what others still list ends no approval of a removal; a release
// that has the tool, or a later push of the version itself, does, and the gate says so.
func approvalRemovalLines(w *world) {
	without := listing(tool("find", "Finds."), tool("list", "Lists."))
	w.released("1", three())
	p := w.push("2", without)
	w.approve(w.rita, idOf(p), "drop")
	m := w.sending("", three())
	m.params.Ref = "pr-13"
	w.pushAs(m)
	w.push("3", three())
	preview := w.sending("2", changed("Finds. Never twice."))
	preview.params.Preview = true
	w.pushAs(preview)
	part := w.sending("", strings.Replace(three(), "{", `{"nextCursor":"x",`, 1))
	part.params.Ref = "pr-13"
	w.pushAs(part)
	w.wantGate(p, gate.Pass)

	other := w.push("4", without)
	w.wantGate(other, gate.Pass) // equal bytes gone are asked for once
	w.push("4", three())
	other = w.push("4", without)
	w.wantLine(idOf(p), "removal:drop", "Approved by Rita.")
	w.wantLine(idOf(other), "removal:drop", "The approval by Rita does not count: it ended when push 2 of 4 had drop again.")
	w.push("2", part.body) // a part does not say that the tool is back
	p = w.push("2", without)
	w.wantLine(idOf(p), "removal:drop", "Approved by Rita.")

	w.release(w.push("5", three()))
	p = w.push("6", without)
	w.wantLine(idOf(p), "removal:drop", "it ended when 5 was released with drop in it")
	w.approve(w.rob, idOf(p), "drop")
	w.release(p)
	w.released("7", three())
	w.wantLine(idOf(w.push("8", without)), "removal:drop", "The approval by Rob does not count: it ended when 6 was released without drop, which used it up.")
}

// wantLine checks that a requirement of a release says something.
func (w *world) wantLine(releaseID, id, says string) {
	w.Helper()
	for _, r := range w.view(releaseID).Answer.Requirements {
		if r.ID == id {
			if !strings.Contains(r.Why, says) {
				w.Errorf("%s says %q, want %q", id, r.Why, says)
			}
			return
		}
	}
	w.Errorf("no requirement %s", id)
}

func approvalRejecterLeft(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	w.must(w.decide(w.rob, idOf(p), review.Reject, "No.", "find"))
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.rob.User.ID))
	w.refused(w.decide(w.rita, idOf(p), review.Withdraw, "He left.", "find"), review.Forbidden, "maintainer")
	g := w.wantGate(p, gate.Blocked, "approval:find")
	if r := w.requirement(g, "approval:find"); !slices.Equal(r.WhoCan, []string{"Ada", "Ana", "Ben"}) {
		w.Errorf("who can: %q", r.WhoCan)
	}
	w.refused(w.decide(w.ana, idOf(p), review.Withdraw, " ", "find"), review.Invalid, "Rob")
	w.must(w.decide(w.ana, idOf(p), review.Withdraw, "He left and the text is fine.", "find"))
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	log, err := w.svc.AuditLog(w.ctx, w.ana, review.AuditQuery{Server: "mot"}, review.Page{})
	w.must(err)
	if !slices.ContainsFunc(log, func(e review.AuditAct) bool { return e.Act == "verdict.revoke" && e.Actor == "Ana" }) {
		w.Error("the audit does not tell who took the rejection back")
	}
}

// approvalRejecterDowngraded: whoever may not decide any more can't take a rejection
// back, so that a maintainer can.
func approvalRejecterDowngraded(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	for _, role := range []people.Role{people.Viewer, people.NoRole} {
		w.must(w.decide(w.rob, idOf(p), review.Reject, "No.", "find"))
		w.refused(w.decide(w.ana, idOf(p), review.Withdraw, "Overruled.", "find"), review.Conflict, "no answer of yours")
		w.must(w.setRole(w.shell, w.rob.User.ID, "mot", role))
		g := w.wantGate(p, gate.Blocked, "approval:find")
		if r := w.requirement(g, "approval:find"); !slices.Equal(r.WhoCan, []string{"Ada", "Ana", "Ben"}) {
			w.Errorf("as %s, who can: %q", role, r.WhoCan)
		}
		w.must(w.decide(w.ana, idOf(p), review.Withdraw, "He works elsewhere now.", "find"))
		w.wantLine(idOf(p), "approval:find", "Needs an approval.")
		w.must(w.setRole(w.shell, w.rob.User.ID, "mot", people.Reviewer))
		w.rob = w.again(w.rob)
	}
	log, err := w.svc.AuditLog(w.ctx, w.ana, review.AuditQuery{Server: "mot"}, review.Page{})
	w.must(err)
	if !slices.ContainsFunc(log, func(e review.AuditAct) bool { return e.Act == "verdict.revoke" && e.Actor == "Ana" }) {
		w.Error("the audit does not tell who took the rejection back")
	}
}

func approvalTwins(w *world) {
	w.released("1", three())
	one, two := tool("find", "Finds one."), tool("find", "Finds two.")
	w.released("2", listing(one, tool("drop", "Drops."), tool("list", "Lists.")))
	w.released("3", listing(two, tool("drop", "Drops."), tool("list", "Lists.")))
	p := w.push("4", listing(one, two, tool("drop", "Drops."), tool("list", "Lists.")))
	w.approveAll(idOf(p))
	w.wantGate(p, gate.Blocked, "problem:1", "problem:2")
}

func approvalRoles(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	stranger := w.person("Sue", people.NoRole+people.Reviewer, "")
	w.must(w.setRole(w.shell, stranger.User.ID, "", people.NoRole))
	stranger = w.again(stranger)
	for _, c := range []struct {
		who  review.Actor
		want review.Kind
	}{
		{w.vic, review.Forbidden}, {stranger, review.NotFound}, {review.Actor{}, review.Unauthenticated}, {w.shell, review.Forbidden},
	} {
		w.refused(w.decide(c.who, idOf(p), review.Approve, "", "find"), c.want)
		_, err := w.svc.OpenThread(w.ctx, c.who, idOf(p), review.Anchor{}, "Hello", false)
		if err == nil {
			w.Errorf("%s may comment", c.who.Label())
		}
	}
	_, err := w.svc.MarkReleased(w.ctx, w.rita, idOf(p), p.Answer.Listing.Digest)
	w.refused(err, review.Forbidden, "maintainer")
	_, err = w.svc.WithdrawRelease(w.ctx, w.rita, idOf(p), "No.", true)
	w.refused(err, review.Forbidden)
	_, err = w.svc.AcceptBaseline(w.ctx, w.rita, idOf(p), p.Answer.Listing.Digest, nil)
	w.refused(err, review.Forbidden)
}

func approvalStale(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds. Never twice."), tool("drop", "Drops. Never twice."), tool("list", "Lists.")))
	find, drop := w.change(idOf(p), "find").ID, w.change(idOf(p), "drop").ID
	w.push("2", listing(tool("find", "Finds. Never thrice."), tool("drop", "Drops. Never twice."), tool("list", "Lists.")))
	_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{
		{Change: drop, Verdict: review.Approve}, {Change: find, Verdict: review.Approve, Note: "Kept."},
	})
	w.refused(err, review.Stale, "Nothing was stored")
	var e *review.Error
	errors.As(err, &e)
	current, ok := e.Current.([]change.Change)
	if !ok || len(current) != 2 || current[0].ID == find {
		w.Errorf("current changes: %+v", e.Current)
	}
	if c := w.change(idOf(p), "drop"); len(c.Verdicts) != 0 || c.Requirement.State != gate.Open {
		w.Errorf("half of the batch was stored: %+v", c.Verdicts)
	}
	_, err = w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{{Change: "ch_never", Verdict: review.Approve}})
	w.refused(err, review.Stale)
}

// approvalOtherBase shows a change against the push before, which the gate does not
// take.
func approvalOtherBase(w *world) {
	w.released("1", three())
	w.push("2", changed("Finds. Never twice."))
	p := w.push("2", changed("Finds. Never twice. Never."))
	infos, err := w.svc.Listings(w.ctx, w.rita, "mot", review.Page{})
	w.must(err)
	v, err := w.svc.Compare(w.ctx, w.rita, "mot", infos[1].ID, infos[0].ID)
	w.must(err)
	_, err = w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{{Change: v.Report.Changes[0].ID, Verdict: review.Approve}})
	w.refused(err, review.Stale)
}

func approvalAtomic(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds. Never twice."), tool("list", "Lists.")))
	_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{
		{Change: w.change(idOf(p), "find").ID, Verdict: review.Approve},
		{Change: w.change(idOf(p), "drop").ID, Verdict: review.Approve}, // needs a reason
	})
	w.refused(err, review.Invalid, "drop", "reason")
	w.wantGate(p, gate.Blocked, "approval:find", "removal:drop")
}

func approvalReason(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds. Never twice."), tool("list", "Lists.")))
	w.must(w.decide(w.rita, idOf(p), review.Approve, "", "find")) // behaviour: none asked for
	for _, blank := range []string{"", " \n\t", "\u200b", "\u3164\u2800"} {
		w.refused(w.decide(w.rita, idOf(p), review.Approve, blank, "drop"), review.Invalid, "reason")
	}
	w.must(w.decide(w.rita, idOf(p), review.Approve, "Nobody calls it.", "drop"))
	g := w.wantGate(p, gate.Pass)
	i := slices.IndexFunc(g.Approvals, func(a review.Approval) bool { return a.Tool == "drop" })
	if i < 0 || g.Approvals[i].Note != "Nobody calls it." || g.Approvals[i].By != "Rita" {
		w.Errorf("approvals: %+v", g.Approvals)
	}
}

// approvalTransition renames a tool to and fro, which breaks callers each time.
func approvalTransition(w *world) {
	about := "Finds an order by its number, and says when it was paid. Refused when the number is unknown."
	named := func(name string) string {
		return listing(tool(name, about), tool("drop", "Drops."), tool("list", "Lists."))
	}
	w.released("1", named("find_order"))
	w.released("2", named("get_order"))
	p := w.push("3", named("find_order"))
	if c := w.change(idOf(p), "find_order"); c.Kind != change.Renamed || c.Class != change.Breaking {
		w.Fatalf("the rename is %s, %s", c.Kind, c.Class)
	}
	g := w.wantGate(p, gate.Blocked, "approval:find_order") // the bytes were released as 1
	if r := w.requirement(g, "approval:find_order"); !strings.Contains(r.Why, "step from the base") {
		w.Errorf("why: %s", r.Why)
	}
	w.approve(w.rita, idOf(p), "find_order")
	w.release(p)
	w.wantGate(w.push("4", named("get_order")), gate.Pass) // exactly this step was approved for 2
}

func approvalRejection(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	w.must(w.decide(w.rob, idOf(p), review.Reject, "No.", "find"))
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Blocked, "approval:find")
	later := w.push("3", changed("Finds. Never twice."))
	w.wantGate(later, gate.Blocked, "approval:find") // the same bytes, wherever they turn up
	w.refused(w.decide(w.ana, idOf(later), review.Withdraw, "Overruled.", "find"), review.Conflict, "no answer of yours")
	w.refused(w.decide(w.rob, idOf(later), review.Withdraw, "", "find"), review.Invalid)
	w.must(w.decide(w.rob, idOf(later), review.Withdraw, "I see now.", "find"))
	w.wantGate(later, gate.Pass)
	w.must(w.decide(w.rita, idOf(later), review.Withdraw, "", "find"))
	w.wantGate(later, gate.Blocked, "approval:find")
	w.must(w.decide(w.rob, idOf(later), review.Reject, "", "find"))
	w.refused(w.decide(w.rob, idOf(later), review.Approve, "", "find"), review.Invalid, "you rejected this")
	w.must(w.decide(w.rob, idOf(later), review.Approve, "Changed my mind.", "find"))
	w.wantGate(later, gate.Pass)
}

func approvalAuthorRejected(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = email("Ana")
	p := w.pushAs(m)
	w.must(w.decide(w.rob, idOf(p), review.Reject, "No.", "find"))
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.rob.User.ID))
	w.refused(w.decide(w.ana, idOf(p), review.Withdraw, "He left.", "find"), review.Forbidden)
	w.must(w.decide(w.ben, idOf(p), review.Withdraw, "He left.", "find"))

	// Who rejected and later pushes the same bytes has become the author.
	w.must(w.decide(w.rita, idOf(p), review.Reject, "No.", "find"))
	up, err := w.svc.Upload(w.ctx, w.rita, "mot", review.PushParams{Version: "3"}, []byte(changed("Finds. Never twice.")), "")
	w.must(err)
	w.refused(w.decide(w.rita, idOf(up), review.Withdraw, "Mine now.", "find"), review.Forbidden, "take a rejection")
	w.refused(w.decide(w.rita, idOf(up), review.Approve, "Mine now.", "find"), review.Forbidden)

	// What she says about her own push blocks too, and she can take it back.
	own, err := w.svc.Upload(w.ctx, w.rita, "mot", review.PushParams{Version: "4"}, []byte(changed("Finds. Never again.")), "")
	w.must(err)
	w.must(w.decide(w.rita, idOf(own), review.Reject, "Not yet.", "find"))
	w.approve(w.rob0(), idOf(own), "find")
	w.wantGate(own, gate.Blocked, "approval:find")
	w.must(w.decide(w.rita, idOf(own), review.Withdraw, "Now.", "find"))
	w.wantGate(own, gate.Pass)
}

// rob0 is somebody in Rob's place.
func (w *world) rob0() review.Actor { return w.person("Rolf", people.Reviewer, "mot") }

// approvalEvidence takes one edit out of an approval: the others keep what was tried.
func approvalEvidence(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds. Never twice.", `"title":"Find"`), tool("drop", "Drops."), tool("list", "Lists.")))
	c := w.change(idOf(p), "find")
	tried := []gate.Trial{{Prompt: "Find order 7", Host: "claude-code 2.1", Outcome: "Called it once"}}
	say := func(it review.VerdictItem) {
		_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{it})
		w.must(err)
	}
	say(review.VerdictItem{Change: c.ID, Verdict: review.Approve, Note: "So.", Evidence: tried})
	w.wantGate(p, gate.Pass)
	out := c.Details[0].Edit
	say(review.VerdictItem{Edit: out, Changes: []string{c.ID}, Verdict: review.Withdraw, Note: "Not that."})
	kept := 0
	for _, v := range w.change(idOf(p), "find").Verdicts {
		if v.Kind == review.Approve && v.Edit != "" && v.Edit != out {
			kept++
			if !slices.Equal(v.Evidence, tried) {
				w.Errorf("the approval of %s says that %v was tried", v.Edit, v.Evidence)
			}
		}
	}
	if kept == 0 {
		w.Error("the other edits lost their approval")
	}
	// Edit by edit, what was tried for each stays with the approval that they make.
	for i, e := range editsOf(&c.Change) {
		say(review.VerdictItem{Edit: e, Changes: []string{c.ID}, Verdict: review.Approve, Note: "Yes.", Evidence: []gate.Trial{{Prompt: fmt.Sprint("Try ", i), Outcome: "Fine"}}})
	}
	for _, a := range w.wantGate(p, gate.Pass).Approvals {
		if a.Tool == "find" && len(a.Evidence) != len(editsOf(&c.Change)) {
			w.Errorf("of what was tried edit by edit the gate says %v", a.Evidence)
		}
	}
}

func approvalEdits(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds. Never twice.", `"title":"Find"`), tool("drop", "Drops."), tool("list", "Lists.")))
	c := w.change(idOf(p), "find")
	if len(c.Details) < 2 {
		w.Fatalf("details: %+v", c.Details)
	}
	var edits []string
	for _, d := range c.Details {
		if !slices.Contains(edits, d.Edit) {
			edits = append(edits, d.Edit)
		}
	}
	answer := func(who review.Actor, edit string, kind review.VerdictKind) error {
		_, err := w.svc.Decide(w.ctx, who, idOf(p), []review.VerdictItem{{Edit: edit, Changes: []string{c.ID}, Verdict: kind, Note: "So."}})
		return err
	}
	for i, edit := range edits {
		w.wantGate(p, gate.Blocked, "approval:find")
		if i == 0 { // another person's half does not help
			w.must(answer(w.rob, edits[len(edits)-1], review.Approve))
		}
		w.must(answer(w.rita, edit, review.Approve))
	}
	w.wantGate(p, gate.Pass)
	w.must(answer(w.rita, edits[0], review.Withdraw))
	w.wantGate(p, gate.Blocked, "approval:find")
	w.must(answer(w.rita, edits[0], review.Approve))
	w.wantGate(p, gate.Pass)
	w.must(answer(w.rob, edits[0], review.Reject))
	w.wantGate(p, gate.Blocked, "approval:find")
	w.refused(answer(w.rita, "ed_never", review.Approve), review.Stale)
}

func approvalMany(w *world) {
	w.released("1", three())
	hint := `"annotations":{"destructiveHint":false}`
	p := w.push("2", listing(tool("find", "Finds.", hint), tool("drop", "Drops.", hint), tool("list", "Lists.", hint)))
	v := w.view(idOf(p))
	var item review.VerdictItem
	for _, e := range v.Report.Edits {
		if len(e.Changes) == 3 {
			item = review.VerdictItem{Edit: e.Edit, Changes: e.Changes, Verdict: review.Approve, Note: "All."}
		}
	}
	_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{item})
	w.refused(err, review.Invalid, "find (it does not say", "; drop (it", "apart from the others")

	// Whatever the edit is about, a tool that hints otherwise now is none of many.
	required := func(name, text, more string) string {
		return strings.Replace(tool(name, text, `"annotations":{"destructiveHint":`+more+`}`), `"properties"`, `"required":["id"],"properties"`, 1)
	}
	w.released("2.1", listing(tool("find", "Finds."), tool("drop", "Drops.", `"annotations":{"destructiveHint":true}`), tool("list", "Lists.")))
	p = w.push("2.2", listing(required("find", "Finds.", "true"), required("drop", "Drops.", "false"), required("list", "Lists.", "true")))
	for _, e := range w.view(idOf(p)).Report.Edits {
		if len(e.Changes) == 3 {
			item = review.VerdictItem{Edit: e.Edit, Changes: e.Changes, Verdict: review.Approve, Note: "All."}
		}
	}
	if g := w.wantGate(p, gate.Blocked, "approval:find", "approval:drop", "approval:list"); !strings.HasPrefix(g.Why, "Blocked: 2 decisions open.") {
		w.Errorf("one answer covers two of three, and the gate says %s", g.Why)
	}
	_, err = w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{item})
	w.refused(err, review.Invalid, "They are: drop (it does not say any more that it may destroy")
	drop := w.change(idOf(p), "drop")
	item.Changes = slices.DeleteFunc(slices.Clone(item.Changes), func(id string) bool { return id == drop.ID })
	_, err = w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{item})
	w.must(err)
	if drop.Alone == "" || w.change(idOf(p), "find").Alone != "" {
		w.Error("the page does not say which tool is decided by itself")
	}

	// Nor is a new tool that says it may destroy.
	warned := `"annotations":{"destructiveHint":true}`
	p = w.push("2.3", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."),
		tool("find_one", "Finds one."), tool("find_gone", "Finds and deletes.", warned), tool("find_two", "Finds two.")))
	if c := w.change(idOf(p), "find_gone"); !strings.Contains(c.Alone, "says that it may destroy") {
		w.Errorf("a new tool that destroys can be one of many: %q", c.Alone)
	}
	for _, d := range w.view(idOf(p)).Report.Decisions {
		if slices.Contains(d.Tools, "find_gone") && len(d.Tools) > 1 {
			w.Errorf("one decision for %q", d.Tools)
		}
	}

	title := `"outputSchema":{"type":"object"}`
	p = w.push("3", listing(tool("find", "Finds.", title), tool("drop", "Drops.", title), tool("list", "Lists.", title)))
	for _, e := range w.view(idOf(p)).Report.Edits {
		if len(e.Changes) == 3 {
			item = review.VerdictItem{Edit: e.Edit, Changes: e.Changes, Verdict: review.Approve, Note: "All."}
		}
	}
	_, err = w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{item})
	w.must(err)
	w.wantGate(p, gate.Pass)
}

// approvalSweeps breaks callers of two tools by one edit, under a policy that asks no
// reason for that: one answer for both takes one, tool by tool takes none.
func approvalSweeps(w *world) {
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.NotOurServer))
	required := func(name, text string) string {
		return strings.Replace(tool(name, text), `"properties"`, `"required":["id"],"properties"`, 1)
	}
	w.released("1", three())
	p := w.push("2", listing(required("find", "Finds."), required("drop", "Drops."), tool("list", "Lists.")))
	var edit change.Edit
	for _, e := range w.view(idOf(p)).Report.Edits {
		if len(e.Changes) == 2 && e.Class == change.Breaking {
			edit = e
		}
	}
	answer := func(note string, changes ...string) error {
		_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{{Edit: edit.Edit, Changes: changes, Verdict: review.Approve, Note: note}})
		return err
	}
	w.refused(answer(" ", edit.Changes...), review.Invalid, "breaks callers of 2 tools", "Write why")
	w.wantGate(p, gate.Blocked, "approval:find", "approval:drop")
	if c := w.change(idOf(p), "find"); !c.Sweeps(edit.Edit, 2) || c.Sweeps(edit.Edit, 1) {
		w.Error("the page does not know that it takes a reason")
	}
	w.must(answer("", edit.Changes[0]))
	w.must(answer("", edit.Changes[1]))
	w.wantGate(p, gate.Pass)

	p = w.push("3", listing(required("find", "Finds."), required("drop", "Drops."), required("list", "Lists.")))
	w.approveAll(idOf(p))
	w.release(p)
	p = w.push("4", three()) // open again, and nobody has to say why
	for _, e := range w.view(idOf(p)).Report.Edits {
		if len(e.Changes) == 3 {
			_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{{Edit: e.Edit, Changes: e.Changes, Verdict: review.Approve}})
			w.must(err)
		}
	}
	w.wantGate(p, gate.Pass)
}

func approvalRule(w *world) {
	w.released("1", three())
	p := w.push("2", listing(`{"description":"Finds.","name":"find","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"readOnlyHint":false}}`,
		tool("drop", "Drops."), tool("list", "Lists.")))
	if c := w.change(idOf(p), "find"); c.Class != change.None {
		w.Fatalf("a hint written out is %s", c.Class)
	}
	g := w.wantGate(p, gate.Pass)
	i := slices.IndexFunc(g.Approvals, func(a review.Approval) bool { return a.Tool == "find" })
	if i < 0 || g.Approvals[i].By != "rule none (engine "+change.Engine+")" || !strings.Contains(g.Why, "1 accepted by rule") {
		w.Errorf("approvals: %+v, why: %s", g.Approvals, g.Why)
	}
}

func approvalHidden(w *world) {
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe)) // passes texts by rule
	w.released("1", three())
	p := w.push("2", changed("Finds\u200b."))
	g := w.wantGate(p, gate.Blocked, "approval:find")
	if r := w.requirement(g, "approval:find"); !strings.Contains(r.Why, "Hidden characters") {
		w.Errorf("why: %s", r.Why)
	}
	w.refused(w.decide(w.rita, idOf(p), review.Approve, "", "find"), review.Invalid, "reason")
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
}

func approvalInstructions(w *world) {
	first := w.push("1", three())
	l, _, err := w.svc.Listing(w.ctx, w.vic, first.Answer.Listing.ID)
	w.must(err)
	env := surface.Envelope{Instructions: surface.Instructions{Asked: true, Present: true, Text: "Be kind."}}
	env.Results = append(env.Results, l.Surface.Raw)
	with := func(text string) string { env.Instructions.Text = text; return string(env.Encode()) }

	p := w.push("1", with("Be kind."))
	w.wantGate(p, gate.Blocked, "approval:find", "approval:drop", "approval:list", "instructions")
	_, err = w.svc.AcceptBaseline(w.ctx, w.ana, idOf(p), p.Answer.Listing.Digest, nil)
	w.must(err)
	w.wantGate(p, gate.Pass)
	w.release(p)
	p = w.push("2", with("Be kind. Never delete."))
	w.wantGate(p, gate.Blocked, "instructions")
	w.approve(w.rita, idOf(p), "instructions")
	w.wantGate(p, gate.Pass)
	w.release(p)
	w.wantGate(w.push("3", with("Be kind.")), gate.Pass) // released as 1
}

func approvalOrder(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("list", "Lists."), tool("find", "Finds."), tool("drop", "Drops.")))
	g := w.wantGate(p, gate.Pass)
	if r := w.requirement(g, "order"); r.State != gate.NotApplicable {
		w.Errorf("%+v", r)
	}
}

func approvalErrors(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."), `{"name":"bad","description":"Bad."}`))
	w.approveAll(idOf(p))
	g := w.wantGate(p, gate.Blocked, "problem:4")
	if r := w.requirement(g, "problem:4"); !strings.Contains(r.Why, "bad (tool 4)") || strings.Contains(r.Why, "baseline") {
		w.Errorf("why: %s", r.Why)
	}
}

func approvalNobody(w *world) {
	w.addServer("lonely", gate.Team)
	solo := w.person("Lone", people.Maintainer, "lonely")
	w.must(w.setRole(w.shell, w.admin.User.ID, "", people.Admin))
	up, err := w.svc.Upload(w.ctx, solo, "lonely", review.PushParams{Version: "1"}, []byte(three()), "")
	w.must(err)
	g, err := w.svc.Gate(w.ctx, solo, "lonely", review.Question{Digest: up.Answer.Listing.Digest})
	w.must(err)
	if r := w.requirement(g, "approval:find"); !slices.Equal(r.WhoCan, []string{"Ada"}) {
		w.Errorf("who can: %q", r.WhoCan)
	}
	up, err = w.svc.Upload(w.ctx, w.admin, "lonely", review.PushParams{Version: "1"}, []byte(changed("Finds!")), "")
	w.must(err)
	g, err = w.svc.Gate(w.ctx, solo, "lonely", review.Question{Digest: up.Answer.Listing.Digest})
	w.must(err)
	if r := w.requirement(g, "approval:find"); len(r.WhoCan) != 0 || !strings.Contains(r.Why, "Only Ada and Lone may decide here") {
		w.Errorf("%+v", r)
	}
}

func approvalPolicy(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Found."))
	w.wantGate(p, gate.Blocked, "approval:find")
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe))
	w.wantGate(p, gate.Pass)
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.Team))
	w.wantGate(p, gate.Blocked, "approval:find")
	v, err := w.svc.Server(w.ctx, w.vic, "mot")
	w.must(err)
	if v.Server.Policy.Version != 3 {
		w.Errorf("policy version %d", v.Server.Policy.Version)
	}
	w.refused(w.svc.SetPreset(w.ctx, w.rita, "mot", gate.JustMe), review.Forbidden)
	w.refused(w.svc.SetPreset(w.ctx, w.ana, "mot", "lax"), review.Invalid)
}

func approvalOthers(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds. Never twice."), tool("drop", "Drops. Never twice."), tool("list", "Lists. Never twice.")))
	w.approve(w.rita, idOf(p), "find")
	w.must(w.decide(w.rob, idOf(p), review.Reject, "No.", "drop"))
	g := w.wantGate(p, gate.Blocked, "approval:drop", "approval:list")
	if r := w.requirement(g, "approval:list"); r.Why != "Needs an approval." {
		w.Errorf("list: %s", r.Why)
	}
}

func approvalBad(w *world) {
	p := w.push("1", three())
	id := w.change(idOf(p), "find").ID
	for name, items := range map[string][]review.VerdictItem{
		"none":          {},
		"kind":          {{Change: id, Verdict: "accept"}},
		"nothing named": {{Verdict: review.Approve}},
		"both":          {{Change: id, Edit: "ed_x", Changes: []string{id}, Verdict: review.Approve}},
		"edit alone":    {{Edit: "ed_x", Verdict: review.Approve}},
		"note":          {{Change: id, Verdict: review.Approve, Note: "\xff"}},
		"NUL in a note": {{Change: id, Verdict: review.Approve, Note: "a\x00b"}},
		"long note":     {{Change: id, Verdict: review.Approve, Note: strings.Repeat("x", 70<<10)}},
	} {
		if _, err := w.svc.Decide(w.ctx, w.rita, idOf(p), items); review.KindOf(err) != review.Invalid {
			w.Errorf("%s: %v", name, err)
		}
	}
	contradictions(w, p, id)
	_, err := w.svc.Decide(w.ctx, w.rita, "nothing", []review.VerdictItem{{Change: id, Verdict: review.Approve}})
	w.refused(err, review.NotFound)
}

// contradictions: one batch that says yes and no to the same is refused whole; yes to
// one edit and no to another is an answer.
func contradictions(w *world, p *review.Pushed, id string) {
	yes := review.VerdictItem{Change: id, Verdict: review.Approve, Note: "Read."}
	no := review.VerdictItem{Change: id, Verdict: review.Reject, Note: "No."}
	of := func(edit string, v review.VerdictKind) review.VerdictItem {
		return review.VerdictItem{Edit: edit, Changes: []string{id}, Verdict: v, Note: "Read."}
	}
	for name, items := range map[string][]review.VerdictItem{
		"whole": {yes, no}, "the other way": {no, yes}, "whole and part": {yes, of("ed_x", review.Reject)}, "part and whole": {of("ed_x", review.Reject), yes},
		"one edit": {of("ed_x", review.Approve), of("ed_x", review.Reject)},
	} {
		_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), items)
		if review.KindOf(err) != review.Invalid || !strings.Contains(err.Error(), "approved and rejected") {
			w.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{of("ed_x", review.Approve), of("ed_y", review.Reject)}); err != nil && strings.Contains(err.Error(), "approved and rejected") {
		w.Errorf("two edits: %v", err)
	}
	if c := w.change(idOf(p), "find"); len(c.Verdicts) != 0 {
		w.Errorf("a refused batch stored %+v", c.Verdicts)
	}
}

// approvalRefBesideReleased: anybody whose pull request is pushed by ref could else
// turn the gate of released bytes, by sending their tools as a part.
func approvalRefBesideReleased(w *world) {
	p := w.released("1", three())
	part := w.sending("", strings.TrimSuffix(strings.TrimSpace(three()), "}")+`,"nextCursor":"2"}`)
	part.params = review.PushParams{Ref: "pr-1"}
	w.pushAs(part)
	w.wantGate(p, gate.Pass)
}
