package schema_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/review/schema"
)

// A reference that leads out hides nothing but what it is about: a value that isn't
// asked about there breaks whatever the reference leads to.
func TestRemoteHidesNoBreak(t *testing.T) {
	const elsewhere = `{"$ref":"https://schemas.example/a"}`
	object := func(pier, deck, more string) string {
		return fmt.Sprintf(`{"type":"object","properties":{"pier":%s,"deck":%s}%s}`, pier, deck, more)
	}
	other := `{"$ref":"https://schemas.example/b#/$defs/c"}`
	many := values(5_000)
	for _, c := range []struct {
		name, old, new string
		want           schema.Verdict
		witness        string
	}{
		{"another address", object(elsewhere, `{"type":"string"}`, ""), object(other, `{"type":"integer"}`, ""), schema.Breaking, `{"deck":"a"}`},
		{"the same address", object(elsewhere, `{"type":"string"}`, ""), object(elsewhere, `{"type":"integer"}`, ""), schema.Breaking, `{"deck":"a"}`},
		{"on one side", object(`{"type":"string"}`, `{"type":"string"}`, ""), object(elsewhere, `{"type":"integer"}`, ""), schema.Breaking, `{"deck":"a"}`},
		{"old dialect", object(elsewhere, `{"type":"string"}`, `,"$schema":"http://json-schema.org/draft-07/schema#"`),
			object(`{"$ref":"https://schemas.example/b","type":"null"}`, `{"type":"integer"}`, `,"$schema":"http://json-schema.org/draft-07/schema#"`), schema.Breaking, `{"deck":"a"}`},
		{"it decides", object(elsewhere, `{"type":"string"}`, `,"required":["pier"]`), object(other, `{"type":"integer"}`, `,"required":["pier"]`), schema.Undecided, ""},
		{"nothing else", object(elsewhere, `{"type":"string"}`, ""), object(other, `{"type":"string"}`, ""), schema.Undecided, ""},
		{"around everything", `{"allOf":[` + elsewhere + `],"properties":{"deck":{"type":"string"}}}`, `{"allOf":[` + other + `],"properties":{"deck":{"type":"integer"}}}`, schema.Undecided, ""},
		{"denied", object(`{"not":`+elsewhere+`}`, `{"type":"string"}`, `,"required":["pier"]`), object(`{"not":`+other+`}`, `{"type":"integer"}`, `,"required":["pier"]`), schema.Undecided, ""},
		{"large", object(`{"type":"string"}`, many, ""), object(elsewhere, many, ""), schema.Undecided, ""},
		{"large and broken", object(elsewhere, many, ""), object(other, `{"type":"integer"}`, ""), schema.Breaking, `{"deck":"value-0"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{JoinObject: true})
			if r.Verdict != c.want || r.Declared != c.want || string(r.Witness) != c.witness {
				t.Errorf("got %s, %s with %s: %s", r.Verdict, r.Declared, r.Witness, r.Reason)
			}
			for _, e := range r.Edits {
				if c.want == schema.Breaking && e.Property == "deck" && (e.Verdict != schema.Breaking || string(e.Witness) != c.witness) {
					t.Errorf("the edit %s is %s with %s", e.ID, e.Verdict, e.Witness)
				}
			}
		})
	}
}
