package change_test

import (
	"testing"

	"github.com/countersign/countersign/review/change"
)

// The same removed property, in three settings of the object around it.
func TestRemovedPropertyInContext(t *testing.T) {
	tool := func(schema string) string {
		return `[{"name":"ask","description":"Ask.","inputSchema":` + schema + `}]`
	}
	const old = `{"type":"object","properties":{"q":{"type":"string"},"from":{"type":"integer"}},"required":["q"]}`
	for _, c := range []struct {
		name, old, new  string
		class           change.Class
		witness, effect bool
		says            string
	}{
		{"open", old, `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`, change.Breaking, false, true,
			"`from` is no longer declared; calls that send it are accepted, but it is ignored."},
		{"closed at once", old, `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}`, change.Breaking, true, false,
			"Calls with `from` are now rejected."},
		{"closed at once and referring", `{"type":"object","properties":{"q":{"$ref":"#/$defs/t"},"from":{"type":"integer"}},"required":["q"],"$defs":{"t":{"type":"string"}}}`,
			`{"type":"object","properties":{"q":{"$ref":"#/$defs/t"}},"required":["q"],"additionalProperties":false,"$defs":{"t":{"type":"string"}}}`, change.Breaking, true, false,
			"Calls with `from` are now rejected."},
		{"opened to anything", `{"type":"object","properties":{"q":{"type":"string"},"from":{"type":"integer"}},"additionalProperties":false}`,
			`{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":true}`, change.Compatible, false, false,
			"`from` is no longer declared by name; any property is accepted now."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := change.Compare(read(t, tool(c.old)), read(t, tool(c.new)), change.Options{})
			d := find(r, "property.removed", "/from")
			if d == nil || d.Class != c.class || (d.Witness != nil) != c.witness || (d.Effect != nil) != c.effect || d.Sentence != c.says {
				t.Errorf("unexpected report:\n%s", outline(r))
			}
		})
	}
}

// That a property came or went is known by its name, whatever values it takes.
func TestUntypedProperties(t *testing.T) {
	const plain = `{"type":"object","properties":{"q":{"type":"string"}}}`
	for _, c := range []struct{ name, property string }{
		{"typed", `{"type":"string"}`}, {"untyped", `{}`}, {"anything", `true`}, {"described", `{"description":"Mode of the run."}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			more := `{"type":"object","properties":{"q":{"type":"string"},"mode":` + c.property + `}}`
			came, went := schemas(t, plain, more), schemas(t, more, plain)
			for field, r := range came {
				if d := find(r, "property.optional.added", "/mode"); d == nil || d.Class != change.Compatible || r.Class != change.Compatible {
					t.Errorf("%s, added: %s", field, outline(r))
				}
			}
			if d := find(went["inputSchema"], "property.removed", "/mode"); d == nil || d.Class != change.Breaking || d.Effect == nil || d.Witness != nil {
				t.Errorf("input, removed: %s", outline(went["inputSchema"]))
			}
			if d := find(went["outputSchema"], "property.removed", "/mode"); d == nil || d.Class != change.Compatible {
				t.Errorf("output, removed: %s", outline(went["outputSchema"]))
			}
		})
	}
}
