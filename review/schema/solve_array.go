package schema

import (
	"slices"
)

// Bounds of arrays made up for a witness.
const (
	maxItems      = 3_000 // items
	maxUniqueMade = 64    // items that must differ from each other
	maxDemands    = 64    // items that must satisfy something of their own
)

// arraySearch looks for an array. Positions from tail on are all alike, so only
// few lengths and few ways of placing demands have to be tried.
type arraySearch struct {
	s                 *solver
	every             []*atom
	counts            []*atom // with an upper bound
	demands           []demand
	least, most       int
	unique, notUnique bool
	tail              int
	doubt             string
}

// demand says that an item at positions from to to (exclusive) satisfies lit.
// Demands of one group need items of their own.
type demand struct {
	from, to, group int
	lit             lit
}

func (s *solver) leafArray(st *state) answer {
	a := &arraySearch{s: s, most: -1}
	for i, x := range st.atoms {
		a.take(x.atom, i+1)
	}
	if a.most >= 0 && a.least > a.most || a.unique && a.notUnique {
		return answer{}
	}
	for i := 0; i < a.least && i <= a.tail; i++ {
		if s.solve(a.at(i)...).outcome == none {
			return answer{}
		}
	}
	if a.least > maxItems || len(a.demands) > maxDemands {
		return noAnswer("an array too long for an example")
	}
	return a.lengths()
}

func (a *arraySearch) take(x *atom, group int) {
	switch x.op {
	case atomItems:
		a.least = max(a.least, x.min)
		if x.max >= 0 && (a.most < 0 || x.max < a.most) {
			a.most = x.max
		}
	case atomUnique:
		a.unique = true
	case atomNotUnique:
		a.notUnique = true
	case atomEveryItem:
		a.every = append(a.every, x)
		a.tail = max(a.tail, x.min, x.max)
	case atomSomeItem:
		a.demands = append(a.demands, demand{x.min, x.max, group, x.lit})
		a.tail = max(a.tail, x.min, x.max)
	case atomCount:
		for range min(x.min, maxDemands+1) {
			a.demands = append(a.demands, demand{0, -1, group, x.lit})
		}
		if x.max >= 0 {
			a.counts = append(a.counts, x)
		}
	case atomOpaque:
		a.doubt = reasonText(x.reason)
	}
}

// at returns what every item at position i must satisfy.
func (a *arraySearch) at(i int) []lit {
	var out []lit
	for _, x := range a.every {
		if i >= x.min && (x.max < 0 || i < x.max) {
			out = append(out, x.lit)
		}
	}
	return out
}

// lengths tries lengths upwards. More items than the demands need behind the
// tail never help.
func (a *arraySearch) lengths() answer {
	last := max(a.least, a.tail+len(a.demands))
	if a.notUnique {
		last = max(last, a.tail+len(a.demands)+2)
	}
	if a.most >= 0 {
		last = min(last, a.most)
	}
	out := answer{}
	for n := a.least; n <= last; n++ {
		if a.s.steps > a.s.limit {
			return noAnswer(whySteps)
		}
		if n > maxItems {
			return noAnswer("an array too long for an example")
		}
		b := a.place(n, 0, make([][]lit, n), make([][]int, n))
		if b.outcome == found {
			return b
		}
		out = worse(out, b)
	}
	return out
}

// place gives each demand a position, trying all that differ.
func (a *arraySearch) place(n, i int, extra [][]lit, groups [][]int) answer {
	if i == len(a.demands) {
		return a.settle(n, extra)
	}
	if a.s.steps++; a.s.steps > a.s.limit {
		return noAnswer(whySteps)
	}
	d := a.demands[i]
	to := n
	if d.to >= 0 {
		to = min(to, d.to)
	}
	out := answer{}
	for p := d.from; p < to; p++ {
		if slices.Contains(groups[p], d.group) {
			continue
		}
		fresh := p >= a.tail && len(extra[p]) == 0
		if a.s.solve(slices.Concat(a.at(p), extra[p], []lit{d.lit})...).outcome != none {
			e, g := slices.Clone(extra), slices.Clone(groups)
			e[p] = append(slices.Clip(e[p]), d.lit)
			g[p] = append(slices.Clip(g[p]), d.group)
			b := a.place(n, i+1, e, g)
			if b.outcome == found {
				return b
			}
			out = worse(out, b)
		}
		if fresh { // the untouched positions behind it are the same
			break
		}
	}
	return out
}

// settle decides for every item whether it counts for the bounded counts, as
// few as possible, and builds the array.
func (a *arraySearch) settle(n int, extra [][]lit) answer {
	items := make([][]lit, n)
	for i := range items {
		items[i] = slices.Concat(a.at(i), extra[i])
	}
	for _, c := range a.counts {
		used := 0
		for i := range items {
			without := append(slices.Clip(items[i]), c.lit.not())
			if !slices.Contains(items[i], c.lit) && a.s.solve(without...).outcome != none {
				items[i] = without
				continue
			}
			used++
		}
		if used > c.max && len(a.counts) > 1 {
			return noAnswer("several limits on how many items match")
		}
		if used > c.max {
			return answer{}
		}
	}
	if a.notUnique {
		return a.twins(items)
	}
	return a.build(items, -1, -1)
}

// twins builds an array in which two items are equal.
func (a *arraySearch) twins(items [][]lit) answer {
	out := answer{}
	for j := 1; j < len(items); j++ {
		for i := range j {
			both := slices.Concat(items[i], items[j])
			if a.s.solve(both...).outcome == none {
				continue
			}
			joined := slices.Clone(items)
			joined[i], joined[j] = both, both
			b := a.build(joined, i, j)
			if b.outcome == found {
				return b
			}
			out = worse(out, b)
		}
	}
	return out
}

// build makes the items; those at twin positions come out equal.
func (a *arraySearch) build(items [][]lit, twin, other int) answer {
	if a.unique && len(items) > maxUniqueMade {
		return noAnswer("too many different items for an example")
	}
	v := &value{kind: kindArray}
	doubt := a.doubt
	for i, ls := range items {
		b := a.item(ls, v.items, items[:i])
		if b.outcome == none {
			return b
		}
		if b.outcome == unknown {
			doubt = b.why
		}
		if b.value == nil {
			return noAnswer(doubt)
		}
		if i == other {
			b.value = v.items[twin]
		}
		v.items = append(v.items, b.value)
	}
	if doubt != "" {
		return answer{outcome: unknown, value: v, why: doubt}
	}
	return answer{outcome: found, value: v}
}

// item solves one item; in a unique array it must differ from those before.
func (a *arraySearch) item(ls []lit, before []*value, earlier [][]lit) answer {
	b := a.s.solve(ls...)
	if !a.unique {
		return b
	}
	for b.value != nil {
		k := b.value.key()
		if !slices.ContainsFunc(before, func(v *value) bool { return v.key() == k }) {
			return b
		}
		ls = append(slices.Clip(ls), a.s.constant(b.value).not())
		b = a.s.solve(ls...)
	}
	if b.outcome == none && !alike(earlier) {
		return noAnswer("items that must all differ")
	}
	return b
}

// alike reports whether all positions take the same values, so that running out
// of them proves that there are too few.
func alike(items [][]lit) bool {
	for _, ls := range items {
		if !slices.Equal(ls, items[0]) {
			return false
		}
	}
	return true
}
