package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestSearchPage finds a tool by its text and a comment, marks what was looked for,
// and leads to both.
func TestSearchPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	id := in.pushed("git", "version=1.0.0", listing(
		tool("branch_prune", strings.Repeat("Long before it. ", 40)+"De\u200bletes <b>merged</b> branches. Asks first."), tool("branch_list", "Lists branches."), tool("sweep up ", "Sweeps."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	in.want(http.StatusSeeOther, in.postForm(rita, "/releases/"+id+"/threads", url.Values{"body": {"Deletes what exactly?"}}))
	page := in.get(rita, "/search?q=DELETES").html(t)
	if got := text(page.Find(".lead")); got != "1 tool and 1 comment hold `DELETES`." && got != "1 tool and 1 comment hold DELETES." {
		t.Errorf("sum: %q", got)
	}
	if got := text(page.Find("mark").First()); got != "DeU+200Bletes" {
		t.Errorf("marked: %q", got)
	}
	// A space beside what was looked for stands at no end of the text.
	if got := text(in.get(rita, "/search?q=branches+asks").html(t).Find(".lines p").First()); strings.Contains(got, "U+0020") || !strings.Contains(got, "</b> branches. Asks first.") {
		t.Errorf("the excerpt of two words is %q", got)
	}
	if got := text(in.get(rita, "/search?q=sweep").html(t).Find(".lines .title-link").First()); got != "sweep upU+0020" {
		t.Errorf("the name is drawn as %q", got)
	}
	for _, href := range []string{page.Find(".lines .title-link").First().AttrOr("href", ""), page.Find("section[aria-labelledby=found-threads] .title-link").AttrOr("href", ""),
		page.Find(".lines .side a").First().AttrOr("href", "")} {
		if a := in.get(rita, href); a.status != http.StatusOK {
			t.Errorf("%q leads to %d", href, a.status)
		}
	}
	if got := text(page.Find(".lines p").First()); !strings.Contains(got, "… ") || len(got) > 400 {
		t.Errorf("the excerpt is %q", got)
	}
	in.addServer("shop", gate.Team)
	sam := in.signedIn(in.addUser("sam", people.Maintainer, "shop"))
	if n := in.get(sam, "/search?q=deletes").html(t).Find("mark").Length(); n != 0 {
		t.Errorf("a stranger sees %d hits", n)
	}
	if a := in.get(rita, "/search?q="+strings.Repeat("x", 201)); a.status != http.StatusBadRequest {
		t.Errorf("a query without end: %d", a.status)
	}
}

// TestNoStorybook: the addresses of the storybook exist only where it is wanted.
func TestNoStorybook(t *testing.T) {
	in := newInstance(t)
	for _, row := range in.web.Rows() {
		if strings.HasPrefix(row.Path, "/storybook") {
			t.Errorf("%s is a route", row.Path)
		}
	}
	if a := in.get(nobody, "/storybook"); a.status != http.StatusNotFound {
		t.Errorf("/storybook: %d", a.status)
	}
}
