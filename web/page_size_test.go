package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// mostBytes is what a page may weigh on the way, compressed.
const mostBytes = 150_000

// mostElements is what a page may hold: beyond it browsers get slow.
const mostElements = 15_000

// bigReview is a release of 1,000 tools with 200 changes, under review.
func bigReview(t *testing.T) (*instance, who, string) {
	t.Helper()
	in := newInstance(t)
	in.addServer("big", gate.Team)
	in.release("big", "1.0.0", testkit.BigListing(1000, 200, 1))
	r := in.pushed("big", "version=2.0.0", testkit.BigListing(1000, 200, 2)).Release.ID
	return in, in.signedIn(in.addUser("rita", people.Reviewer, "big")), r
}

func elements(t testing.TB, page string) int {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Find("*").Length()
}

// TestBigReleaseIsLight holds the page of a large release to its bounds: elements,
// bytes, and time on the server, the first of which does not depend on the machine.
func TestBigReleaseIsLight(t *testing.T) {
	in, rita, id := bigReview(t)
	for _, query := range []string{"", "?view=tools", "?view=history", "?view=tools&tool=n2"} {
		in.wantLight(rita, "/releases/"+id+query)
	}
}

// TestManyToolsAreLight: so are the pages of as many tools as are taken at least, none
// of which was there before.
func TestManyToolsAreLight(t *testing.T) {
	in := newInstance(t)
	in.addServer("many", gate.Team)
	push := in.pushed("many", "version=1.0.0", testkit.BigListing(2000, 2000, 1))
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "many"))
	release, listing := "/releases/"+push.Release.ID, "/servers/many/listings/"+push.Listing.ID
	for _, path := range []string{release, release + "?view=tools", release + "?view=history", "/servers/many", listing, listing + "?view=read", listing + "?tool=1999"} {
		in.wantLight(rita, path)
	}
	tools := in.get(rita, release+"?view=tools").html(t)
	if n := tools.Find("[data-row]").Length(); n != 2001 {
		t.Errorf("%d rows, want one for each tool and one for the listing", n)
	}
	part := in.part(rita, tools.Find("[data-row]").Eq(1500).AttrOr("href", ""))
	if n := elements(t, part.body); n > 1000 || part.status != http.StatusOK {
		t.Errorf("the part of a tool has %d elements", n)
	}
}

// wantLight fails when a page takes more of a browser or of a line than it may.
func (in *instance) wantLight(as who, path string) {
	in.t.Helper()
	page := in.want(http.StatusOK, in.get(as, path))
	n := elements(in.t, page.body)
	in.t.Logf("%6d elements, %7d bytes, %12s of %s", n, len(page.body), median(in, as, path), path)
	if n > mostElements {
		in.t.Errorf("%s has %d elements, want at most %d", path, n, mostElements)
	}
	if packed := len(gzipped(in.t, page.body)); packed > mostBytes {
		in.t.Errorf("%s is %d bytes compressed, want at most %d", path, packed, mostBytes)
	}
}

// TestAllDecisionsCanBeReached follows the pages of a large release and finds every
// decision once, and no page too heavy for a browser.
func TestAllDecisionsCanBeReached(t *testing.T) {
	in, rita, id := bigReview(t)
	seen := map[string]int{}
	pages := 0
	for next := "/releases/" + id; next != ""; pages++ {
		body := in.get(rita, next)
		doc := body.html(t)
		for _, card := range doc.Find(".decision").EachIter() {
			seen[card.AttrOr("id", "")]++
		}
		if n := elements(t, body.body); n > mostElements {
			t.Errorf("%s has %d elements", next, n)
		}
		next = doc.Find("[rel=next]").AttrOr("href", "")
		if pages > 50 {
			t.Fatal("the pages have no end")
		}
	}
	for card, n := range seen {
		if n != 1 {
			t.Errorf("%s stands on %d pages", card, n)
		}
	}
	if len(seen) < 200 || pages < 2 {
		t.Errorf("%d decisions on %d pages", len(seen), pages)
	}
	// An edit of a tool leads to the page with its decision.
	last := in.get(rita, "/releases/"+id+"?view=tools&q=family99_act5").html(t).Find("[data-row]").First().AttrOr("href", "")
	_, changeID, _ := strings.Cut(last, "tool=")
	changeID, _, _ = strings.Cut(changeID, "&")
	found := false
	for card := range seen {
		found = found || strings.HasSuffix(card, changeID)
	}
	if changeID == "" || !found {
		t.Errorf("no decision about %q", changeID)
	}
}

