package prose

// Alignment by dynamic programming. What makes a diff unreadable is confetti:
// scattered words that happen to be in both texts, kept between changes. So each
// run of kept tokens has a price, less at sentence boundaries, and a run is kept
// only if its words are worth more.
const (
	priceInside   = 1 // to start or end a run inside a sentence
	priceSentence = 0 // to start or end a run where both texts have a sentence boundary
	edgeBonus     = 1 // for pairing two starts or two ends of sentences
)

// How a cell of the table was reached.
const (
	fromAbove byte = iota // the old token is deleted
	fromLeft              // the new token is inserted
	fromRun               // a run ends here
	runMask   byte = 3
	runStarts byte = 4 // the run that ends here holds this pair only
)

// gap is a pair of token ranges that are still to be aligned.
type gap struct {
	a, b tokenRange
}

func (g gap) size() int { return (g.a.to - g.a.from) * (g.b.to - g.b.from) }

func (g gap) empty() bool { return g.a.from >= g.a.to || g.b.from >= g.b.to }

// align finds the dearest alignment of the gap and records it.
func (m *matcher) align(g gap) {
	a, b := m.a.toks[g.a.from:g.a.to], m.b.toks[g.b.from:g.b.to]
	cols := len(b) + 1
	how := make([]byte, (len(a)+1)*cols)
	best, above := make([]int32, cols), make([]int32, cols)
	run, runAbove := make([]int32, cols), make([]int32, cols)
	const none = -1 << 30
	for j := range runAbove {
		runAbove[j] = none
	}
	for i := 1; i <= len(a); i++ {
		best[0], run[0] = 0, none
		for j := 1; j < cols; j++ {
			score, cell := above[j], fromAbove
			if best[j-1] > score {
				score, cell = best[j-1], fromLeft
			}
			run[j] = none
			if a[i-1].id == b[j-1].id {
				fresh := above[j-1] - m.startPrice(g, i-1, j-1)
				kept := runAbove[j-1]
				starts := fresh > kept
				if starts {
					kept = fresh
				}
				run[j] = kept + worth(&a[i-1], &b[j-1])
				if ended := run[j] - m.endPrice(g, i, j); ended > score {
					score, cell = ended, fromRun
				}
				if starts {
					cell |= runStarts
				}
			}
			best[j] = score
			how[i*cols+j] = cell
		}
		best, above = above, best
		run, runAbove = runAbove, run
	}
	m.trace(g, how, len(a), len(b))
}

// worth is what keeping a pair of equal tokens is worth.
func worth(a, b *token) int32 {
	w := a.weight
	if a.opens && b.opens || a.closes && b.closes {
		w += edgeBonus
	}
	return w
}

// startPrice is what it costs to start a run with the i-th and j-th token of g.
func (m *matcher) startPrice(g gap, i, j int) int32 {
	a, b := &m.a.toks[g.a.from+i], &m.b.toks[g.b.from+j]
	switch {
	case i == 0 && j == 0:
		return 0
	case a.opens && b.opens:
		return priceSentence
	}
	return priceInside
}

// endPrice is what it costs to end a run before the i-th and j-th token of g.
func (m *matcher) endPrice(g gap, i, j int) int32 {
	a, b := &m.a.toks[g.a.from+i-1], &m.b.toks[g.b.from+j-1]
	switch {
	case g.a.from+i == g.a.to && g.b.from+j == g.b.to:
		return 0
	case a.closes && b.closes:
		return priceSentence
	}
	return priceInside
}

// trace walks the table back and records the runs.
func (m *matcher) trace(g gap, how []byte, i, j int) {
	cols := j + 1
	for i > 0 && j > 0 {
		switch how[i*cols+j] & runMask {
		case fromAbove:
			i--
		case fromLeft:
			j--
		case fromRun:
			for {
				starts := how[i*cols+j]&runStarts != 0
				i, j = i-1, j-1
				m.pair(g.a.from+i, g.b.from+j)
				if starts {
					break
				}
			}
		}
	}
}
