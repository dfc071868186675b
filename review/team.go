package review

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// Team is a team of a server's policy, with who is in it today and what it answers for.
type Team struct {
	Name    string
	Members []TeamMember // by address, as the policy has them
	Owns    []string     // what its rules are about, in words; none: no rule asks it
}

// TeamMember is an address of a team and the account that it belongs to.
type TeamMember struct {
	Email   string
	Label   string      // of the account, "" when nobody has this address
	Role    people.Role // on the server
	Decides bool        // could approve today
	Why     string      // why not, a sentence; "" when Decides
}

// Decide counts the members who could approve today.
func (t *Team) Decide() int {
	n := 0
	for _, m := range t.Members {
		if m.Decides {
			n++
		}
	}
	return n
}

// TeamsView is the teams of a server by name.
type TeamsView struct {
	Server Server
	Teams  []Team
}

// Teams returns the teams that a server's policy names. They are part of the policy, so
// that nobody widens one alone; see [Service.SetPolicy].
func (s *Service) Teams(ctx context.Context, a Actor, slug string) (*TeamsView, error) {
	var v *TeamsView
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		users, err := tx.Users(ctx)
		v = &TeamsView{Server: *srv, Teams: teamsOf(srv, users, s.asksSecondFactor(srv))}
		return err
	})
	return v, err
}

func teamsOf(srv *Server, users []people.User, factor bool) []Team {
	byEmail := map[string]*people.User{}
	for i := range users {
		byEmail[strings.ToLower(users[i].Email)] = &users[i]
	}
	p := srv.Policy
	var teams []Team
	for _, name := range slices.Sorted(maps.Keys(p.Teams)) {
		t := Team{Name: name, Owns: p.Owns(name)}
		for _, address := range slices.SortedFunc(slices.Values(p.Teams[name]), func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }) {
			t.Members = append(t.Members, teamMember(srv, address, byEmail[strings.ToLower(address)], factor))
		}
		teams = append(teams, t)
	}
	return teams
}

// teamMember says who an address is and what they could do; u is nil where nobody has it.
func teamMember(srv *Server, address string, u *people.User, factor bool) TeamMember {
	if u == nil {
		return TeamMember{Email: address, Why: "Nobody has an account with this address."}
	}
	m := TeamMember{Email: address, Label: u.Label(), Role: u.RoleOn(srv.ID)}
	switch {
	case !u.Active():
		m.Why = "The account is disabled."
	case !u.Joined():
		m.Why = "Invited, and did not come yet."
	case m.Role == people.NoRole:
		m.Label, m.Why = "", "Has no role on this server." // then who they are is not this server's business
	case !m.Role.AtLeast(people.Reviewer):
		m.Why = "Reads only: the role is " + string(m.Role) + "."
	case factor && !u.HasSecondFactor():
		m.Why = "Has no second factor, which the policy asks of whoever decides."
	default:
		m.Decides = true
	}
	return m
}

// MemberOf lists the teams of a policy that have an address, by name.
func MemberOf(p gate.Policy, email string) []string {
	var in []string
	for _, name := range slices.Sorted(maps.Keys(p.Teams)) {
		if slices.ContainsFunc(p.Teams[name], func(address string) bool { return strings.EqualFold(address, email) }) {
			in = append(in, name)
		}
	}
	return in
}
