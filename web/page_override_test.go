package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestOverrideByForm goes the way of a night: who may lets a release pass, everybody
// sees it in red, and it ends.
func TestOverrideByForm(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada, mia := in.signedIn(in.addUser("ada", people.Admin, "")), in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	in.release("git", "1", before)
	p := in.pushed("git", "version=2", listing(tool("find", "Finds all things."), tool("drop", "Drops things."), tool("list", "Lists things.")))
	path := "/releases/" + p.Release.ID
	if n := in.get(mia, path).html(t).Find("form[action$='/override']").Length(); n != 0 {
		t.Error("a maintainer without the permission is offered an override")
	}
	form := fields(in.get(ada, path).html(t).Find("form[action$='/override']"))
	if form.Get("requirement") != "approval:find" || form.Get("hours") != "24" {
		t.Fatalf("the form has %v", form)
	}
	form.Set("reason", "too short")
	refused := in.want(400, in.postForm(ada, path+"/override", form)).html(t)
	if kept := fields(refused.Find("form[action$='/override']")); kept.Get("reason") != "too short" || !strings.Contains(text(refused.Find("[role=alert]")), "20 characters") {
		t.Errorf("refused, with %v kept", kept)
	}
	none := url.Values{"digest": form["digest"], "policy": form["policy"], "hours": {"1"}, "reason": {"Customers can't pay, see incident 17"}}
	in.want(400, in.postForm(ada, path+"/override", none))
	form.Set("reason", "Customers can't pay, see incident 17.")
	in.want(403, in.postForm(mia, path+"/override", form))
	in.want(303, in.postForm(ada, path+"/override", form))

	says := "ada let this pass without approval until"
	for name, at := range map[string]string{"release": path, "home": "/", "server": "/servers/git", "changelog": path + "/changelog", "inbox": "/inbox"} {
		page := in.want(200, in.get(mia, at)).html(t)
		got := text(page.Find("main"))
		if !strings.Contains(got, "incident 17") || name != "inbox" && !strings.Contains(got, says) {
			t.Errorf("%s says nothing of it: %s", name, got)
		}
		if red := page.Find(".gate.bad, .gate-word.bad, .note.bad").Length(); red == 0 && name != "inbox" && name != "changelog" {
			t.Errorf("%s is not red", name)
		}
	}
	if !strings.Contains(text(in.get(mia, path).html(t).Find(".note.bad")), "1 decision still open") {
		t.Error("the page does not say what is open")
	}
	digest := fields(in.get(mia, path).html(t).Find("form[action$='/release']"))
	in.want(303, in.postForm(mia, path+"/release", digest))
	in.want(303, in.postForm(mia, path+"/override/end", nil))
	for _, at := range []string{path, path + "/changelog"} {
		if got := text(in.get(mia, at).html(t).Find("main")); !strings.Contains(got, says) {
			t.Errorf("%s forgot how it was released: %s", at, got)
		}
	}
	if got := text(in.get(mia, "/servers/git").html(t).Find("#releases").Parent()); !strings.Contains(got, "released by override") {
		t.Errorf("the server's page: %s", got)
	}
}

// TestRevokeByForm: the page says what it hits and then hits that; the alarm is on
// every page until somebody acknowledges it.
func TestRevokeByForm(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada, mia := in.signedIn(in.addUser("ada", people.Admin, "")), in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	rob := in.addUser("rob", people.Reviewer, "git")
	in.release("git", "1", before)
	p := in.pushed("git", "version=2", listing(tool("find", "Finds all things."), tool("drop", "Drops things."), tool("list", "Lists things.")))
	path, answers := "/releases/"+p.Release.ID, "/people/"+rob.ID+"/answers"
	approve := fields(in.get(in.signedIn(rob), path).html(t).Find("form.answer").First())
	approve.Set("verdict", "approve")
	in.want(303, in.postForm(in.signedIn(rob), path+"/verdicts", approve))
	in.want(303, in.postForm(mia, path+"/release", fields(in.get(mia, path).html(t).Find("form[action$='/release']"))))

	if link := in.get(ada, "/people").html(t).Find("a[href='" + answers + "']").Length(); link != 1 {
		t.Errorf("%d links to take rob's answers back", link)
	}
	in.want(403, in.get(mia, answers))
	in.want(400, in.get(ada, answers+"?since=yesterday"))
	if got := text(in.want(200, in.get(ada, answers+"?since=2200-01-01T00:00")).html(t).Find("main")); !strings.Contains(got, "Nothing: they answered nothing") {
		t.Errorf("the future: %s", got)
	}
	page := in.want(200, in.get(ada, answers)).html(t)
	if got := text(page.Find("#hits").Parent()); !strings.Contains(got, "2 answers and 0 overrides") || !strings.Contains(got, "GIT 2") {
		t.Errorf("it hits %s", got)
	}
	form := fields(page.Find("form[method=post][action='" + answers + "']"))
	form.Set("reason", " ")
	in.want(400, in.postForm(ada, answers, form))
	form.Set("reason", "Stolen laptop.")
	in.want(303, in.postForm(ada, answers, form))
	for _, at := range []string{"/", "/servers/git", path} {
		if got := text(in.get(mia, at).html(t).Find(".note.bad")); !strings.Contains(got, "Stolen laptop.") {
			t.Errorf("%s raises no alarm: %q", at, got)
		}
	}
	if got := text(in.get(mia, "/inbox").html(t).Find("#notices").Closest("section")); !strings.Contains(got, "Stolen laptop.") {
		t.Errorf("nobody is told: %s", got)
	}
	in.want(400, in.postForm(mia, path+"/alarms/clear", url.Values{"note": {""}}))
	in.want(303, in.postForm(mia, path+"/alarms/clear", url.Values{"note": {"Read again by mia."}}))
	for _, at := range []string{"/", "/servers/git", path} {
		if n := in.get(mia, at).html(t).Find("#alarm, [aria-label=Alarms]").Length(); n != 0 {
			t.Errorf("%s still raises the alarm", at)
		}
	}
}
