package reviewtest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

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
	"pains-drift_approval-05":  painBaseline,
	"pains-drift_approval-06":  painTwoSurfaces,
	"pains-review_workflow-03": painReopened,
	"pains-gate_ci-01":         painExits,
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

// painTwoSurfaces pushes two surfaces of one version, as profiles: what is approved
// in one is not in the other.
func painTwoSurfaces(w *world, p Pain) map[string]any {
	version := p.Inputs["server_version"].(string)
	eu := w.profiled("eu", version, three())
	us := w.profiled("us", version, three())
	w.approveAll(idOf(eu))
	if got := w.view(idOf(eu)).Answer.Result; got != gate.Pass {
		w.Errorf("eu is %s", got)
	}
	return map[string]any{"approval_shared": w.view(idOf(us)).Answer.Result == gate.Pass}
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
