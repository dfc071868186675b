package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/schema"
)

func describe(p schema.Property) string {
	s := p.Path + ": " + p.Type
	if p.Required {
		s += ", required"
	}
	if p.Enum != nil {
		s += ", enum " + strings.Join(p.Enum, " ")
	}
	if p.Default != nil {
		s += ", default " + string(p.Default)
	}
	if p.Constraints != nil {
		s += ", " + strings.Join(p.Constraints, ", ")
	}
	if p.Description != "" {
		s += fmt.Sprintf(", %q", p.Description)
	}
	if p.Recursive {
		s += ", recursive"
	}
	return s
}

func TestProperties(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"empty", `{}`, ``},
		{"boolean schema", `true`, ``},
		{"plain", `{"type":"object","properties":{"repo":{"type":"string","description":"Where"},"page":{"type":"integer","minimum":1,"default":1}},"required":["repo"]}`,
			"repo: string, required, \"Where\"\npage: integer, default 1, at least 1"},
		{"nullable forms", `{"properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}}}`,
			"a: string or null\nb: string or null, at most 3 characters"},
		{"enum and const", `{"properties":{"a":{"enum":["x",1,null]},"b":{"const":true}}}`,
			"a: string or integer or null, enum \"x\" 1 null\nb: boolean, enum true"},
		{"nested", `{"properties":{"f":{"type":"object","properties":{"labels":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}}},"additionalProperties":false}}}`,
			"f: object, no other properties\nf.labels: array of object\nf.labels[].k: string, required"},
		{"tuple", `{"properties":{"p":{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}]}}}`,
			"p: array\np[0]: number\np[1]: string"},
		{"map", `{"properties":{"m":{"type":"object","additionalProperties":{"type":"integer"}}}}`,
			"m: object\nm.*: integer"},
		{"ref with sibling text", `{"properties":{"a":{"$ref":"#/$defs/S","description":"mine"}},"$defs":{"S":{"type":"string","description":"theirs","pattern":"^a"}}}`,
			`a: string, matches ^a, "mine"`},
		{"recursive", `{"properties":{"root":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/N"}},"next":{"$ref":"#/$defs/N"}}}}}`,
			"root: object\nroot.name: string\nroot.kids: array of object\nroot.next: object, recursive"},
		{"ref to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, "a: any"},
		{"allOf", `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}}}]}`,
			"a: string, required\nb: integer"},
		{"odd shapes", `{"properties":{"a":null,"b":[],"c":{"type":7},"d":{"$ref":"http://elsewhere/x"}},"required":{"a":1}}`,
			"a: any\nb: any\nc: \nd: any"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			props, err := schema.Properties([]byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, p := range props {
				lines = append(lines, describe(p))
			}
			if diff := cmp.Diff(tt.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPropertiesNeedsJSON(t *testing.T) {
	for _, in := range []string{``, `{`, `{"a":1,"a":2}`, `{} {}`, `nope`} {
		if _, err := schema.Properties([]byte(in)); err == nil {
			t.Errorf("Properties(%q) gave no error", in)
		}
	}
}

func TestTable(t *testing.T) {
	old := `{"properties":{"a":{"type":"string"},"gone":{"type":"null"},"b":{"type":"integer","default":1.0}},"required":["a"]}`
	now := `{"properties":{"b":{"type":"integer","default":1,"maximum":5},"a":{"type":"number"},"new":{}}}`
	rows, err := schema.Table([]byte(old), []byte(now))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		state := strings.Join(r.Changed, " ")
		if r.Old == nil {
			state = "added"
		} else if r.New == nil {
			state = "removed"
		}
		got = append(got, r.Path+": "+state)
	}
	want := []string{"gone: removed", "b: constraints", "a: type required", "new: added"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
