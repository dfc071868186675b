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

// offerConsolidations maps what is gone to what may do its work now.
func offerConsolidations(removed []*surface.Tool, targets []*surface.Tool) []Offer {
	if len(removed) < consolidating {
		return nil
	}
	var actions []action
	for _, p := range profilesOf(targets) {
		actions = append(actions, actionsOf(p)...)
	}
	byWord := map[string][]int{}
	for i, a := range actions {
		for w := range a.words {
			byWord[w] = append(byWord[w], i)
		}
	}
	found := map[*profile][]mapped{}
	olds := profilesOf(removed)
	rare := rarity(olds)
	for _, p := range olds {
		if m, ok := bestAction(p, actions, byWord, rare); ok {
			found[m.to.tool] = append(found[m.to.tool], m)
		}
	}
	return consolidationOffers(found)
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

// bestAction finds the action whose words cover most of an old name, rare words
// counting more; among equals the one whose parameters are closest.
func bestAction(p *profile, actions []action, byWord map[string][]int, rare map[string]float64) (mapped, bool) {
	words := bag(singulars(nameWords(p.tool.Name)))
	seen := map[int]bool{}
	best := mapped{}
	for w := range words {
		for _, i := range byWord[w] {
			if seen[i] {
				continue
			}
			seen[i] = true
			a := actions[i]
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

func consolidationOffers(found map[*profile][]mapped) []Offer {
	var offers []Offer
	var order []*profile
	for to, ms := range found {
		if len(ms) >= consolidating {
			order = append(order, to)
		}
	}
	slices.SortFunc(order, func(a, b *profile) int { return cmp.Compare(a.tool.Position, b.tool.Position) })
	for _, to := range order {
		offers = append(offers, consolidationOffer(to, found[to]))
	}
	return offers
}

func consolidationOffer(to *profile, ms []mapped) Offer {
	o := Offer{Kind: OfferConsolidation, To: to.tool.Name}
	var parts []string
	for _, m := range ms {
		o.Confidence += m.score / float64(len(ms))
		t := OfferedTool{
			Tool: m.old.tool.Name, Lost: lostParameters(m.old, to),
			Action: "{" + string(surface.EncodeString(m.to.param)) + ":" + m.to.value + "}",
		}
		o.From = append(o.From, t)
		part := fmt.Sprintf("%s as %s %s", quoteName(t.Tool), m.to.param, m.to.value)
		if len(t.Lost) > 0 {
			part += " (lost, it seems: " + strings.Join(t.Lost, ", ") + ")"
		}
		parts = append(parts, part)
	}
	o.Confidence = round(o.Confidence)
	o.Sentence = fmt.Sprintf("%s may replace %s: %s.", quoteName(to.tool.Name), count(len(ms), "tool"), strings.Join(parts, ", "))
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
