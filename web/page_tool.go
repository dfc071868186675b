package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// sides is a tool on both sides of a comparison, or alone: then both are the same
// tool and nothing is compared.
type sides struct {
	old, new           *surface.Tool // nil: that side has no such tool
	oldLabel, newLabel string
	alone              bool
	comment            func(pointer string) string // address of the form that comments, "" for none
}

func alone(t *surface.Tool) sides { return sides{old: t, new: t, alone: true} }

// view shows the tool in the order in which a model reads it.
func (s sides) view() views.ToolView {
	t := views.ToolView{
		Name:       views.ShowName(s.name()),
		Title:      s.changed(s.text("/title", surface.Tool.Title)),
		Words:      s.text("/description", surface.Tool.Description),
		Input:      s.schema("Input schema", "/inputSchema", surface.Tool.InputSchema),
		Output:     s.schema("Output schema", "/outputSchema", surface.Tool.OutputSchema),
		Others:     s.others(),
		CommentURL: s.commentOn("/description"),
	}
	if s.old != nil && s.new != nil && s.old.Name != s.new.Name {
		t.OldName = views.ShowName(s.old.Name)
	}
	t.NoWords, t.WordsTag = s.wordsTag(t.Words)
	t.Hints, t.NoHints = s.hints()
	return t
}

// name is what the tool is called now. A tool without a name is called by its
// place.
func (s sides) name() string {
	t := s.new
	if t == nil {
		t = s.old
	}
	return toolName(t.Name, t.Position)
}

func toolName(name string, position int) string {
	if name == "" {
		return fmt.Sprintf("tool without a name at %d", position)
	}
	return name
}

func (s sides) commentOn(pointer string) string {
	if s.comment == nil {
		return ""
	}
	return s.comment(pointer)
}

// text compares a string field of the tool, which stands at a pointer.
func (s sides) text(at string, field func(surface.Tool) (string, bool)) views.TextDiff {
	return views.Texts(stringOf(s.old, field), stringOf(s.new, field), s.oldLabel, s.newLabel).StandsAt(at)
}

func stringOf(t *surface.Tool, field func(surface.Tool) (string, bool)) *string {
	if t == nil {
		return nil
	}
	if v, ok := field(*t); ok {
		return &v
	}
	return nil
}

// changed leaves out a short text that is the same on both sides of a comparison.
func (s sides) changed(d views.TextDiff) views.TextDiff {
	if d.State == views.Same && !s.alone {
		return views.TextDiff{}
	}
	return d
}

func (s sides) wordsTag(d views.TextDiff) (none, tag string) {
	if d.State == views.NoText {
		if s.alone {
			return "None. A model has only the name to go by.", ""
		}
		return "None on either side.", ""
	}
	old, new := wordsOf(s.old), wordsOf(s.new)
	switch {
	case s.alone || s.old == nil:
		return "", plural(new, "word", "words")
	case s.new == nil:
		return "", plural(old, "word", "words")
	case d.State == views.Same:
		return "", plural(new, "word", "words") + ", the same on both sides"
	}
	return "", fmt.Sprintf("%s → %s", thousands(old), plural(new, "word", "words"))
}

func wordsOf(t *surface.Tool) int {
	if d := stringOf(t, surface.Tool.Description); d != nil {
		return len(strings.Fields(*d))
	}
	return 0
}

// hintDefaults are what holds when a hint is absent.
var hintDefaults = map[string]string{
	"readOnlyHint": "false", "destructiveHint": "true", "idempotentHint": "false", "openWorldHint": "true",
}

