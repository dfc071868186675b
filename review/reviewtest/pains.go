package reviewtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

// Pain is a problem that somebody had with another tool, with what should be.
type Pain struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Inputs map[string]any `json:"inputs"`
	Value  map[string]any `json:"value"`
}

// pains play those that are about the workflow. Each returns what came of it, under
// the names of the pain's own value.
var pains = map[string]func(*world, Pain) map[string]any{
	"pains-drift_approval-01":  painStale,
	"pains-drift_approval-03":  painAlerts,
	"pains-drift_approval-05":  painBaseline,
	"pains-drift_approval-06":  painTwoSurfaces,
	"pains-drift_approval-07":  painOutput,
	"pains-review_workflow-01": painEvidence,
	"pains-review_workflow-03": painReopened,
	"pains-review_workflow-05": painLapsed,
	"pains-gate_ci-01":         painExits,
	"pains-gate_ci-03":         painWeight,
	"pains-gate_ci-05":         painOrder,
	"pains-stale_client-01":    painWindow,
}

// Played lists the pains that PlayPain plays.
func Played() []string {
	var ids []string
	for id := range pains {
		ids = append(ids, id)
	}
	return ids
}

// PlayPain plays a pain and compares what came of it by meaning.
func PlayPain(t testing.TB, store review.Store, p Pain) {
	got := pains[p.ID](newWorld(t, store), p)
	for name, want := range got {
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var is any
		if err := json.Unmarshal(b, &is); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(is, p.Value[name]) {
			t.Errorf("%s: %s is %v, want %v", p.ID, name, is, p.Value[name])
		}
	}
}

// painStale approves what was shown before the definition changed.
func painStale(w *world, _ Pain) map[string]any {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	seen := w.change(idOf(p), "find").ID
	q := w.push("2", changed("Finds. Never thrice."))
	_, err := w.svc.Decide(w.ctx, w.rita, idOf(p), []review.VerdictItem{{Change: seen, Verdict: review.Approve, Note: "Fine."}})
	status := 200
	if review.KindOf(err) == review.Stale {
		status = 409
	}
	return map[string]any{"http_status": status, "approved": w.gate(q.Answer.Listing.Digest).Result == gate.Pass}
}

// painBaseline accepts a first listing: no approval by a reviewer comes of it.
func painBaseline(w *world, p Pain) map[string]any {
	var tools []string
	for _, name := range p.Inputs["first_listing"].([]any) {
		tools = append(tools, tool("tool_"+name.(string), "Does "+name.(string)+" for whoever asks."))
	}
	first := w.push("1", listing(tools...))
	v, err := w.svc.AcceptBaseline(w.ctx, w.ana, idOf(first), first.Answer.Listing.Digest, nil)
	w.must(err)
	status := ""
	if v.Baseline != nil && v.Answer.Result == gate.Pass {
		status = "baseline"
	}
	reviewed := false
	for _, a := range w.gate(first.Answer.Listing.Digest).Approvals {
		reviewed = reviewed || a.By == w.ana.Label()
	}
	return map[string]any{"status": status, "reviewed": reviewed}
}

// painTwoSurfaces pushes two surfaces of one version: the second is refused beside the
// first, once that is released, and its bytes are kept as those of a profile of their own,
// where no approval of the first counts.
func painTwoSurfaces(w *world, p Pain) map[string]any {
	version := p.Inputs["server_version"].(string)
	eu := w.released(version, three())
	_, err := w.send(w.sending(version, changed("Finds in the US.")))
	var refused *review.Error
	if !errors.As(err, &refused) {
		w.Fatalf("two surfaces of one version: %v", err)
	}
	log, err := w.svc.Deliveries(w.ctx, w.ana, "mot", review.Page{Limit: 1})
	w.must(err)
	if log[0].Status != 409 || !strings.Contains(log[0].Outcome, "released with other bytes") {
		w.Errorf("the refusal is kept as %+v", log[0])
	}
	us := w.profiled("us", version, changed("Finds in the US."))
	for _, digest := range []surface.Hash{eu.Answer.Listing.Digest, us.Answer.Listing.Digest} {
		if found, err := w.svc.Listings(w.ctx, w.vic, "mot", review.Page{}); err != nil || !slices.ContainsFunc(found, func(l review.ListingInfo) bool { return l.Digest == digest }) {
			w.Errorf("the surface %s is not kept", digest.Short())
		}
	}
	same := w.profiled("asia", version, three()) // the very bytes that eu has
	shared := w.view(idOf(us)).Answer.Result == gate.Pass || w.view(idOf(same)).Answer.Result == gate.Pass
	return map[string]any{"codes": []string{refused.Code}, "approval_shared": shared}
}

