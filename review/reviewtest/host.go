package reviewtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
)

var hostCases = map[string]func(*world){
	"how a listing fares in hosts":         hostFits,
	"what an edit pushed out of sight":     hostMoved,
	"a rendering is kept":                  hostRendering,
	"one tool on both sides":               hostLens,
	"two hosts side by side":               hostBeside,
	"names that are no text stay":          hostNames,
	"cost, growth and the cached prefix":   hostCost,
	"tokens over the versions":             hostTokens,
	"hosts and costs: what is refused":     hostRefused,
	"hosts are answered from kept things":  hostKept,
	"nothing is computed twice":            hostOnce,
	"nothing is computed twice at once":    hostOnceAtOnce,
	"a policy asks for hosts and budgets":  hostLimits,
	"what a change means to models":        hostSight,
	"a policy chooses the hosts to see by": hostSighted,
}

// tooLong is a description that claude-code cuts.
func tooLong(before string) string {
	return before + strings.Repeat("Words of no weight. ", 210) + "Never delete."
}

func fitOf(w *world, v *review.HostsView, id string) review.Fit {
	w.Helper()
	for _, f := range v.Fits {
		if f.Check.Host == id {
			return f
		}
	}
	w.Fatalf("no fit of %s", id)
	return review.Fit{}
}

func hostFits(w *world) {
	bad := `{"name":"both","inputSchema":{"type":"object","anyOf":[{"required":["a"]}]}}`
	p := w.push("1", listing(tool("find", tooLong("")), bad))
	v, err := w.svc.Hosts(w.ctx, w.vic, p.Answer.Listing.ID, "")
	w.must(err)
	if len(v.Fits) != len(host.Profiles()) || len(v.Tools) != 2 || v.Server.Slug != "mot" {
		w.Fatalf("%d hosts, %d tools of %s", len(v.Fits), len(v.Tools), v.Server.Slug)
	}
	f := fitOf(w, v, "claude-code")
	if f.Check.Status == host.OK || f.Sent == 0 || f.Tokens == 0 {
		w.Errorf("claude-code: %s, %d sent, %d tokens", f.Check.Status, f.Sent, f.Tokens)
	}
	cut := false
	for _, l := range f.Lost {
		cut = cut || l.Position == 1 && l.What == host.Truncated
	}
	if !cut {
		w.Errorf("the cut is not among %+v", f.Lost)
	}
	if f := fitOf(w, v, "anthropic-messages"); f.Check.Status != host.Refuses || f.Sent != 0 {
		w.Errorf("anthropic: %s, %d sent", f.Check.Status, f.Sent)
	}
}

func hostMoved(w *world) {
	before := w.push("1", listing(tool("find", "Never delete."+strings.Repeat(" Words of no weight.", 10))))
	p := w.push("2", listing(tool("find", tooLong("Finds. "))))
	v, err := w.svc.Hosts(w.ctx, w.vic, p.Answer.Listing.ID, before.Answer.Listing.ID)
	w.must(err)
	for _, i := range fitOf(w, v, "claude-code").Check.Issues {
		if i.Rule == host.RuleMoved {
			return
		}
	}
	w.Error("nothing says that a sentence moved behind the cut")
}

func hostRendering(w *world) {
	p := w.push("1", three())
	for range 2 {
		v, err := w.svc.Rendering(w.ctx, w.vic, p.Answer.Listing.ID, "", "claude-code")
		w.must(err)
		if r := v.Rendering; len(r.Tools) != 3 || r.Tools[0].Tools[0].Name != "mcp__mot__drop" || v.Before != nil {
			w.Fatalf("%+v", v.Rendering)
		}
	}
}

func hostLens(w *world) {
	before := w.push("1", three())
	p := w.push("2", listing(tool("new", "New."), tool("find", tooLong(""))))
	lens := func(position int) *review.LensView {
		v, err := w.svc.Lens(w.ctx, w.vic, p.Answer.Listing.ID, before.Answer.Listing.ID, "claude-code", position)
		w.must(err)
		return v
	}
	v := lens(2)
	if v.New.Sent == nil || v.New.Sent.Name != "mcp__mot__find" || len(v.New.Lost) != 1 || strings.Contains(v.New.Sent.Description, "Never delete") {
		w.Errorf("new side: %+v", v.New)
	}
	if v.Old == nil || v.Old.Sent == nil || v.Old.Listed.Position != 1 || len(v.Old.Lost) != 0 {
		w.Errorf("old side: %+v", v.Old)
	}
	if v := lens(1); v.Old != nil || v.New.Listed.Name != "new" {
		w.Errorf("a new tool: %+v", v)
	}
}

