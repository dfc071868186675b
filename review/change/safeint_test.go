package change

import (
	"strings"
	"testing"
)

func TestSafeBounds(t *testing.T) {
	const unsafe = `{"type":"integer"}`
	bounded := `{"type":"integer","minimum":` + safeMinimum + `,"maximum":` + safeMaximum + `}`
	for _, c := range []struct{ name, old, new, want string }{
		{"both ends", unsafe, bounded, "/minimum /maximum"},
		{"both sides", bounded, bounded, ""},
		{"a real bound instead", bounded, `{"type":"integer","minimum":` + safeMinimum + `,"maximum":9}`, ""},
		{"an exclusive bound beside it", `{"type":"integer","exclusiveMaximum":9}`, `{"type":"integer","maximum":` + safeMaximum + `}`, ""},
		{"the wrong end", unsafe, `{"type":"integer","minimum":` + safeMaximum + `}`, ""},
		{"a number", `{"type":["integer","number"]}`, `{"type":["integer","number"],"maximum":` + safeMaximum + `}`, ""},
		{"integer on one side", `{"type":"number"}`, bounded, ""},
		{"any type", `{}`, `{"maximum":` + safeMaximum + `}`, ""},
		{"nullable", `{"type":["integer","null"]}`, `{"type":["integer","null"],"maximum":` + safeMaximum + `}`, "/maximum"},
		{"alternatives", `{"anyOf":[{"type":"null"},` + unsafe + `]}`, `{"anyOf":[{"type":"null"},` + bounded + `]}`, "/anyOf/1/minimum /anyOf/1/maximum"},
		{"map", `{"additionalProperties":` + unsafe + `}`, `{"additionalProperties":` + bounded + `}`, "/additionalProperties/minimum /additionalProperties/maximum"},
		{"definitions", `{"$defs":{"a/b":` + unsafe + `}}`, `{"$defs":{"a/b":` + bounded + `}}`, "/$defs/a~1b/minimum /$defs/a~1b/maximum"},
		{"a property called items", `{"properties":{"items":` + unsafe + `}}`, `{"properties":{"items":` + bounded + `}}`, "/properties/items/minimum /properties/items/maximum"},
		{"denied", `{"not":` + unsafe + `}`, `{"not":` + bounded + `}`, ""},
		{"a value", `{"enum":[` + unsafe + `]}`, `{"enum":[` + bounded + `]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bounds, was, is := safeBounds(value(c.old), value(c.new))
			var got []string
			for _, s := range bounds {
				got = append(got, s.pointer)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
			wantNew := c.new
			if c.want != "" {
				wantNew = c.old // all that tells them apart is the bounds
			}
			if string(was) != c.old || string(is) != wantNew {
				t.Errorf("compared as %s and %s, want %s and %s", was, is, c.old, wantNew)
			}
		})
	}
}

func TestQuoteCutsAtWholeLinesOfCode(t *testing.T) {
	code := "Example: `() => {\n" + strings.Repeat("  a word or two;\n", 40) + "}`"
	got := quoteText(code)
	if !strings.HasSuffix(got, "two;\"") {
		t.Errorf("the quotation ends within a line: %q", got)
	}
	if got := quoteText(strings.Repeat("a word or two; ", 40)); strings.HasSuffix(got, " \"") || !strings.Contains(got, "600 characters") {
		t.Errorf("quoted %q", got)
	}
}
