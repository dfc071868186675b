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
