package change

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// The fewest honest decisions. A reviewer answers one matter at a time; a matter is
//
//   - the removal of a family, the addition of a family, or both where the new tools
//     look like a consolidation of the old; one rule that renamed many tools;
//   - one edit on several tools, one parameter in several wordings, or one parameter
//     that made way for another on several tools;
//   - else what is left of a tool: the edits that it has alone, with those of a tool
//     that it shares some with.
//
// Hidden characters, a hint that says "no longer destructive" and a new tool that says
// it may destroy are asked for tool by tool, whatever else is equal.
const (
	patternTools   = 3  // changes that make an edit a matter of its own
	componentTools = 3  // changes whose leftovers are read together, while they are
	componentEdits = 10 // no more than so many edits
)

// matter is a group of edits that may become a decision.
type matter struct {
	kind  string
	edits []Edit
}

// decider groups edits into decisions.
type decider struct {
	report  *Report
	changes map[string]int    // index by change id
	details map[string]Detail // first by edit
	rules   map[string]string // rule of a rename by change id
	oldFam  map[string]string
	newFam  map[string]string
	left    []matter
	out     []Decision
}

func (c *comparer) decisions(old, new []surface.Tool) []Decision {
	d := &decider{
		report: c.report, changes: map[string]int{}, details: map[string]Detail{}, rules: map[string]string{},
		oldFam: familyOf(c.pairs.removed, old), newFam: familyOf(c.pairs.added, new),
	}
	for i := range c.report.Changes {
		ch := &c.report.Changes[i]
		d.changes[ch.ID] = i
		for _, det := range ch.Details {
			if _, ok := d.details[det.Edit]; !ok {
				d.details[det.Edit] = det
			}
		}
	}
	for _, p := range c.pairs.pairs {
		if p.rule != "" {
			d.rules[ID(SubjectTool, p.new.Name, p.old.Name, p.old.Digest, p.new.Digest)] = p.rule
		}
	}
	d.run()
	return d.out
}

// familyOf maps the names of some tools to their families among all. It is only
// asked for where something came or went.
func familyOf(some []*surface.Tool, all []surface.Tool) map[string]string {
	of := map[string]string{}
	if len(some) == 0 {
		return of
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	families := surface.NewFamilies(names)
	for _, f := range families.Families {
		for _, t := range f.Tools {
			of[t] = f.Name
		}
	}
	// Where names begin with verbs, what belongs together is what they act on.
	for _, o := range families.Objects {
		for _, t := range o.Tools {
			of[t] = "object " + o.Name
		}
	}
	return of
}

func (d *decider) run() {
	groups := map[string]*matter{}
	var order []*matter
	for _, e := range d.report.Edits {
		if d.oneByOne(e) {
			d.perChange(e)
			continue
		}
		kind, key := d.key(e)
		m := groups[kind+key]
		if m == nil {
			m = &matter{kind: kind}
			groups[kind+key] = m
			order = append(order, m)
		}
		m.edits = append(m.edits, e)
	}
	d.joinConsolidated(order)
	lumpSingles(order)
	d.joinReplaced(order)
	d.joinSameParameter(order)
	for _, m := range order {
		d.settle(*m)
	}
	d.leftovers()
	slices.SortStableFunc(d.out, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(b.Class.Rank(), a.Class.Rank()), cmp.Compare(len(b.Changes), len(a.Changes)))
	})
}

// oneByOne reports whether one answer must not cover several tools.
func (d *decider) oneByOne(e Edit) bool {
	det := d.details[e.Edit]
	return det.Hidden || det.Destroys || det.Disarms()
}

func (d *decider) perChange(e Edit) {
	for i, id := range e.Changes {
		d.out = append(d.out, Decision{
			Class: e.Class, Sentence: e.Sentence, Edits: []string{e.Edit}, Tools: e.Tools[i : i+1], Changes: []string{id},
			Hidden: d.details[e.Edit].Hidden,
		})
	}
}

