package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// part asks for the part of a tool, as the script of the page does.
func (in *instance) part(as who, path string) answer {
	in.t.Helper()
	r := httptest.NewRequestWithContext(in.t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Countersign-Part", "tool")
	as(r)
	return in.send(r)
}

// panesBut is the markup of what a page with a list of tools shows beside the list.
func panesBut(t *testing.T, doc *goquery.Document) string {
	t.Helper()
	panes := doc.Find("[data-panes]")
	panes.Find("[data-list]").Remove()
	html, err := goquery.OuterHtml(panes)
	if err != nil || panes.Length() != 1 {
		t.Fatalf("%d panes, %v", panes.Length(), err)
	}
	return html
}

// TestNextTool: the open tool leads to the one that comes after it in the list as it is
// filtered, and the last one nowhere.
func TestNextTool(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("find", "Finds."), tool("list", "Lists."), tool("drop", "Drops.")))
	at := "/releases/" + in.pushed("git", "version=2", listing(tool("find", "Finds it."), tool("list", "Lists all."), tool("drop", "Drops."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	for _, view := range []string{"?view=tools", "?view=tools&q=i&filter=text"} {
		page := in.get(rita, at+view).html(t)
		var seen []string
		for range 9 {
			seen = append(seen, text(page.Find("#tool-name")))
			next, found := page.Find("a.next").Attr("href")
			if !found {
				break
			}
			if got := text(in.part(rita, next).html(t).Find("#tool-name")); !strings.Contains(text(page.Find("a.next")), got) {
				t.Errorf("%s is called %q", got, text(page.Find("a.next")))
			}
			page = in.get(rita, next).html(t)
		}
		if diff := cmp.Diff([]string{"find", "list"}, seen); diff != "" {
			t.Errorf("along %s: %s", view, diff)
		}
	}
}

// TestPartIsOfThePage: what a script asks for is what the page at the same address
// shows, without the list, and says whom caches may give it.
func TestPartIsOfThePage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("find", "Finds."), tool("list", "Lists."), tool("drop", "Drops.")))
	first := in.pushed("git", "version=0", listing(tool("find", "Finds?"))).Listing.ID
	at := "/releases/" + in.pushed("git", "version=2", listing(tool("find", "Finds it."), tool("list", "Lists."), tool("move", "Moves."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	in.want(http.StatusSeeOther, in.postForm(rita, at+"/threads", url.Values{"body": {"Why?"}}))
	server := in.get(rita, "/servers/git").html(t)
	compare, _ := server.Find("form[action$='/compare']").Attr("action")
	var pick []string
	for _, o := range server.Find("#from option").EachIter() {
		pick = append(pick, o.AttrOr("value", ""))
	}
	compare += "?from=" + pick[1] + "&to=" + pick[0]
	listed := server.Find("a[href*='/listings/']").AttrOr("href", "")
	paths := []string{at + "?view=tools", at + "?view=tools&tool=n2", at + "?view=tools&tool=surface", at + "?view=tools&tool=gone", at + "?view=tools&filter=text", compare, listed + "?tool=2", at + "?lens=claude-code", at + "?lens=codex&tool=n2", at + "?lens=codex&base=" + first}
	for _, list := range []string{at + "?view=tools", compare, at + "?base=" + first} {
		for _, row := range in.get(rita, list).html(t).Find("[data-row], .plain a").EachIter() {
			paths = append(paths, row.AttrOr("href", ""))
		}
	}
	for _, path := range paths {
		page, part := in.get(rita, path), in.part(rita, path)
		in.want(http.StatusOK, page)
		in.want(http.StatusOK, part)
		for _, a := range []answer{page, part} {
			if !slices.Contains(a.header.Values("Vary"), "Countersign-Part") {
				t.Errorf("%s varies by %q", path, a.header.Values("Vary"))
			}
		}
		if got := part.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		whole, doc := page.html(t), part.html(t)
		checkPage(t, path, part, doc)
		current, _ := whole.Find("[data-row][aria-current]").Html()
		if got, _ := doc.Find("[data-row]").Html(); got != current || doc.Find("[data-row]").Length() > 1 {
			t.Errorf("%s: its row is %s, of the page %s", path, got, current)
		}
		for _, same := range []string{"title", "[data-part=gate]", "[data-part=tabs]", "[data-part=look]"} {
			if got, want := text(doc.Find(same)), text(whole.Find(same)); got != want && doc.Find(same).Length() > 0 {
				t.Errorf("%s: %s is %q, of the page %q", path, same, got, want)
			}
		}
		if diff := cmp.Diff(panesBut(t, whole), panesBut(t, doc)); diff != "" {
			t.Errorf("%s (-page +part):\n%s", path, diff)
		}
	}
	if title := text(in.part(rita, at+"?view=tools&tool=n2").html(t).Find("title")); !strings.HasPrefix(title, "list · ") {
		t.Errorf("the title is %q", title)
	}
}

// TestPartLeavesNotices: a part that is fetched beforehand takes no notice away from the
// page that it is meant for, and is given only to whoever may see the page.
func TestPartLeavesNotices(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("find", "Finds.")))
	at := "/releases/" + in.pushed("git", "version=2", listing(tool("find", "Finds it."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	said := in.want(http.StatusSeeOther, in.postForm(rita, at+"/threads", url.Values{"body": {"Why?"}}))
	before := in.want(http.StatusOK, in.part(rita, at+"?view=tools")).html(t)
	if page := in.get(rita, said.header.Get("Location")).body; !strings.Contains(page, "Your comment is published.") {
		t.Error("the notice is gone")
	}
	in.want(http.StatusSeeOther, in.part(nobody, at+"?view=tools"))
	in.addServer("other", gate.Team)
	in.want(http.StatusNotFound, in.part(in.signedIn(in.addUser("eve", people.Viewer, "other")), at+"?view=tools"))
	in.pushed("git", "version=2", listing(tool("find", "Finds all of it.")))
	after := in.part(rita, at+"?view=tools").html(t)
	if was := before.Find("[data-panes]").AttrOr("data-panes", ""); was == "" || was == after.Find("[data-panes]").AttrOr("data-panes", "") {
		t.Errorf("a push leaves the page at %q", was)
	}
}