// hostBeside holds a listing through two hosts: one cuts a text, and one leaves out
// what the other sends. What both tell alike is no difference, whatever the order of
// a schema's members.
func hostBeside(w *world) {
	plain := `{"name":"plain","description":"Plain.","inputSchema":{"properties":{"q":{"type":"string"}},"type":"object","additionalProperties":false}}`
	id := w.push("1", listing(tool("find", tooLong("")), plain)).Answer.Listing.ID
	v, err := w.svc.Beside(w.ctx, w.vic, id, "claude-code", "mcphost")
	w.must(err)
	find := v.Tools[0]
	if !slices.Contains(find.Differs, review.DiffersDescription) || slices.Contains(find.Differs, review.DiffersSent) || len(find.Ways[0].Lost) == 0 {
		w.Errorf("a cut text: %+v", find)
	}
	if slices.Contains(v.Tools[1].Differs, review.DiffersDescription) || v.Tools[1].Ways[0].Sent == nil || v.Tools[1].Ways[1].Sent == nil {
		w.Errorf("a plain tool: %+v", v.Tools[1])
	}
	if v.Sides[0].Fit.Sent != 2 || v.Sides[0].Fit.Tokens == 0 || v.Sides[1].Profile.ID != "mcphost" {
		w.Errorf("sides: %+v", v.Sides)
	}
	same, err := w.svc.Beside(w.ctx, w.vic, id, "codex", "codex")
	w.must(err)
	for _, t := range same.Tools {
		if !t.Alike() {
			w.Errorf("a host differs from itself: %+v", t.Differs)
		}
	}
	one, err := w.svc.BesideTool(w.ctx, w.vic, id, "claude-code", "mcphost", 1)
	w.must(err)
	if one.Seen[0].Listed.Name != "find" || len(one.Seen[0].Sent.Description) >= len(one.Seen[1].Sent.Description) {
		w.Errorf("one tool: %+v", one.Seen)
	}
}

// hostNames lists a name with half of a surrogate pair, which JSON in Go loses.
func hostNames(w *world) {
	p := w.push("1", listing(`{"name":"a\ud800b","inputSchema":{"type":"object"}}`))
	v, err := w.svc.Cost(w.ctx, w.vic, review.CostQuestion{Listing: p.Answer.Listing.ID, Prices: cost.DefaultPrices})
	w.must(err)
	l, _, err := w.svc.Listing(w.ctx, w.vic, p.Answer.Listing.ID)
	w.must(err)
	if v.Estimate.Tools[0].Name != l.Surface.Tools[0].Name {
		w.Errorf("%q became %q", l.Surface.Tools[0].Name, v.Estimate.Tools[0].Name)
	}
}

