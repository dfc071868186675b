package review

import (
	"testing"

	"github.com/countersign/countersign/review/people"
)

// TestAllow is the table of who may do what takes a role and a scope.
func TestAllow(t *testing.T) {
	user := func(role people.Role, server string) *people.User {
		return &people.User{ID: "u", Memberships: []people.Membership{{ServerID: server, Role: role}}}
	}
	token := func(server string, scopes ...people.Scope) *people.Token {
		return &people.Token{ID: "t", ServerID: server, Scopes: scopes}
	}
	for _, c := range []struct {
		name   string
		a      Actor
		need   people.Role
		scopes []people.Scope
		want   Kind
	}{
		{"nobody", Actor{}, people.Viewer, nil, Unauthenticated},
		{"the shell", Actor{Shell: true}, people.Admin, nil, ""},
		{"a stranger", Actor{User: user(people.Admin, "b")}, people.Viewer, nil, NotFound},
		{"a viewer reads", Actor{User: user(people.Viewer, "a")}, people.Viewer, []people.Scope{people.ScopeRead}, ""},
		{"a viewer reviews", Actor{User: user(people.Viewer, "a")}, people.Reviewer, []people.Scope{people.ScopeReview}, Forbidden},
		{"a maintainer of all", Actor{User: user(people.Maintainer, "")}, people.Maintainer, nil, ""},
		{"a machine reads", Actor{Token: token("a", people.ScopeRead)}, people.Viewer, []people.Scope{people.ScopeRead}, ""},
		{"a machine of all reads", Actor{Token: token("", people.ScopeRead)}, people.Viewer, []people.Scope{people.ScopeRead}, ""},
		{"a machine that pushes reads", Actor{Token: token("a", people.ScopePush)}, people.Viewer, []people.Scope{people.ScopeRead}, Forbidden},
		{"a machine of another server", Actor{Token: token("b", people.ScopeRead)}, people.Viewer, []people.Scope{people.ScopeRead}, NotFound},
		{"a machine reviews", Actor{Token: token("a", people.ScopeReview)}, people.Reviewer, []people.Scope{people.ScopeReview}, Forbidden},
		{"a review token reads", Actor{User: user(people.Reviewer, "a"), Token: token("a", people.ScopeReview)}, people.Viewer, []people.Scope{people.ScopeRead}, ""},
		{"a user's token beyond its server", Actor{User: user(people.Admin, ""), Token: token("b", people.ScopeReview)}, people.Viewer, []people.Scope{people.ScopeReview}, NotFound},
		{"a token administers", Actor{User: user(people.Admin, ""), Token: token("", people.ScopeReview)}, people.Admin, nil, Forbidden},
	} {
		err := c.a.allow("a", c.need, c.scopes...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || KindOf(err) != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
