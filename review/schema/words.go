package schema

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// name says what a place is, in words that can start or sit in a sentence:
// "`limit`", "each item of `tags`", "the input".
func (w *walker) name(p *place) string {
	s := w.plainName(p)
	if p.where != "" {
		s += " (" + p.where + ")"
	}
	return s
}

func (w *walker) plainName(p *place) string {
	path := p.path
	if p.label != "" {
		return p.label
	}
	if path == "" {
		if w.p.dir == Output {
			return "the result"
		}
		return "the input"
	}
	n := 0
	for strings.HasSuffix(path, "[]") {
		path = strings.TrimSuffix(path, "[]")
		n++
	}
	if n == 0 {
		return "`" + path + "`"
	}
	of := "`" + path + "`"
	if path == "" {
		of = "the array"
	}
	if n > 1 {
		return "each inner item of " + of
	}
	return "each item of " + of
}

// property names a property of a place: "`filter.depth`".
func (w *walker) property(p *place, name string) string {
	s := "`" + join(p.path, name) + "`"
	if p.where != "" {
		s += " (" + p.where + ")"
	}
	return s
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// upper starts a sentence.
func upper(s string) string {
	if s == "" || s[0] == '`' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// either picks the words for the direction.
func (w *walker) either(input, output string) string {
	if w.p.dir == Output {
		return output
	}
	return input
}

const maxShown = 60 // characters of a value in a sentence

// inResults ends a sentence about what a place may hold from now on.
func (w *walker) inResults(p *place) string {
	if w.p.dir == Output && p.path != "" {
		return " in results now."
	}
	return " now."
}

// show writes a value for a sentence, shortened when it is long.
func show(v *value) string {
	s := string(v.appendJSON(nil))
	if utf8.RuneCountInString(s) > maxShown {
		s = string([]rune(s)[:maxShown]) + "…"
	}
	return s
}

// list writes values for a sentence: "a", "b" and 3 more; last joins the last two.
func list(vs []*value, last string) string {
	const most = 4
	var out []string
	for _, v := range vs {
		if len(out) == most && len(vs) > most+1 {
			break
		}
		out = append(out, show(v))
	}
	if rest := len(vs) - len(out); rest > 0 {
		return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", rest)
	}
	return and(out, last)
}

// and joins words: "a, b and c".
func and(words []string, last string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
	return strings.Join(words, "")
}

// typeWords says a set of types: "a string or null".
func typeWords(t types) string {
	var out []string
	for _, x := range []struct {
		bit  types
		word string
	}{
		{typeOf(kindString), "a string"}, {typeOf(kindNumber), "a number"}, {typeInteger, "an integer"}, {typeOf(kindBool), "a boolean"},
		{typeOf(kindObject), "an object"}, {typeOf(kindArray), "an array"}, {typeOf(kindNull), "null"},
	} {
		if t&x.bit != 0 {
			out = append(out, x.word)
		}
	}
	if t&allTypes == allTypes {
		return "any value"
	}
	if len(out) > 3 {
		return "most other values"
	}
	if len(out) == 0 {
		return "nothing"
	}
	return and(out, "or")
}

func ratText(r *big.Rat) string { return numberText(r) }

// AnnotationEdit describes a change of a keyword that no validator looks at, at a place
// that [Compare] lists no edit for, such as within an alternative that another one
// includes. name says whose keyword it is, in words; old and new are the values as
// received, nil where there is none.
func AnnotationEdit(dir Direction, name, property, pointer, keyword string, old, new []byte) Edit {
	id, sentence := annotationWords(name, keyword, loose(old), loose(new))
	return Edit{
		ID: id, Direction: dir, Pointer: pointer, Property: property, Old: old, New: new, Sentence: sentence,
		Verdict: Equivalent, VerdictDeclared: Equivalent, Annotation: true,
	}
}

// loose is a value that belongs to no document; what is too large to be read is its
// text.
func loose(b []byte) view {
	if len(b) == 0 {
		return view{}
	}
	v, err := parseValue(b)
	if err != nil {
		v = stringValue(string(b))
	}
	return view{v, ""}
}

// annotationWords returns the id of an edit of an annotation, and its sentence.
func annotationWords(name, word string, old, new view) (id, sentence string) {
	noun, sentence := annotationNoun(name, word, old, new)
	verb := "changed"
	switch {
	case noun == "deprecated" && new.v.isTrue():
		verb = "set"
	case noun == "deprecated":
		verb = "unset"
	case old.v == nil:
		verb = "added"
	case new.v == nil:
		verb = "removed"
	}
	return noun + "." + verb, sentence
}

func annotationNoun(name, word string, old, new view) (noun, sentence string) {
	switch word {
	case "default":
		return "default", defaultWords(name, old, new)
	case "format":
		return "format", formatWords(upper(name), old, new)
	case "deprecated":
		if new.v.isTrue() {
			return "deprecated", upper(name) + " is marked as deprecated now."
		}
		return "deprecated", upper(name) + " is no longer marked as deprecated."
	case "description", "title":
		return word, textWords(name, "a", word, old, new)
	case "examples", "example":
		return "examples", textWords(name, "", "examples", old, new)
	case "$comment":
		return "comment", textWords(name, "a", "comment", old, new)
	case "readOnly", "writeOnly":
		return word, textWords(name, "a", "mark "+word, old, new)
	case "contentEncoding", "contentMediaType", "contentSchema":
		return "content", textWords(name, "a", word, old, new)
	}
	return "vendor", textWords(name, "a", "keyword `"+word+"`", old, new)
}

func defaultWords(name string, old, new view) string {
	switch {
	case old.v == nil:
		return fmt.Sprintf("%s defaults to %s now.", upper(name), show(new.v))
	case new.v == nil:
		return fmt.Sprintf("%s no longer has a default; it was %s.", upper(name), show(old.v))
	}
	return fmt.Sprintf("Default of %s is %s, was %s.", name, show(new.v), show(old.v))
}

func formatWords(name string, old, new view) string {
	switch {
	case old.v == nil:
		return fmt.Sprintf("%s is marked as %s now.", name, show(new.v))
	case new.v == nil:
		return fmt.Sprintf("%s is no longer marked as %s.", name, show(old.v))
	}
	return fmt.Sprintf("%s is marked as %s now, was %s.", name, show(new.v), show(old.v))
}

func textWords(name, article, what string, old, new view) string {
	switch {
	case old.v == nil && article == "":
		return fmt.Sprintf("%s has %s now.", upper(name), what)
	case old.v == nil:
		return fmt.Sprintf("%s has %s %s now.", upper(name), article, what)
	case new.v == nil:
		return fmt.Sprintf("%s lost its %s.", upper(name), what)
	}
	return fmt.Sprintf("The %s of %s changed.", what, name)
}
