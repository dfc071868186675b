package change_test

import (
	"testing"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/schema"
)

// Two schemas by themselves are held to the same rule: none says that a model reads
// the same.
func TestEditClass(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           change.Class
	}{
		{"spelling", `{"enum":["a","b"]}`, `{"oneOf":[{"const":"b"},{"const":"a"}]}`, change.None},
		{"dialect", `{}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, change.None},
		{"title in an alternative", `{"type":"string"}`, `{"type":"string","anyOf":[{},{"title":"Send it"}]}`, change.Text},
		{"pattern that lets all in", `{"type":"string"}`, `{"type":"string","pattern":".*|send it"}`, change.Text},
		{"untyped property", `{"properties":{"a":{}}}`, `{"properties":{"a":{},"b":{}}}`, change.Compatible},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{})
			got := change.None
			for _, e := range r.Edits {
				got = change.Max(got, change.EditClass(e))
			}
			if got != c.want || len(r.Edits) == 0 {
				t.Errorf("got %s in %d edits, want %s", got, len(r.Edits), c.want)
			}
		})
	}
}