// Kinds of matters.
const (
	kindAdded    = "added"
	kindRemoved  = "removed"
	kindReplaced = "replaced" // tools that made way for others
	kindRenamed  = "renamed"
	kindPlace    = "place"   // one thing at one parameter, in several forms
	kindSwap     = "swap"    // a parameter that made way for another
	kindSeveral  = "several" // several things at one parameter
	kindBulk     = "bulk"    // what a whole listing lost
	kindEdit     = "edit"
)

// key says which matter an edit belongs to.
func (d *decider) key(e Edit) (kind, key string) {
	det := d.details[e.Edit]
	switch noun, _, _ := strings.Cut(e.ID, "."); {
	case e.ID == "tool.added":
		return kindAdded, d.newFam[e.Tools[0]]
	case e.ID == "tool.removed":
		return kindRemoved, d.oldFam[e.Tools[0]]
	case d.bulkOf(e) != nil:
		return kindBulk, d.bulkOf(e).ID
	case e.ID == "tool.renamed" && d.rules[e.Changes[0]] != "":
		return kindRenamed, d.rules[e.Changes[0]]
	case noun == "schema" && e.ID != "schema.changed",
		(noun == "property" || noun == "description" || noun == "title") && det.Direction != "",
		noun != "description" && (strings.HasSuffix(e.ID, ".added") || strings.HasSuffix(e.ID, ".removed")) && det.Direction == "":
		// The same thing at the same place is one matter in whatever words.
		return kindPlace, strings.Join([]string{e.ID, det.Direction, det.Pointer, det.Property}, " ")
	case noun == "description" && det.Lost != "" && det.Gained != "":
		return kindPlace, strings.Join([]string{e.ID, det.Pointer, wordDelta(det.Lost, det.Gained)}, " ")
	}
	// The same edit may be of one class here and of another there.
	return kindEdit, det.editID("", e.Tools[0])
}

// bulkOf returns the bulk loss that an edit is a part of, nil for none.
func (d *decider) bulkOf(e Edit) *Bulk {
	det := d.details[e.Edit]
	part := ""
	switch {
	case e.ID == "description.removed" && det.Direction == "input":
		part = "bulk.param-descriptions.removed"
	case e.ID == "property.removed" && det.Direction == "input":
		part = "bulk.parameters.removed"
	case e.ID == "description.removed" && det.Direction == "":
		part = "bulk.descriptions.removed"
	}
	for i, b := range d.report.Raised {
		if b.ID == part && !slices.ContainsFunc(e.Tools, func(t string) bool { return !slices.Contains(b.Tools, t) }) {
			return &d.report.Raised[i]
		}
	}
	return nil
}

// lumpSingles puts new tools that stand alone in their families together: they are
// read one after the other anyway.
func lumpSingles(order []*matter) {
	var first *matter
	for _, m := range order {
		switch {
		case m.kind != kindAdded || len(m.edits) > 1:
		case first == nil:
			first = m
		default:
			first.edits, m.edits = append(first.edits, m.edits...), nil
		}
	}
}

// settle makes a decision of a matter, or leaves its edits to be read with their
// tools.
func (d *decider) settle(m matter) {
	if len(m.edits) == 0 {
		return
	}
	n := d.decision(m.edits)
	if (m.kind == kindEdit || m.kind == kindPlace) && len(n.Changes) < patternTools {
		d.left = append(d.left, m)
		return
	}
	n.Sentence = d.sentence(m, n)
	if m.kind == kindBulk {
		n.Class = Max(n.Class, d.bulkOf(m.edits[0]).Class)
	}
	d.out = append(d.out, n)
}

// decision merges edits: their class, and the changes in the order of the report.
func (d *decider) decision(edits []Edit) Decision {
	strongestFirst(edits, func(e Edit) Class { return e.Class })
	n := Decision{Class: None}
	at := map[int]string{}
	for _, e := range edits {
		n.Class = Max(n.Class, e.Class)
		n.Edits = append(n.Edits, e.Edit)
		for i, id := range e.Changes {
			at[d.changes[id]] = e.Tools[i]
		}
	}
	var order []int
	for i := range at {
		order = append(order, i)
	}
	slices.Sort(order)
	for _, i := range order {
		n.Tools = append(n.Tools, at[i])
		n.Changes = append(n.Changes, d.report.Changes[i].ID)
	}
	n.Sentence = edits[0].Sentence
	return n
}
