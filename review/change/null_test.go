package change_test

import (
	"testing"

	"github.com/countersign/countersign/review/change"
)

// A field of the protocol that is null is absent, whichever way it is written; null in
// any other field may mean something.
func TestNullIsAbsent(t *testing.T) {
	tool := func(more string) string {
		return `[{"name":"find","inputSchema":{"type":"object"}` + more + `}]`
	}
	for _, field := range []string{`"title":null`, `"description":null`, `"annotations":null`, `"outputSchema":null`, `"execution":null`, `"icons":null`, `"_meta":null`, `"annotations":{"title":null}`} {
		for _, pair := range [][2]string{{"", "," + field}, {"," + field, ""}} {
			r := change.Compare(read(t, tool(pair[0])), read(t, tool(pair[1])), change.Options{})
			if r.Class != change.None || len(r.Changes) != 1 || len(r.Folded) != 1 || len(r.Edits) != 0 {
				t.Errorf("%q to %q: want one folded line:\n%s", pair[0], pair[1], outline(r))
			}
		}
	}
	r := change.Compare(read(t, tool(`,"description":null`)), read(t, tool(`,"description":"Finds."`)), change.Options{})
	if find(r, "description.added", "/description") == nil {
		t.Errorf("a text in place of null is new:\n%s", outline(r))
	}
	if r := change.Compare(read(t, tool("")), read(t, tool(`,"vendor":null`)), change.Options{}); r.Class != change.Behaviour {
		t.Errorf("a field that nobody knows:\n%s", outline(r))
	}
}
