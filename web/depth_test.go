package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// TestDraftsOverForms keeps a comment as a draft, finds it on the desk and publishes
// it.
func TestDraftsOverForms(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	as := admin(callers)
	at := "/releases/" + p.release
	p.want(http.StatusSeeOther, p.postForm(as, at+"/drafts", url.Values{"body": {"Why *that*?"}, "kept": {"0 comment "}}))
	if a := p.want(200, p.get(as, at+"?view=threads")); strings.Contains(a.body, "Why <em>that</em>?") {
		t.Error("a draft is published")
	}
	if a := p.want(200, p.get(as, at+"/desk")); !strings.Contains(a.body, "Why *that*?") {
		t.Error("the desk does not show the draft")
	}
	p.want(http.StatusSeeOther, p.postForm(as, at+"/drafts/publish", nil))
	if a := p.want(200, p.get(as, at+"?view=threads")); !strings.Contains(a.body, "Why <em>that</em>?") {
		t.Error("the published comment is not on the page")
	}
	if a := p.postForm(as, at+"/drafts/publish", nil); a.status != http.StatusBadRequest || !strings.Contains(a.body, "nothing to publish") {
		t.Errorf("publishing nothing: %d", a.status)
	}
}

// TestViewedOverForms marks a change and takes it back.
func TestViewedOverForms(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity."), tool("entity_set", "Writes one entity.")))
	as := admin(callers)
	at := "/releases/" + p.release
	progress := func(want string) {
		t.Helper()
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(p.want(200, p.get(as, at+"/desk")).body))
		p.must(err)
		if got := doc.Find("section[aria-labelledby=viewed]").Text(); !strings.Contains(got, want) {
			t.Errorf("the desk says %.80q, want %q", got, want)
		}
	}
	progress("0 of 2 changes viewed")
	p.want(http.StatusSeeOther, p.postForm(as, at+"/viewed", url.Values{"shown": {p.change}, "viewed": {p.change}}))
	progress("1 of 2 changes viewed")
	p.want(http.StatusSeeOther, p.postForm(as, at+"/viewed", url.Values{"shown": {p.change}}))
	progress("0 of 2 changes viewed")
	p.want(http.StatusConflict, p.postForm(as, at+"/viewed", url.Values{"viewed": {"ch_of_another_day"}}))
}

// TestMergedOverFormsAndAPI maps tools that are gone to the one that does their work.
func TestMergedOverFormsAndAPI(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("berth_list", "Lists berths."), tool("berth_get", "Reads a berth."), tool("tide", "Says the tide.")))
	as := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	p := in.pushed("git", "version=2", listing(tool("berth", "Reads a berth, or all of them."), tool("tide", "Says the tide.")))
	at := "/releases/" + p.Release.ID
	form := url.Values{"merged": {"yes"}, "old": {"berth_list", "berth_get"}, "new": {"berth"}}
	in.want(http.StatusSeeOther, in.postForm(as, at+"/pairings", form))
	desk := in.get(as, at+"/desk").html(t)
	if got := text(desk.Find("section[aria-labelledby=pairings] li")); !strings.Contains(got, "berth_list") || strings.Count(got, "Take back") != 2 {
		t.Errorf("the desk says %q", got)
	}
	made := decode[api.Aliases](t, in.get(as, "/api/v1/servers/git/aliases")).Merges
	if len(made) != 2 || made[0].Old != "berth_list" || made[1].New != "berth" {
		t.Fatalf("the ledger has %+v", made)
	}
	if got := text(in.get(as, "/servers/git/aliases").html(t).Find("main")); !strings.Contains(got, "Tools whose work another does") {
		t.Errorf("the ledger says %q", got)
	}
	diff := decode[struct {
		Merged []struct {
			To   string `json:"to"`
			From []any  `json:"from"`
		} `json:"merged"`
	}](t, in.get(as, "/api/v1"+at+"/changes"))
	if len(diff.Merged) != 1 || diff.Merged[0].To != "berth" || len(diff.Merged[0].From) != 2 {
		t.Errorf("the comparison says %+v", diff.Merged)
	}
	in.want(http.StatusSeeOther, in.postForm(as, at+"/pairings/end", url.Values{"id": {made[0].ID}}))
	in.want(http.StatusOK, in.postJSON(as, "/api/v1"+at+"/pairings/end", `{"id":"`+made[1].ID+`"}`))
	in.want(http.StatusOK, in.postJSON(as, "/api/v1"+at+"/pairings", `{"olds":["berth_get"],"new":"tide"}`))
	in.problem("both forms in one", in.postJSON(as, "/api/v1"+at+"/pairings", `{"old":"berth_get","olds":["berth_list"],"new":"berth"}`), http.StatusBadRequest)
	if a := in.postForm(as, at+"/pairings", url.Values{"merged": {"yes"}, "old": {"tide"}, "new": {"berth"}}); a.status != http.StatusBadRequest || !strings.Contains(a.body, "is not among the tools that are gone") {
		t.Errorf("what is not gone: %d", a.status)
	}
}