func hostCost(w *world) {
	before := w.push("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	q := review.CostQuestion{Listing: p.Answer.Listing.ID, Base: before.Answer.Listing.ID, Prices: cost.DefaultPrices}
	v, err := w.svc.Cost(w.ctx, w.vic, q)
	w.must(err)
	if v.Base == nil || v.Tokens <= v.Cost.Base.Tokens || v.Prefix.Why != cost.Edited || v.Prefix.Position != 1 {
		w.Errorf("%d tokens, prefix %+v", v.Tokens, v.Prefix)
	}
	if v.Bill.Turns != 40 || v.Bill.Total.String() == "0" {
		w.Errorf("%+v", v.Bill)
	}
	if len(v.Renamed) != 0 {
		w.Errorf("renamed: %v", v.Renamed)
	}
	renamed := w.push("3", strings.Replace(three(), `"find"`, `"find_all"`, 1))
	moved, err := w.svc.Cost(w.ctx, w.vic, review.CostQuestion{Listing: renamed.Answer.Listing.ID, Base: before.Answer.Listing.ID, Prices: cost.DefaultPrices})
	w.must(err)
	if d := cmp.Diff(map[int]int{1: 1}, moved.Renamed); d != "" {
		w.Errorf("a renamed tool is told from its base (-want +got):\n%s", d)
	}
	q.Host = "gemini-cli"
	sent, err := w.svc.Cost(w.ctx, w.vic, q)
	w.must(err)
	if sent.Host != "gemini-cli" || sent.Tokens <= v.Tokens {
		w.Errorf("gemini-cli adds a property to every tool: %d tokens after %d", sent.Tokens, v.Tokens)
	}
}

// hostTokens counts listings for a chart: as the page of costs does, without what is
// no listing or another server's, and once only.
func hostTokens(w *world) {
	first, second := w.push("1", three()), w.push("2", changed("Finds. Never twice."))
	capture := w.push("3", `{"model":"m","messages":[],"tools":[{"name":"find","input_schema":{"type":"object"}}]}`)
	ids := []string{first.Answer.Listing.ID, second.Answer.Listing.ID, capture.Answer.Listing.ID, "none"}
	got, err := w.svc.TokensOf(w.ctx, w.vic, "mot", ids)
	w.must(err)
	for _, id := range ids[:2] {
		v, err := w.svc.Cost(w.ctx, w.vic, review.CostQuestion{Listing: id, Prices: cost.DefaultPrices})
		w.must(err)
		if got[id] != v.Tokens || v.Tokens == 0 {
			w.Errorf("%d tokens in the chart, %d on the page of costs", got[id], v.Tokens)
		}
	}
	if len(got) != 2 || got[ids[1]] <= got[ids[0]] {
		w.Errorf("%v", got)
	}
	before := w.store.calls.Load()
	_, err = w.svc.TokensOf(w.ctx, w.vic, "mot", ids)
	w.must(err)
	if calls := w.store.calls.Load() - before; calls > 4 {
		w.Errorf("counted again: %d calls", calls)
	}
	w.addServer("other", gate.Team)
	_, err = w.svc.TokensOf(w.ctx, w.person("Olga", people.Maintainer, "other"), "mot", ids)
	w.refused(err, review.NotFound)
}

func hostRefused(w *world) {
	id := w.push("1", three()).Answer.Listing.ID
	capture := w.push("2", `{"model":"m","messages":[],"tools":[{"name":"find","input_schema":{"type":"object"}}]}`).Answer.Listing.ID
	price := cost.DefaultPrices
	price.PerMillion = "three"
	for name, c := range map[string]struct {
		ask  func() error
		kind review.Kind
		word string
	}{
		"no such listing":     {func() error { _, err := w.svc.Hosts(w.ctx, w.vic, "none", ""); return err }, review.NotFound, ""},
		"no such base":        {func() error { _, err := w.svc.Hosts(w.ctx, w.vic, id, "none"); return err }, review.Invalid, "none"},
		"nobody":              {func() error { _, err := w.svc.Hosts(w.ctx, review.Actor{}, id, ""); return err }, review.Unauthenticated, ""},
		"no such host":        {func() error { _, err := w.svc.Rendering(w.ctx, w.vic, id, "", "netscape"); return err }, review.Invalid, "claude-code"},
		"a provider":          {func() error { _, err := w.svc.Rendering(w.ctx, w.vic, id, "", "anthropic-messages"); return err }, review.Invalid, "provider"},
		"a capture":           {func() error { _, err := w.svc.Hosts(w.ctx, w.vic, capture, ""); return err }, review.Invalid, "capture"},
		"no such place":       {func() error { _, err := w.svc.Lens(w.ctx, w.vic, id, "", "codex", 4); return err }, review.NotFound, "4"},
		"no such host beside": {func() error { _, err := w.svc.Beside(w.ctx, w.vic, id, "codex", "netscape"); return err }, review.Invalid, "netscape"},
		"nobody beside":       {func() error { _, err := w.svc.Beside(w.ctx, review.Actor{}, id, "codex", "cline"); return err }, review.Unauthenticated, ""},
		"no place beside":     {func() error { _, err := w.svc.BesideTool(w.ctx, w.vic, id, "codex", "cline", 4); return err }, review.NotFound, "4"},
		"no price": {func() error {
			_, err := w.svc.Cost(w.ctx, w.vic, review.CostQuestion{Listing: id, Prices: price})
			return err
		}, review.Invalid, "three"},
	} {
		w.Log(name)
		w.refused(c.ask(), c.kind, c.word)
	}
}

func hostKept(w *world) {
	id := w.push("1", three()).Answer.Listing.ID
	_, err := w.svc.Hosts(w.ctx, w.vic, id, "")
	w.must(err)
	again, err := w.svc.Hosts(w.ctx, w.vic, id, "")
	w.must(err)
	for i, p := range host.Profiles() {
		if again.Fits[i].Check.Host != p.ID {
			w.Errorf("place %d: %s, want %s", i, again.Fits[i].Check.Host, p.ID)
		}
	}
}

// hostOnce goes twice through everything that shows renderings and tokens: pages, API and
// gate compute what they need once, by digest, profile and tokenizer, and then find it.
func hostOnce(w *world) {
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"claude-code", "gemini-cli"}, Ceiling: 10_000, Growth: 10_000}))
	base := w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	id, was := p.Answer.Listing.ID, base.Answer.Listing.ID
	round := func() {
		for _, against := range []string{"", was} {
			_, err := w.svc.Hosts(w.ctx, w.vic, id, against)
			w.must(err)
			for _, h := range []string{"claude-code", "gemini-cli"} {
				_, err = w.svc.Lens(w.ctx, w.vic, id, against, h, 1)
				w.must(err)
				_, err = w.svc.Cost(w.ctx, w.vic, review.CostQuestion{Listing: id, Base: against, Host: h, Prices: cost.DefaultPrices})
				w.must(err)
			}
		}
		_, err := w.svc.Beside(w.ctx, w.vic, id, "claude-code", "gemini-cli")
		w.must(err)
		_, err = w.svc.TokensOf(w.ctx, w.vic, "mot", []string{id, was})
		w.must(err)
		w.view(idOf(p))
		w.gate(p.Answer.Listing.Digest)
	}
	round()
	first := w.store.kept()
	for k, n := range first {
		// The sum of a listing's tokens also falls out of the look at a release's changes,
		// which counts tool by tool and is kept under a key of its own.
		if n > 1 && k.Kind != "tokens" {
			w.Errorf("%s (%s) was computed %d times", k.Kind, k.Engine, n)
		}
	}
	round()
	if d := cmp.Diff(first, w.store.kept()); d != "" {
		w.Errorf("computed again (-first +second):\n%s", d)
	}
	counted := 0
	for k := range first {
		if strings.Contains(k.Engine, cost.Version) {
			counted++
		}
	}
	if counted < len(host.Profiles()) {
		w.Errorf("only %d reports with tokens were kept: %v", counted, first)
	}
}

