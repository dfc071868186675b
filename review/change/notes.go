package change

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// note is a keyword that no validator looks at, at one place of a schema: what it said
// and what it says. A side where it is absent is the zero reading.
type note struct{ lost, gained reading }

func (n note) place() reading {
	if n.gained.keyword != "" {
		return n.gained
	}
	return n.lost
}

// toldNotes are the notes that a model acts on wherever they stand. Others, such as a
// format, are told with what they stand in unless they change in their place.
var toldNotes = map[string]bool{"description": true, "title": true, "default": true}

// takeNotes makes details of the texts and defaults that no detail shows, and returns
// what is left to be told of lost and gained. Package schema lists the notes of every
// property; what is left stands within something else, such as an alternative that came
// in, or where only a model looks.
func (t *teller) takeNotes(lost, gained []reading) (told []Detail) {
	var notes []note
	at := map[string]int{}
	for _, r := range lost {
		if r.keyword != "" && !t.shown.lost(t.root+r.pointer) && !t.replaced(r.property) {
			at[r.pointer] = len(notes)
			notes = append(notes, note{r, reading{}})
		}
	}
	for _, r := range gained {
		i, both := at[r.pointer]
		switch {
		case r.keyword == "" || t.shown.gained(t.root+r.pointer):
		case both && notes[i].lost.keyword == r.keyword:
			notes[i].gained = r
		default:
			notes = append(notes, note{reading{}, r})
		}
	}
	for _, n := range notes {
		r := n.place()
		if toldNotes[r.keyword] || n.lost.keyword == n.gained.keyword {
			told = append(told, t.noteDetails(r, n.lost.value, n.gained.value)...)
			continue
		}
		t.tell(r, n.lost.keyword == "")
	}
	return t.summed(told)
}

// summed keeps a list of details within bounds: what is beyond is one detail about the
// whole schema, as strong as the strongest in it.
func (t *teller) summed(told []Detail) []Detail {
	if len(told) <= maxRewritten {
		return told
	}
	d := Detail{
		ID: "schema.rewritten", Direction: string(t.dir), Pointer: t.root, Old: nullable(t.old), New: nullable(t.new),
		Sentence: fmt.Sprintf("%s more within the schema changed.", count(len(told)-maxRewritten, "text")),
	}
	for _, more := range told[maxRewritten:] {
		d.Class = Max(d.Class, more.Class)
		d.Hidden = d.Hidden || more.Hidden
	}
	return append(told[:maxRewritten], d.keyed(t.tool))
}

// noteDetails describes a note like one at a property: by its words where it has some.
func (t *teller) noteDetails(r reading, old, new jsontext.Value) []Detail {
	name := place(schema.Edit{Direction: t.dir, Property: r.property})
	e := schema.AnnotationEdit(t.dir, name, r.property, r.pointer, r.keyword, nullable(old), nullable(new))
	return editDetails(e, t.root, t.tool)
}

// shown knows the places of the old and of the new schema that some detail of a class
// other than none shows. One that is about the whole schema shows none of them.
type shown struct {
	old, new map[string]bool
	renamed  map[string]bool // objects of which a property is called otherwise
}

