package change

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review/prose"
)

// how says what kind of difference a passage is.
type how int

const (
	edited how = iota
	reordered
	blanks
)

// passage is one place where a text changed: what was lost and what was gained
// there, in whole sentences.
type passage struct {
	lost, gained string
	how          how
}

// Bounds, in sentences. A gap with more is one passage.
const (
	maxSentences = 4000
	maxSingly    = 6  // sentences of a pure insertion that are told apart
	maxPaired    = 40 // sentences of a gap among which reworded ones are looked for
)

// passages cuts the difference of two texts into the smallest whole-sentence
// parts that mean something by themselves. Sentences that only changed places are
// in none of them.
func passages(old, new string) []passage {
	a, b := sentenceTexts(old), sentenceTexts(new)
	if len(a) > maxSentences || len(b) > maxSentences {
		return []passage{{lost: old, gained: new}}
	}
	keptA, keptB := align(a, b)
	moved := cancelMoved(a, b, keptA, keptB)
	var out []passage
	eachGap(keptA, keptB, func(i0, i1, j0, j1 int) {
		out = append(out, splitGap(pick(a, keptA, i0, i1), pick(b, keptB, j0, j1))...)
	})
	switch {
	case moved:
		return append(out, passage{lost: old, gained: new, how: reordered})
	case len(out) == 0:
		return []passage{{lost: old, gained: new, how: blanks}}
	}
	return out
}

func sentenceTexts(s string) []string {
	sentences := prose.Sentences(s)
	texts := make([]string, 0, len(sentences))
	for _, x := range sentences {
		if x.Text != "" {
			texts = append(texts, x.Text)
		}
	}
	return texts
}

// mark says what became of a sentence.
type mark byte

const (
	open  mark = iota // differs
	kept              // stands in both texts, in order
	moved             // stands in both texts, elsewhere
)

// align finds the sentences that both texts have in the same order: those that
// occur once on each side and lie on a longest increasing run, and what is equal
// next to them. It is linear but for a sort.
func align(a, b []string) (ma, mb []mark) {
	ma, mb = make([]mark, len(a)), make([]mark, len(b))
	anchors := anchorsOf(a, b)
	grow := func(i, j, step int) {
		for i >= 0 && j >= 0 && i < len(a) && j < len(b) && a[i] == b[j] && ma[i] == open && mb[j] == open {
			ma[i], mb[j] = kept, kept
			i, j = i+step, j+step
		}
	}
	for _, p := range anchors {
		ma[p[0]], mb[p[1]] = kept, kept
	}
	for _, p := range anchors {
		grow(p[0]+1, p[1]+1, 1)
		grow(p[0]-1, p[1]-1, -1)
	}
	grow(0, 0, 1)
	grow(len(a)-1, len(b)-1, -1)
	return ma, mb
}

func anchorsOf(a, b []string) [][2]int {
	at := uniquePlaces(b)
	var pairs [][2]int
	for s, i := range uniquePlaces(a) {
		if j, ok := at[s]; ok {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return x[0] - y[0] })
	seq := make([]int, len(pairs))
	for k, p := range pairs {
		seq[k] = p[1]
	}
	in := longestIncreasing(seq)
	anchors := pairs[:0]
	for k, p := range pairs {
		if in[k] {
			anchors = append(anchors, p)
		}
	}
	return anchors
}

func uniquePlaces(s []string) map[string]int {
	at := make(map[string]int, len(s))
	twice := map[string]bool{}
	for i, x := range s {
		if _, ok := at[x]; ok {
			twice[x] = true
		}
		at[x] = i
	}
	for x := range twice {
		delete(at, x)
	}
	return at
}

// cancelMoved marks sentences that stand on both sides without being aligned.
func cancelMoved(a, b []string, ma, mb []mark) bool {
	places := map[string][]int{}
	for j, s := range b {
		if mb[j] == open {
			places[s] = append(places[s], j)
		}
	}
	found := false
	for i, s := range a {
		if q := places[s]; ma[i] == open && len(q) > 0 {
			ma[i], mb[q[0]] = moved, moved
			places[s] = q[1:]
			found = true
		}
	}
	return found
}

// eachGap calls f with the ranges between kept sentences.
func eachGap(ma, mb []mark, f func(i0, i1, j0, j1 int)) {
	i, j := 0, 0
	for i < len(ma) || j < len(mb) {
		i0, j0 := i, j
		for i < len(ma) && ma[i] != kept {
			i++
		}
		for j < len(mb) && mb[j] != kept {
			j++
		}
		if i > i0 || j > j0 {
			f(i0, i, j0, j)
		}
		i, j = i+1, j+1
	}
}

func pick(s []string, m []mark, from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		if m[i] == open {
			out = append(out, s[i])
		}
	}
	return out
}

// splitGap cuts what was lost and gained at one place. Sentences that were only
// reworded find each other; what comes or goes alone is told apart sentence by
// sentence, so that one boilerplate sentence is the same edit wherever it lands.
func splitGap(lost, gained []string) []passage {
	if len(lost) == 0 || len(gained) == 0 {
		return oneSided(lost, gained)
	}
	var out []passage
	i, j := 0, 0
	for _, p := range rewordings(lost, gained) {
		out = append(out, replaced(lost[i:p[0]], gained[j:p[1]])...)
		out = append(out, passage{lost: lost[p[0]], gained: gained[p[1]]})
		i, j = p[0]+1, p[1]+1
	}
	return append(out, replaced(lost[i:], gained[j:])...)
}

func replaced(lost, gained []string) []passage {
	if len(lost) == 0 || len(gained) == 0 {
		return oneSided(lost, gained)
	}
	return []passage{{lost: strings.Join(lost, " "), gained: strings.Join(gained, " ")}}
}

func oneSided(lost, gained []string) []passage {
	if len(lost)+len(gained) == 0 {
		return nil
	}
	if len(lost)+len(gained) > maxSingly {
		return []passage{{lost: strings.Join(lost, " "), gained: strings.Join(gained, " ")}}
	}
	var out []passage
	for _, s := range lost {
		out = append(out, passage{lost: s})
	}
	for _, s := range gained {
		out = append(out, passage{gained: s})
	}
	return out
}

// rewordings pairs sentences that share most of their words, in order.
func rewordings(lost, gained []string) [][2]int {
	if len(lost) > maxPaired || len(gained) > maxPaired {
		return nil
	}
	var pairs [][2]int
	from := 0
	for i, l := range lost {
		best, at := 0.5, -1
		words := wordSet(l)
		for j := from; j < len(gained); j++ {
			if s := dice(words, wordSet(gained[j])); s > best {
				best, at = s, j
			}
		}
		if at >= 0 {
			pairs = append(pairs, [2]int{i, at})
			from = at + 1
		}
	}
	return pairs
}
