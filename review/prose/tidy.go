package prose

import (
	"sort"
	"strings"
)

// keptRun is a run of paired tokens, and the hole of changes that follows it.
type keptRun struct {
	a, b    int // first tokens
	n       int
	weight  int
	whole   bool // a whole sentence or more
	deleted int  // weights of the hole after the run
	added   int
}

// runs lists the kept runs. The first one may be empty: it stands for the start of
// the texts, and its hole is what changed before the first kept word.
func (m *matcher) runs() []keptRun {
	out := []keptRun{{}}
	i, j := 0, 0
	for i < len(m.a.toks) || j < len(m.b.toks) {
		last := &out[len(out)-1]
		switch {
		case i < len(m.a.toks) && m.a.pair[i] < 0:
			last.deleted += int(m.a.toks[i].weight)
			i++
		case j < len(m.b.toks) && m.b.pair[j] < 0:
			last.added += int(m.b.toks[j].weight)
			j++
		default:
			if last.deleted+last.added > 0 {
				out = append(out, keptRun{a: i, b: j})
				last = &out[len(out)-1]
			}
			last.n++
			last.weight += int(m.a.toks[i].weight)
			i, j = i+1, j+1
		}
	}
	for k := range out {
		out[k].whole = m.isWhole(out[k])
	}
	return out
}

func (m *matcher) isWhole(r keptRun) bool {
	if r.n == 0 || r.weight < minAnchor {
		return false
	}
	first, last := m.a.toks[r.a], m.a.toks[r.a+r.n-1]
	return first.opens && last.closes && m.b.toks[r.b].opens && m.b.toks[r.b+r.n-1].closes
}

// strayShare is the part of the lighter of two sentences, one in this many, that
// must be kept for them to be the same sentence edited.
const strayShare = 4

// giveUpStray drops what two sentences have in common where that is too little for
// one to be the other: words of an old sentence that were found again, scattered
// over passages about something else.
func (m *matcher) giveUpStray() {
	type couple struct{ a, b int32 }
	common := map[couple]int{}
	m.eachPair(func(a, b token, _ int) { common[couple{a.sentence, b.sentence}] += int(a.weight) })
	weightA, weightB := m.a.sentenceWeights(), m.b.sentenceWeights()
	m.eachPair(func(a, b token, i int) {
		lighter := min(weightA[a.sentence], weightB[b.sentence])
		if common[couple{a.sentence, b.sentence}]*strayShare < lighter {
			m.unpair(i)
		}
	})
}

// eachPair calls f for each pair of tokens with the old one's index.
func (m *matcher) eachPair(f func(a, b token, i int)) {
	for i, tok := range m.a.toks {
		if j := m.a.pair[i]; j >= 0 {
			f(tok, m.b.toks[j], i)
		}
	}
}

func (s *side) sentenceWeights() map[int32]int {
	out := map[int32]int{}
	for _, tok := range s.toks {
		out[tok.sentence] += int(tok.weight)
	}
	return out
}

// weakShare is how many times lighter than the rewriting around it a kept run may
// be. From maxWeak on, about three words in a row, a run is worth keeping
// whatever surrounds it.
const (
	weakShare = 4
	maxWeak   = 7
)

// giveUpWeak drops kept runs that are lost in rewriting: a few common words
// between passages that were replaced only make both texts hard to read. Where
// text was only added or only removed around a run, it is what stayed, and is kept.
func (m *matcher) giveUpWeak() {
	runs := m.runs()
	kept := runs[:1]
	for _, r := range runs[1:] {
		kept = append(kept, r)
		// A run that is dropped widens the hole behind the one before, which may then be
		// too weak in its turn.
		for n := len(kept); n > 1 && isWeak(kept[n-2], kept[n-1]); n-- {
			weak := kept[n-1]
			for k := range weak.n {
				m.unpair(weak.a + k)
			}
			kept = kept[:n-1]
			kept[n-2].deleted += weak.weight + weak.deleted
			kept[n-2].added += weak.weight + weak.added
		}
	}
}

