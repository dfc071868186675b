package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// thousand is a listing of a thousand tools of the usual size, each of its own words.
func thousand(t testing.TB, n int) *surface.Listing {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"area%d_update_item_%d","description":"Update item %d of the area. Fields that are not given stay as they are. Use this when the user asks to change an item; to find its id, use area%d_search. Returns { error: \"not_found\" } if the item does not exist. Items that are locked by policy %d are refused.",
		"inputSchema":{"type":"object","properties":{"item_id":{"type":"string","description":"Id of item %d, such as it_%d."},"title":{"type":"string","description":"New title, at most 200 characters.","maxLength":200},
		"state":{"type":"string","enum":["open","closed","waiting"],"description":"New state. waiting: for somebody else. Default: unchanged."},"labels":{"type":"array","items":{"type":"string"},"description":"Labels that replace the old ones."},
		"due":{"type":"string","format":"date-time","description":"When it is due."},"notify":{"type":"boolean","default":true,"description":"Tell the owner. Defaults to true."},
		"limits":{"type":"object","properties":{"hours":{"type":"number","description":"Hours to spend."},"cost_cents":{"type":"integer","description":"In cents."}},"additionalProperties":false}},
		"required":["item_id"],"additionalProperties":false},"annotations":{"readOnlyHint":false,"destructiveHint":false}}`, i%40, i, i, i%40, i%7, i, i)
	}
	b.WriteString(`]}`)
	l, err := surface.Read([]byte(b.String()), surface.Options{Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The bar is 300 ms for a thousand tools on one core.
func BenchmarkThousandTools(b *testing.B) {
	l := thousand(b, 1000)
	b.SetBytes(int64(len(l.Raw)))
	for b.Loop() {
		lint.Listing(l, lint.Options{})
	}
}

// Twice the tools take twice the work, not four times.
func BenchmarkTwoThousandTools(b *testing.B) {
	l := thousand(b, 2000)
	b.SetBytes(int64(len(l.Raw)))
	for b.Loop() {
		lint.Listing(l, lint.Options{})
	}
}

// An unchanged tool costs a look-up.
func BenchmarkKept(b *testing.B) {
	l := thousand(b, 1000)
	kept := map[surface.Hash][]lint.Finding{}
	for _, t := range l.Tools {
		kept[t.Digest] = lint.Tool(t)
	}
	opt := lint.Options{Kept: func(h surface.Hash) ([]lint.Finding, bool) { f, ok := kept[h]; return f, ok }}
	for b.Loop() {
		lint.Listing(l, opt)
	}
}
