package change_test

import (
	"testing"

	"github.com/countersign/countersign/review/change"
)

// Of a part of a surface nobody can say that it is the same, nor which step of the
// version is enough; a break in it is one all the same.
func TestPartialIsUndecided(t *testing.T) {
	const (
		berth = `{"name":"berth","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`
		tide  = `{"name":"tide","inputSchema":{"type":"object"}}`
		crane = `{"name":"berth","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}`
	)
	old := read(t, `{"tools":[`+berth+`,`+tide+`]}`)
	for _, c := range []struct {
		name, new string
		class     change.Class
		bump      change.Level
	}{
		{"emptied", `{"tools":[]}`, change.Undecided, change.LevelUnknown},
		{"a page", `{"tools":[` + berth + `],"nextCursor":"2"}`, change.Undecided, change.LevelUnknown},
		{"a page that breaks", `{"tools":[` + crane + `],"nextCursor":"2"}`, change.Breaking, change.LevelMajor},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := change.Compare(old, read(t, c.new), change.Options{})
			if !r.Partial || r.Class != c.class || r.Bump.Level != c.bump || (c.bump == change.LevelUnknown) != (r.Bump.Reason == "") {
				t.Errorf("want class %s and step %s: %q\n%s", c.class, c.bump, r.Bump.Reason, outline(r))
			}
		})
	}
}
