package reviewtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

var policyCases = map[string]func(*world){
	"loosening takes a second person (acceptance 14)":       policySecondPerson,
	"who counts as a second person":                         policyWhoIsSecond,
	"a guest alone is no second person":                     policyOnlyGuest,
	"loosening applies from the next release":               policyNextRelease,
	"tightening applies at once":                            policyAtOnce,
	"nobody could satisfy it":                               policyUnsatisfiable,
	"edited at once by two":                                 policyConflict,
	"saved as it is":                                        policyUnchanged,
	"what nobody may approve is an alarm":                   policyAlarms,
	"tried without saving":                                  policyTried,
	"each line of a policy, tried":                          policyTriedLines,
	"tried on releases far back":                            policyTriedFarBack,
	"an old lax release is named (acceptance 4)":            policyLaxPredecessor,
	"owners by family":                                      policyFamilies,
	"every open thread blocks":                              policyThreads,
	"signed pushes must be bound":                           policyBound,
	"answers by tokens of the shell":                        policyShellTokens,
	"a required property with a default":                    policyDefault,
	"approvals of destructive tools go stale":               policyDestructive,
	"what the operator sets at the shell":                   policyShell,
	"an override ends with the policy that it was given to": policyEndsOverride,
}

func quorum(n int) gate.Policy {
	return gate.Policy{Preset: gate.Team, Lines: map[gate.Row]gate.Line{gate.RowWording: {Approvals: n}}}
}

// setPolicy saves a policy as an actor who saw the latest.
func (w *world) setPolicy(a review.Actor, p gate.Policy) (*review.PolicyVersion, error) {
	w.Helper()
	v, err := w.svc.Policy(w.ctx, w.admin, "mot")
	w.must(err)
	made, err := w.svc.SetPolicy(w.ctx, a, "mot", p, v.Server.Policy.Version)
	w.clock = w.clock.Add(time.Second)
	return made, err
}

func (w *world) mustSetPolicy(a review.Actor, p gate.Policy, want review.PolicyState) *review.PolicyVersion {
	w.Helper()
	made, err := w.setPolicy(a, p)
	w.must(err)
	if made.State != want {
		w.Fatalf("version %d is %s (loosens %q), want %s", made.Policy.Version, made.State, made.Loosens, want)
	}
	return made
}

func findMore(more string) string {
	return listing(tool("find", "Finds "+more+"."), tool("drop", "Drops."), tool("list", "Lists."))
}

func policySecondPerson(w *world) {
	w.released("1", three())
	w.mustSetPolicy(w.ana, quorum(2), review.PolicyInForce)
	p, err := w.svc.Upload(w.ctx, w.ana, "mot", review.PushParams{Version: "2"}, []byte(findMore("more")), "")
	w.must(err)
	w.clock = w.clock.Add(time.Second)
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Blocked, "approval:find")

	made := w.mustSetPolicy(w.ana, quorum(1), review.PolicyProposed)
	if len(made.Loosens) != 1 || !strings.Contains(made.Loosens[0], "wording: 1 instead of 2") {
		w.Errorf("loosens %q", made.Loosens)
	}
	w.wantGate(p, gate.Blocked, "approval:find")
	_, err = w.svc.DecidePolicy(w.ctx, w.ana, "mot", made.Policy.Version, true)
	w.refused(err, review.Forbidden, "another maintainer")
	_, err = w.svc.DecidePolicy(w.ctx, w.rita, "mot", made.Policy.Version, true)
	w.refused(err, review.Forbidden)
	_, err = w.setPolicy(w.ben, quorum(3))
	w.refused(err, review.Conflict, "waits for a second person")
	_, err = w.svc.DecidePolicy(w.ctx, w.ben, "mot", made.Policy.Version, true)
	w.must(err)
	w.clock = w.clock.Add(time.Second)
	_, err = w.svc.DecidePolicy(w.ctx, w.ben, "mot", made.Policy.Version, true)
	w.refused(err, review.Conflict, "does not wait")
	w.wantGate(p, gate.Blocked, "approval:find") // it was open before
	w.wantGate(w.push("3", findMore("more")), gate.Pass)
}

