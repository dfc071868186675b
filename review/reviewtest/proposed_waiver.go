package reviewtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
)

// propose sends the waivers of a file for a release, signed with the secret of the
// world's server.
func (w *world) propose(release string, ws ...lint.Waiver) ([]review.ProposedFate, error) {
	w.Helper()
	return w.proposeAs(w.sending("", ""), release, ws...)
}

func (w *world) proposeAs(m *sending, release string, ws ...lint.Waiver) ([]review.ProposedFate, error) {
	w.Helper()
	body, err := json.Marshal(ws)
	w.must(err)
	m.body, m.pathQuery = string(body), "/api/v1/servers/mot/waivers/proposed"
	return w.svc.ProposeWaivers(w.ctx, w.incoming(m), review.Proposed{Release: release, Waivers: ws})
}

// inFile is what a file says of the finding of a rule.
func (w *world) inFile(release, rule string) lint.Waiver {
	w.Helper()
	f := w.found(release, rule)
	return lint.Waiver{Fingerprint: f.Fingerprint, Rule: rule, Tool: f.Tool, Pointer: f.Pointer, Reason: "No user sees it.", By: "ann", Kind: lint.AcceptedRisk}
}

func (w *world) answer(a review.Actor, release string, n review.ProposedAnswer) error {
	w.Helper()
	_, err := w.svc.AnswerProposedWaiver(w.ctx, a, release, n)
	return err
}

// beside returns the proposed waivers beside the finding of a rule.
func (w *world) beside(release, rule string) []review.ProposedWaiver {
	w.Helper()
	return w.found(release, rule).Proposed
}