// painEvidence approves with what was tried, and looks for all of it in the gate's
// answer and in the changelog.
func painEvidence(w *world, p Pain) map[string]any {
	asked := p.Inputs["approval"].(map[string]any)
	name, prompt := asked["tool"].(string), asked["prompts_tested"].([]any)[0].(string)
	w.released("1", listing(tool(name, "Reads an issue.")))
	next := w.push("2", listing(tool(name, "Reads an issue and its labels.")))
	tried := gate.Trial{Prompt: prompt, Host: "Inspector", Outcome: "Called it once"}
	_, err := w.svc.Decide(w.ctx, w.rita, idOf(next), []review.VerdictItem{
		{Change: w.change(idOf(next), name).ID, Verdict: review.Approve, Note: "Tried.", Evidence: []gate.Trial{tried}},
	})
	w.must(err)
	for _, a := range w.gate(next.Answer.Listing.Digest).Approvals {
		if !slices.Equal(a.Evidence, []gate.Trial{tried}) {
			w.Errorf("the gate says of %s that %v was tried", a.Tool, a.Evidence)
		}
	}
	changelog := w.view(idOf(next)).Changelog().Markdown
	fields := []string{}
	for _, f := range []struct{ name, text string }{{"prompt", prompt}, {"host", tried.Host}, {"outcome", tried.Outcome}} {
		if strings.Contains(changelog, f.text) {
			fields = append(fields, f.name)
		}
	}
	return map[string]any{"evidence_fields": fields}
}

// painOutput approves a tool, and lists it with an instruction in what it returns.
func painOutput(w *world, p Pain) map[string]any {
	with := func(part string) string {
		b, err := json.Marshal(p.Inputs[part])
		w.must(err)
		return listing(tool("pay", "Pays.", `"outputSchema":`+string(b)))
	}
	approved := w.released("1", with("approved_output"))
	live := w.push("2", with("live_output"))
	hits := 0
	for _, f := range w.view(idOf(live)).Findings {
		if strings.HasPrefix(f.Rule, "poison.") && strings.HasPrefix(f.Pointer, "/outputSchema/") {
			hits++
		}
	}
	where := ""
	for _, d := range w.change(idOf(live), "pay").Details {
		where, _, _ = strings.Cut(strings.TrimPrefix(d.Pointer, "/"), "/")
	}
	drift := live.Answer.Listing.Digest != approved.Answer.Listing.Digest && w.gate(live.Answer.Listing.Digest).Result == gate.Blocked
	return map[string]any{"drift": drift, "where": where, "scan_hits": hits}
}

// painWeight changes a few tools of many: a page is given those, and a count of the
// others.
func painWeight(w *world, p Pain) map[string]any {
	changed := int(p.Inputs["changed_tools"].(float64))
	body := func(text string) string {
		var tools []string
		for i := range 400 {
			said := fmt.Sprintf("Handles case %d.", i)
			if i < changed {
				said += text
			}
			tools = append(tools, tool(fmt.Sprintf("case_%d", i), said))
		}
		return listing(tools...)
	}
	w.released("1", body(""))
	return map[string]any{"rendered_tools": len(w.view(idOf(w.push("2", body(" Never twice.")))).Changes)}
}

// painReopened approves many changed tools, and changes one again.
func painReopened(w *world, p Pain) map[string]any {
	n := int(p.Inputs["changed_tools"].(float64))
	body := func(again string) string {
		var tools []string
		for i := range n {
			text := "Changed."
			if i == 0 {
				text += again
			}
			tools = append(tools, tool(fmt.Sprintf("family%d_tool%d", i%3, i), text))
		}
		return listing(tools...)
	}
	first := w.push("1", body(""))
	w.approveAll(idOf(first))
	w.wantGate(first, gate.Pass)
	again := w.push("1", body(" Again."))
	open := 0
	for _, r := range w.gate(again.Answer.Listing.Digest).Requirements {
		if r.State == gate.Open {
			open++
		}
	}
	return map[string]any{"reopened_on_change": open}
}