func policyWhoIsSecond(w *world) {
	w.mustSetPolicy(w.ana, quorum(3), review.PolicyInForce)
	invited, _, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: "new@example.com", Name: "New", Role: people.Maintainer, Servers: []string{"mot"}})
	w.must(err)
	made := w.mustSetPolicy(w.ana, quorum(2), review.PolicyProposed)
	guest := review.Actor{User: invited, Via: "browser"}
	_, err = w.svc.DecidePolicy(w.ctx, guest, "mot", made.Policy.Version, true)
	w.refused(err, review.Forbidden, "count as one person")
	_, err = w.svc.DecidePolicy(w.ctx, w.ana, "mot", made.Policy.Version, false)
	w.must(err)
	v, err := w.svc.Policy(w.ctx, w.vic, "mot")
	w.must(err)
	if v.Proposed != nil || v.Versions[0].State != review.PolicyRefused || v.Server.Policy.Version != 2 {
		w.Errorf("after it was taken back: %+v", v.Versions[0])
	}

	w.must(w.svc.DisableUser(w.ctx, w.admin, w.ben.User.ID))
	w.must(w.svc.DisableUser(w.ctx, w.admin, invited.ID))
	w.must(w.setRole(w.admin, w.ana.User.ID, "mot", people.Maintainer))
	made = w.mustSetPolicy(w.again(w.ana), quorum(1), review.PolicyProposed) // the administrator is a maintainer too
	if made.Policy.Version != 4 {
		w.Errorf("a refused version's number is used again: %d", made.Policy.Version)
	}
}

// policyOnlyGuest: whom the administrator invited yesterday can't agree with her, so
// that nothing waits for anybody; once there is somebody else it waits for them alone.
func policyOnlyGuest(w *world) {
	w.must(w.setRole(w.shell, w.ana.User.ID, "mot", people.Viewer))
	w.must(w.setRole(w.shell, w.ben.User.ID, "mot", people.Viewer))
	cat, _, err := w.svc.AddUser(w.ctx, w.admin, review.NewUser{Email: "cat@example.com", Name: "Cat", Role: people.Maintainer, Servers: []string{"mot"}})
	w.must(err)
	w.mustSetPolicy(w.admin, quorum(2), review.PolicyInForce)
	w.mustSetPolicy(w.admin, quorum(1), review.PolicyInForce)
	w.must(w.setRole(w.admin, w.vic.User.ID, "mot", people.Reviewer)) // and the same for a role
	if got := w.roleOf(w.vic); got != people.Reviewer {
		w.Errorf("vic is %s: it waits for nobody", got)
	}

	w.must(w.setRole(w.shell, w.ben.User.ID, "mot", people.Maintainer))
	w.mustSetPolicy(w.admin, quorum(2), review.PolicyInForce)
	w.mustSetPolicy(w.admin, quorum(1), review.PolicyProposed)
	v, err := w.svc.Policy(w.ctx, w.admin, "mot")
	w.must(err)
	if !slices.Equal(v.Who, []string{"Ben"}) {
		w.Errorf("%q can agree, want Ben", v.Who)
	}
	for who, want := range map[*people.User]int{cat: 0, w.ben.User: 1} {
		in, err := w.svc.Inbox(w.ctx, review.Actor{User: who, Via: "browser"}, review.Page{})
		w.must(err)
		if len(in.Notices) != want {
			w.Errorf("%s is told %+v", who.Name, in.Notices)
		}
	}
	p := w.asked(w.admin, w.rob, people.Maintainer)
	listed, err := w.svc.Proposals(w.ctx, w.admin)
	w.must(err)
	if len(listed) != 1 || listed[0].ID != p.ID || !slices.Equal(listed[0].Who, []string{"Ben"}) {
		w.Errorf("listed: %+v", listed)
	}
}

