package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// inviteFrom fills in the form of the page of people and returns the path of the
// link that it shows.
func (in *instance) inviteFrom(as who, form url.Values) string {
	in.t.Helper()
	added := in.want(http.StatusCreated, in.postForm(as, "/people", form))
	link := text(added.html(in.t).Find("#link"))
	if !strings.HasPrefix(link, baseURL+"/links/") {
		in.t.Fatalf("the link is %q", link)
	}
	return strings.TrimPrefix(link, baseURL)
}

// TestAcceptance25: a scanner that opens every link it sees, in whatever way, does
// not use an invitation up.
func TestAcceptance25(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	link := in.inviteFrom(mia, url.Values{"email": {"rob@example.org"}, "role": {"reviewer"}, "server": {"git"}})
	for range 20 {
		in.want(http.StatusOK, in.get(nobody, link))
		head := httptest.NewRequestWithContext(t.Context(), http.MethodHead, link, nil)
		in.want(http.StatusOK, in.send(head))
	}
	in.want(http.StatusSeeOther, in.postForm(nobody, link, url.Values{"password": {password}}))
	in.want(http.StatusNotFound, in.postForm(nobody, link, url.Values{"password": {"another password"}}))
	in.want(http.StatusSeeOther, in.tryPassword("rob@example.org", password, "192.0.2.1"))
}

// TestAcceptance26: whatever host a request names, links lead to BASE_URL.
func TestAcceptance26(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada, rob := in.signedIn(in.addUser("ada", people.Admin, "")), in.addUser("rob", people.Reviewer, "git")
	forged := func(r *http.Request) {
		ada(r)
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		r.Header.Set("Forwarded", "host=evil.example")
	}
	for path, form := range map[string]url.Values{
		"/people/" + rob.ID + "/reset":  {},
		"/people/" + rob.ID + "/invite": {},
		"/people":                       {"email": {"zoe@example.org"}, "role": {"viewer"}, "server": {"git"}},
	} {
		a := in.postForm(forged, path, form)
		if link := text(a.html(t).Find("#link")); !strings.HasPrefix(link, baseURL+"/links/") || strings.Contains(a.body, "evil.example") {
			t.Errorf("%s: %d with the link %q", path, a.status, link)
		}
	}
}

func TestOpenInvitations(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	none := in.postForm(ada, "/people", url.Values{"email": {"rob@example.org"}, "role": {"reviewer"}})
	if got := text(none.html(t).Find("[role=alert]")); none.status != http.StatusBadRequest || !strings.Contains(got, "Choose the servers") {
		t.Errorf("invited to nothing: %d %s", none.status, got)
	}
	link := in.inviteFrom(ada, url.Values{"email": {"rob@example.org"}, "role": {"reviewer"}, "server": {"git", "shop"}})
	rob := in.userOf("rob@example.org")
	if rob.RoleOn("") != people.NoRole || len(rob.Memberships) != 2 {
		t.Errorf("invited to two servers: %+v", rob.Memberships)
	}
	section := text(in.get(ada, "/people").html(t).Find("section[aria-labelledby=invited]"))
	for _, want := range []string{"rob@example.org", "Invited by ada", "The link ends in 3 days."} {
		if !strings.Contains(section, want) {
			t.Errorf("the open invitations lack %q: %s", want, section)
		}
	}
	if strings.Contains(in.get(ada, "/people").body, link) {
		t.Error("the link is shown again")
	}
	in.want(http.StatusForbidden, in.postForm(mia, "/people/"+rob.ID+"/invite", nil)) // shop is not hers
	in.now = in.now.Add(73 * time.Hour)
	if again := text(in.get(in.signedIn(in.userOf("ada@example.org")), "/people").html(t).Find("section[aria-labelledby=invited]")); !strings.Contains(again, "link ended") {
		t.Errorf("after 73 hours: %s", again)
	}
	ada = in.signedIn(in.userOf("ada@example.org"))
	renewed := in.want(http.StatusOK, in.postForm(ada, "/people/"+rob.ID+"/invite", nil))
	link = strings.TrimPrefix(text(renewed.html(t).Find("#link")), baseURL)
	in.want(http.StatusOK, in.get(nobody, link))
	in.want(http.StatusSeeOther, in.postForm(ada, "/people/"+rob.ID+"/uninvite", nil))
	in.want(http.StatusNotFound, in.get(nobody, link))
	if page := text(in.get(ada, "/people").html(t).Find("main")); strings.Contains(page, "Invited by ada") {
		t.Errorf("revoked, it is still open: %s", page)
	}
}

// userOf reads an account.
func (in *instance) userOf(email string) *people.User {
	in.t.Helper()
	users, err := in.svc.Users(in.t.Context(), shell)
	in.must(err)
	for i := range users {
		if users[i].Email == email {
			return &users[i]
		}
	}
	in.t.Fatalf("nobody is %s", email)
	return nil
}

