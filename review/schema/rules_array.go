package schema

import (
	"fmt"
	"slices"
	"strconv"
)

// arrays compares what two schemas say about items.
func (w *walker) arrays(p *place) {
	if p.flatA.unique != p.flatB.unique {
		w.uniqueness(p)
	}
	longest := max(len(p.flatA.prefix), len(p.flatB.prefix))
	tupleA, tupleB := tupleViews(p.old), tupleViews(p.new)
	if len(p.flatA.prefix) == len(p.flatB.prefix) && len(tupleA) >= longest && len(tupleB) >= longest {
		for i := range longest {
			child := w.place(p, tupleA[i], tupleB[i], p.path+"["+strconv.Itoa(i)+"]")
			child.put = func(n *node, l lit) {
				n.prefix = slices.Clone(n.prefix)
				n.prefix[i] = l
			}
			w.compare(child)
		}
	} else if !slices.Equal(p.flatA.prefix, p.flatB.prefix) {
		w.tuple(p)
		return
	}
	w.items(p)
}

// tupleViews are the places of a tuple, however the dialect writes it.
func tupleViews(parts []view) []view {
	for _, word := range []string{"prefixItems", "items"} {
		t := find(parts, word)
		if t.v == nil || t.v.kind != kindArray {
			continue
		}
		out := make([]view, len(t.v.items))
		for i := range t.v.items {
			out[i] = t.child(strconv.Itoa(i))
		}
		return out
	}
	return nil
}

// restView is the schema of the items behind a tuple, or of all items.
func restView(parts []view) view {
	if a := find(parts, "additionalItems"); a.v != nil {
		if t := find(parts, "items"); t.v != nil && t.v.kind == kindArray {
			return a
		}
	}
	if i := find(parts, "items"); i.v != nil && i.v.kind != kindArray {
		return i
	}
	return view{}
}

func (w *walker) uniqueness(p *place) {
	old, new := find(p.old, "uniqueItems"), find(p.new, "uniqueItems")
	take := func(n *node) { n.unique = p.flatB.unique }
	name := upper(w.name(p))
	if p.flatB.unique {
		w.rule(p, "uniqueItems.added", old, new, name+w.either(" no longer accepts duplicate items.", " has no duplicate items"+w.inResults(p)), "", take).narrows = true
		return
	}
	w.rule(p, "uniqueItems.removed", old, new, name+w.either(" accepts duplicate items now.", " may have duplicate items"+w.inResults(p)), "", take)
}

func (w *walker) tuple(p *place) {
	old, new := find(p.old, "prefixItems"), find(p.new, "prefixItems")
	if old.v == nil {
		old = find(p.old, "items")
	}
	if new.v == nil {
		new = find(p.new, "items")
	}
	sentence := fmt.Sprintf("%s describes its first %d items one by one now, was %d.", upper(w.name(p)), len(p.flatB.prefix), len(p.flatA.prefix))
	w.rule(p, "tuple.changed", old, new, sentence, "", func(n *node) {
		n.prefix, n.rest, n.hasRest = p.flatB.prefix, p.flatB.rest, p.flatB.hasRest
	})
}

func (w *walker) items(p *place) {
	s := w.p.solver
	a, b := s.resolve(p.flatA.rest), s.resolve(p.flatB.rest)
	was, is := opennessOf(a, p.flatA.hasRest), opennessOf(b, p.flatB.hasRest)
	old, new := restView(p.old), restView(p.new)
	if old.v != nil && new.v != nil && was == isTyped && is == isTyped {
		child := w.place(p, old, new, p.path+"[]")
		child.put = func(n *node, l lit) { n.rest, n.hasRest = l, true }
		w.compare(child)
		return
	}
	if was == is && a == b {
		return
	}
	name := w.name(p)
	sentence := fmt.Sprintf("Items of %s must fit a schema now.", name)
	switch {
	case is == isClosed:
		sentence = fmt.Sprintf("%s takes no further items now.", upper(name))
	case is == isOpen && was == isTyped:
		sentence = fmt.Sprintf("Items of %s need not fit a schema any more.", name)
	case is == isOpen:
		sentence = fmt.Sprintf("%s takes further items now.", upper(name))
	}
	w.rule(p, "items.changed", old, new, sentence, "", func(n *node) { n.rest, n.hasRest = p.flatB.rest, p.flatB.hasRest })
}