// painLapsed lets the owner leave and an approval grow old: it stays, and what it
// approved needs another look, by somebody who is named as missing.
func painLapsed(w *world, p Pain) map[string]any {
	in := p.Inputs["server"].(map[string]any)
	day := func(v any) time.Time {
		at, err := time.Parse(time.DateOnly, v.(string))
		w.must(err)
		return at
	}
	w.clock = day(in["last_review"])
	next := w.server.Policy
	next.DestructiveDays = int(day(in["expires"]).Sub(w.clock).Hours() / 24)
	next.Owners = []gate.OwnerRule{{People: []string{w.ben.User.Email}}}
	w.mustSetPolicy(w.shell, next, review.PolicyInForce)
	push := w.push("1", listing(tool("drop", "Drops everything.", `"annotations":{"destructiveHint":true}`)))
	w.approve(w.ben, idOf(push), "drop")
	w.wantGate(push, gate.Pass)
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.ben.User.ID))

	w.clock = day(p.Inputs["today"])
	open := w.requirement(w.wantGate(push, gate.Blocked), "approval:drop")
	codes := []string{}
	for _, c := range []struct{ code, says string }{{"owner_missing", "An owner is missing"}, {"review_expired", "older than the 181 days"}} {
		if strings.Contains(open.Why, c.says) {
			codes = append(codes, c.code)
		}
	}
	status := "deleted"
	if said := w.change(idOf(push), "drop").Verdicts; len(said) > 0 && said[0].Kind == review.Approve && open.State == gate.Open {
		status = "needs_re_review"
	}
	return map[string]any{"codes": codes, "status": status}
}

// painExits asks the gate about what is clean, breaking, unknown and a part.
func painExits(w *world, _ Pain) map[string]any {
	clean := w.released("1", three())
	breaking := w.push("2", listing(tool("find", "Finds.")))
	part := w.push("3", `{"tools":[`+tool("find", "Finds in part.")+`],"nextCursor":"more"}`)
	exits := map[gate.Result]int{gate.Pass: 0, gate.Blocked: 1, gate.Undecided: 2}
	var got []int
	for _, digest := range []surface.Hash{
		clean.Answer.Listing.Digest, breaking.Answer.Listing.Digest, surface.HashOf([]byte("never seen")), part.Answer.Listing.Digest,
	} {
		got = append(got, exits[w.gate(digest).Result])
	}
	return map[string]any{"exit": got}
}

// painOrder pushes versions whose names sort in another order than they came.
func painOrder(w *world, p Pain) map[string]any {
	of := map[string]string{}
	last := ""
	for i, name := range p.Inputs["pushed_in_order"].([]any) {
		version := name.(string)
		body := listing(tool("find", fmt.Sprintf("Finds, step %d.", i)))
		pushed := w.push(version, body)
		base := "none"
		if b := w.view(idOf(pushed)).Base; b != nil {
			base = b.Version
		}
		if base == last && version == "v0.26.0" {
			of[version] = "last_approved_before"
		} else if version == "v0.26.1" {
			of[version] = base
		}
		w.approveAll(idOf(pushed))
		w.release(pushed)
		last = version
	}
	return map[string]any{"baseline_of": of}
}

// painWindow asks which calls of kept listings a new one still takes.
func painWindow(_ *world, p Pain) map[string]any {
	read := func(name string) *surface.Listing {
		b, err := json.Marshal(map[string]any{"tools": []any{p.Inputs[name]}})
		if err != nil {
			panic(err)
		}
		l, err := surface.Read(b, surface.Options{})
		if err != nil {
			panic(err)
		}
		return l
	}
	old, matrix := read("tool"), map[string]string{}
	for _, row := range change.Window([]change.Known{{Label: "1.0", Listing: old}, {Label: "1.1", Listing: old}}, read("tool_1_2"), change.Options{}) {
		matrix[row.Label+"->1.2"] = string(row.Fit)
	}
	return map[string]any{"matrix": matrix}
}