// TestAliasUntil: the end of an alias is a day, as the page asks for it, or a time.
func TestAliasUntil(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	as := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	in.pushed("git", "version=1", listing(tool("old0", "Finds."), tool("old1", "Finds."), tool("old2", "Finds."), tool("old3", "Finds.")))
	const at = "/api/v1/servers/git/aliases"
	for i, c := range []struct{ until, want string }{
		{`"2027-06-01"`, "2027-06-01T00:00:00Z"}, {`"2027-06-01T09:30:00+02:00"`, "2027-06-01T07:30:00Z"}, {`""`, ""}, {"null", ""},
	} {
		made := in.want(http.StatusCreated, in.postJSON(as, at, fmt.Sprintf(`{"old":"old%d","new":"new","until":%s}`, i, c.until)))
		all := decode[api.Aliases](t, made).Aliases
		got := ""
		if last := all[len(all)-1]; last.Until != nil {
			got = last.Until.Format(time.RFC3339)
		}
		if got != c.want {
			t.Errorf("until %s: %q, want %q", c.until, got, c.want)
		}
	}
	refused := in.problem("no day", in.postJSON(as, at, `{"old":"a","new":"b","until":"June"}`), http.StatusBadRequest)
	if !strings.Contains(refused.Detail, "/until is") || !strings.Contains(refused.Detail, "2026-11-30") {
		t.Errorf("no day: %s", refused.Detail)
	}
	form := in.postForm(as, "/servers/git/aliases", url.Values{"old": {"a"}, "new": {"b"}, "until": {"June"}, "note": {"Kept."}})
	if doc := in.want(http.StatusBadRequest, form).html(t); !strings.Contains(text(doc.Find("[role=alert]")), "Give a day such as") || !strings.Contains(form.body, "Kept.") {
		t.Errorf("the form says %q", text(doc.Find("main")))
	}
}

// TestInboxOverHTTP reads and clears what somebody was told.
func TestInboxOverHTTP(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	var reviewer who
	for _, c := range callers {
		if c.name == "reviewer" {
			reviewer = c.as
		}
	}
	p.want(http.StatusCreated, p.postJSON(admin(callers), "/api/v1/releases/"+p.release+"/threads", `{"body":"What do you say, @reviewer?"}`))
	if a := p.want(200, p.get(reviewer, "/inbox")); !strings.Contains(a.body, "2 unread") || !strings.Contains(a.body, "names you") {
		t.Error("the inbox does not show the mention")
	}
	p.want(http.StatusSeeOther, p.postForm(reviewer, "/inbox/read", nil))
	inbox := decode[api.Inbox](t, p.want(200, p.get(reviewer, "/api/v1/inbox")))
	if inbox.Unread != 0 || len(inbox.Notices) != 2 || inbox.Notices[0].Kind != "mention" || inbox.Notices[1].Kind != "token" {
		t.Fatalf("%+v", inbox)
	}
	if inbox.Notices[0].Server != "git" || inbox.Notices[1].Server != "" || len(inbox.YourTurn) != 1 || inbox.YourTurn[0].Server != "git" {
		t.Errorf("the servers of the inbox: %+v", inbox)
	}
	threads := decode[api.Threads](t, p.want(200, p.get(reviewer, "/api/v1/releases/"+p.release+"/threads"))).Threads
	if len(threads) != 2 || threads[0].OpenedBy != "maintainer" || threads[0].OpenedBy != threads[0].Comments[0].By {
		t.Errorf("a thread says who in two ways: %+v", threads)
	}
	seen := decode[api.Thread](t, p.postJSON(reviewer, "/api/v1/releases/"+p.release+"/threads/"+threads[0].ID+"/resolve", ""))
	if seen.State != "resolved" || seen.ResolvedBy != "reviewer" || seen.OpenedBy != threads[0].OpenedBy {
		t.Errorf("resolved: %+v", seen)
	}
	if a := p.get(reviewer, "/releases/"+p.release+"?view=threads"); !strings.Contains(a.body, "Resolved by reviewer, ") {
		t.Error("the page does not say who resolved the thread")
	}
}
