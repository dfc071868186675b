package change

import (
	"strings"
	"testing"
)

func TestDifferingLeaves(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"same", `{"a":1}`, `{"a":1.0}`, ""},
		{"value", `{"a":1,"b":2}`, `{"a":1,"b":3}`, "/b"},
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
