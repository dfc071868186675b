package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// The fewest honest decisions. A reviewer answers one matter at a time; a matter is
//
//   - the removal of a family, the addition of a family, or one rule that renamed
//     many tools;
//   - one edit on several tools, or one edit in several wordings at the same
//     parameter;
//   - else what is left of a tool: the edits that it has alone, with those of a tool
//     that it shares some with.
//
// Hidden characters and a hint that says "no longer destructive" are asked for
// tool by tool, whatever else is equal.
const (
	patternTools   = 3 // changes that make an edit a matter of its own
	componentTools = 3 // changes whose leftovers are read together
)

// decider groups edits into decisions.
type decider struct {
	report  *Report
	changes map[string]int      // index by change id
	details map[string][]Detail // by edit
	rules   map[string]string   // rule of a rename by change id
	oldFam  map[string]string
	newFam  map[string]string
	left    []Edit
	out     []Decision
}

func (c *comparer) decisions(old, new []surface.Tool) []Decision {
	d := &decider{
		report: c.report, changes: map[string]int{}, details: map[string][]Detail{}, rules: map[string]string{},
		oldFam: familyOf(c.pairs.removed, old), newFam: familyOf(c.pairs.added, new),
	}
	for i := range c.report.Changes {
		ch := &c.report.Changes[i]
		d.changes[ch.ID] = i
		for _, det := range ch.Details {
			if ds := d.details[det.Edit]; len(ds) == 0 {
				d.details[det.Edit] = append(ds, det)
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
	for _, f := range surface.NewFamilies(names).Families {
		for _, t := range f.Tools {
			of[t] = f.Name
		}
	}
	return of
}

func (d *decider) run() {
	keys := map[string][]Edit{}
	var order []string
	for _, e := range d.report.Edits {
		if d.oneByOne(e) {
			d.perChange(e)
			continue
		}
		k := d.key(e)
		if keys[k] == nil {
			order = append(order, k)
		}
		keys[k] = append(keys[k], e)
	}
	for _, k := range lumpSingles(keys, order) {
		d.group(k, keys[k])
	}
	d.leftovers()
	slices.SortStableFunc(d.out, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(b.Class.Rank(), a.Class.Rank()), cmp.Compare(len(b.Changes), len(a.Changes)))
	})
}

// oneByOne reports whether one answer must not cover several tools.
func (d *decider) oneByOne(e Edit) bool {
	det := d.details[e.Edit][0]
	return det.Hidden || det.Pointer == "/annotations/destructiveHint" && string(det.New) == "false"
}

func (d *decider) perChange(e Edit) {
	for i, id := range e.Changes {
		d.out = append(d.out, Decision{
			Class: e.Class, Sentence: e.Sentence, Edits: []string{e.Edit}, Tools: e.Tools[i : i+1], Changes: []string{id},
			Hidden: d.details[e.Edit][0].Hidden,
		})
	}
}

// Prefixes of the keys that edits are grouped by.
const (
	keyAdded   = "added "
	keyRemoved = "removed "
	keyRenamed = "renamed "
	keyPlace   = "place "
	keyEdit    = "edit "
)

// key says which matter an edit belongs to.
func (d *decider) key(e Edit) string {
	det := d.details[e.Edit][0]
	switch noun, _, _ := strings.Cut(e.ID, "."); {
	case e.ID == "tool.added":
		return keyAdded + d.newFam[e.Tools[0]]
	case e.ID == "tool.removed":
		return keyRemoved + d.oldFam[e.Tools[0]]
	case e.ID == "tool.renamed" && d.rules[e.Changes[0]] != "":
		return keyRenamed + d.rules[e.Changes[0]]
	case noun == "schema" && e.ID != "schema.changed",
		(noun == "property" || noun == "description" || noun == "title") && det.Direction != "":
		// The same thing at the same parameter is one matter in whatever words.
		return keyPlace + strings.Join([]string{e.ID, det.Direction, det.Pointer}, " ")
	case noun == "description" && det.Lost != "" && det.Gained != "":
		return keyPlace + strings.Join([]string{e.ID, det.Pointer, wordDelta(det.Lost, det.Gained)}, " ")
	}
	return keyEdit + e.Edit
}

// lumpSingles puts new tools that stand alone in their families together: they are
// read one after the other anyway.
func lumpSingles(keys map[string][]Edit, order []string) []string {
	const singles = keyAdded + "\x00"
	var out []string
	for _, k := range order {
		if strings.HasPrefix(k, keyAdded) && len(keys[k]) == 1 {
			if keys[singles] == nil {
				out = append(out, singles)
			}
			keys[singles] = append(keys[singles], keys[k]...)
			continue
		}
		out = append(out, k)
	}
	return out
}

// group makes a decision of the edits of one key, or leaves them for the rest.
func (d *decider) group(key string, edits []Edit) {
	n := d.decision(edits)
	kind, _, _ := strings.Cut(key, " ")
	if kind+" " != keyAdded && kind+" " != keyRemoved && kind+" " != keyRenamed && len(n.Changes) < patternTools {
		d.left = append(d.left, edits...)
		return
	}
	n.Sentence = d.sentence(kind+" ", edits, n)
	d.out = append(d.out, n)
}

// decision merges edits: their class, and the changes in the order of the report.
func (d *decider) decision(edits []Edit) Decision {
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

func (d *decider) sentence(kind string, edits []Edit, n Decision) string {
	tools := count(len(n.Tools), "tool")
	if len(edits) == 1 {
		return edits[0].Sentence
	}
	switch kind {
	case keyAdded:
		return fmt.Sprintf("%s: %s.", count(len(n.Tools), "new tool"), nameList(n.Tools))
	case keyRemoved:
		return fmt.Sprintf("%s are gone: %s. Calls of them now fail.", tools, nameList(n.Tools))
	case keyRenamed:
		return d.renamedSentence(edits, tools)
	}
	if allEqual(edits) {
		return edits[0].Sentence
	}
	what := edits[0].ID
	if s, ok := placeSentences[what]; ok {
		return fmt.Sprintf(s, d.placeName(edits[0]), tools, len(edits))
	}
	return fmt.Sprintf("%s on %s, in %d forms. The first: %s", d.placeName(edits[0]), tools, len(edits), edits[0].Sentence)
}

// placeSentences word an edit that has several forms: the place, its tools, how
// many forms.
var placeSentences = map[string]string{
	"schema.added":            "%[1]s is new on %[2]s: results are now promised to fit it.",
	"schema.removed":          "%[1]s is gone from %[2]s.",
	"description.changed":     "The description of %[1]s changed on %[2]s, in %[3]d ways.",
	"description.added":       "%[1]s is now described on %[2]s.",
	"description.removed":     "The description of %[1]s is gone on %[2]s.",
	"property.required.added": "%[1]s is newly required on %[2]s.",
	"property.optional.added": "%[1]s can now be given on %[2]s.",
	"property.removed":        "%[1]s is gone on %[2]s.",
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

// placeName names a pointer for people: the parameter, or the schema.
func (d *decider) placeName(e Edit) string {
	det := d.details[e.Edit][0]
	parts := strings.Split(det.Pointer, "/")
	if len(parts) > 2 && (parts[len(parts)-1] == "description" || parts[len(parts)-1] == "title") {
		parts = parts[:len(parts)-1]
	}
	last := parts[len(parts)-1]
	switch last {
	case "inputSchema":
		return "An input schema"
	case "outputSchema":
		return "An output schema"
	case "":
		return "The tool"
	}
	return quoteName(strings.NewReplacer("~1", "/", "~0", "~").Replace(last))
}

// leftovers reads what remains tool by tool. Tools that share an edit with one
// other are read together.
func (d *decider) leftovers() {
	parent := map[int]int{}
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			parent[i] = find(parent[i])
		}
		return parent[i]
	}
	members := map[int]int{}
	for _, e := range d.left {
		for _, id := range e.Changes {
			if i := d.changes[id]; members[i] == 0 {
				parent[i], members[i] = i, 1
			}
		}
	}
	for _, e := range d.left {
		for _, id := range e.Changes[1:] {
			a, b := find(d.changes[e.Changes[0]]), find(d.changes[id])
			if a != b && members[a]+members[b] <= componentTools {
				parent[b] = a
				members[a] += members[b]
			}
		}
	}
	groups := map[int][]Edit{}
	var order []int
	for _, e := range d.left {
		root := find(d.changes[e.Changes[0]])
		if groups[root] == nil {
			order = append(order, root)
		}
		groups[root] = append(groups[root], e)
	}
	for _, root := range order {
		n := d.decision(groups[root])
		if len(groups[root]) > 1 {
			n.Sentence = fmt.Sprintf("%s: %s. The strongest: %s", nameList(n.Tools), count(len(groups[root]), "edit"), n.Sentence)
		}
		d.out = append(d.out, n)
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