// isWeak reports whether a run, behind the hole after the run before, is too weak
// to be kept.
func isWeak(before, r keptRun) bool {
	if r.whole || r.weight >= maxWeak || before.deleted+before.added == 0 || r.deleted+r.added == 0 {
		return false
	}
	rewritten := min(before.deleted, before.added) + min(r.deleted, r.added)
	return r.weight*weakShare < rewritten
}

// limitRuns gives up the shortest runs until at most maxRuns are left, so that a
// page stays small whatever was pushed.
func (m *matcher) limitRuns() {
	runs := m.runs()
	for least := 2; len(runs) > maxRuns; least *= 2 {
		for _, r := range runs {
			if r.n > 0 && r.n < least {
				for k := range r.n {
					m.unpair(r.a + k)
				}
			}
		}
		runs = m.runs()
	}
}

// slide moves insertions and deletions to where a person would mark them. In "A. B."
// against "A. C. B." the same words can be marked as ". C" or as "C."; the one
// that starts and ends with a sentence, a line or a clause is taken.
func (m *matcher) slide() {
	slideSide(m.a, m.b)
	slideSide(m.b, m.a)
}

// slideSide slides the unpaired stretches of s between which the other side has
// nothing unpaired.
func slideSide(s, other *side) {
	for from := 0; from < len(s.toks); {
		if s.pair[from] >= 0 {
			from++
			continue
		}
		to := from
		for to < len(s.toks) && s.pair[to] < 0 {
			to++
		}
		if isPure(s, other, from, to) {
			to = slideOne(s, other, from, to)
		}
		from = to
	}
}

// isPure reports whether nothing of the other side is unpaired where s has the
// unpaired tokens from to to.
func isPure(s, other *side, from, to int) bool {
	before, after := int32(-1), int32(len(other.toks))
	if from > 0 {
		before = s.pair[from-1]
	}
	if to < len(s.toks) {
		after = s.pair[to]
	}
	return after == before+1
}

// slideOne slides one stretch to its best place and returns its new end.
func slideOne(s, other *side, from, to int) int {
	start := from
	for k := 0; k < maxSlide && start > 0 && s.pair[start-1] >= 0 && s.toks[start-1].id == s.toks[start-1+to-from].id; k++ {
		start--
	}
	end := from
	for k := 0; k < maxSlide && end+to-from < len(s.toks) && s.pair[end+to-from] >= 0 && s.toks[end].id == s.toks[end+to-from].id; k++ {
		end++
	}
	best, bestScore := from, s.edges(from, to)
	for at := start; at <= end; at++ {
		if score := s.edges(at, at+to-from); score > bestScore {
			best, bestScore = at, score
		}
	}
	s.moveHole(other, from, to, best)
	return best + to - from
}

// moveHole pairs anew what lies between the old and the new place of a hole.
func (s *side) moveHole(other *side, from, to, best int) {
	size := to - from
	for at := from; at > best; at-- {
		partner := s.pair[at-1]
		s.pair[at-1], s.pair[at-1+size] = -1, partner
		other.pair[partner] = int32(at - 1 + size)
	}
	for at := from; at < best; at++ {
		partner := s.pair[at+size]
		s.pair[at+size], s.pair[at] = -1, partner
		other.pair[partner] = int32(at)
	}
}

// edges scores a stretch by how natural its start and end are.
func (s *side) edges(from, to int) int {
	return s.edge(from) + s.edge(to)
}

// edge scores the place before token i: the start of a paragraph or line above
// that of a sentence, above that of a clause.
func (s *side) edge(i int) int {
	if i == 0 || i == len(s.toks) {
		return 4
	}
	between := s.s[s.toks[i-1].end:s.toks[i].start]
	before := s.s[s.toks[i-1].start:s.toks[i-1].end]
	switch {
	case strings.Contains(between, "\n"):
		return 4
	case s.toks[i].opens:
		return 3
	case strings.Contains(",;:", before):
		return 2
	case strings.HasPrefix(s.s[s.toks[i].start:], "(") || before == ")":
		return 2
	case between != "":
		return 1
	}
	return 0
}

func sortByNew(p []pairing) {
	sort.Slice(p, func(i, j int) bool { return p[i].b.from < p[j].b.from })
}
