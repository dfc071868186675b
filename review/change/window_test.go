package change_test

import (
	"testing"

	"github.com/countersign/countersign/review/change"
)

func TestWindow(t *testing.T) {
	v1 := read(t, `[{"name":"tide_now","inputSchema":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}},
	 {"name":"tide_old","inputSchema":{"type":"object"}}]`)
	v2 := read(t, `[{"name":"tide_now","description":"Now.","inputSchema":{"type":"object","properties":{"port":{"type":"string"},"unit":{"type":"string"}},"required":["port","unit"]}}]`)
	v3 := read(t, `[{"name":"tide_now","description":"The tide now. Do not call it twice.","inputSchema":{"type":"object","properties":{"port":{"type":"string"},"unit":{"type":"string"}},"required":["port","unit"]}}]`)
	rows := change.Window([]change.Known{{Label: "1.0", Listing: v1}, {Label: "2.0", Listing: v2}, {Label: "3.0", Listing: v3}}, v3, change.Options{})
	want := []change.Fit{change.FitFails, change.FitWorks, change.FitWorks}
	for i, row := range rows {
		if row.Fit != want[i] {
			t.Errorf("%s: %s, want %s (%+v)", row.Label, row.Fit, want[i], row.Failures)
		}
	}
	if f := rows[0].Failures; len(f) != 2 || f[0].Tool != "tide_now" || f[0].Witness == nil || f[1].Tool != "tide_old" {
		t.Errorf("failures %+v", f)
	}
}

// Against a part of a listing nobody can say that old calls work.
func TestWindowOfPart(t *testing.T) {
	old := read(t, `[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]`)
	part := read(t, `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"x"}`)
	rows := change.Window([]change.Known{{Label: "1.0", Listing: old}}, part, change.Options{})
	if rows[0].Fit != change.FitUndecided || rows[0].Note == "" {
		t.Errorf("got %+v", rows[0])
	}
}
