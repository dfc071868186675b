package prose

import "sort"

// pairing is a stretch of tokens that is the same in both texts.
type pairing struct {
	a, b tokenRange
	same int // weight
}

// minAnchor is the weight that a sentence needs before its being the only one of
// its kind in both texts proves that it is the same sentence.
const minAnchor = 2 * weightWord

// minMoved is the weight that a sentence needs before its being elsewhere is worth
// saying. Shorter ones are deleted and inserted.
const minMoved = 3 * weightWord

// uniqueSentences lists the sentences that stand exactly once in each text, in the
// order of the old one. They are the same byte for byte.
func (m *matcher) uniqueSentences() []pairing {
	type seen struct{ countA, countB, b int }
	index := make(map[string]*seen, len(m.a.sentences))
	for _, r := range m.a.sentences {
		key := m.a.raw(r)
		if index[key] == nil {
			index[key] = &seen{}
		}
		index[key].countA++
	}
	for i, r := range m.b.sentences {
		if s := index[m.b.raw(r)]; s != nil {
			s.countB++
			s.b = i
		}
	}
	var out []pairing
	for _, r := range m.a.sentences {
		s := index[m.a.raw(r)]
		weight := m.a.weight(r)
		if s.countA == 1 && s.countB == 1 && weight >= minAnchor {
			out = append(out, pairing{a: r, b: m.b.sentences[s.b], same: weight})
		}
	}
	return out
}

// heaviest splits pairings, given in the order of the old text, into those that
// keep their order in the new text with the greatest weight, and the others.
func heaviest(all []pairing) (kept, moved []pairing) {
	rank := ranksOf(all)
	tree := make(maxTree, len(all)+1)
	best := make([]int, len(all)) // weight of the best chain that ends here
	prev := make([]int, len(all))
	last := -1
	for i, p := range all {
		prev[i] = -1
		weight, before := tree.max(rank[i])
		if weight > 0 {
			prev[i] = before
		}
		best[i] = weight + p.same
		tree.set(rank[i], best[i], i)
		if last < 0 || best[i] > best[last] {
			last = i
		}
	}
	stays := make([]bool, len(all))
	for i := last; i >= 0; i = prev[i] {
		stays[i] = true
	}
	for i, p := range all {
		if stays[i] {
			kept = append(kept, p)
		} else {
			moved = append(moved, p)
		}
	}
	return kept, moved
}

// ranksOf numbers pairings by their place in the new text, from 0.
func ranksOf(all []pairing) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(x, y int) bool { return all[order[x]].b.from < all[order[y]].b.from })
	rank := make([]int, len(all))
	for r, i := range order {
		rank[i] = r
	}
	return rank
}

// maxTree is a Fenwick tree of the heaviest chain that ends at or before a rank.
type maxTree []struct{ weight, item int }

// max returns the greatest weight among ranks below r, and whose it is.
func (t maxTree) max(r int) (weight, item int) {
	for ; r > 0; r -= r & -r {
		if t[r].weight > weight {
			weight, item = t[r].weight, t[r].item
		}
	}
	return weight, item
}

func (t maxTree) set(r, weight, item int) {
	for r++; r < len(t); r += r & -r {
		if weight > t[r].weight {
			t[r].weight, t[r].item = weight, item
		}
	}
}

// shingle is three tokens in a row.
type shingle [3]int32

// uniqueShingles lists the places where three tokens in a row stand exactly once
// on each side of a gap, in the order of the old text.
func (m *matcher) uniqueShingles(g gap) []pairing {
	inA, inB := shinglesOf(m.a.text, g.a), shinglesOf(m.b.text, g.b)
	var out []pairing
	for i := g.a.from; i+3 <= g.a.to; i++ {
		key := shingleAt(m.a.text, i)
		j, once := inB[key]
		if inA[key] < 0 || !once || j < 0 {
			continue
		}
		r := tokenRange{i, i + 3}
		out = append(out, pairing{a: r, b: tokenRange{j, j + 3}, same: m.a.weight(r)})
	}
	return out
}

// shinglesOf maps each shingle of a range to where it starts, or to -1 when it is
// there more than once.
func shinglesOf(t *text, r tokenRange) map[shingle]int {
	out := make(map[shingle]int, max(0, r.to-r.from))
	for i := r.from; i+3 <= r.to; i++ {
		key := shingleAt(t, i)
		if _, twice := out[key]; twice {
			out[key] = -1
		} else {
			out[key] = i
		}
	}
	return out
}

func shingleAt(t *text, i int) shingle {
	return shingle{t.toks[i].id, t.toks[i+1].id, t.toks[i+2].id}
}