func policyNextRelease(w *world) {
	w.released("1", three())
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.ben.User.ID))
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.ana.User.ID)) // the administrator is alone
	w.mustSetPolicy(w.admin, quorum(2), review.PolicyInForce)
	p := w.push("2", findMore("more"))
	w.approve(w.rita, idOf(p), "find")
	w.mustSetPolicy(w.admin, quorum(1), review.PolicyInForce)
	w.wantGate(p, gate.Blocked, "approval:find")
	if v := w.view(idOf(p)); v.Server.Policy.Version != 3 || v.Answer.Result != gate.Blocked {
		w.Errorf("the page has policy %d, gate %s", v.Server.Policy.Version, v.Answer.Result)
	}
	next := w.push("3", findMore("more"))
	w.wantGate(next, gate.Pass)
	w.approve(w.rob, idOf(p), "find")
	w.wantGate(p, gate.Pass)
}

func policyAtOnce(w *world) {
	w.released("1", three())
	p := w.push("2", findMore("more"))
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	w.mustSetPolicy(w.ana, quorum(2), review.PolicyInForce)
	w.wantGate(p, gate.Blocked, "approval:find")
}

func policyUnsatisfiable(w *world) {
	_, err := w.setPolicy(w.ana, quorum(6))
	w.refused(err, review.Conflict, "Nobody could satisfy", "5 people")
	p := quorum(1)
	p.Owners = []gate.OwnerRule{{People: []string{"vic@example.com"}}}
	_, err = w.setPolicy(w.ana, p)
	w.refused(err, review.Conflict, "vic@example.com")
	_, err = w.setPolicy(w.ana, gate.Policy{Preset: gate.Team, FindingSeverity: "bad"})
	w.refused(err, review.Invalid, "no severity")
	_, err = w.setPolicy(w.rita, quorum(2))
	w.refused(err, review.Forbidden)
}

func policyConflict(w *world) {
	w.mustSetPolicy(w.ana, quorum(2), review.PolicyInForce)
	_, err := w.svc.SetPolicy(w.ctx, w.ben, "mot", quorum(3), 1)
	w.refused(err, review.Conflict, "changed while you wrote", "2")
}

func policyTried(w *world) {
	w.released("1", three())
	p := w.push("2", findMore("more"))
	w.approve(w.rita, idOf(p), "find")
	tried, err := w.svc.TryPolicy(w.ctx, w.vic, "mot", quorum(2))
	w.must(err)
	if len(tried) != 1 || tried[0].Now.Result != gate.Pass || tried[0].Then.Result != gate.Blocked {
		w.Errorf("tried: %+v", tried)
	}
	w.wantGate(p, gate.Pass)
	tried, err = w.svc.TryPolicy(w.ctx, w.vic, "mot", gate.Policy{Preset: gate.JustMe})
	w.must(err)
	if tried[0].Then.Result != gate.Pass {
		w.Errorf("tried: %+v", tried)
	}
	if d := tried[0].Differs(); len(d) == 0 {
		w.Error("nothing differs where other rules let it pass")
	}
	tried, err = w.svc.TryPolicy(w.ctx, w.vic, "mot", w.view(idOf(p)).Server.Policy)
	w.must(err)
	if d := tried[0].Differs(); len(d) != 0 {
		w.Errorf("the policy in force differs from itself: %+v", d)
	}
	next := w.push("3", findMore("still more")) // blocked under both, by one approval more
	tried, err = w.svc.TryPolicy(w.ctx, w.vic, "mot", quorum(2))
	w.must(err)
	if tried[0].Release.ID != idOf(next) || tried[0].Now.Result != tried[0].Then.Result {
		w.Fatalf("tried: %+v", tried)
	}
	if d := tried[0].Differs(); len(d) != 1 || d[0].ID != "approval:find" || !strings.Contains(d[0].Then, "Needs 2 approvals") || d[0].Now != "Needs an approval. (open)" {
		w.Errorf("differs: %+v", d)
	}
	_, err = w.svc.TryPolicy(w.ctx, w.vic, "mot", gate.Policy{Preset: "lax"})
	w.refused(err, review.Invalid)
}

