package schema_test

import (
	"testing"

	"github.com/countersign/countersign/review/schema"
)

// Whatever the bytes are, there is an answer with a reason, and no panic.
func FuzzDocuments(f *testing.F) {
	for _, c := range blocks(f) {
		f.Add([]byte(c.old), []byte(c.new), "2020-12")
	}
	f.Add([]byte(`{"$ref":"#/%zz"}`), []byte(`{"$ref":"#","$id":"#a"}`), "7")
	f.Add([]byte(`[`), []byte("\xff"), "5")
	f.Fuzz(func(t *testing.T, old, new []byte, draft string) {
		if len(old)+len(new) > 4_000 {
			return
		}
		opt := schema.Options{Draft: draft, Steps: 5_000, JoinObject: len(old)%2 == 0}
		for _, dir := range []schema.Direction{schema.Input, schema.Output} {
			r := schema.Compare(old, new, dir, opt)
			if r.Verdict == "" || r.Declared == "" || r.Reason == "" {
				t.Errorf("no answer: %+v", r)
			}
			for _, e := range r.Edits {
				if e.Sentence == "" || e.Verdict == "" || e.VerdictDeclared == "" {
					t.Errorf("edit %s has no sentence or verdict", e.ID)
				}
			}
		}
		schema.Check(old, opt)
		if _, err := schema.Properties(old); err == nil {
			if _, err := schema.Table(old, old); err != nil {
				t.Error(err)
			}
		}
	})
}