// hostOnceAtOnce has many look at once at pages that nobody opened yet: one of them
// makes what all of them need, and whoever hangs up takes nothing from the others.
func hostOnceAtOnce(w *world) {
	_, secret := w.addServer("other", gate.Team)
	base := w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	m := w.sending("1", listing(tool("find", "Finds elsewhere.")))
	m.slug, m.secret, m.pathQuery = "other", secret, "/api/v1/servers/other/listings?version=1"
	beside := w.pushAs(m)
	w.view(idOf(p)) // the comparison, which pages wait for in another way
	id, was := p.Answer.Listing.ID, base.Answer.Listing.ID
	before := w.store.kept()
	pages := map[string]func(context.Context) error{
		"hosts": func(ctx context.Context) error { _, err := w.svc.Hosts(ctx, w.vic, id, was); return err },
		"cost": func(ctx context.Context) error {
			_, err := w.svc.Cost(ctx, w.vic, review.CostQuestion{Listing: id, Base: was, Prices: cost.DefaultPrices})
			return err
		},
		"beside": func(ctx context.Context) error {
			_, err := w.svc.Beside(ctx, w.vic, id, "claude-code", "gemini-cli")
			return err
		},
		"tokens": func(ctx context.Context) error {
			_, err := w.svc.TokensOf(ctx, w.vic, "mot", []string{was, id})
			return err
		},
		"together": func(ctx context.Context) error {
			_, err := w.svc.Together(ctx, w.admin, review.TogetherQuestion{Host: "claude-code", Listings: []string{id, beside.Answer.Listing.ID}})
			return err
		},
	}
	for name, page := range pages {
		gone, leave := context.WithCancel(w.ctx)
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				if i == 0 {
					_ = page(gone)
					return
				}
				if err := page(w.ctx); err != nil {
					w.Errorf("%s: %v", name, err)
				}
			})
		}
		leave()
		wg.Wait()
	}
	made := 0
	for k, n := range w.store.kept() {
		if n -= before[k]; n == 0 {
			continue
		}
		made++
		if n > 1 {
			w.Errorf("%s was made %d times", fmt.Sprint(k.Kind, " ", k.Engine), n)
		}
	}
	if made < len(host.Profiles()) {
		w.Errorf("only %d reports were made", made)
	}
}

