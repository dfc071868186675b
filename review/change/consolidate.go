package change

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// A consolidation turns several tools into one that takes what to do as an
// argument. It is recognised by names: the words of an old name are those of the
// new tool and of one value of a closed set among its parameters.
const (
	covered       = 0.65 // share of an old name's words, weighed, that must be found again
	consolidating = 2    // old tools that make a consolidation
	maxActions    = 40   // values of a parameter that can still be actions
)

// action is a way to call a tool: one value of one parameter.
type action struct {
	tool  *profile
	param string
	value string // as JSON
	words map[string]int
}

// offerConsolidations maps what is gone to what may do its work now. Of what a person
// mapped already nothing is offered, but it counts: one more may go the same way.
func offerConsolidations(removed []*surface.Tool, targets []*surface.Tool, merges []Pairing) []Offer {
	if len(removed) < consolidating {
		return nil
	}
	book := newActionBook(profilesOf(targets))
	said := map[string]bool{}
	for _, m := range merges {
		said[m.From] = true
	}
	found := map[*profile][]mapped{}
	olds := profilesOf(removed)
	rare := rarity(olds)
	for _, p := range olds {
		if m, ok := book.best(p, rare); ok {
			found[m.to.tool] = append(found[m.to.tool], m)
		}
	}
	var offers []Offer
	for _, to := range inListOrder(found) {
		ms := slices.DeleteFunc(slices.Clone(found[to]), func(m mapped) bool { return said[m.old.tool.Name] })
		if len(found[to]) >= consolidating && len(ms) > 0 {
			offers = append(offers, consolidation(to, ms, "may replace"))
		}
	}
	return offers
}

// applying are the mappings that mean something between two listings: the old tool is gone,
// and the new one is there.
func (p *pairing) applying(merges []Pairing, new []surface.Tool) []Pairing {
	return slices.DeleteFunc(slices.Clone(merges), func(m Pairing) bool {
		gone := slices.ContainsFunc(p.removed, func(t *surface.Tool) bool { return t.Name == m.From })
		there := slices.ContainsFunc(new, func(t surface.Tool) bool { return t.Name == m.To })
		return !gone || !there
	})
}

// confirmConsolidations words what a person mapped, with the action that seems to do
// the work.
func confirmConsolidations(removed []*surface.Tool, new []surface.Tool, merges []Pairing) []Offer {
	if len(merges) == 0 {
		return nil
	}
	olds, targets := map[string]*profile{}, map[string]*profile{}
	gone := profilesOf(removed)
	for _, p := range gone {
		olds[p.tool.Name] = p
	}
	for i := range new {
		if t := &new[i]; targets[t.Name] == nil && slices.ContainsFunc(merges, func(m Pairing) bool { return m.To == t.Name }) {
			targets[t.Name] = profilesOf([]*surface.Tool{t})[0]
		}
	}
	found := map[*profile][]mapped{}
	rare := rarity(gone)
	for _, m := range merges {
		old, to := olds[m.From], targets[m.To]
		if old == nil || to == nil {
			continue // an alias or a pairing says otherwise
		}
		best, ok := newActionBook([]*profile{to}).best(old, rare)
		if !ok {
			best = mapped{old: old, to: action{tool: to}}
		}
		best.score = 1
		found[to] = append(found[to], best)
	}
	var all []Offer
	for _, to := range inListOrder(found) {
		slices.SortFunc(found[to], func(a, b mapped) int { return cmp.Compare(a.old.tool.Position, b.old.tool.Position) })
		all = append(all, consolidation(to, found[to], "does the work of"))
	}
	return all
}

// unmerged are the tools of which nobody said that they were merged, by the side of
// the mapping that they stand on.
func (o Options) unmerged(tools []*surface.Tool, side func(Pairing) string) []*surface.Tool {
	if len(o.Merges) == 0 {
		return tools
	}
	said := map[string]bool{}
	for _, m := range o.Merges {
		said[side(m)] = true
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t *surface.Tool) bool { return said[t.Name] })
}

func (p Pairing) from() string { return p.From }
func (p Pairing) to() string   { return p.To }

// actionBook finds actions by the words of their names.
type actionBook struct {
	actions []action
	byWord  map[string][]int
}

func newActionBook(targets []*profile) *actionBook {
	b := &actionBook{byWord: map[string][]int{}}
	for _, p := range targets {
		b.actions = append(b.actions, actionsOf(p)...)
	}
	for i, a := range b.actions {
		for w := range a.words {
			b.byWord[w] = append(b.byWord[w], i)
		}
	}
	return b
}

// mapped is an old tool with the action that may replace it.
type mapped struct {
	old   *profile
	to    action
	score float64
}