// TestProposalsByAPI has a maintainer ask for a role, which another one agrees to, and
// no one else.
func TestProposalsByAPI(t *testing.T) {
	in := newInstance(t)
	git := in.addServer("git", gate.Team)
	mia, max := in.signedIn(in.addUser("mia", people.Maintainer, "git")), in.signedIn(in.addUser("max", people.Maintainer, "git"))
	rob := in.addUser("rob", people.Viewer, "git")
	in.want(http.StatusSeeOther, in.postForm(mia, "/people/"+rob.ID+"/role", url.Values{"server": {"git"}, "role": {"reviewer"}}))
	list := func(as who) []api.Proposal {
		return decode[api.Proposals](t, in.want(http.StatusOK, in.get(as, "/api/v1/proposals"))).Proposals
	}
	asked := list(mia)
	if len(asked) != 1 || !asked[0].Mine || asked[0].MayNotAgree == "" || asked[0].User != "rob" || asked[0].Role != "reviewer" || asked[0].State != "waits" {
		t.Fatalf("who asked sees %+v", asked)
	}
	if seen := list(max); len(seen) != 1 || seen[0].Mine || seen[0].MayNotAgree != "" {
		t.Fatalf("the second person sees %+v", seen)
	}
	agree := `{"id":"` + asked[0].ID + `","agree":true}`
	in.problem("who asked", in.postJSON(mia, "/api/v1/proposals/decide", agree), http.StatusForbidden)
	in.problem("a token", in.postJSON(withToken(in.addToken("git", "max@example.org", people.ScopeReview)), "/api/v1/proposals/decide", agree), http.StatusForbidden)
	done := decode[api.Proposal](t, in.want(http.StatusOK, in.postJSON(max, "/api/v1/proposals/decide", agree)))
	if done.State != "agreed" || in.userOf("rob@example.org").RoleOn(git.ID) != people.Reviewer {
		t.Errorf("agreed: %+v", done)
	}
	in.problem("twice", in.postJSON(max, "/api/v1/proposals/decide", agree), http.StatusConflict)
	if left := list(max); len(left) != 0 {
		t.Errorf("what is decided still waits: %+v", left)
	}
}

// TestGrantsByPageAndAPI lets a reviewer override on one server, and not any more; only
// an administrator can, and a maintainer has to agree.
func TestGrantsByPageAndAPI(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada, mia := in.signedIn(in.addUser("ada", people.Admin, "")), in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	rob := in.addLocal("rob", people.Reviewer)
	may := func() []api.Grant {
		return decode[api.Grants](t, in.want(http.StatusOK, in.get(mia, "/api/v1/servers/git/grants"))).Grants
	}
	form := in.get(ada, "/people").html(t).Find("form[action='/people/" + rob.ID + "/override']")
	if form.Length() != 1 || in.get(mia, "/people").html(t).Find("form[action$='/override']").Length() != 0 {
		t.Fatal("the form is for administrators, about who decides and rules nothing")
	}
	in.want(http.StatusForbidden, in.postForm(mia, "/people/"+rob.ID+"/override", url.Values{"server": {"git"}, "may": {"yes"}}))
	in.want(http.StatusSeeOther, in.postForm(ada, form.AttrOr("action", ""), url.Values{"server": {"git"}, "may": {"yes"}}))
	agree := func() {
		t.Helper()
		if got := may(); len(got) != 0 {
			t.Fatalf("one administrator alone gives it: %+v", got)
		}
		line := in.get(mia, "/people").html(t).Find("form[action='/proposals']")
		id := line.Find("[name=id]").AttrOr("value", "")
		in.want(http.StatusForbidden, in.postForm(ada, "/proposals", url.Values{"id": {id}, "agree": {"yes"}}))
		in.want(http.StatusSeeOther, in.postForm(mia, "/proposals", url.Values{"id": {id}, "agree": {"yes"}}))
	}
	agree()
	if got := may(); len(got) != 1 || got[0].User != "rob@example.org" || got[0].Permission != "override" || got[0].By != "ada" {
		t.Fatalf("by the page: %+v", got)
	}
	if page := text(in.get(ada, "/people").html(t).Find("main")); !strings.Contains(page, "may override on GIT") || !strings.Contains(page, "Take it away") {
		t.Errorf("the page says nothing of it: %s", page)
	}
	body := `{"user":"rob@example.org","permission":"override","may":false}`
	in.problem("a maintainer", in.postJSON(mia, "/api/v1/servers/git/grants", body), http.StatusForbidden)
	in.want(http.StatusOK, in.postJSON(ada, "/api/v1/servers/git/grants", body))
	if got := may(); len(got) != 0 {
		t.Errorf("taken away by the API: %+v", got)
	}
	in.want(http.StatusAccepted, in.postJSON(ada, "/api/v1/servers/git/grants", strings.Replace(body, "false", "true", 1)))
	agree()
	if got := may(); len(got) != 1 {
		t.Errorf("given by the API, and agreed to: %+v", got)
	}
	in.problem("unknown", in.postJSON(ada, "/api/v1/servers/git/grants", strings.Replace(body, "override", "rule", 1)), http.StatusBadRequest)
}