// hostLimits lets a policy ask for hosts and budgets.
func hostLimits(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	w.approve(w.rita, idOf(p), "find")
	w.wantGate(p, gate.Pass)
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"anthropic-messages"}, Ceiling: 1}))
	g := w.wantGate(p, gate.Blocked, "tokens")
	if r := w.requirement(g, "preflight:anthropic-messages"); r.State != gate.Satisfied {
		w.Errorf("%+v", r)
	}
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"anthropic-messages"}, Growth: 1000}))
	w.wantGate(p, gate.Pass)
	// What a host adds counts where the policy names it, also when it was named before
	// there was a ceiling.
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"gemini-cli"}}))
	w.wantGate(p, gate.Pass)
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"gemini-cli"}, Ceiling: w.view(idOf(p)).Sight.Tokens}))
	g = w.wantGate(p, gate.Blocked, "tokens")
	if r := w.requirement(g, "tokens"); !strings.Contains(r.Why, "As gemini-cli sends it, it costs about") {
		w.Errorf("%+v", r)
	}
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"anthropic-messages"}, Growth: 1000}))
	union := `{"name":"pick","inputSchema":{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}}`
	p = w.push("3", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists."), union))
	w.approveAll(idOf(p))
	g = w.wantGate(p, gate.Blocked, "preflight:anthropic-messages")
	if r := w.requirement(g, "preflight:anthropic-messages"); !strings.Contains(r.Why, "pick") || len(r.WhoCan) != 0 {
		w.Errorf("%+v", r)
	}
	w.must(w.svc.SetPreset(w.ctx, w.shell, "mot", gate.JustMe))
	w.wantGate(p, gate.Blocked, "preflight:anthropic-messages") // another preset keeps the limits
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{}))
	w.wantGate(p, gate.Pass)
	w.refused(w.svc.SetLimits(w.ctx, w.rita, "mot", gate.Limits{}), review.Forbidden)
	w.refused(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Growth: -1}), review.Invalid, "0")
	w.refused(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"netscape"}}), review.Invalid, "netscape")
}

// hostSight looks at one release through the hosts: a title that no host sends, a
// sentence behind a cut, one that every model reads, and what it all costs.
func hostSight(w *world) {
	w.released("1", listing(tool("find", tooLong("")), tool("drop", "Drops.")))
	p := w.push("2", listing(tool("find", tooLong("")+" Or ask."), tool("drop", "Drops.", `"title":"Drop"`), tool("new", "New.")))
	for range 2 {
		v := w.view(idOf(p))
		if len(v.Sight.Hosts) != 12 || v.Sight.Tokens <= v.Sight.Base || v.Sight.Prefix.Why != cost.Edited || v.Sight.Prefix.Position != 1 {
			w.Fatalf("%+v", v.Sight)
		}
		for _, c := range v.Changes {
			s := v.Sight.Changes[c.ID]
			switch c.Name() {
			case "drop":
				if len(s.Unseen) != 12 || s.Growth != 0 {
					w.Errorf("a title: %+v", s)
				}
			case "find":
				if len(s.Unseen) != 1 || s.Unseen[0] != "claude-code" || s.Growth <= 0 || len(s.Moved) != 0 {
					w.Errorf("behind the cut: %+v", s)
				}
			case "new":
				if len(s.Unseen) != 0 || s.Growth <= 0 {
					w.Errorf("a new tool: %+v", s)
				}
			}
		}
	}
	p = w.push("3", listing(tool("find", tooLong("Never delete. ")), tool("drop", "Drops.")))
	moved := false
	v := w.view(idOf(p))
	for _, c := range v.Changes {
		for _, m := range v.Sight.Changes[c.ID].Moved {
			moved = moved || m.Host == "claude-code" && len(m.Front) == 1
		}
	}
	if !moved {
		w.Errorf("a sentence that came in front of the cut is not told: %+v", v.Sight.Changes)
	}
	cmp, err := w.svc.Compare(w.ctx, w.vic, "mot", "1", "3")
	w.must(err)
	if len(cmp.Sight.Changes) != len(cmp.Report.Changes) || cmp.Sight.Base == 0 {
		w.Errorf("compared: %+v", cmp.Sight)
	}
}

// hostSighted asks the hosts that the policy names, and no others.
func hostSighted(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"anthropic-messages", "zed"}}))
	v := w.view(idOf(p))
	if len(v.Sight.Hosts) != 1 || v.Sight.Hosts[0] != "zed" {
		w.Errorf("%q", v.Sight.Hosts)
	}
	w.must(w.svc.SetLimits(w.ctx, w.shell, "mot", gate.Limits{Hosts: []string{"anthropic-messages"}}))
	if v := w.view(idOf(p)); len(v.Sight.Hosts) != 12 {
		w.Errorf("a provider shows nothing: %q", v.Sight.Hosts)
	}
}