func shownBy(all []Detail, root string, old, new jsontext.Value) shown {
	s := shown{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, d := range all {
		if d.Class == None || d.Pointer == root {
			continue
		}
		if len(d.New) > 0 {
			s.new[d.Pointer] = true
		}
		if len(d.Old) > 0 {
			s.old[d.Pointer] = true
		}
		if strings.HasPrefix(d.ID, "property.") {
			s.ofProperty(d, root, old, new)
		}
	}
	return s
}

// ofProperty adds what an edit of a property shows elsewhere: its name in the list of
// required ones, and its old place when it is called otherwise now.
func (s shown) ofProperty(d Detail, root string, old, new jsontext.Value) {
	object, _, ok := cutLast(d.Pointer, "/properties/")
	if !ok {
		return
	}
	s.old[object+"/required"], s.new[object+"/required"] = true, true
	if d.ID != "property.renamed" || s.renamed[object] {
		return
	}
	s.renamed[object] = true
	pointer := strings.TrimPrefix(object, root) + "/properties"
	has := membersOf(asObject(valueAt(new, pointer))).values
	for _, name := range membersOf(asObject(valueAt(old, pointer))).names {
		if has[name] == nil {
			s.old[object+"/properties/"+escapePointer(name)] = true
		}
	}
}

// valueAt follows a pointer; nil when it leads nowhere.
func valueAt(v jsontext.Value, pointer string) jsontext.Value {
	for _, segment := range strings.Split(pointer, "/")[1:] {
		switch name := readablePointer(segment); v.Kind() {
		case '{':
			v = membersOf(v).values[name]
		case '[':
			i, err := strconv.Atoi(name)
			all := slices.Collect(surface.Elements(v))
			if err != nil || i < 0 || i >= len(all) {
				return nil
			}
			v = all[i]
		default:
			return nil
		}
	}
	return v
}

func (s shown) lost(pointer string) bool {
	_, ok := above(s.old, pointer)
	return ok
}

func (s shown) gained(pointer string) bool {
	_, ok := above(s.new, pointer)
	return ok
}

// teller finds out where the readings that differ between two schemas are shown, and
// says the rest.
type teller struct {
	dir   schema.Direction
	root  string // pointer of the schema in the tool
	old   jsontext.Value
	new   jsontext.Value
	tool  string
	shown shown
	open  map[string]Class  // of properties that take other values now: a detail tells which are gone
	at    map[string]int    // details of class none, by pointer
	words map[string]*words // what to say more, by pointer
	order []string          // of the words
}

func newTeller(all []Detail, dir schema.Direction, root, tool string, old, new jsontext.Value) *teller {
	t := &teller{
		dir: dir, root: root, tool: tool, old: old, new: new, shown: shownBy(all, root, old, new),
		open: map[string]Class{}, at: map[string]int{}, words: map[string]*words{},
	}
	for i, d := range all {
		noun, _, _ := strings.Cut(d.ID, ".")
		switch {
		case d.Class == None:
			t.at[d.Pointer] = i
		case d.Property != "" && valueNouns[noun]:
			t.open[d.Property] = Max(t.open[d.Property], d.Class)
		}
	}
	return t
}

// takeNames notes the names and values that no detail shows.
func (t *teller) takeNames(lost, gained []reading) {
	for _, r := range lost {
		if r.keyword == "" && !t.shown.lost(t.root+r.pointer) && t.open[r.property] == "" {
			t.tell(r, false)
		}
	}
	for _, r := range gained {
		if r.keyword == "" && !t.shown.gained(t.root+r.pointer) {
			t.tell(r, true)
		}
	}
}

// instructed raises what only accepts more, such as a new property, when a text that came
// in with it tells a model what to do: that reaches callers that never use it.
func (t *teller) instructed(all []Detail, gained []reading) {
	accepting := map[string]int{}
	for i, d := range all {
		if d.Class == Compatible && d.Pointer != t.root && len(d.New) > 0 {
			accepting[d.Pointer] = i
		}
	}
	deltas := map[int][]prose.Delta{}
	for _, r := range gained {
		if text, ok := textOf(r.value); ok && text != nil && r.keyword == "description" && len(accepting) > 0 {
			if i, ok := above(accepting, t.root+r.pointer); ok {
				deltas[i] = append(deltas[i], instructions(*text)...)
			}
		}
	}
	for i, ds := range deltas {
		if len(ds) > 0 {
			d := &all[i]
			d.Class = Behaviour
			d.Sentence += " " + messages(ds)
			*d = d.keyed(t.tool)
		}
	}
}

// instructions lists the sentences of a new text that bind a model even where it
// doesn't use what the text describes: not those that only fix a form or a default.
func instructions(text string) []prose.Delta {
	var out []prose.Delta
	for _, d := range prose.ContractDelta("", text) {
		if slices.Contains(d.Classes, prose.Instruction) || slices.Contains(d.Classes, prose.Safety) {
			out = append(out, d)
		}
	}
	return out
}

// replaced reports whether a property, or one that it is a part of, no longer takes what
// it took: its texts went with that.
func (t *teller) replaced(property string) bool {
	for property != "" {
		if t.open[property] == Breaking {
			return true
		}
		property = property[:max(0, strings.LastIndexAny(property, ".["))]
	}
	return false
}

// tell attributes a reading to its place.
func (t *teller) tell(r reading, gained bool) {
	pointer := t.root + r.pointer
	if t.words[pointer] == nil {
		t.words[pointer] = &words{}
		t.order = append(t.order, pointer)
	}
	t.words[pointer].add(r, gained)
}

// say raises the details without effect in which something differs that a model reads,
// and says what. What none of them is about gets a detail of its own.
func (t *teller) say(all []Detail) []Detail {
	for i, d := range all {
		if d.Class == None {
			t.at[d.Pointer] = i // rewritten came after the notes
		}
	}
	more := map[int]*words{}
	var loose []Detail
	for _, pointer := range t.order {
		w := t.words[pointer]
		i, ok := above(t.at, pointer)
		switch {
		case !ok:
			loose = append(loose, t.looseDetail(pointer, w))
		case more[i] == nil:
			more[i] = w
		default:
			more[i].join(w)
		}
	}
	for i, w := range more {
		d := &all[i]
		d.Class = Max(d.Class, Text)
		d.Sentence = strings.TrimSuffix(d.Sentence, " No effect.") + " " + w.sentence()
		*d = d.keyed(t.tool)
	}
	return append(all, t.summed(loose)...)
}

// above finds what a map has at a place or next above it.
func above[T any](places map[string]T, pointer string) (found T, ok bool) {
	for pointer != "" && !ok {
		found, ok = places[pointer]
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return found, ok
}

func (t *teller) looseDetail(pointer string, w *words) Detail {
	d := Detail{
		ID: "schema.rewritten", Direction: string(t.dir), Class: Text, Pointer: pointer, Old: nullable(w.old()), New: nullable(w.new()),
		Sentence: quoteName(pointer) + " is written differently. " + w.sentence(),
	}
	d.markHidden()
	return d.keyed(t.tool)
}

// valueNouns are the nouns of edits that name the values which a property takes.
var valueNouns = map[string]bool{"type": true, "enum": true, "const": true, "union": true}

// words are what a model reads on one side only.
type words struct{ lost, gained []reading }

func (w *words) add(r reading, gained bool) {
	if gained {
		w.gained = append(w.gained, r)
		return
	}
	w.lost = append(w.lost, r)
}

func (w *words) join(more *words) {
	w.lost, w.gained = append(w.lost, more.lost...), append(w.gained, more.gained...)
}

func (w *words) old() jsontext.Value { return firstValue(w.lost) }
func (w *words) new() jsontext.Value { return firstValue(w.gained) }

func firstValue(all []reading) jsontext.Value {
	if len(all) == 0 {
		return nil
	}
	return all[0].value
}

func (w *words) sentence() string {
	switch {
	case len(w.lost) == 0:
		return "A model now reads " + valueList(w.gained) + "."
	case len(w.gained) == 0:
		return "A model no longer reads " + valueList(w.lost) + "."
	}
	return "A model now reads " + valueList(w.gained) + " and no longer " + valueList(w.lost) + "."
}

func valueList(all []reading) string {
	var said []string
	for _, r := range all {
		text := shortValue(r.value)
		if r.keyword != "" {
			text = r.keyword + " " + text
		}
		if !slices.Contains(said, text) {
			said = append(said, text)
		}
		if len(said) > namedInSentence {
			said[namedInSentence] = "and more"
			break
		}
	}
	return strings.Join(said, ", ")
}
