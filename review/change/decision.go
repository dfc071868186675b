package change

import (
	"cmp"
	"fmt"
	"maps"
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
// Hidden characters and a hint that says "no longer destructive" are asked for
// tool by tool, whatever else is equal.
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
	return det.Hidden || det.Pointer == "/annotations/destructiveHint" && string(det.New) == "false"
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
	case d.bulk(e) != "":
		return kindBulk, d.bulk(e)
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

// bulk names the bulk loss that an edit is a part of: its sentence, "" for none.
func (d *decider) bulk(e Edit) string {
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
	for _, b := range d.report.Raised {
		if b.ID == part && !slices.ContainsFunc(e.Tools, func(t string) bool { return !slices.Contains(b.Tools, t) }) {
			return b.Sentence
		}
	}
	return ""
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

// joinConsolidated makes one matter of tools that are gone and of the new tools that
// seem to do their work now, where most of what is gone together is taken over.
func (d *decider) joinConsolidated(order []*matter) {
	takenOver := map[string]bool{}
	for _, o := range d.report.Offered {
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
	for _, o := range d.report.Offered {
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

func (d *decider) sentence(m matter, n Decision) string {
	tools := count(len(n.Tools), "tool")
	if len(m.edits) == 1 {
		return m.edits[0].Sentence
	}
	switch m.kind {
	case kindBulk:
		return d.bulk(m.edits[0])
	case kindAdded:
		return fmt.Sprintf("%s: %s.", count(len(n.Tools), "new tool"), nameList(n.Tools))
	case kindRemoved:
		return fmt.Sprintf("%s are gone: %s. Calls of them now fail.", tools, nameList(n.Tools))
	case kindReplaced:
		return replacedSentence(m.edits)
	case kindRenamed:
		return d.renamedSentence(m.edits, tools)
	case kindSwap:
		return d.swapSentence(m.edits, tools)
	case kindSeveral:
		return fmt.Sprintf("%s changed in %d ways on %s. The strongest: %s", d.placeName(m.edits[0]), len(m.edits), tools, n.Sentence)
	}
	det := d.details[m.edits[0].Edit]
	switch {
	case allEqual(m.edits):
		return m.edits[0].Sentence
	case det.Pointer == "/description":
		return fmt.Sprintf("One rewording of the description on %s, such as: %s", tools, m.edits[0].Sentence)
	}
	if s, ok := placeSentences[m.edits[0].ID]; ok {
		return fmt.Sprintf(s, d.placeName(m.edits[0]), tools, len(m.edits))
	}
	return fmt.Sprintf("%s on %s, in %d forms. The first: %s", d.placeName(m.edits[0]), tools, len(m.edits), m.edits[0].Sentence)
}

func replacedSentence(edits []Edit) string {
	var gone, fresh []string
	for _, e := range edits {
		if e.ID == "tool.removed" {
			gone = append(gone, e.Tools...)
		} else {
			fresh = append(fresh, e.Tools...)
		}
	}
	return fmt.Sprintf("%s are gone: %s. Calls of them now fail. %s may replace them: %s.",
		count(len(gone), "tool"), nameList(gone), count(len(fresh), "new tool"), nameList(fresh))
}

func (d *decider) swapSentence(edits []Edit, tools string) string {
	gone, fresh := edits[0], edits[len(edits)-1]
	return fmt.Sprintf("%s made way for %s on %s. %s", d.placeName(gone), d.placeName(fresh), tools, gone.Sentence)
}

// placeSentences word an edit that has several forms: the place, its tools, how
// many forms.
var placeSentences = map[string]string{
	"schema.added":               "%[1]s is new on %[2]s: results are now promised to fit it.",
	"schema.removed":             "%[1]s is gone from %[2]s.",
	"title.added":                "A title is new on %[2]s.",
	"title.removed":              "The title is gone on %[2]s.",
	"annotation.unknown.added":   "%[1]s is new on %[2]s.",
	"annotation.unknown.removed": "%[1]s is gone on %[2]s.",
	"meta.added":                 "%[1]s is new on %[2]s.",
	"meta.removed":               "%[1]s is gone on %[2]s.",
	"description.changed":        "The description of %[1]s changed on %[2]s, in %[3]d ways.",
	"description.added":          "%[1]s is now described on %[2]s.",
	"description.removed":        "The description of %[1]s is gone on %[2]s.",
	"property.required.added":    "%[1]s is newly required on %[2]s.",
	"property.optional.added":    "%[1]s can now be given on %[2]s.",
	"property.removed":           "%[1]s is gone on %[2]s.",
}

func (d *decider) renamedSentence(edits []Edit, tools string) string {
	rule := d.rules[edits[0].Changes[0]]
	s := upperFirst(rule) + " on " + tools + "."
	for _, e := range edits {
		if e.Class == Breaking {
			return s + " Calls by the old names now fail."
		}
	}
	return s + " Aliases answer for the old names."
}

// placeName names a place for people: the parameter, or the schema.
func (d *decider) placeName(e Edit) string {
	det := d.details[e.Edit]
	if det.Property != "" {
		return quoteName(det.Property)
	}
	switch last := det.Pointer[strings.LastIndexByte(det.Pointer, '/')+1:]; last {
	case "inputSchema":
		return "An input schema"
	case "outputSchema":
		return "An output schema"
	default:
		return quoteName(readablePointer(last))
	}
}

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

func allEqual(edits []Edit) bool {
	for _, e := range edits[1:] {
		if e.Sentence != edits[0].Sentence {
			return false
		}
	}
	return true
}

func nameList(names []string) string {
	quoted := make([]string, 0, namedInSentence+1)
	for i, n := range names {
		if i == namedInSentence && len(names) > namedInSentence+1 {
			quoted = append(quoted, fmt.Sprintf("and %s more", thousands(len(names)-i)))
			break
		}
		quoted = append(quoted, quoteName(n))
	}
	return strings.Join(quoted, ", ")
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// wordDelta is the words that a rewording took out and put in: rewordings of
// different sentences that do the same have the same one.
func wordDelta(lost, gained string) string {
	a, b := wordSet(lost), wordSet(gained)
	return strings.Join(without(a, b), " ") + " > " + strings.Join(without(b, a), " ")
}
