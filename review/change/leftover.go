package change

import (
	"fmt"
	"maps"
	"slices"
)

// leftovers reads what remains tool by tool. Tools that share a matter with one or
// two others are read together, as long as there is little to read.
func (d *decider) leftovers() {
	all := newSets()
	for i := range d.left {
		m := &d.left[i]
		for c := range d.changesOf(m) {
			all.add(c, len(m.edits))
		}
	}
	for i := range d.left {
		changes := slices.Sorted(maps.Keys(d.changesOf(&d.left[i])))
		for _, c := range changes[1:] {
			a, b := all.find(changes[0]), all.find(c)
			if all.size[a]+all.size[b] <= componentTools && all.weight[a]+all.weight[b] <= componentEdits {
				all.join(a, b)
			}
		}
	}
	groups := map[int][]Edit{}
	var order []int
	for _, m := range d.left {
		root := all.find(d.changes[m.edits[0].Changes[0]])
		if groups[root] == nil {
			order = append(order, root)
		}
		groups[root] = append(groups[root], m.edits...)
	}
	for _, root := range order {
		edits := groups[root]
		n := d.decision(edits)
		if len(edits) > 1 {
			n.Sentence = fmt.Sprintf("%s: %s. The strongest: %s", nameList(n.Tools), count(len(edits), "edit"), n.Sentence)
		}
		d.out = append(d.out, n)
	}
}

// sets joins numbers into disjoint sets with a size and a weight.
type sets struct{ parent, size, weight map[int]int }

func newSets() sets { return sets{map[int]int{}, map[int]int{}, map[int]int{}} }

func (s sets) add(i, weight int) {
	if s.size[i] == 0 {
		s.parent[i], s.size[i] = i, 1
	}
	s.weight[i] += weight
}

func (s sets) find(i int) int {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

func (s sets) join(a, b int) {
	if a, b = s.find(a), s.find(b); a != b {
		s.parent[b] = a
		s.size[a] += s.size[b]
		s.weight[a] += s.weight[b]
	}
}