func actionsOf(p *profile) []action {
	in, ok := p.tool.InputSchema()
	if !ok {
		return nil
	}
	props, err := schema.Properties(in)
	if err != nil {
		return nil
	}
	name := bag(singulars(nameWords(p.tool.Name)))
	var all []action
	for _, prop := range props {
		if prop.Depth > 0 || len(prop.Enum) == 0 || len(prop.Enum) > maxActions {
			continue
		}
		for _, value := range prop.Enum {
			text, ok := textOf([]byte(value))
			if !ok || text == nil {
				continue
			}
			words := bag(singulars(nameWords(*text)))
			for w, n := range name {
				words[w] = max(words[w], n)
			}
			all = append(all, action{tool: p, param: prop.Name, value: value, words: words})
		}
	}
	return all
}

// singulars folds the plural s, so that list_branches finds branch.
func singulars(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case strings.HasSuffix(w, "ies") && len(w) > 4:
			w = w[:len(w)-3] + "y"
		case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "sses"):
			w = w[:len(w)-2]
		case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3:
			w = w[:len(w)-1]
		}
		out[i] = w
	}
	return out
}

// best finds the action whose words cover most of an old name, rare words
// counting more; among equals the one whose parameters are closest.
func (b *actionBook) best(p *profile, rare map[string]float64) (mapped, bool) {
	words := bag(singulars(nameWords(p.tool.Name)))
	seen := map[int]bool{}
	best := mapped{}
	for w := range words {
		for _, i := range b.byWord[w] {
			if seen[i] {
				continue
			}
			seen[i] = true
			a := b.actions[i]
			found := shareFound(words, a.words, rare)
			s := 0.8*found + 0.1*dice(words, a.words) + 0.1*contained(p.params, a.tool.params)
			if found >= covered && (s > best.score || s == best.score && a.before(best.to)) {
				best = mapped{old: p, to: a, score: s}
			}
		}
	}
	return best, best.old != nil
}

// rarity weighs words by how few names have them: "get" says little, "wiql" much.
func rarity(profiles []*profile) map[string]float64 {
	in := map[string]int{}
	for _, p := range profiles {
		for w := range bag(singulars(nameWords(p.tool.Name))) {
			in[w]++
		}
	}
	rare := map[string]float64{}
	for w, n := range in {
		rare[w] = math.Log1p(float64(len(profiles)) / float64(n))
	}
	return rare
}

func shareFound(words, in map[string]int, rare map[string]float64) float64 {
	all, found := 0.0, 0.0
	for _, w := range slices.Sorted(maps.Keys(words)) { // sums of floats depend on the order
		all += rare[w]
		if in[w] > 0 {
			found += rare[w]
		}
	}
	return found / all
}

func (a action) before(b action) bool {
	return cmp.Or(cmp.Compare(a.tool.tool.Position, b.tool.tool.Position), cmp.Compare(a.param, b.param), cmp.Compare(a.value, b.value)) < 0
}

// inListOrder are the tools that others were mapped to, as they stand in the list.
func inListOrder(found map[*profile][]mapped) []*profile {
	return slices.SortedFunc(maps.Keys(found), func(a, b *profile) int { return cmp.Compare(a.tool.Position, b.tool.Position) })
}

// consolidation words a mapping of old tools to one that is there now. verb is what
// it does to them.
func consolidation(to *profile, ms []mapped, verb string) Offer {
	o := Offer{Kind: OfferConsolidation, To: to.tool.Name}
	var parts []string
	for _, m := range ms {
		o.Confidence += m.score / float64(len(ms))
		t := OfferedTool{Tool: m.old.tool.Name, Lost: lostParameters(m.old, to)}
		part := quoteName(t.Tool)
		if m.to.param != "" {
			t.Action = "{" + string(surface.EncodeString(m.to.param)) + ":" + m.to.value + "}"
			part += fmt.Sprintf(" as %s %s", m.to.param, m.to.value)
		}
		if len(t.Lost) > 0 {
			part += " (lost, it seems: " + strings.Join(t.Lost, ", ") + ")"
		}
		o.From = append(o.From, t)
		parts = append(parts, part)
	}
	o.Confidence = round(o.Confidence)
	o.Sentence = fmt.Sprintf("%s %s %s: %s.", quoteName(to.tool.Name), verb, count(len(ms), "tool"), strings.Join(parts, ", "))
	return o
}

// withoutConsolidated drops the offers of a rename to a tool that looks like a
// consolidation: that explains more.
func withoutConsolidated(renames, consolidations []Offer) []Offer {
	to := map[string]bool{}
	for _, o := range consolidations {
		to[o.To] = true
	}
	var all []Offer
	for _, o := range renames {
		if !to[o.To] {
			all = append(all, o)
		}
	}
	return append(all, consolidations...)
}
