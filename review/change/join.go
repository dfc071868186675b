package change

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// joinConsolidated makes one matter of tools that are gone and of the new tools that
// seem to do their work now, or of which a person said so, where most of what is gone
// together is taken over.
func (d *decider) joinConsolidated(order []*matter) {
	takenOver := map[string]bool{}
	mappings := slices.Concat(d.report.Merged, d.report.Offered)
	for _, o := range mappings {
		for _, f := range o.From {
			takenOver[f.Tool] = takenOver[f.Tool] || o.Kind == OfferConsolidation
		}
	}
	gone, fresh := map[string]int{}, map[string]int{} // tools by their matter
	joined := newSets()
	for i, m := range order {
		joined.add(i, 1)
		for _, e := range m.edits {
			switch {
			case m.kind == kindRemoved && m.mostly(takenOver):
				gone[e.Tools[0]] = i + 1
			case m.kind == kindAdded:
				fresh[e.Tools[0]] = i + 1
			}
		}
	}
	for _, o := range mappings {
		to := fresh[o.To]
		for _, f := range o.From {
			if from := gone[f.Tool]; o.Kind == OfferConsolidation && from > 0 && to > 0 {
				joined.join(from-1, to-1)
			}
		}
	}
	for i, m := range order {
		if root := joined.find(i); joined.size[root] > 1 && root != i {
			r := order[root]
			r.kind, r.edits, m.edits = kindReplaced, append(r.edits, m.edits...), nil
		}
	}
}

// mostly reports whether half or more of the tools of a matter are in a set.
func (m *matter) mostly(in map[string]bool) bool {
	n := 0
	for _, e := range m.edits {
		n += one(in[e.Tools[0]])
	}
	return n > 0 && 2*n >= len(m.edits)
}

// joinReplaced makes one matter of a parameter that is gone from several tools and
// one beside it that came on nearly the same tools.
func (d *decider) joinReplaced(order []*matter) {
	came := map[string][]*matter{} // by the place of the properties
	for _, m := range order {
		if id := d.idOf(m); m.kind == kindPlace && (id == "property.required.added" || id == "property.optional.added") {
			came[d.parent(m)] = append(came[d.parent(m)], m)
		}
	}
	for _, m := range order {
		if m.kind != kindPlace || d.idOf(m) != "property.removed" || len(d.changesOf(m)) < patternTools {
			continue
		}
		for _, same := range groupBy(came[d.parent(m)], d.pointer) {
			gone, fresh := d.changesOf(m), d.changesOf(same...)
			both := 0
			for i := range gone {
				both += one(fresh[i])
			}
			if 5*both >= 4*len(gone) && 5*both >= 3*len(fresh) {
				m.kind = kindSwap
				for _, s := range same {
					m.edits, s.edits = append(m.edits, s.edits...), nil
				}
				break
			}
		}
	}
}

// joinSameParameter makes one matter of several that are about one parameter of the
// very same tools, such as a length and a pattern that came together.
func (d *decider) joinSameParameter(order []*matter) {
	first := map[string]*matter{}
	for _, m := range order {
		if len(m.edits) == 0 || len(d.changesOf(m)) < patternTools {
			continue
		}
		det := d.details[m.edits[0].Edit]
		if det.Property == "" {
			continue
		}
		key := det.Direction + " " + det.Property + " " + fmt.Sprint(slices.Sorted(maps.Keys(d.changesOf(m))))
		if f := first[key]; f == nil {
			first[key] = m
		} else {
			f.edits, m.edits = append(f.edits, m.edits...), nil
			if f.kind != kindSwap {
				f.kind = kindSeveral
			}
		}
	}
}

func groupBy(ms []*matter, key func(*matter) string) [][]*matter {
	at := map[string]int{}
	var groups [][]*matter
	for _, m := range ms {
		k := key(m)
		if k == "" {
			continue
		}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], m)
	}
	return groups
}

func (d *decider) idOf(m *matter) string {
	if len(m.edits) == 0 {
		return ""
	}
	return m.edits[0].ID
}

func (d *decider) pointer(m *matter) string {
	if len(m.edits) == 0 {
		return ""
	}
	return d.details[m.edits[0].Edit].Pointer
}

func (d *decider) parent(m *matter) string {
	p := d.pointer(m)
	return p[:max(strings.LastIndexByte(p, '/'), 0)]
}

func (d *decider) changesOf(ms ...*matter) map[int]bool {
	all := map[int]bool{}
	for _, m := range ms {
		for _, e := range m.edits {
			for _, id := range e.Changes {
				all[d.changes[id]] = true
			}
		}
	}
	return all
}
