package change

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// textField is a place where a model or a person reads text.
type textField struct {
	noun      string // first part of the detail's id
	what      string // in a sentence
	place     string // put before a sentence that doesn't say what it is about
	pointer   string
	direction string
	property  string // as in Detail
	contract  bool   // its sentences promise something: losing one is behaviour
	plural    bool   // "are" and not "is"
}

var (
	titleField        = textField{noun: "title", what: "title", pointer: "/title"}
	descriptionField  = textField{noun: "description", what: "description", pointer: "/description", contract: true}
	instructionsField = textField{noun: "instructions", what: "instructions", pointer: "/instructions", contract: true, plural: true}
)

// stringDetails compares two JSON values that should be strings. Anything else is
// compared as a value; null is absent.
func stringDetails(f textField, old, new jsontext.Value, tool string) []Detail {
	a, okOld := textOf(old)
	b, okNew := textOf(new)
	switch {
	case !okOld || !okNew:
		return valueDetails(f.noun, Behaviour, f.pointer, old, new)
	case a == nil && b == nil:
		return []Detail{nullDetail(f.pointer, new)}
	}
	return textDetails(f, a, b, tool)
}

func textOf(v jsontext.Value) (*string, bool) {
	if v == nil || v.Kind() == 'n' {
		return nil, true
	}
	s, ok := surface.DecodeString(v)
	return &s, ok
}

// textDetails compares two texts; nil is absent. Of a text that changed each
// passage is a detail, so that one sentence inserted in many texts is one edit.
func textDetails(f textField, old, new *string, tool string) []Detail {
	switch {
	case old == nil && new == nil, old != nil && new != nil && *old == *new:
		return nil
	case old == nil:
		return []Detail{f.detail("added", nil, new, passage{gained: *new}, tool)}
	case new == nil:
		return []Detail{f.detail("removed", old, nil, passage{lost: *old}, tool)}
	}
	var all []Detail
	for _, p := range passages(*old, *new) {
		all = append(all, f.detail("changed", old, new, p, tool))
	}
	return f.coverHidden(all, *old, *new, tool)
}

// detail describes one passage.
func (f textField) detail(verb string, old, new *string, p passage, tool string) Detail {
	d := Detail{
		ID: f.noun + "." + verb, Direction: f.direction, Class: Text, Pointer: f.pointer,
		Old: stringValue(old), New: stringValue(new), Lost: p.lost, Gained: p.gained, Property: f.property,
	}
	deltas := f.deltas(p)
	if len(deltas) > 0 {
		d.Class = Behaviour
	}
	if verb == "removed" && f.contract {
		d.Class = Behaviour // all that a model knew about it is gone
	}
	d.Sentence = f.sentence(verb, p, deltas)
	d.sayHidden(freshMarks([]string{p.lost}, []string{p.gained}))
	return d.keyed(tool)
}

func (f textField) deltas(p passage) []prose.Delta {
	if !f.contract || p.how == reordered || p.how == blanks {
		return nil
	}
	return prose.ContractDelta(p.lost, p.gained)
}

func (f textField) sentence(verb string, p passage, deltas []prose.Delta) string {
	switch {
	case verb == "removed":
		return f.the("is") + " gone: " + sentenceEnd(quoteText(p.lost))
	case verb == "added":
		return f.the("is") + " new: " + sentenceEnd(quoteText(p.gained))
	case p.how == reordered:
		return f.the("says") + " the same in another order."
	}
	if s := prose.Compare(p.lost, p.gained).Sentence; s != "" {
		return f.place + s
	}
	if len(deltas) > 0 {
		return f.place + messages(deltas)
	}
	switch {
	case p.lost == "":
		return f.the("now also says") + ": " + sentenceEnd(quoteText(p.gained))
	case p.gained == "":
		return f.the("no longer says") + ": " + sentenceEnd(quoteText(p.lost))
	}
	return f.the("is") + " reworded: " + quoteText(p.lost) + " is now " + sentenceEnd(quoteText(p.gained))
}

// the begins a sentence about the field with a verb, given in the singular.
func (f textField) the(verb string) string {
	if f.plural {
		verb = strings.NewReplacer("is", "are", "says", "say").Replace(verb)
	}
	return "The " + f.what + " " + verb
}

// spokenDeltas bounds how many contract sentences one sentence repeats.
const spokenDeltas = 4

func messages(deltas []prose.Delta) string {
	var b strings.Builder
	for i, d := range deltas {
		if i == spokenDeltas {
			b.WriteString(" And " + count(len(deltas)-i, "more sentence") + ".")
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(d.Message())
	}
	return b.String()
}

// coverHidden makes sure that a hidden character that stands between sentences,
// where no passage shows it, is not missed.
func (f textField) coverHidden(all []Detail, old, new, tool string) []Detail {
	fresh := freshMarks([]string{old}, []string{new})
	if fresh.labels == "" {
		return all
	}
	for _, d := range all {
		if strings.Contains(d.Sentence, hiddenCameIn) {
			return all
		}
	}
	return append(all, f.detail("changed", &old, &new, passage{lost: old, gained: new}, tool))
}

// quotedText bounds how much of a passage a sentence repeats, in characters. The
// whole passage is beside it.
const quotedText = 300

func quoteText(s string) string {
	if utf8.RuneCountInString(s) <= quotedText {
		return `"` + s + `"`
	}
	n := 0
	for i := range s {
		if n == quotedText {
			cut := wholeWords(s[:i])
			return `a passage of ` + count(utf8.RuneCountInString(s), "character") + ` that begins "` + cut + `"`
		}
		n++
	}
	return `"` + s + `"`
}

// wholeWords takes the word off at which a text was cut; of code, which is quoted by
// whole lines, the line. What would take off more than half is left.
func wholeWords(cut string) string {
	if strings.Count(cut, "`")%2 == 1 {
		if j := strings.LastIndexByte(cut, '\n'); j > len(cut)/2 {
			return cut[:j]
		}
	}
	if j := strings.LastIndexAny(cut, " \n\t"); j > len(cut)/2 {
		return cut[:j]
	}
	return cut
}

// sentenceEnd ends a sentence that ends in a quotation.
func sentenceEnd(s string) string {
	if body := strings.TrimSuffix(s, `"`); body != s && strings.HasSuffix(body, ".") {
		return s
	}
	return s + "."
}

func stringValue(s *string) []byte {
	if s == nil {
		return nil
	}
	return surface.EncodeString(*s)
}
