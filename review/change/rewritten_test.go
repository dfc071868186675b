package change

import (
	"strings"
	"testing"
)

func TestDifferingLeaves(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"same", `{"minimum":1}`, `{"minimum":1.0}`, ""},
		{"value", `{"minimum":1,"maximum":2}`, `{"minimum":1,"maximum":3}`, "/maximum"},
		{"an unknown keyword", `{"x-order":1}`, `{"x-order":2}`, "/x-order text"},
		{"an object as value", `{"const":{"title":"a"}}`, `{"const":{"title":"b"}}`, "/const"},
		{"what a property called title needs", `{"dependentRequired":{"title":["a"]}}`, `{"dependentRequired":{"title":[]}}`, "/dependentRequired/title"},
		{"came", `{}`, `{"type":"object"}`, "/type"},
		{"deep", `{"properties":{"x":{"type":"string"}}}`, `{"properties":{"x":{"type":"integer"}}}`, "/properties/x/type"},
		{"text", `{"description":"a"}`, `{"description":"b"}`, "/description text"},
		{"a property called description", `{"properties":{"description":{"type":"string"}}}`, `{"properties":{"description":{"type":"integer"}}}`, "/properties/description/type"},
		{"alternatives", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "/anyOf/1/type"},
		{"fewer alternatives", `{"anyOf":[{},{}]}`, `{"anyOf":[{}]}`, "/anyOf"},
		{"names are escaped", `{"properties":{"a/b":1}}`, `{"properties":{"a/b":2}}`, "/properties/a~1b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, l := range differingLeaves(value(c.old), value(c.new)) {
				s := l.pointer
				if l.text {
					s += " text"
				}
				got = append(got, s)
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}