// policyTriedLines has one release that passes, with something for each line of a policy,
// and tries each line by itself: what it asks is what the gate would ask.
func policyTriedLines(w *world) {
	p := w.triedWorld()
	_, err := w.svc.OpenThread(w.ctx, w.rob, idOf(p), review.Anchor{Tool: "find", Side: "new"}, "Only a question.", false)
	w.must(err)
	w.wantGate(p, gate.Pass)
	w.clock = w.clock.AddDate(0, 0, 3)
	const two = ": {approvals: 2}}"
	for _, c := range []struct{ yaml, open string }{
		{"lines: {equal" + two, "approval:same"},
		{"lines: {wording" + two, "approval:find"},
		{"lines: {behaviour" + two, "approval:hint"},
		{"lines: {breaking" + two, "removal:list"},
		{"lines: {hidden" + two, "approval:veil"},
		{"lines: {hidden: {approvals: 1, block: true}}", "approval:veil"},
		{"lines: {findings" + two, "approval:seek"},
		{"lines: {wording: {approvals: 1, owner: true}}\nowners: [{people: [ben@example.com], names: [fi*]}]", "approval:find"},
		{"lines: {wording: {approvals: 1, owner: true}}\nowners: [{teams: [db], families: [search]}]\nteams: {db: [ben@example.com]}\nfamilies: {search: [find]}", "approval:find"},
		{"lines: {wording: {approvals: 1, owner: true}}\nowners: [{people: [ben@example.com], classes: [text]}]", "approval:find"},
		{"finding_severity: critical\nrules: {poison.conceal: critical}", "findings:seek"},
		{"finding_severity: info", "findings:find"},
		{"all_threads_block: true", "thread:"},
		{"order_asks: true", "order"},
		{"destructive_expiry_days: 2", "approval:drop"},
		{"no_shell_tokens: true", "approval:find"},
		{"limits: {ceiling: 1}", "tokens"},
		{"limits: {growth: 1}", "tokens"},
		{"limits: {hosts: [anthropic-messages]}", "preflight:anthropic-messages"},
		{"require_second_factor: true", ""},
		{"bound_deliveries_only: true", ""},
		{"preset: team", ""},
	} {
		w.tried(p, c.yaml, c.open)
	}
	w.wantGate(p, gate.Pass)
}

// tried tries a policy, and checks that it opens a requirement, "" for none, and that the
// gate as it is does not change.
func (w *world) tried(p *review.Pushed, yaml, open string) {
	w.Helper()
	pol, err := gate.ParseYAML([]byte(yaml))
	w.must(err)
	tried, err := w.svc.TryPolicy(w.ctx, w.vic, "mot", pol)
	w.must(err)
	if len(tried) != 1 || tried[0].Release.ID != idOf(p) || tried[0].Now.Result != gate.Pass {
		w.Fatalf("%s: tried %+v", yaml, tried)
	}
	var ids []string
	for _, r := range tried[0].Then.Requirements {
		if r.State == gate.Open {
			ids = append(ids, r.ID)
		}
	}
	asks := slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, open) })
	if open == "" && len(ids) > 0 || open != "" && !asks || (tried[0].Then.Result == gate.Pass) != (open == "") {
		w.Errorf("%s: %s, open are %q, want %q", yaml, tried[0].Then.Result, ids, open)
	}
}

