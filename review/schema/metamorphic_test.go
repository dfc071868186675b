package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/schema"
)

// Ways of writing the same schema otherwise: what generators, refactorings and
// library upgrades do. None may be seen as a change.
var rewritings = []struct {
	name string
	f    func(m map[string]any) map[string]any
}{
	{"properties moved to $defs", toDefs},
	{"wrapped in allOf", func(m map[string]any) map[string]any { return keepDefs(m, map[string]any{"allOf": []any{m}}) }},
	{"enum as oneOf of constants", everywhere(func(m map[string]any) {
		vals, ok := m["enum"].([]any)
		if !ok || len(vals) < 2 {
			return
		}
		delete(m, "enum")
		var parts []any
		for _, v := range vals {
			parts = append(parts, map[string]any{"const": v})
		}
		m["allOf"] = append(list(m["allOf"]), map[string]any{"oneOf": parts})
	})},
	{"one value as const", everywhere(func(m map[string]any) {
		if vals, ok := m["enum"].([]any); ok && len(vals) == 1 && m["const"] == nil {
			m["const"] = vals[0]
			delete(m, "enum")
		}
	})},
	{"type list as union", everywhere(func(m map[string]any) {
		names, ok := m["type"].([]any)
		if !ok {
			return
		}
		delete(m, "type")
		var parts []any
		for _, n := range names {
			parts = append(parts, map[string]any{"type": n})
		}
		m["allOf"] = append(list(m["allOf"]), map[string]any{"anyOf": parts})
	})},
	{"integer bounds as exclusive bounds", everywhere(func(m map[string]any) {
		text, _ := m["minimum"].(json.Number)
		if n, err := text.Int64(); err == nil && m["type"] == "integer" && m["exclusiveMinimum"] == nil {
			m["exclusiveMinimum"] = n - 1
			delete(m, "minimum")
		}
	})},
	{"vacuous keywords added", everywhere(func(m map[string]any) {
		for k, v := range map[string]any{"minLength": 0, "minItems": 0, "minProperties": 0, "pattern": ".*", "uniqueItems": false, "then": map[string]any{"required": []any{"zz"}}} {
			if m[k] == nil && (k != "then" || m["if"] == nil) {
				m[k] = v
			}
		}
	})},
	{"doubly negated", func(m map[string]any) map[string]any {
		return keepDefs(m, map[string]any{"not": map[string]any{"not": m}})
	}},
}

// keepDefs moves the definitions of m to the new root.
func keepDefs(m, root map[string]any) map[string]any {
	if m["$defs"] != nil {
		root["$defs"] = m["$defs"]
		delete(m, "$defs")
	}
	return root
}

func list(v any) []any {
	l, _ := v.([]any)
	return slices.Clone(l)
}

// everywhere applies f to every schema object that keywords reach.
func everywhere(f func(m map[string]any)) func(map[string]any) map[string]any {
	var visit func(v any)
	visit = func(v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		for _, word := range []string{"properties", "patternProperties", "$defs", "dependentSchemas"} {
			if subs, ok := m[word].(map[string]any); ok {
				for _, sub := range subs {
					visit(sub)
				}
			}
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
			for _, sub := range list(m[word]) {
				visit(sub)
			}
		}
		for _, word := range []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"} {
			visit(m[word])
		}
		f(m)
	}
	return func(m map[string]any) map[string]any {
		visit(m)
		return m
	}
}

func toDefs(m map[string]any) map[string]any {
	props, ok := m["properties"].(map[string]any)
	if !ok {
		return m
	}
	defs, _ := m["$defs"].(map[string]any)
	if defs == nil {
		defs = map[string]any{}
	}
	for i, name := range slices.Sorted(maps.Keys(props)) {
		def := fmt.Sprintf("Moved/%d~x", i)
		defs[def] = props[name]
		props[name] = map[string]any{"$ref": fmt.Sprintf("#/$defs/Moved~1%d~0x", i)}
	}
	m["$defs"] = defs
	return m
}

func TestRewritingsAreEquivalent(t *testing.T) {
	for _, c := range blocks(t) {
		if strings.Contains(c.old, "$schema") || strings.Contains(c.old, "$id") || len(schema.Check([]byte(c.old), schema.Options{})) > 0 {
			continue // another dialect, a second resource, or a reference that leads nowhere
		}
		for _, rw := range rewritings {
			var m map[string]any
			d := json.NewDecoder(strings.NewReader(c.old))
			d.UseNumber()
			if err := d.Decode(&m); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(rw.f(m))
			if err != nil {
				t.Fatal(err)
			}
			r := schema.Compare([]byte(c.old), b, schema.Input, schema.Options{})
			if r.Verdict != schema.Equivalent {
				t.Errorf("%s, %s: %s (%s) %s\n old %s\n new %s", c.name, rw.name, r.Verdict, r.Reason, r.Witness, c.old, b)
			}
			for _, e := range r.Edits {
				if e.Verdict != schema.Equivalent {
					t.Errorf("%s, %s: edit %s is %s: %s", c.name, rw.name, e.ID, e.Verdict, e.Sentence)
				}
			}
		}
	}
}

func TestSameSchemaHasNoEdits(t *testing.T) {
	for _, c := range blocks(t) {
		for _, doc := range []string{c.old, c.new} {
			for _, dir := range []schema.Direction{schema.Input, schema.Output} {
				r := schema.Compare([]byte(doc), []byte(doc), dir, schema.Options{})
				if len(r.Edits) > 0 {
					t.Errorf("%s: %s with itself has the edit %s", c.name, doc, r.Edits[0].ID)
				}
			}
		}
	}
}

// What an input change does in one direction, an output change does in the other.
func TestReversedPairsMirror(t *testing.T) {
	for _, c := range blocks(t) {
		in := schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{})
		out := schema.Compare([]byte(c.new), []byte(c.old), schema.Output, schema.Options{})
		if in.Verdict != out.Verdict || in.Declared != out.Declared {
			t.Errorf("%s: input %s/%s, reversed output %s/%s", c.name, in.Verdict, in.Declared, out.Verdict, out.Declared)
		}
		if string(in.Witness) != string(out.Witness) {
			t.Errorf("%s: witnesses differ: %s and %s", c.name, in.Witness, out.Witness)
		}
	}
}

// The same pair gives the same bytes each time, so that a page can be shared.
func TestDeterministic(t *testing.T) {
	for _, c := range blocks(t) {
		first := report(schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{}))
		for range 3 {
			if again := report(schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{})); again != first {
				t.Fatalf("%s: differs between runs\n%s\n%s", c.name, first, again)
			}
		}
	}
}

// Joined with type: object, what a schema says about other types is no change.
func TestJoinObject(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     schema.Verdict
	}{
		{`{}`, `{"type":"object"}`, schema.Equivalent},
		{`{"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, schema.Equivalent},
		{`{"type":["object","null"]}`, `{"type":"object"}`, schema.Equivalent},
		{`{}`, `{"type":"object","required":["a"]}`, schema.Breaking},
		{`true`, `false`, schema.Breaking},
	} {
		r := schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{JoinObject: true})
		if r.Verdict != c.want {
			t.Errorf("%s -> %s: %s, want %s", c.old, c.new, r.Verdict, c.want)
		}
		for _, e := range r.Edits {
			if c.want == schema.Equivalent && e.Verdict != schema.Equivalent {
				t.Errorf("%s -> %s: edit %s is %s", c.old, c.new, e.ID, e.Verdict)
			}
		}
	}
}
