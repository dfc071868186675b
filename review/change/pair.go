package change

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/review/surface"
)

// pair is one tool of the old listing with its counterpart in the new. One side
// may be nil.
type pair struct {
	old, new   *surface.Tool
	confidence float64 // of a rename; 0 for a pair of one name
	aliased    bool    // an alias answers for the old name
	byHand     bool    // a person confirmed the rename
	rule       string  // of a rename that many tools share
}

func (p pair) same() bool { return p.old != nil && p.new != nil && p.old.Digest == p.new.Digest }

// pairing is how two listings correspond: the pairs in the order of the new
// listing, and what is left over on either side in listing order.
type pairing struct {
	pairs   []pair
	removed []*surface.Tool
	added   []*surface.Tool
}

// pairTools pairs by name. Among tools that share a name, equal definitions find
// each other first, in order; the rest pair by position, k-th to k-th. So a
// duplicate is never lost, and an untouched one never takes the place of the one
// that was edited.
func pairTools(old, new []surface.Tool) *pairing {
	p := &pairing{}
	byName := make(map[string][]*surface.Tool, len(old))
	for i := range old {
		byName[old[i].Name] = append(byName[old[i].Name], &old[i])
	}
	mates := map[*surface.Tool]*surface.Tool{}
	for name, group := range groupByName(new) {
		matchGroup(byName[name], group, mates)
	}
	taken := make(map[*surface.Tool]bool, len(mates))
	for i := range new {
		t := &new[i]
		if mate := mates[t]; mate != nil {
			taken[mate] = true
			p.pairs = append(p.pairs, pair{old: mate, new: t})
			continue
		}
		p.added = append(p.added, t)
	}
	for i := range old {
		if !taken[&old[i]] {
			p.removed = append(p.removed, &old[i])
		}
	}
	return p
}

func groupByName(tools []surface.Tool) map[string][]*surface.Tool {
	g := make(map[string][]*surface.Tool, len(tools))
	for i := range tools {
		g[tools[i].Name] = append(g[tools[i].Name], &tools[i])
	}
	return g
}

// matchGroup pairs the tools of one name and notes new -> old in mates.
func matchGroup(old, new []*surface.Tool, mates map[*surface.Tool]*surface.Tool) {
	if len(old) == 1 && len(new) == 1 {
		mates[new[0]] = old[0]
		return
	}
	byDigest := map[surface.Hash][]*surface.Tool{}
	for _, t := range old {
		byDigest[t.Digest] = append(byDigest[t.Digest], t)
	}
	used := map[*surface.Tool]bool{}
	var rest []*surface.Tool
	for _, t := range new {
		if q := byDigest[t.Digest]; len(q) > 0 {
			mates[t], used[q[0]] = q[0], true
			byDigest[t.Digest] = q[1:]
			continue
		}
		rest = append(rest, t)
	}
	for _, t := range old {
		if len(rest) == 0 {
			break
		}
		if !used[t] {
			mates[rest[0]] = t
			rest = rest[1:]
		}
	}
}

// take moves a removed and an added tool into the pairs.
func (p *pairing) take(q pair) {
	p.removed = slices.DeleteFunc(p.removed, func(t *surface.Tool) bool { return t == q.old })
	p.added = slices.DeleteFunc(p.added, func(t *surface.Tool) bool { return t == q.new })
	p.pairs = append(p.pairs, q)
}

// inNewOrder sorts the pairs by their place in the new listing.
func (p *pairing) inNewOrder() {
	slices.SortStableFunc(p.pairs, func(a, b pair) int { return cmp.Compare(a.new.Position, b.new.Position) })
}
