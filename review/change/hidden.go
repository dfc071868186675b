package change

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// hiddenMarks are hidden characters that came in: their labels for a sentence, and
// whether one of them can mislead.
type hiddenMarks struct {
	labels string
	grave  bool
}

const hiddenCameIn = " Hidden characters came in: "

// markHidden notes hidden characters that came in with the new value.
func (d *Detail) markHidden() { d.sayHidden(freshMarks(stringsOf(d.Old), stringsOf(d.New))) }

func (d *Detail) sayHidden(m hiddenMarks) {
	if m.labels == "" {
		return
	}
	d.Hidden = m.grave
	d.Class = Max(d.Class, Behaviour)
	d.Sentence += hiddenCameIn + m.labels + "."
}

// freshMarks finds the hidden characters that new has more of than old.
func freshMarks(old, new []string) hiddenMarks {
	had := map[string]int{}
	eachMark(old, func(m prose.Mark) { had[m.Name()+m.Decoded()] += m.Count })
	var fresh hiddenMarks
	var labels []string
	eachMark(new, func(m prose.Mark) {
		key := m.Name() + m.Decoded()
		before := had[key]
		had[key] -= m.Count
		if before >= 0 && had[key] < 0 {
			labels = append(labels, m.Label()+" "+m.Name())
			fresh.grave = fresh.grave || m.Grave()
		}
	})
	if len(labels) > namedInSentence {
		labels = append(labels[:namedInSentence], "and more")
	}
	fresh.labels = strings.Join(labels, ", ")
	return fresh
}

func eachMark(texts []string, f func(prose.Mark)) {
	for _, s := range texts {
		if isASCIIText(s) {
			continue
		}
		for _, m := range prose.HiddenIn(s) {
			f(m)
		}
	}
}

// stringsOf lists every string of a value, member names included.
func stringsOf(raw []byte) []string {
	var all []string
	eachString(jsontext.Value(raw), func(s string) { all = append(all, s) })
	return all
}

func eachString(v jsontext.Value, f func(string)) {
	switch v.Kind() {
	case '"':
		if s, ok := surface.DecodeString(v); ok {
			f(s)
		}
	case '{':
		for name, m := range surface.Members(v) {
			f(name)
			eachString(m, f)
		}
	case '[':
		for e := range surface.Elements(v) {
			eachString(e, f)
		}
	}
}

// isASCIIText reports whether s has nothing but printable ASCII, tab and newline,
// in which nothing can hide.
func isASCIIText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