// triedWorld has a release under review with one change of each kind, all approved once
// by Rita, find by a token that was made on the command line.
func (w *world) triedWorld() *review.Pushed {
	w.Helper()
	const destroys = `"annotations":{"destructiveHint":true}`
	w.released("1", listing(
		tool("find", "Finds."), tool("same", "Same."), tool("hint", "Hints."), tool("list", "Lists."), tool("veil", "Veils."), tool("seek", "Seeks."),
		tool("drop", "Drops.", destroys), tool("a.b", "Dotted."), tool("last", "Comes last."),
	))
	p := w.push("2", listing(
		tool("last", "Comes last."), tool("find", "Finds more."), tool("same", "Same.", `"annotations":{"readOnlyHint":false}`), tool("hint", "Hints. Never call it twice, not even where the first call was lost on its way to the server."), tool("veil", "Veils.\u200b"), tool("seek", conceals),
		tool("drop", "Drops all.", destroys), tool("a.b", "Dotted."),
	))
	rita, _ := w.token(review.NewToken{Name: "bot", ServerSlug: "mot", UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeReview}})
	w.approve(rita, idOf(p), "find")
	w.approve(w.rita, idOf(p), "hint", "list", "veil", "seek", "drop")
	return p
}

// policyTriedFarBack: an open release is tried however many came after it.
func policyTriedFarBack(w *world) {
	w.released("1", three())
	old := w.push("1.1", findMore("more"))
	for i := range 55 {
		p := w.push(fmt.Sprint("2.", i), findMore("more"))
		_, err := w.svc.WithdrawRelease(w.ctx, w.ana, idOf(p), "Too early.", false)
		w.must(err)
	}
	tried, err := w.svc.TryPolicy(w.ctx, w.vic, "mot", quorum(2))
	w.must(err)
	if len(tried) != 1 || tried[0].Release.ID != idOf(old) {
		w.Errorf("tried on %d releases", len(tried))
	}
}

// policyLaxPredecessor: naming a release from laxer times brings its bytes as base,
// never its policy.
func policyLaxPredecessor(w *world) {
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe))
	w.released("1", three())
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.Team))
	w.released("2", findMore("all"))
	m := w.sending("1.1", findMore("more"))
	m.params.Predecessor = "1"
	p := w.pushAs(m)
	w.must(w.confirm(w.ana, p))
	if v := w.view(idOf(p)); v.Base == nil || v.Base.Version != "1" {
		w.Fatalf("base %+v", v.Base)
	}
	w.wantGate(p, gate.Blocked, "approval:find")
}

func policyFamilies(w *world) {
	w.released("1", listing(tool("pay_card", "Charges a card."), tool("pay_cash", "Takes cash at the till."), tool("list_all", "Lists.")))
	p := gate.Policy{
		Preset: gate.Team, Lines: map[gate.Row]gate.Line{gate.RowWording: {Approvals: 1, Owner: true}},
		Owners:   []gate.OwnerRule{{Teams: []string{"money"}, Families: []string{"payment"}}},
		Teams:    map[string][]string{"money": {"ROB@example.com"}},
		Families: map[string][]string{"payment": {"pay_*"}},
	}
	w.mustSetPolicy(w.ana, p, review.PolicyInForce)
	next := w.push("2", listing(tool("pay_card", "Charges a card of the customer."), tool("pay_cash", "Takes cash at the till."), tool("list_all", "Lists all.")))
	w.approve(w.rita, idOf(next), "pay_card", "list_all")
	g := w.wantGate(next, gate.Blocked, "approval:pay_card")
	r := w.requirement(g, "approval:pay_card")
	if len(r.WhoCan) != 1 || r.WhoCan[0] != "Rob" || !strings.Contains(r.Why, "An owner is missing: team money") {
		w.Errorf("%+v", r)
	}
	w.approve(w.rob, idOf(next), "pay_card")
	w.wantGate(next, gate.Pass)

	// A tool that leaves the family by another name is still its matter.
	w.release(next)
	next = w.push("3", listing(tool("pay_card", "Charges a card of the customer."), tool("till_take_cash", "Takes cash at the till."), tool("list_all", "Lists all.")))
	if w.change(idOf(next), "till_take_cash").FromTool == nil {
		_, err := w.svc.Pair(w.ctx, w.rita, idOf(next), "pay_cash", "till_take_cash")
		w.must(err)
	}
	w.approve(w.rita, idOf(next), "till_take_cash")
	g = w.wantGate(next, gate.Blocked, "approval:till_take_cash")
	if r := w.requirement(g, "approval:till_take_cash"); !strings.Contains(r.Why, "An owner is missing: team money") {
		w.Errorf("%+v", r)
	}
}

