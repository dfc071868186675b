package change

import (
	"cmp"
	"slices"
)

// groupEdits lists the distinct edits of some changes, strongest first, in order
// of first appearance among equals. What is of no effect is folded instead.
func groupEdits(changes []Change) []Edit {
	var edits []Edit
	at := map[string]int{}
	for i := range changes {
		ch := &changes[i]
		seen := map[string]bool{}
		for _, d := range ch.Details {
			if d.Class == None || seen[d.Edit] {
				continue
			}
			seen[d.Edit] = true
			k, ok := at[d.Edit]
			if !ok {
				k = len(edits)
				at[d.Edit] = k
				edits = append(edits, Edit{Edit: d.Edit, ID: d.ID, Class: d.Class, Sentence: d.Sentence})
			}
			edits[k].Tools = append(edits[k].Tools, ch.Name())
			edits[k].Changes = append(edits[k].Changes, ch.ID)
		}
	}
	strongestFirst(edits, func(e Edit) Class { return e.Class })
	return edits
}

// foldNoise counts by kind what has no effect. Each kind is one line, most common
// first.
func foldNoise(changes []Change) []Fold {
	n := map[string]int{}
	for i := range changes {
		seen := map[string]bool{}
		for _, d := range changes[i].Details {
			if d.Class == None && !seen[d.ID] {
				seen[d.ID] = true
				n[d.ID]++
			}
		}
	}
	var folds []Fold
	for id, tools := range n {
		folds = append(folds, Fold{ID: id, Tools: tools})
	}
	slices.SortFunc(folds, func(a, b Fold) int {
		return cmp.Or(cmp.Compare(b.Tools, a.Tools), cmp.Compare(a.ID, b.ID))
	})
	return folds
}