// hints lists annotations, those of the new side first.
func (s sides) hints() ([]views.HintRow, string) {
	old, new := annotationsOf(s.old), annotationsOf(s.new)
	var rows []views.HintRow
	for _, name := range unionOfNames(new, old) {
		row := views.HintRow{Name: views.ShowName(name)}
		was, is := rawString(old, name), rawString(new, name)
		row.Value = hintPair(was, is, s.old != nil && s.new != nil)
		if def, known := hintDefaults[name]; known && !s.alone && (was == "") != (is == "") && cmpOr(was, is) == def {
			row.Note = def + " by default: no effect"
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		return rows, ""
	}
	if s.alone || s.old == nil || s.new == nil {
		return nil, "None. By default it may change and destroy things, and reaches out to others."
	}
	return nil, "None on either side."
}

// hintPair says "absent" where a side of a comparison has no such hint.
func hintPair(was, is string, compared bool) views.Pair {
	if compared && was != is {
		return views.PairUp(cmpOr(was, "absent"), cmpOr(is, "absent"))
	}
	return views.PairUp(was, is)
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// jsonField is a member of an object, in the order received.
type jsonField struct {
	name  string
	value jsontext.Value
}

func annotationsOf(t *surface.Tool) []jsonField {
	if t == nil {
		return nil
	}
	raw, ok := t.Annotations()
	if !ok {
		return nil
	}
	var out []jsonField
	for name, v := range surface.Members(raw) {
		out = append(out, jsonField{name, v})
	}
	return out
}

func unionOfNames(lists ...[]jsonField) []string {
	var names []string
	for _, list := range lists {
		for _, m := range list {
			if !slices.Contains(names, m.name) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

func rawString(list []jsonField, name string) string {
	for _, m := range list {
		if m.name == name {
			return string(m.value)
		}
	}
	return ""
}

// shownFields have a place of their own on the page.
var shownFields = []string{"name", "title", "description", "annotations", "inputSchema", "outputSchema"}

// others shows the fields that the page has no place for: nothing is left out. In
// a comparison only those that differ.
func (s sides) others() []views.OtherField {
	old, new := fieldsOf(s.old), fieldsOf(s.new)
	var out []views.OtherField
	for _, name := range unionOfNames(new, old) {
		was, is := rawString(old, name), rawString(new, name)
		if was == is && !s.alone {
			continue
		}
		d := views.Texts(indented(was), indented(is), s.oldLabel, s.newLabel)
		d.Code = true
		out = append(out, views.OtherField{Pointer: views.ShowName("/" + name), Value: d})
	}
	return out
}

func fieldsOf(t *surface.Tool) []jsonField {
	if t == nil || t.Raw.Kind() != '{' {
		return nil
	}
	var out []jsonField
	for name, v := range t.Fields() {
		if !slices.Contains(shownFields, name) {
			out = append(out, jsonField{name, v})
		}
	}
	return out
}

// indented sets JSON out over lines for reading; nothing but blanks changes. It
// returns nil for no value.
func indented(raw string) *string {
	if raw == "" {
		return nil
	}
	v := jsontext.Value(raw).Clone()
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return &raw // not JSON: shown as it is
	}
	s := string(v)
	return &s
}

// jsonText shows a short JSON value: of a string its text, else the JSON.
func jsonText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if s, ok := surface.DecodeString(jsontext.Value(raw)); ok {
		return s
	}
	return string(raw)
}

// placeName says in words which place in a tool a pointer means.
func placeName(pointer string) string {
	switch pointer {
	case "":
		return "the whole tool"
	case "/description":
		return "description"
	case "/title":
		return "title"
	case "/inputSchema":
		return "input schema"
	case "/outputSchema":
		return "output schema"
	}
	parts := strings.Split(pointer, "/")
	if len(parts) > 3 && parts[2] == "properties" && (parts[1] == "inputSchema" || parts[1] == "outputSchema") {
		var names []string
		for i, p := range parts[3:] {
			if i%2 == 0 || p != "properties" {
				names = append(names, strings.NewReplacer("~1", "/", "~0", "~").Replace(p))
			}
		}
		if last := len(names) - 1; last > 0 && names[last] == "description" {
			return "description of " + prose.Show(strings.Join(names[:last], ".")).String()
		}
		return prose.Show(strings.Join(names, ".")).String()
	}
	return prose.Show(strings.TrimPrefix(pointer, "/")).String()
}
