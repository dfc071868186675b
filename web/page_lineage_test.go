package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store"
)

// document reads a page that was answered with 200.
func (in *instance) document(as who, path string) *goquery.Document {
	in.t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(in.want(200, in.get(as, path)).body))
	in.must(err)
	return doc
}

// TestToolThroughVersions: which version brought a sentence, and who approved it.
func TestToolThroughVersions(t *testing.T) {
	onBoth(t, func(t *testing.T, in *instance) {
		in.addServer("git", gate.Team)
		maintainer := in.addUser("ana", people.Maintainer, "git")
		var ana who
		name := "pay/\"<b>&é"
		version := func(v, description string) {
			t.Helper()
			in.now = in.now.Add(time.Hour)
			ana = in.signedIn(maintainer) // what proved who she is an hour ago is too old to release
			p := in.pushed("git", "version="+v, listing(tool(name, description), tool("other", "Stays.")))
			for _, id := range in.changeIDs(ana, p.Release.ID) {
				in.want(200, in.postJSON(ana, "/api/v1/releases/"+p.Release.ID+"/verdicts", `{"items":[{"change":"`+id+`","verdict":"approve","note":"Read `+v+`."}]}`))
			}
			in.want(200, in.postJSON(ana, "/api/v1/releases/"+p.Release.ID+"/release", `{"digest":"`+p.Listing.Digest+`"}`))
		}
		version("1.0.0", "Pays a bill.")
		version("1.1.0", "Pays a bill. Never twice.")
		in.pushed("git", "version=1.2.0", listing(tool(name, "Pays a bill. Never twice. At once."), tool("other", "Stays.")))

		page := "/servers/git/tool?name=" + url.QueryEscape(name)
		doc := in.document(ana, page)
		var blame []string
		doc.Find(".blame dt").Each(func(_ int, s *goquery.Selection) {
			blame = append(blame, strings.Join(strings.Fields(s.Find("a").Text()+" "+s.Next().Text()), " "))
		})
		if got := strings.Join(blame, " | "); got != "1.0.0 Pays a bill. | 1.1.0 Never twice. | 1.2.0 At once." {
			t.Errorf("blame: %s", got)
		}
		steps := doc.Find("section[aria-labelledby=steps] > ul > li")
		if steps.Length() != 3 {
			t.Fatalf("%d versions changed it, want 3", steps.Length())
		}
		if text := steps.Eq(0).Text(); !strings.Contains(text, "No person approved it") || !strings.Contains(text, "under review") {
			t.Errorf("the version under review says %q", text)
		}
		if text := steps.Eq(1).Text(); !strings.Contains(text, "ana") || !strings.Contains(text, "Read 1.1.0.") {
			t.Errorf("the approved version says %q", text)
		}
		if got := doc.Find("h1").Text(); !strings.Contains(got, "<b>") {
			t.Errorf("heading %q", got)
		}

		in.want(404, in.get(ana, "/servers/git/tool?name=none"))
		in.want(404, in.get(ana, "/servers/git/tool"))
		in.want(404, in.get(ana, "/servers/git/tool?name=other&profile=none"))
	})
}

// TestToolHasItsHistoryBesideIt: the versions in which a tool changed stand beside it, in
// the page and in what a script fetches, and lead to it in them; more versions take no more
// statements.
func TestToolHasItsHistoryBesideIt(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	maintainer := in.addUser("ana", people.Maintainer, "git")
	asks := map[int]int{}
	for n := range 9 {
		in.now = in.now.Add(time.Hour)
		ana := in.signedIn(maintainer) // what proved who she is an hour ago is too old to release
		p := in.pushed("git", fmt.Sprintf("version=1.%d.0", n), listing(tool("a/b", fmt.Sprintf("Stays %d.", n)), tool("other", "Stays.")))
		id := in.changeIDs(ana, p.Release.ID)[0]
		at := "/releases/" + p.Release.ID + "?view=tools&tool="
		in.want(200, in.get(ana, at+id))
		ctx, queries := store.CountQueries(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, at+id, nil)
		ana(r)
		doc := in.want(200, in.send(r)).html(t)
		asks[n] = queries.Count()

		past := doc.Find("[aria-labelledby=history]")
		if got, want := past.Find(".past > li").Length(), min(n+1, 5); got != want {
			t.Fatalf("%d steps of %d", got, n+1)
		}
		newest := past.Find(".past > li").First()
		if got := text(newest); !strings.HasPrefix(got, fmt.Sprintf("1.%d.0", n)) || !strings.Contains(got, "under review") || !strings.Contains(got, "Approved by nobody yet.") || newest.Find("[aria-current]").Length() != 1 {
			t.Errorf("the newest says %q", got)
		}
		if n > 0 {
			before := past.Find(".past > li").Eq(1)
			if got := text(before); !strings.HasPrefix(got, fmt.Sprintf("1.%d.0", n-1)) || !strings.Contains(got, "released") || !strings.Contains(got, "Approved by ana.") {
				t.Errorf("the one before says %q", got)
			}
			there := in.document(ana, before.Find("a").AttrOr("href", ""))
			if got := text(there.Find("#tool-name")); got != "a/b" {
				t.Errorf("it leads to %q", got)
			}
			same := in.document(ana, at+"n2").Find("[aria-labelledby=history] .past > li")
			if got := text(same); same.Length() != 1 || !strings.HasPrefix(got, "1.0.0 new") {
				t.Errorf("beside a tool that stayed: %q", got)
			}
		}
		if got := past.Find("a[href='/servers/git/tool?name=a%2Fb']").Length() == 1; got != (n > 4) {
			t.Errorf("of %d changes it says %q", n+1, text(past))
		}
		for _, id := range in.changeIDs(ana, p.Release.ID) {
			in.want(200, in.postJSON(ana, "/api/v1/releases/"+p.Release.ID+"/verdicts", `{"items":[{"change":"`+id+`","verdict":"approve","note":"Read."}]}`))
		}
		in.want(200, in.postJSON(ana, "/api/v1/releases/"+p.Release.ID+"/release", `{"digest":"`+p.Listing.Digest+`"}`))
	}
	if asks[3] != asks[8] {
		t.Errorf("statements by version: %v", asks)
	}
}

// TestToolLinksToItsVersions: the release and the listing lead there.
func TestToolLinksToItsVersions(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana := in.signedIn(in.addUser("ana", people.Viewer, "git"))
	p := in.pushed("git", "version=1.0.0&profile=wide", listing(tool("a/b", "Stays.")))
	const want = "/servers/git/tool?name=a%2Fb&profile=wide"
	for _, page := range []string{
		"/releases/" + p.Release.ID + "?view=tools&tool=" + in.changeIDs(ana, p.Release.ID)[0],
		"/releases/" + p.Release.ID + "?view=tools&tool=n1",
		"/servers/git/listings/" + p.Listing.ID + "?tool=1",
	} {
		doc := in.document(ana, page)
		link := doc.Find("a[href='" + want + "']")
		if link.Length() != 1 {
			t.Errorf("%s has %d links to the tool through all versions", page, link.Length())
		}
	}
	in.want(200, in.get(ana, want))
}
