package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

func TestBombs(t *testing.T) {
	tests := []struct{ name, old, new string }{
		{"doubling refs", doubling(40, `{"type":"string"}`), doubling(40, `{"type":"string","maxLength":5}`)},
		{"doubling refs, equal", doubling(40, `{"type":"string"}`), doubling(40, `{"type":"string","minLength":0}`)},
		{"tree of refs", tree(40, `{"type":"string"}`), tree(40, `{"type":"string","maxLength":5}`)},
		{"10,000 properties", wide(10_000, ""), wide(10_000, `,"maxLength":3`)},
		{"10,000 properties, all changed", wide(10_000, ""), wideInts(10_000)},
		{"10,000 properties, none left", wide(10_000, ""), `{"type":"object","additionalProperties":false}`},
		{"deep", deep(60, `{"type":"string"}`), deep(60, `{"type":"string","minLength":1}`)},
		{"too deep", deep(200, `{}`), deep(200, `{"type":"string"}`)},
		{"anyOf of 60", branches("anyOf", 60, `{"type":"null"}`), branches("anyOf", 60, `{"type":"integer"}`)},
		{"oneOf of 60", branches("oneOf", 60, `{"type":"null"}`), branches("oneOf", 60, `{"type":"integer"}`)},
		{"oneOf of 300", branches("oneOf", 300, `{"type":"null"}`), branches("oneOf", 299, `{"type":"null"}`)},
		{"nested oneOf", nested("oneOf", 6, `{"type":"string"}`), nested("oneOf", 6, `{"type":"string","maxLength":1}`)},
		{"nested anyOf", nested("anyOf", 8, `{"type":"string"}`), nested("anyOf", 8, `{"type":"string","maxLength":1}`)},
		{"catastrophic pattern", `{"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}`, `{"pattern":"^([a-zA-Z]+)*!$"}`},
		{"many states", `{"pattern":"^(.*a.{18})$"}`, `{"pattern":"^(.*b.{17}a.{1,9})$"}`},
		{"large counts", `{"minLength":1000000000,"minItems":1000000000,"minProperties":1000000000}`, `{"minLength":1000000001,"minItems":1000000001,"minProperties":1000000001}`},
		{"huge number", `{"maximum":1e400}`, `{"maximum":1e399}`},
		{"absurd number", `{"maximum":1e999999999}`, `{"maximum":1}`},
		{"unique items", `{"type":"array","uniqueItems":true,"minItems":200}`, `{"type":"array","uniqueItems":true,"minItems":201}`},
		{"remote reference", `{"$ref":"https://example.com/a.json"}`, `{"$ref":"file:///etc/hostname"}`},
		{"endless reference", `{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`},
		{"long enum", `{"enum":[` + strings.Repeat(`"x",`, 5000) + `"y"]}`, `{"enum":["x"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, dir := range []schema.Direction{schema.Input, schema.Output} {
				start := time.Now()
				r := schema.Compare([]byte(tt.old), []byte(tt.new), dir, schema.Options{})
				t.Logf("%s: %s/%s in %v, %d edits: %.200s %.100s", dir, r.Verdict, r.Declared, time.Since(start), len(r.Edits), r.Reason, r.Witness)
				if r.Reason == "" {
					t.Error("no reason")
				}
			}
		})
	}
}
