package web_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestTeamsPage shows who is in a team of the policy, what the team answers for, and why
// somebody could not approve; the page of people says who is in which.
func TestTeamsPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	for name, role := range map[string]people.Role{"dana": people.Viewer, "eli": people.Reviewer} {
		_, _, err := in.svc.AddUser(t.Context(), shell, review.NewUser{Email: name + "@example.org", Role: role, Servers: []string{"git"}, Password: password})
		in.must(err)
	}
	shown := func(path string) string {
		t.Helper()
		return strings.Join(strings.Fields(in.want(200, in.get(ada, path)).html(t).Find("main").Text()), " ")
	}
	if page := shown("/servers/git/teams"); !strings.Contains(page, "No teams.") {
		t.Errorf("a policy without teams shows: %s", page)
	}
	p := in.policy()
	p.Teams = map[string][]string{"payments": {"dana@example.org", "ELI@example.org", "gone@example.org"}, "idle": {"gone@example.org"}}
	p.Owners = []gate.OwnerRule{{Teams: []string{"payments"}, Names: []string{"pay_*"}}}
	_, err := in.svc.SetPolicy(t.Context(), shell, "git", p, p.Version)
	in.must(err)
	page := shown("/servers/git/teams")
	for _, want := range []string{
		"1 of 3 can approve", "Answers for pay_*", "Reads only: the role is viewer.", "Nobody has an account with this address.",
		"nobody can approve", "No rule of the policy asks this team.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q: %s", want, page)
		}
	}
	if all := shown("/people"); strings.Count(all, "team payments on") != 2 {
		t.Errorf("the page of people says: %s", all)
	}
}
