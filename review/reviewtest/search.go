package reviewtest

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review"
)

var searchCases = map[string]func(*world){
	"tools, texts, properties": searchTools,
	"only what one may see":    searchMembership,
	"threads":                  searchThreads,
	"the newest version":       searchNewest,
	"queries that are odd":     searchOdd,
	"more than fits":           searchMany,
	"what was there before":    searchIndexAll,
}

// found searches as somebody and returns names of tools, in order.
func (w *world) searched(a review.Actor, query string) string {
	w.Helper()
	f, err := w.svc.Search(w.ctx, a, query)
	w.must(err)
	var names []string
	for _, t := range f.Tools {
		names = append(names, fmt.Sprint(t.Name, " ", t.Position))
	}
	return strings.Join(names, ", ")
}

func (w *world) wantFound(a review.Actor, query, want string) {
	w.Helper()
	if got := w.searched(a, query); got != want {
		w.Errorf("%q finds %q, want %q", query, got, want)
	}
}

// searchable are tools with texts in every place that is searched.
var searchable = []string{
	`{"name":"invoice_get","description":"Reads one Invoice.","inputSchema":{"type":"object","properties":{"customerRef":{"type":"string","description":"Who pays."}}}}`,
	`{"name":"invoice_void","description":"Voids it. Never tw\u200bice.","inputSchema":{"type":"object","properties":{"mode":{"enum":["soft","hard"]}}}}`,
	`{"name":"refund","title":"Give back","description":"Needs an invoice.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"balance":{"type":"number"}}}}`,
}

func searchTools(w *world) {
	w.push("1", listing(searchable...))
	w.wantFound(w.rita, "INVOICE", "invoice_get 1, invoice_void 2, refund 3") // names that begin so come first
	w.wantFound(w.rita, "customerref", "invoice_get 1")
	w.wantFound(w.rita, "pays", "invoice_get 1")
	w.wantFound(w.rita, "balance", "refund 3")
	w.wantFound(w.rita, "hard", "invoice_void 2")
	w.wantFound(w.rita, "give back", "refund 3")
	w.wantFound(w.rita, "twice", "invoice_void 2") // whatever hides in the word
	w.wantFound(w.rita, "invoice balance", "refund 3")
	w.wantFound(w.rita, "string", "") // a type is no text
	f, err := w.svc.Search(w.ctx, w.rita, "pays customerref")
	w.must(err)
	if len(f.Tools) != 1 || len(f.Tools[0].Texts) != 2 || f.Tools[0].Texts[0].Pointer != "/inputSchema/properties/customerRef" {
		w.Errorf("places: %+v", f.Tools)
	}
	if f, err = w.svc.Search(w.ctx, w.rita, w.server.Slug); err != nil || len(f.Servers) != 1 {
		w.Errorf("servers: %+v, %v", f.Servers, err)
	}
}

func searchMembership(w *world) {
	p := w.push("1", listing(searchable...))
	w.comment(w.rita, p, review.NewComment{Body: "Which invoice?"})
	sam := w.stranger()
	for _, query := range []string{"invoice", w.server.Slug} {
		f, err := w.svc.Search(w.ctx, sam, query)
		if err != nil || len(f.Tools)+len(f.Threads)+len(f.Servers) != 0 {
			w.Errorf("a stranger finds %+v, %v", f, err)
		}
	}
	w.wantFound(w.vic, "refund", "refund 3")
}

func searchThreads(w *world) {
	p := w.push("1", listing(searchable...))
	t := w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Tool: "refund", Pointer: "/description"}, Body: "Is 100% of it given back, or under_score?"})
	for query, want := range map[string]int{"GIVEN": 1, "100%": 1, "under_score": 1, "underXscore": 0, "given never": 0, "1007": 0} {
		f, err := w.svc.Search(w.ctx, w.rob, query)
		w.must(err)
		if len(f.Threads) != want {
			w.Errorf("%q finds %d comments, want %d", query, len(f.Threads), want)
		}
	}
	f, err := w.svc.Search(w.ctx, w.rob, "given")
	w.must(err)
	if got := f.Threads[0]; got.Thread.ID != t.ID || got.Release != "1" || got.Server.ID != w.server.ID || got.Thread.Anchor.Tool != "refund" {
		w.Errorf("found %+v", got)
	}
}

func searchNewest(w *world) {
	w.push("1", listing(searchable...))
	w.push("2", listing(searchable[2], searchable[0]))
	w.wantFound(w.rita, "invoice", "invoice_get 2, refund 1")
	w.wantFound(w.rita, "hard", "")
	m := w.sending("", listing(searchable...))
	m.params.Ref = "pr-12"
	w.pushAs(m) // a branch is nobody's surface yet
	w.wantFound(w.rita, "hard", "")
}

func searchOdd(w *world) {
	w.push("1", listing(searchable...))
	for _, query := range []string{"", " ", "\u200b", "%", "_", `\`, "'", "a\x00b\xff", strings.Repeat("x ", 500), "\xed\xa0\x80"} {
		if got := w.searched(w.rita, query); got != "" && query != "_" {
			w.Errorf("%q finds %q", query, got)
		}
	}
	w.wantFound(w.rita, "_void", "invoice_void 2")
}

func searchMany(w *world) {
	var tools []string
	for n := range 60 {
		tools = append(tools, fmt.Sprintf(`{"name":"copy_%02d","description":"The same.","inputSchema":{"type":"object"}}`, n))
	}
	w.push("1", listing(append(tools, tools[0])...))
	f, err := w.svc.Search(w.ctx, w.rita, "same")
	w.must(err)
	if len(f.Tools) != 50 || !f.MoreTools || f.Tools[0].Name != "copy_00" {
		w.Errorf("%d tools, more: %t", len(f.Tools), f.MoreTools)
	}
}

// searchIndexAll forgets what is searched, as a database from before the search has
// it, and makes it anew.
func searchIndexAll(w *world) {
	w.push("1", listing(searchable...))
	if n, err := w.svc.IndexAll(w.ctx); err != nil || n != 0 {
		w.Errorf("indexed %d, %v: everything was", n, err)
	}
	old := w.push("2", listing(searchable...)).Answer.Listing.ID
	w.push("3", listing(searchable[0]))
	w.must(w.store.Update(w.ctx, func(tx review.Tx) error {
		return tx.PutSearch(w.ctx, review.SearchHead{ProfileKey: review.ProfileKey{ServerID: w.server.ID, Profile: review.DefaultProfile}, ListingID: old}, nil, nil)
	}))
	w.wantFound(w.rita, "invoice", "")
	if n, err := w.svc.IndexAll(w.ctx); err != nil || n != 1 {
		w.Errorf("indexed %d, %v: one was missing", n, err)
	}
	w.wantFound(w.rita, "invoice", "invoice_get 1")
}
