package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// cachePrefix counts the leading tools that are the same bytes on both sides. A
// provider's prompt cache holds that far and no further.
func cachePrefix(old, new []surface.Tool) int {
	n := 0
	for n < len(old) && n < len(new) && old[n].RawHash == new[n].RawHash {
		n++
	}
	return n
}

// order compares the order of the tools that both listings have. What was added
// or removed moves nothing by itself.
func (c *comparer) order(old, new *surface.Listing) {
	r := c.report
	r.Moved = movedTools(c.pairs.pairs)
	if len(r.Moved) == 0 {
		return
	}
	from, to := old.OrderDigest(), new.OrderDigest()
	d := Detail{
		ID:       "order.changed",
		Class:    Behaviour,
		Sentence: orderSentence(r.Moved, cachePrefix(old.Tools, new.Tools)),
		Old:      orderOf(c.pairs.pairs, func(p pair) *surface.Tool { return p.old }),
		New:      orderOf(c.pairs.pairs, func(p pair) *surface.Tool { return p.new }),
	}
	c.add(Change{
		ID: ID(SubjectOrder, "", "", from, to), Subject: SubjectOrder, From: from, To: to,
		Kind: Moved, Class: Behaviour, Details: []Detail{d.keyed("")},
	})
}

// movedTools returns the fewest tools that must move to turn the old order into
// the new: those outside a longest common subsequence.
func movedTools(pairs []pair) []Move {
	byOld := slices.Clone(pairs)
	slices.SortStableFunc(byOld, func(a, b pair) int { return cmp.Compare(a.old.Position, b.old.Position) })
	seq := make([]int, len(byOld))
	for i, p := range byOld {
		seq[i] = p.new.Position
	}
	kept := longestIncreasing(seq)
	moves := []Move{}
	for i, p := range byOld {
		if !kept[i] {
			moves = append(moves, Move{Tool: p.new.Name, From: p.old.Position, To: p.new.Position})
		}
	}
	return moves
}

// longestIncreasing marks the members of one longest increasing subsequence, by
// patience sorting in O(n log n). Equal inputs give equal answers.
func longestIncreasing(seq []int) []bool {
	tails := make([]int, 0, len(seq)) // index into seq of the smallest tail of each length
	prev := make([]int, len(seq))
	for i, v := range seq {
		k, _ := slices.BinarySearchFunc(tails, v, func(t, v int) int { return cmp.Compare(seq[t], v) })
		prev[i] = -1
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	kept := make([]bool, len(seq))
	if len(tails) == 0 {
		return kept
	}
	for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
		kept[i] = true
	}
	return kept
}

// namedInSentence bounds how many names a sentence lists; the rest is a count.
const namedInSentence = 5

func orderSentence(moves []Move, prefix int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s changed place among the others: ", count(len(moves), "tool"))
	for i, m := range moves {
		if i == namedInSentence {
			fmt.Fprintf(&b, " and %s more", thousands(len(moves)-i))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s from %d to %d", quoteName(m.Tool), m.From, m.To)
	}
	if prefix == 0 {
		b.WriteString(". No leading tool keeps its bytes, so prompt caches start anew.")
	} else {
		fmt.Fprintf(&b, ". Prompt caches still hold for the first %s.", count(prefix, "tool"))
	}
	return b.String()
}

// orderOf lists names in the order of one side, as a JSON array.
func orderOf(pairs []pair, side func(pair) *surface.Tool) []byte {
	tools := make([]*surface.Tool, len(pairs))
	for i, p := range pairs {
		tools[i] = side(p)
	}
	slices.SortStableFunc(tools, func(a, b *surface.Tool) int { return cmp.Compare(a.Position, b.Position) })
	out := []byte{'['}
	for i, t := range tools {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, surface.EncodeString(t.Name)...)
	}
	return append(out, ']')
}