// TestFilterTools narrows a long list by name, and keeps the filter from tool to tool.
func TestFilterTools(t *testing.T) {
	in, rita, id := bigReview(t)
	doc := in.get(rita, "/releases/"+id+"?view=tools&q=FAMILY1_").html(t)
	if got := text(doc.Find(".filter p")); got != "2 of 200 changed Show all" {
		t.Errorf("found: %q", got)
	}
	if n := doc.Find("details.plain a").Length(); n != 8 {
		t.Errorf("%d unchanged tools, want 8", n)
	}
	href := doc.Find("[data-row]").AttrOr("href", "")
	if again := in.get(rita, href).html(t); again.Find("[data-row]").Length() != 2 || again.Find("#filter").AttrOr("value", "") != "FAMILY1_" {
		t.Errorf("%s loses the filter", href)
	}
	if got := text(in.get(rita, "/releases/"+id+"?view=tools&q=nothing").html(t).Find(".empty")); got == "" {
		t.Error("nothing found, and nothing said")
	}
}

// TestFiltersOfTools: filters combine, say how many they leave, and stay in the
// address from tool to tool.
func TestFiltersOfTools(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("find", "Finds."), tool("list", "Lists."), tool("drop", "Drops."), tool("seek", "Seeks.")))
	at := "/releases/" + in.pushed("git", "version=2", listing(tool("find", "Finds it."), tool("list", "Lists it."), tool("seek", "Seeks."), tool("move", "Moves."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	pills := func(doc *goquery.Document) map[string]string {
		out := map[string]string{}
		for _, p := range doc.Find(".pill").EachIter() {
			out[text(p)] = p.AttrOr("href", "")
		}
		return out
	}
	all := in.get(rita, at+"?view=tools").html(t)
	first := all.Find("[data-row]:not([href*='tool=surface'])").First().AttrOr("href", "")
	in.want(http.StatusSeeOther, in.postForm(rita, at+"/viewed", url.Values{"viewed": {first[strings.Index(first, "ch_"):][:35]}, "shown": {first[strings.Index(first, "ch_"):][:35]}}))
	unviewed := pills(in.get(rita, at+"?view=tools").html(t))["Not viewed 3"]
	doc := in.get(rita, unviewed).html(t)
	if rows := doc.Find("[data-row]").Length(); rows != 3 || unviewed == "" {
		t.Fatalf("%d rows are not viewed at %q", rows, unviewed)
	}
	href, ok := pills(doc)["Text 2"]
	if !ok {
		t.Fatalf("the pills are %v", pills(doc))
	}
	both := in.get(rita, href).html(t)
	if rows, on := both.Find("[data-row]").Length(), both.Find(".pill[aria-current]").Length(); rows != 2 || on != 2 {
		t.Errorf("%d rows and %d filters at %s", rows, on, href)
	}
	if next := both.Find("[data-row]").Eq(1); !strings.Contains(next.AttrOr("href", ""), "filter=unviewed%2Ctext") {
		t.Errorf("the next row leads to %q", next.AttrOr("href", ""))
	}
	if none := text(in.get(rita, at+"?view=tools&filter=threads").html(t).Find("[data-found]")); none != "0 of 4 changed Show all" {
		t.Errorf("no thread is open, and it says %q", none)
	}
}

func median(in *instance, as who, path string) time.Duration {
	took := make([]time.Duration, 3)
	for i := range took {
		start := time.Now()
		in.get(as, path)
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// TestHiddenMillion: a million invisible characters are one box, not a million.
func TestHiddenMillion(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1.0.0", listing(tool("find", "Finds.")))
	id := in.pushed("git", "version=2.0.0", listing(tool("find", "Finds."+strings.Repeat("\u200b", 1_000_000)))).Release.ID
	as := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	for _, query := range []string{"", "?view=tools"} {
		page := in.get(as, "/releases/"+id+query)
		if n := elements(t, page.body); n > 1000 || len(page.body) > 200_000 {
			t.Errorf("%s: %d elements, %d bytes", query, n, len(page.body))
		}
		if !strings.Contains(page.body, "U+200B × 1,000,000") {
			t.Errorf("%s: the box with its count is missing", query)
		}
	}
}
