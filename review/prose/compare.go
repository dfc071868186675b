package prose

// How a comparison works. Both texts are cut into tokens and sentences. Sentences
// that stand once in each text and are equal are anchors; the heaviest set of them
// that keeps its order stays, the others have moved. What lies between anchors is
// aligned by a table that prices every run of kept words ([matcher.align]), or,
// where that would be too large, by rare shingles of three tokens and Myers'
// algorithm. Then words that strayed into another sentence, and runs
// too weak for what surrounds them, are given up, and insertions
// and deletions slide to the nearest sentence or line boundary.

// Bounds of one comparison, in steps.
const (
	maxTable = 1 << 20 // cells of one alignment table
	maxCells = 8 << 20 // cells of all tables
	maxSteps = 8 << 20 // steps of Myers' algorithm
	maxRuns  = 4000    // kept runs, and so pieces, of a diff
	maxSlide = 200     // tokens that one insertion may slide over
)

// side is one text with its tokens, those of moved passages taken out.
type side struct {
	*text          // its toks are only those that stayed
	all    []token // all tokens in order
	moveOf []int32 // for each of all: the number of its move, or 0
	pair   []int32 // for each of toks: its partner in the other side's toks, or -1
}

// matcher aligns two texts.
type matcher struct {
	a, b         *side
	cells, steps int
	moves        int
}

func newMatcher(old, new string) *matcher {
	ids := interner{}
	return &matcher{a: newSide(readText(old, ids)), b: newSide(readText(new, ids)), cells: maxCells, steps: maxSteps}
}

func newSide(t *text) *side {
	return &side{text: t, all: t.toks, moveOf: make([]int32, len(t.toks))}
}

// match aligns the texts.
func (m *matcher) match() {
	kept, moved := heaviest(m.uniqueSentences())
	m.setMoves(moved)
	shiftA, shiftB := m.a.takeOut(), m.b.takeOut()
	for i := range kept {
		kept[i].a, kept[i].b = kept[i].a.shift(shiftA), kept[i].b.shift(shiftB)
	}
	m.between(gap{tokenRange{0, len(m.a.toks)}, tokenRange{0, len(m.b.toks)}}, kept, m.solve)
	m.giveUpStray()
	m.giveUpWeak()
	m.slide()
	m.limitRuns()
}

// setMoves numbers the moved sentences in the order of the new text. Neighbours
// that moved together are one move.
func (m *matcher) setMoves(moved []pairing) {
	sortByNew(moved)
	last := pairing{a: tokenRange{-1, -1}, b: tokenRange{-1, -1}}
	for _, p := range moved {
		if p.same < minMoved {
			continue
		}
		if p.a.from != last.a.to || p.b.from != last.b.to {
			m.moves++
		}
		last = p
		fill(m.a.moveOf[p.a.from:p.a.to], int32(m.moves))
		fill(m.b.moveOf[p.b.from:p.b.to], int32(m.moves))
	}
}

func fill(s []int32, v int32) {
	for i := range s {
		s[i] = v
	}
}

// takeOut leaves in toks only what did not move. It returns, for each old index,
// how many tokens before it were taken out.
func (s *side) takeOut() []int {
	shift := make([]int, len(s.all)+1)
	stayed := make([]token, 0, len(s.all))
	for i, tok := range s.all {
		shift[i] = i - len(stayed)
		if s.moveOf[i] == 0 {
			stayed = append(stayed, tok)
		}
	}
	shift[len(s.all)] = len(s.all) - len(stayed)
	s.text = &text{s: s.s, marks: s.marks, toks: stayed}
	s.pair = make([]int32, len(stayed))
	fill(s.pair, -1)
	return shift
}

func (r tokenRange) shift(by []int) tokenRange {
	return tokenRange{r.from - by[r.from], r.to - by[r.to]}
}

func (m *matcher) pair(i, j int) {
	m.a.pair[i], m.b.pair[j] = int32(j), int32(i)
}

func (m *matcher) unpair(i int) {
	m.b.pair[m.a.pair[i]] = -1
	m.a.pair[i] = -1
}

// between pairs the tokens of the anchors, which are in order, and hands the gaps
// before, between and after them to solve.
func (m *matcher) between(g gap, anchors []pairing, solve func(gap)) {
	rest := g
	for _, p := range anchors {
		// Shingles overlap: what the one before took is not taken again.
		skip := max(0, rest.a.from-p.a.from, rest.b.from-p.b.from)
		if skip >= p.a.to-p.a.from {
			continue
		}
		from := gap{tokenRange{p.a.from + skip, p.a.to}, tokenRange{p.b.from + skip, p.b.to}}
		solve(gap{tokenRange{rest.a.from, from.a.from}, tokenRange{rest.b.from, from.b.from}})
		for k := range from.a.to - from.a.from {
			m.pair(from.a.from+k, from.b.from+k)
		}
		rest.a.from, rest.b.from = p.a.to, p.b.to
	}
	solve(rest)
}

// solve aligns a gap: by table where it fits, else around rare shingles.
func (m *matcher) solve(g gap) {
	g = m.trim(g)
	if g.empty() || m.alignIfSmall(g) {
		return
	}
	anchors, _ := heaviest(m.uniqueShingles(g))
	m.between(g, anchors, func(rest gap) {
		rest = m.trim(rest)
		if !rest.empty() && !m.alignIfSmall(rest) {
			m.differ(rest)
		}
	})
}

func (m *matcher) alignIfSmall(g gap) bool {
	size := g.size()
	if size > maxTable || size > m.cells {
		return false
	}
	m.cells -= size
	m.align(g)
	return true
}

// trim pairs what both ends of a gap have in common. Where the rest will be
// aligned by table, only whole sentences are trimmed: which words of a half-equal
// sentence belong together is for the table to say.
func (m *matcher) trim(g gap) gap {
	n := m.common(g, 1)
	head := m.wholeSentences(g, n, g.size() > maxTable, 1)
	for k := range head {
		m.pair(g.a.from+k, g.b.from+k)
	}
	g.a.from, g.b.from = g.a.from+head, g.b.from+head
	n = m.common(g, -1)
	tail := m.wholeSentences(g, n, g.size() > maxTable, -1)
	for k := range tail {
		m.pair(g.a.to-1-k, g.b.to-1-k)
	}
	g.a.to, g.b.to = g.a.to-tail, g.b.to-tail
	return g
}

// common counts equal tokens from the start of g (dir 1) or from its end (dir -1).
func (m *matcher) common(g gap, dir int) int {
	limit := min(g.a.to-g.a.from, g.b.to-g.b.from)
	i, j := g.a.from, g.b.from
	if dir < 0 {
		i, j = g.a.to-1, g.b.to-1
	}
	n := 0
	for n < limit && m.a.toks[i+dir*n].id == m.b.toks[j+dir*n].id {
		n++
	}
	return n
}

// wholeSentences shortens a common stretch of n tokens to whole sentences, unless
// large says that the gap is too large to care.
func (m *matcher) wholeSentences(g gap, n int, large bool, dir int) int {
	if large {
		return n
	}
	for ; n > 0; n-- {
		cutA, cutB := g.a.from+n, g.b.from+n
		if dir < 0 {
			cutA, cutB = g.a.to-n, g.b.to-n
		}
		if m.a.boundary(cutA, g.a) && m.b.boundary(cutB, g.b) {
			return n
		}
	}
	return 0
}

// boundary reports whether a sentence starts at token i, or the range ends there.
func (s *side) boundary(i int, r tokenRange) bool {
	return i == r.from || i == r.to || s.toks[i].opens
}
