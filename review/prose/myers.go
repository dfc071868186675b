package prose

// Myers' greedy algorithm, for gaps too large to align by table: an edit script
// of the fewest tokens. It costs the square of the number of differences, so it
// works in rounds: after a bounded number of differences it keeps what the
// furthest path has found and starts again from there.

// maxRound bounds the differences of one round, and so its memory.
const maxRound = 1024

// differ aligns gap g, as far as the steps last. What it did not reach counts as
// replaced.
func (m *matcher) differ(g gap) {
	for !g.empty() && m.steps > 0 {
		from := g
		g = m.round(g)
		if g == from {
			return
		}
	}
}

// round aligns the start of g and returns what is left.
func (m *matcher) round(g gap) gap {
	a, b := m.a.toks[g.a.from:g.a.to], m.b.toks[g.b.from:g.b.to]
	bound := min(len(a)+len(b), maxRound)
	reach := make([]int32, 2*bound+2) // reach[bound+k] is the furthest x on diagonal k
	var trail [][]int32
	bestD, bestK, bestSum := 0, 0, -1
	for d := 0; d <= bound && m.steps > 0; d++ {
		for k := -d; k <= d; k += 2 {
			x := step(reach, bound, d, k)
			y := x - int32(k)
			for int(x) < len(a) && int(y) < len(b) && a[x].id == b[y].id {
				x, y = x+1, y+1
				m.steps--
			}
			m.steps--
			reach[bound+k] = x
			if sum := int(x) + int(y); sum > bestSum && int(x) <= len(a) && int(y) <= len(b) {
				bestD, bestK, bestSum = d, k, sum
			}
		}
		trail = append(trail, append([]int32(nil), reach[bound-d:bound+d+1]...))
		if bestSum == len(a)+len(b) {
			break
		}
	}
	x := int(trail[bestD][bestK+bestD])
	m.retrace(g, trail, bestD, bestK)
	return gap{tokenRange{g.a.from + x, g.a.to}, tokenRange{g.b.from + x - bestK, g.b.to}}
}

// step returns where a path of d differences enters diagonal k.
func step(reach []int32, bound, d, k int) int32 {
	if d == 0 {
		return 0
	}
	if k == -d || k != d && reach[bound+k-1] < reach[bound+k+1] {
		return reach[bound+k+1]
	}
	return reach[bound+k-1] + 1
}

// retrace records the pairs of the path that ended on diagonal k after d
// differences. trail[d][k+d] is how far diagonal k reached after d differences.
func (m *matcher) retrace(g gap, trail [][]int32, d, k int) {
	for ; d >= 0; d-- {
		x := trail[d][k+d]
		before, enter := k, int32(0)
		if d > 0 {
			before, enter = entry(trail[d-1], d, k)
		}
		for ; x > enter; x-- {
			m.pair(g.a.from+int(x)-1, g.b.from+int(x)-1-k)
		}
		k = before
	}
}

// entry returns from which diagonal, and where, a path of d differences entered
// diagonal k, given how far the paths of one difference less reached. It decides as
// step did.
func entry(previous []int32, d, k int) (diagonal int, x int32) {
	below, above := k-1+d-1, k+1+d-1
	if k == -d || k != d && previous[below] < previous[above] {
		return k + 1, previous[above]
	}
	return k - 1, previous[below] + 1
}