func policyThreads(w *world) {
	w.released("1", three())
	p := w.push("2", findMore("more"))
	w.approve(w.rita, idOf(p), "find")
	asked, err := w.svc.OpenThread(w.ctx, w.rob, idOf(p), review.Anchor{Tool: "find", Side: "new"}, "Only a question.", false)
	w.must(err)
	w.wantGate(p, gate.Pass)
	w.mustSetPolicy(w.ana, gate.Policy{Preset: gate.Team, AllThreads: true}, review.PolicyInForce)
	if g := w.gate(p.Answer.Listing.Digest); g.Result != gate.Blocked || !strings.Contains(g.Why, "1 thread") {
		w.Errorf("gate is %s: %s", g.Result, g.Why)
	}
	_, err = w.svc.ResolveThread(w.ctx, w.rita, asked.ID)
	w.refused(err, review.Forbidden, "Who opened it can resolve it")
	made := w.mustSetPolicy(w.ana, gate.Policy{Preset: gate.Team}, review.PolicyProposed)
	_, err = w.svc.DecidePolicy(w.ctx, w.ben, "mot", made.Policy.Version, true)
	w.must(err)
	w.wantGate(p, gate.Blocked, "thread:"+asked.ID)
	_, err = w.svc.ResolveThread(w.ctx, w.rita, asked.ID) // the release is still judged as it was opened
	w.refused(err, review.Forbidden, "Who opened it can resolve it")
	_, err = w.svc.ResolveThread(w.ctx, w.rob, asked.ID)
	w.must(err)
	w.wantGate(p, gate.Pass)
}

func policyBound(w *world) {
	w.mustSetPolicy(w.ana, gate.Policy{Preset: gate.Team, BoundDeliveries: true}, review.PolicyInForce)
	_, err := w.send(w.sending("1", three()))
	w.refused(err, review.Unauthenticated, "bound to path and query")
	m := w.sending("1", three())
	m.id = review.Bind(m.id, m.pathQuery)
	w.pushAs(m)
}

func policyShellTokens(w *world) {
	w.released("1", three())
	p := w.push("2", findMore("more"))
	rita, _ := w.token(review.NewToken{Name: "bot", ServerSlug: "mot", UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeReview}})
	w.approve(rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	w.mustSetPolicy(w.ana, gate.Policy{Preset: gate.Team, NoShellTokens: true}, review.PolicyInForce)
	w.wantGate(p, gate.Blocked, "approval:find")
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
}

func policyDefault(w *world) {
	schema := func(required string) string {
		return listing(`{"name":"find","description":"Finds.","inputSchema":{"type":"object","properties":{"id":{"type":"string"},"max":{"type":"integer","default":10}},"required":[` + required + `]}}`)
	}
	w.released("1", schema(`"id"`))
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.Team))
	p := w.push("2", schema(`"id","max"`))
	w.refused(w.decide(w.rita, idOf(p), review.Approve, "", "find"), review.Invalid, "reason")
	_, err := w.setPolicy(w.shell, gate.Policy{Preset: gate.Team, RequiredWithDefault: true})
	w.must(err)
	w.must(w.decide(w.rita, idOf(p), review.Approve, "", "find"))
	w.wantGate(p, gate.Pass)
}