func proposedAccepted(w *world) {
	w.released("1", three())
	p := w.push("2", joined(conceals))
	id := idOf(p)
	file := w.inFile(id, "poison.conceal")
	fates, err := w.propose(id, file)
	w.must(err)
	if len(fates) != 1 || fates[0].State != review.ProposedOpen || fates[0].Idle != "" {
		w.Fatalf("fates: %+v", fates)
	}
	f := w.found(id, "poison.conceal")
	if f.Waived || !f.Counts() || len(f.Proposed) != 1 || f.Proposed[0].Author != "ann" || f.Proposed[0].PushedBy != "webhook" {
		w.Fatalf("a proposal counts for nothing: %+v", f)
	}
	g := w.wantGate(p, gate.Blocked, "approval:seek")
	if r := w.requirement(g, "approval:seek"); !strings.Contains(r.Why, "with a reason") {
		w.Errorf("a proposal changed what is asked: %s", r.Why)
	}
	w.must(w.answer(w.ana, id, review.ProposedAnswer{ID: f.Proposed[0].ID, Answer: review.AnswerAccept}))
	f = w.found(id, "poison.conceal")
	if !f.Waived || f.Waivers[0].ByLabel != "Ana" || f.Waivers[0].Reason != "No user sees it." || len(f.Proposed) != 0 {
		w.Errorf("accepted: %+v", f)
	}

	// The same again is not asked again, neither here nor in the next release.
	fates, err = w.propose(id, file)
	w.must(err)
	if fates[0].State != review.ProposedAccepted || fates[0].AnsweredByLabel != "Ana" {
		w.Errorf("again: %+v", fates)
	}
	w.must(w.decide(w.rita, id, review.Approve, "", "seek"))
	w.release(p)
	_, err = w.propose(id, file)
	w.refused(err, review.Conflict, "not under review")
	next := idOf(w.push("3", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists all."), tool("seek", conceals))))
	_, err = w.propose(next, file)
	w.must(err)
	if got := w.beside(next, "poison.conceal"); len(got) != 0 {
		w.Errorf("asked again: %+v", got)
	}
	if !w.found(next, "poison.conceal").Waived {
		w.Error("the accepted waiver does not hold in the next release")
	}
	log, err := w.svc.AuditLog(w.ctx, w.ana, review.AuditQuery{Server: "mot", Act: "waiver"}, review.Page{})
	w.must(err)
	var acts []string
	for _, e := range log {
		acts = append(acts, e.Act+" by "+e.Actor)
	}
	if !slices.Equal(acts, []string{"waiver.add by Ana", "waiver.propose by webhook"}) {
		w.Errorf("audit: %q", acts)
	}

	// A yes that holds no longer is not told as one.
	_, err = w.svc.EndWaiver(w.ctx, w.ana, next, w.found(next, "poison.conceal").Waivers[0].ID, "It is to be mended.")
	w.must(err)
	fates, err = w.propose(next, file)
	w.must(err)
	if !strings.Contains(fates[0].Idle, "it was accepted, but") {
		w.Errorf("after it was ended: %+v", fates)
	}
}

func proposedDeclined(w *world) {
	w.released("1", three())
	id := idOf(w.push("2", joined(conceals)))
	file := w.inFile(id, "poison.conceal")
	_, err := w.propose(id, file)
	w.must(err)
	ask := w.beside(id, "poison.conceal")[0].ID
	w.refused(w.answer(w.ana, id, review.ProposedAnswer{ID: ask, Answer: review.AnswerDecline, Why: " "}), review.Invalid, "Write why")
	w.must(w.answer(w.ana, id, review.ProposedAnswer{ID: ask, Answer: review.AnswerDecline, Why: "Users do see it."}))
	w.refused(w.answer(w.ben, id, review.ProposedAnswer{ID: ask, Answer: review.AnswerAccept}), review.Conflict, "answered")
	if f := w.found(id, "poison.conceal"); f.Waived || len(f.Proposed) != 0 {
		w.Errorf("declined: %+v", f)
	}
	fates, err := w.propose(id, file)
	w.must(err)
	if fates[0].State != review.ProposedDeclined || fates[0].Why != "Users do see it." || len(w.beside(id, "poison.conceal")) != 0 {
		w.Errorf("the same again: %+v", fates)
	}
	file.Reason = "They see a summary of it."
	_, err = w.propose(id, file)
	w.must(err)
	if got := w.beside(id, "poison.conceal"); len(got) != 1 {
		w.Errorf("another reason is another question: %+v", got)
	}
	_, err = w.propose(id) // the file lost it
	w.must(err)
	if got := w.beside(id, "poison.conceal"); len(got) != 0 {
		w.Errorf("the file lost it: %+v", got)
	}
	all, err := w.svc.ProposedWaivers(w.ctx, w.vic, "mot", review.Page{})
	w.must(err)
	if len(all) != 1 || all[0].State != review.ProposedDeclined {
		w.Errorf("kept: %+v", all)
	}
}

// proposedPlace: a finding at many places is waived at the one that the file names.
func proposedPlace(w *world) {
	p := w.push("1", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."), tool("seek", "Seeks."), tool("scan", "Scans.")))
	v := w.view(idOf(p))
	i := slices.IndexFunc(v.Findings, func(f review.Finding) bool { return len(f.Places) > 1 && f.Severity == lint.Warn })
	if i < 0 {
		w.Fatal("no finding at many places")
	}
	f := v.Findings[i]
	_, err := w.propose(idOf(p), lint.Waiver{Fingerprint: f.Places[1].Fingerprint, Reason: "Fine there.", Kind: lint.AcceptedRisk})
	w.must(err)
	w.must(w.answer(w.rita, idOf(p), review.ProposedAnswer{ID: w.view(idOf(p)).Findings[i].Proposed[0].ID, Answer: review.AnswerAccept}))
	got := w.view(idOf(p)).Findings[i]
	if got.Waived || len(got.Waivers) != 1 || got.Waivers[0].Fingerprint != f.Places[1].Fingerprint {
		w.Errorf("waivers %+v", got.Waivers)
	}
}

func proposedIdle(w *world) {
	w.released("1", three())
	id := idOf(w.push("2", joined(conceals)))
	good := w.inFile(id, "poison.conceal")
	gone, other, over := good, good, good
	gone.Fingerprint = "sha256:" + strings.Repeat("1", 64)
	other.Tool = "find"
	for name, c := range map[string]struct {
		file lint.Waiver
		want string
	}{"gone": {gone, "covers nothing"}, "another tool": {other, "names another"}} {
		fates, err := w.propose(id, c.file)
		w.must(err)
		if !strings.Contains(fates[0].Idle, c.want) || len(w.beside(id, "poison.conceal")) != 0 {
			w.Errorf("%s: %+v", name, fates)
		}
		if v := w.view(id); len(v.Proposed) != 1 || !strings.Contains(v.Proposed[0].Idle, c.want) {
			w.Errorf("%s: the page says %+v", name, v.Proposed)
		}
	}
	over.Expires = "2026-11-29"
	fates, err := w.propose(id, over)
	w.must(err)
	if !strings.Contains(fates[0].Idle, "last day") || len(w.view(id).Proposed) != 0 {
		w.Errorf("over: %+v", fates)
	}
	for want, spoil := range map[string]func(*lint.Waiver){
		"fingerprint":             func(f *lint.Waiver) { f.Fingerprint = "abc" },
		"has no reason":           func(f *lint.Waiver) { f.Reason = " " },
		"unknown rule":            func(f *lint.Waiver) { f.Rule = "no.rule" },
		"expires":                 func(f *lint.Waiver) { f.Expires = "soon" },
		"kind":                    func(f *lint.Waiver) { f.Kind = "whatever" },
		"the reason must be text": func(f *lint.Waiver) { f.Reason = "\u200b" },
		"text of at most":         func(f *lint.Waiver) { f.By = "a\x00" },
	} {
		f := good
		spoil(&f)
		_, err := w.propose(id, f)
		w.refused(err, review.Invalid, "Waiver 1: ", want)
	}
	_, err = w.propose(id, good, good)
	w.refused(err, review.Invalid, "Waiver 2: ", "same finding")
	_, err = w.propose(id, slices.Repeat([]lint.Waiver{good}, 501)...)
	w.refused(err, review.Invalid, "501")
}

func proposedRoles(w *world) {
	w.released("1", three())
	m := w.sending("2", joined(conceals))
	m.params.Author = email("Ana")
	id := idOf(w.pushAs(m))
	file := w.inFile(id, "poison.conceal")

	unsigned := w.sending("", "")
	unsigned.secret = "whsec_" + strings.Repeat("QUFB", 8)
	_, err := w.proposeAs(unsigned, id, file)
	w.refused(err, review.Unauthenticated)
	_, reading := w.token(review.NewToken{Name: "read", Scopes: []people.Scope{people.ScopeRead}, ServerSlug: "mot"})
	for bearer, kind := range map[string]review.Kind{reading: review.Forbidden, "cs_nothing": review.Unauthenticated} {
		m := w.sending("", "")
		m.bearer = bearer
		_, err = w.proposeAs(m, id, file)
		w.refused(err, kind)
	}
	if len(w.beside(id, "poison.conceal")) != 0 {
		w.Fatal("somebody who may not push proposes")
	}
	other, secret := w.addServer("other", gate.Team)
	foreign := w.sending("", "")
	foreign.slug, foreign.secret = other.Slug, secret
	_, err = w.proposeAs(foreign, id, file)
	w.refused(err, review.NotFound)

	_, pushing := w.token(review.NewToken{Name: "ci", Scopes: []people.Scope{people.ScopePush}, ServerSlug: "mot"})
	m = w.sending("", "")
	m.bearer = pushing
	_, err = w.proposeAs(m, id, file)
	w.must(err)
	yes := review.ProposedAnswer{ID: w.beside(id, "poison.conceal")[0].ID, Answer: review.AnswerAccept}
	no := review.ProposedAnswer{ID: yes.ID, Answer: review.AnswerDecline, Why: "No."}
	for _, n := range []review.ProposedAnswer{yes, no} {
		w.refused(w.answer(w.vic, id, n), review.Forbidden, "reviewer")
		w.refused(w.answer(w.rita, id, n), review.Forbidden, "maintainer")
		w.refused(w.answer(w.ana, id, n), review.Forbidden, "wrote or pushed")
		w.refused(w.answer(w.shell, id, n), review.Forbidden, "person")
	}
	w.refused(w.answer(w.ben, id, review.ProposedAnswer{ID: "nope", Answer: review.AnswerAccept}), review.NotFound)
	elsewhere := idOf(w.push("3", joined(conceals)))
	w.refused(w.answer(w.ben, elsewhere, yes), review.NotFound)
	w.must(w.answer(w.ben, id, yes))
}

// proposedExpires: a waiver ends with the last day that the file names, then the same
// proposal is over; without one it ends when the server says, and may be asked again.
func proposedExpires(w *world) {
	w.released("1", three())
	id := idOf(w.push("2", joined(conceals)))
	file := w.inFile(id, "poison.conceal")
	file.Expires = w.clock.AddDate(0, 0, 9).Format(time.DateOnly)
	accept := func(file lint.Waiver) review.Waiver {
		w.Helper()
		_, err := w.propose(id, file)
		w.must(err)
		ask := w.beside(id, "poison.conceal")
		if len(ask) != 1 {
			w.Fatalf("asked: %+v", ask)
		}
		w.must(w.answer(w.ana, id, review.ProposedAnswer{ID: ask[0].ID, Answer: review.AnswerAccept}))
		return w.found(id, "poison.conceal").Waivers[0]
	}
	if got := accept(file).Until.Format(time.DateTime); got != w.clock.AddDate(0, 0, 10).Format(time.DateOnly)+" 00:00:00" {
		w.Errorf("it holds until %s", got)
	}
	w.clock = w.clock.AddDate(0, 0, 10)
	if f := w.found(id, "poison.conceal"); f.Waived {
		w.Error("it outlives the day that the file names")
	}
	fates, err := w.propose(id, file)
	w.must(err)
	if !strings.Contains(fates[0].Idle, "last day") {
		w.Errorf("proposed after its last day: %+v", fates)
	}
	file.Expires = ""
	until := accept(file).Until
	w.clock = until.Add(time.Minute)
	_, err = w.propose(id, file)
	w.must(err)
	if len(w.beside(id, "poison.conceal")) != 1 {
		w.Error("what the server ended may be asked again")
	}
}
