package change

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// noteEnum says of a parameter whose values were narrowed what a reviewer would overlook,
// or be glad to know. It changes no class: what was valid is refused either way.
func (d *Detail) noteEnum(old jsontext.Value, p pair) {
	if d.Direction != "input" || d.Note != nil {
		return
	}
	switch d.ID {
	case "enum.value.removed":
		if otherCase(wordsIn(d.Old), wordsIn(d.New)) {
			d.Note = ptr("The same words in another case: whoever sends them as before is refused.")
		}
	case "enum.introduced":
		property := strings.TrimSuffix(strings.TrimPrefix(d.Pointer, "/inputSchema"), "/enum")
		if namedIn(wordsIn(d.New), valueAt(p.old.Raw, "/description"), valueAt(old, property+"/description")) {
			d.Note = ptr("The description named each of these values already: whoever kept to it goes on as before.")
		}
	}
}

// wordsIn are the values of a list, nil when one of them is no text.
func wordsIn(list []byte) []string {
	var out []string
	for v := range surface.Elements(jsontext.Value(list)) {
		s, ok := surface.DecodeString(v)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// otherCase reports whether every value that is gone is there in another case.
func otherCase(was, is []string) bool {
	same, folded := map[string]bool{}, map[string]bool{}
	for _, s := range is {
		same[s], folded[strings.ToLower(s)] = true, true
	}
	gone := 0
	for _, s := range was {
		if same[s] {
			continue
		}
		if gone++; !folded[strings.ToLower(s)] {
			return false
		}
	}
	return gone > 0
}

// mostNamed is how many values a description is searched for: no text names more.
const mostNamed = 100

// namedIn reports whether each value stands as a word of its own in one of the texts.
func namedIn(values []string, texts ...jsontext.Value) bool {
	named := func(value string) bool {
		return slices.ContainsFunc(texts, func(v jsontext.Value) bool {
			text, _ := surface.DecodeString(v)
			return standsIn(text, value)
		})
	}
	return len(values) > 0 && len(values) <= mostNamed && !slices.ContainsFunc(values, func(s string) bool { return s == "" || !named(s) })
}

// standsIn reports whether a name stands in a text, and not within another name.
func standsIn(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		at += i
		if wordEdge(text, at, true) && wordEdge(text, at+len(name), false) {
			return true
		}
		at++
	}
}
