package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/schema"
)

// doubling is a chain of definitions, each of which applies the next one twice:
// a naive validator needs 2^n steps.
func doubling(n int, leaf string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":%s}}`, n, leaf)
	return b.String()
}

// tree is a chain of definitions with two properties each, all of the next one.
func tree(n int, leaf string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":%s}}`, n, leaf)
	return b.String()
}

// braid is a chain of definitions that each apply the next one in two ways which
// are not the same.
func braid(n int, word, leaf string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"%s":[{"$ref":"#/$defs/d%d"},{"minLength":%d}]},{"%s":[{"$ref":"#/$defs/d%d"},{"maxLength":%d}]}]},`, i, word, i+1, i, word, i+1, 100+i)
	}
	fmt.Fprintf(&b, `"d%d":%s}}`, n, leaf)
	return b.String()
}

func wide(n int, extra string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{"type":"string","maxLength":%d},`, i, i+1)
	}
	b.WriteString(`"last":{"type":"string"` + extra + `}}}`)
	return b.String()
}

func wideInts(n int) string { return strings.ReplaceAll(wide(n, ""), `"string"`, `"integer"`) }

func deep(n int, leaf string) string {
	return strings.Repeat(`{"properties":{"a":`, n) + leaf + strings.Repeat(`}}`, n)
}

func branches(word string, n int, leaf string) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`{"type":"object","properties":{"a%d":{"type":"string"},"b":{"minimum":%d}},"required":["a%d"]}`, i, i, i))
	}
	return `{"` + word + `":[` + strings.Join(append(parts, leaf), ",") + `]}`
}

func nested(word string, n int, leaf string) string {
	for range n {
		leaf = fmt.Sprintf(`{"%s":[{"type":"object","properties":{"x":%s}},{"required":["y"]},{"minProperties":3}]}`, word, leaf)
	}
	return leaf
}

// Types are named by looking into unions; unions of unions must not be looked into
// without end.
func TestTableIsBounded(t *testing.T) {
	var parts []string
	for range 400 {
		parts = append(parts, `{"$ref":"#/$defs/u"}`)
	}
	u := `{"anyOf":[` + strings.Join(parts, ",") + `]}`
	doc := `{"properties":{"a":{"$ref":"#/$defs/u"},"b":{"$ref":"#/$defs/u"}},"$defs":{"u":` + u + `}}`
	props, err := schema.Properties([]byte(doc))
	if err != nil || len(props) != 2 {
		t.Errorf("got %d rows, %v", len(props), err)
	}
}

// Documents made to blow up: each ends with an honest answer, within bounds that
// are counted in steps.
func TestBombs(t *testing.T) {
	tests := []struct {
		name, old, new string
		input, output  schema.Verdict
	}{
		{"doubling refs", doubling(40, `{"type":"string"}`), doubling(40, `{"type":"string","maxLength":5}`), "undecided", "compatible"},
		{"doubling refs, equal", doubling(40, `{"type":"string"}`), doubling(40, `{"type":"string","minLength":0}`), "equivalent", "equivalent"},
		{"tree of refs", tree(40, `{"type":"string"}`), tree(40, `{"type":"string","maxLength":5}`), "breaking", "compatible"},
		{"braid of anyOf", braid(40, "anyOf", `{"type":"string"}`), braid(40, "anyOf", `{"type":"integer"}`), "undecided", "compatible"},
		{"braid of oneOf", braid(40, "oneOf", `{"type":"string"}`), braid(40, "oneOf", `{"type":"integer"}`), "undecided", "undecided"},
		{"braid of allOf", braid(40, "allOf", `{"type":"string"}`), braid(40, "allOf", `{"type":"string","pattern":"a"}`), "undecided", "compatible"},
		{"braid for names", `{"propertyNames":{"$ref":"#/properties/x"},"properties":{"x":{"not":` + braid(1, "anyOf", `{}`) + `}}}`, `{"minProperties":1,"propertyNames":{"maxLength":3}}`, "undecided", "undecided"},
		{"10,000 properties", wide(10_000, ""), wide(10_000, `,"maxLength":3`), "breaking", "compatible"},
		{"4,000 properties, all changed", wide(4_000, ""), wideInts(4_000), "breaking", "breaking"},
		{"4,000 properties, none left", wide(4_000, ""), `{"type":"object","additionalProperties":false}`, "breaking", "compatible"},
		{"deep", deep(60, `{"type":"string"}`), deep(60, `{"type":"string","minLength":1}`), "breaking", "compatible"},
		{"too deep", deep(200, `{}`), deep(200, `{"type":"string"}`), "undecided", "undecided"},
		{"anyOf of 60", branches("anyOf", 60, `{"type":"null"}`), branches("anyOf", 60, `{"type":"integer"}`), "breaking", "breaking"},
		{"oneOf of 60", branches("oneOf", 60, `{"type":"null"}`), branches("oneOf", 60, `{"type":"integer"}`), "breaking", "breaking"},
		{"oneOf of 300", branches("oneOf", 300, `{"type":"null"}`), branches("oneOf", 299, `{"type":"null"}`), "undecided", "undecided"},
		{"nested oneOf", nested("oneOf", 6, `{"type":"string"}`), nested("oneOf", 6, `{"type":"string","maxLength":1}`), "breaking", "breaking"},
		{"nested anyOf", nested("anyOf", 8, `{"type":"string"}`), nested("anyOf", 8, `{"type":"string","maxLength":1}`), "breaking", "compatible"},
		{"catastrophic pattern", `{"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}`, `{"pattern":"^([a-zA-Z]+)*!$"}`, "breaking", "breaking"},
		{"many states", `{"pattern":"^(.*a.{18})$"}`, `{"pattern":"^(.*b.{17}a.{1,9})$"}`, "undecided", "undecided"},
		{"large counts", `{"minLength":1000000000,"minItems":1000000000,"minProperties":1000000000}`, `{"minLength":1000000001,"minItems":1000000001,"minProperties":1000000001}`, "undecided", "compatible"},
		{"huge number", `{"maximum":1e400}`, `{"maximum":1e399}`, "breaking", "compatible"},
		{"absurd number", `{"maximum":1e999999999}`, `{"maximum":1}`, "undecided", "undecided"},
		{"unique items", `{"type":"array","uniqueItems":true,"minItems":200}`, `{"type":"array","uniqueItems":true,"minItems":201}`, "undecided", "compatible"},
		{"remote reference", `{"$ref":"https://example.com/a.json"}`, `{"$ref":"file:///etc/hostname"}`, "undecided", "undecided"},
		{"endless reference", `{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "equivalent", "equivalent"},
		{"long enum", `{"enum":[` + strings.Repeat(`"x",`, 5000) + `"y"]}`, `{"enum":["x"]}`, "breaking", "compatible"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for dir, want := range map[schema.Direction]schema.Verdict{schema.Input: tt.input, schema.Output: tt.output} {
				r := schema.Compare([]byte(tt.old), []byte(tt.new), dir, schema.Options{})
				if r.Verdict != want || r.Reason == "" {
					t.Errorf("%s: %s (%s), want %s", dir, r.Verdict, r.Reason, want)
				}
				checkResult(t, corpusPair{tt.name, dir, []byte(tt.old), []byte(tt.new), ""}, r)
			}
			if rows, err := schema.Table([]byte(tt.old), []byte(tt.new)); len(rows) > 50_000 || err == nil && rows == nil {
				t.Errorf("a table of %d rows, %v", len(rows), err)
			}
		})
	}
}
