package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// mostBytes is what a page may weigh on the way, compressed.
const mostBytes = 150_000

// mostElements is what a page may hold: beyond it browsers get slow.
const mostElements = 15_000

// bigListing has n tools in families of ten. The first changed of them, spread over
// the listing, differ from one version to the next in a text, a bound and a default,
// each in its own way, so that no answer covers two of them.
func bigListing(n, changed, version int) string {
	tools := make([]string, n)
	for i := range tools {
		v := 1
		if i%(n/changed) == 0 {
			v = version
		}
		tools[i] = fmt.Sprintf(`{"name":"family%d_act%d","description":"Does what number %d asks for, version %d of the text.\nReturns a list of at most %d entries. Refused for archived items; ask the user before you repeat it.",`+
			`"annotations":{"destructiveHint":%t},"inputSchema":{"type":"object","properties":{`+
			`"id":{"type":"string","description":"Which one."},"limit":{"type":"integer","minimum":1,"maximum":%d,"default":%d},`+
			`"filter":{"type":"object","properties":{"state":{"type":"string","enum":["open","closed"]},"since":{"type":"string","format":"date"}}}},"required":["id"]}}`,
			i/10, i%10, i, v+i*(v-1), 10*v+i*(v-1), v > 1, 2000-i*(v-1), 10*v+i*(v-1))
	}
	return listing(tools...)
}

// bigReview is a release of 1,000 tools with 200 changes, under review.
func bigReview(t *testing.T) (*instance, who, string) {
	t.Helper()
	in := newInstance(t)
	in.addServer("big", gate.Team)
	in.release("big", "1.0.0", bigListing(1000, 200, 1))
	r := in.pushed("big", "version=2.0.0", bigListing(1000, 200, 2)).Release.ID
	return in, in.signedIn(in.addUser("rita", people.Reviewer, "big")), r
}

func elements(t *testing.T, page string) int {
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
		path := "/releases/" + id + query
		page := in.get(rita, path)
		if page.status != http.StatusOK {
			t.Fatalf("%s: %d", path, page.status)
		}
		n := elements(t, page.body)
		t.Logf("%-24s %6d elements, %7d bytes, %s", query, n, len(page.body), median(in, rita, path))
		if n > mostElements {
			t.Errorf("%s has %d elements, want at most %d", path, n, mostElements)
		}
		if packed := len(gzipped(t, page.body)); packed > mostBytes {
			t.Errorf("%s is %d bytes compressed, want at most %d", path, packed, mostBytes)
		}
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

func median(in *instance, as who, path string) time.Duration {
	took := make([]time.Duration, 5)
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
