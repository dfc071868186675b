package change_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// bigListing has n tools as servers write them; in every tenth something changes
// with the edition: a text, a hint or a schema.
func bigListing(tb testing.TB, n int, edition string) *surface.Listing {
	tb.Helper()
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		e := "first"
		if i%10 == 0 {
			e = edition
		}
		fmt.Fprintf(&b, bigTool, i, i, e, e == "first", e == "first", e)
	}
	l, err := surface.Read([]byte("["+b.String()+"]"), surface.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

const bigTool = `{"name":"depot_part_%d","description":"Looks part %d up in the depot. Returns its place, stock and price. This is the %s edition. Fails with an error that names the part when there is none.",
"annotations":{"readOnlyHint":%t,"openWorldHint":%t},
"inputSchema":{"type":"object","properties":{
 "part":{"type":"string","description":"Number of the part, such as WH-4471."},
 "depot":{"type":"string","enum":["north","south","east","west"],"description":"Which depot to look in."},
 "limit":{"type":"integer","minimum":1,"maximum":100,"default":20,"description":"How many rows to return, for the %s edition."},
 "filter":{"type":"object","properties":{"colour":{"type":"string"},"weight":{"type":"number"}},"additionalProperties":false}},
"required":["part"],"additionalProperties":false}}`

func BenchmarkCompare1000(b *testing.B) {
	old, new := bigListing(b, 1000, "first"), bigListing(b, 1000, "second")
	if r := change.Compare(old, new, change.Options{}); r.Counts.Changed != 100 {
		b.Fatalf("counts %+v", r.Counts)
	}
	for b.Loop() {
		change.Compare(old, new, change.Options{})
	}
}

func BenchmarkCompareSame1000(b *testing.B) {
	old := bigListing(b, 1000, "first")
	for b.Loop() {
		change.Compare(old, old, change.Options{})
	}
}

// A listing that was replaced altogether is the worst case for renames.
func BenchmarkCompareReplaced1000(b *testing.B) {
	old := bigListing(b, 1000, "first")
	text := strings.ReplaceAll(string(old.Raw), "depot_part_", "store_piece_of_")
	new, err := surface.Read([]byte(strings.ReplaceAll(text, "WH-4471", "ST-1")), surface.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		change.Compare(old, new, change.Options{})
	}
}