func policyDestructive(w *world) {
	drop := func(text string) string {
		return listing(tool("drop", text, `"annotations":{"destructiveHint":true}`), tool("list", "Lists."))
	}
	w.released("1", drop("Drops."))
	w.mustSetPolicy(w.ana, gate.Policy{Preset: gate.Team, DestructiveDays: 10}, review.PolicyInForce)
	p := w.push("2", drop("Drops for good."))
	w.approve(w.rita, idOf(p), "drop")
	w.wantGate(p, gate.Pass)
	w.clock = w.clock.AddDate(0, 0, 10)
	w.wantGate(p, gate.Blocked, "approval:drop")
	w.approve(w.rita, idOf(p), "drop")
	w.release(p)
	w.clock = w.clock.AddDate(0, 1, 0)
	w.wantGate(p, gate.Pass) // what is released stays so
}

func policyShell(w *world) {
	w.released("1", three())
	p := w.push("2", findMore("more"))
	w.wantGate(p, gate.Blocked)
	v := w.mustSetPolicy(w.shell, gate.Policy{Preset: gate.JustMe}, review.PolicyInForce)
	if v.By != "shell" || len(v.Loosens) == 0 {
		w.Errorf("%+v", v)
	}
	w.wantGate(p, gate.Pass)
	log, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{Server: "mot"}, review.Page{Limit: 1})
	w.must(err)
	if log[0].Act != "policy.set" || log[0].Via != "shell" || !strings.Contains(log[0].After, "passes by rule") {
		w.Errorf("the audit says %+v", log[0])
	}
}

// policyAlarms: hidden characters in a server that is not ours are told to its maintainers,
// in one notice however many tools have them; under other policies somebody decides them.
func policyAlarms(w *world) {
	w.released("1", three())
	alarms := func(a review.Actor) (out []string) {
		in, err := w.svc.Inbox(w.ctx, a, review.Page{})
		w.must(err)
		for _, n := range in.Notices {
			if n.Kind == review.NoticeAlarm {
				out = append(out, n.Text)
			}
		}
		return out
	}
	w.push("2", listing(tool("find", "Finds.\u200b"), tool("drop", "Drops."), tool("list", "Lists.")))
	if got := alarms(w.ana); len(got) > 0 {
		w.Errorf("under team an alarm is told: %q", got)
	}
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.NotOurServer))
	p := w.push("3", listing(tool("find", "Finds.\u200b"), tool("drop", "Drops.\u200b"), tool("list", "Lists.")))
	w.wantGate(p, gate.Blocked, "approval:drop", "approval:find")
	got := alarms(w.ana)
	if len(got) != 1 || !strings.Contains(got[0], "3, with hidden characters or grave findings in find, drop. The policy lets nobody approve that") {
		w.Errorf("the maintainer is told %q", got)
	}
	if got := alarms(w.rita); len(got) > 0 {
		w.Errorf("a reviewer is told %q", got)
	}
}

// policyUnchanged: a policy that asks the same is no new version, so that an override
// outlives it, and so does one that is read from its own text.
func policyUnchanged(w *world) {
	w.mustSetPolicy(w.ana, quorum(2), review.PolicyInForce)
	p := w.underReview()
	w.must(w.override(w.admin, p, func(n *review.NewOverride) { n.Policy = 2 }))
	w.wantGate(p, gate.Pass)
	text, err := quorum(2).YAML()
	w.must(err)
	read, err := gate.ParseYAML(text)
	w.must(err)
	for _, same := range []gate.Policy{quorum(2), read} {
		v := w.mustSetPolicy(w.ana, same, review.PolicyInForce)
		if !v.Unchanged || v.Policy.Version != 2 || len(v.Loosens) > 0 {
			w.Errorf("saved as it is: %+v", v)
		}
	}
	w.wantGate(p, gate.Pass)
	v, err := w.svc.Policy(w.ctx, w.ana, "mot")
	w.must(err)
	if len(v.Versions) != 2 || v.Versions[0].Unchanged {
		w.Errorf("%d versions", len(v.Versions))
	}
}

func policyEndsOverride(w *world) {
	p := w.underReview()
	w.must(w.override(w.admin, p))
	w.wantGate(p, gate.Pass)
	w.mustSetPolicy(w.ana, quorum(2), review.PolicyInForce)
	w.wantGate(p, gate.Blocked, "approval:find")
}
