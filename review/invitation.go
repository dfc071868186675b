package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/people"
)

// Invitation is an account that nobody has come for yet.
type Invitation struct {
	User      people.User
	By        string    // label of who invited, "" for the shell
	At        time.Time // when the newest link was made; zero when there is none
	Until     time.Time // when that link ends
	MayRenew  bool      // all that the account is to have is the actor's to give
	MayRevoke bool      // some of it is
}

// Open reports whether the link still lets somebody in.
func (i Invitation) Open(now time.Time) bool { return now.Before(i.Until) }

// Invitations lists the accounts that wait for their people, newest first: all of
// them for an administrator, else those with a role on a server that the actor
// maintains. Links are not in it: only their hashes are kept.
func (s *Service) Invitations(ctx context.Context, a Actor) ([]Invitation, error) {
	var out []Invitation
	err := s.store.View(ctx, func(tx Tx) error {
		users, err := s.usersFor(ctx, tx, a)
		if err != nil {
			return err
		}
		links, err := tx.UnusedLinks(ctx, LinkInvite)
		if err != nil {
			return err
		}
		all, err := tx.Users(ctx)
		out = invitations(a, users, labelsByID(all), links)
		return err
	})
	return out, err
}

func labelsByID(users []people.User) map[string]string {
	labels := make(map[string]string, len(users))
	for i := range users {
		labels[users[i].ID] = users[i].Label()
	}
	return labels
}

func invitations(a Actor, users []people.User, labels map[string]string, links []Link) []Invitation {
	newest := map[string]Link{}
	for _, l := range slices.Backward(links) {
		newest[l.UserID] = l
	}
	var out []Invitation
	for i := range users {
		u := &users[i]
		if u.Joined() || !u.Active() {
			continue
		}
		l := newest[u.ID]
		out = append(out, Invitation{User: *u, By: labels[u.InvitedBy], At: l.MadeAt, Until: l.ExpiresAt,
			MayRenew: mayGiveAll(a, u), MayRevoke: mayGiveSome(a, u)})
	}
	slices.SortStableFunc(out, func(x, y Invitation) int { return y.At.Compare(x.At) })
	return out
}

// mayGive reports whether the actor could have given the membership.
func mayGive(a Actor, m people.Membership) bool {
	role := a.role(m.ServerID)
	if m.ServerID == "" && !role.AtLeast(people.Admin) {
		return false
	}
	return role.AtLeast(people.Maintainer) && role.AtLeast(m.Role)
}

// mayGiveAll reports whether the actor may hold a link into the account: whoever
// opens it is everything that the account is.
func mayGiveAll(a Actor, u *people.User) bool {
	return !slices.ContainsFunc(u.Memberships, func(m people.Membership) bool { return !mayGive(a, m) })
}

// mayGiveSome reports whether any of it is the actor's to give.
func mayGiveSome(a Actor, u *people.User) bool {
	return a.role("").AtLeast(people.Admin) || slices.ContainsFunc(u.Memberships, func(m people.Membership) bool { return mayGive(a, m) })
}

// inviteAgain invites an account that nobody came for. What it was invited to
// before stays, but for a revoked one, which begins anew. The new inviter is the
// one who counts once with it.
func (s *Service) inviteAgain(ctx context.Context, tx Tx, a Actor, u *people.User, grants []people.Membership) (*people.User, string, error) {
	before := userFacts(u)
	if !u.Active() {
		u.DisabledAt, u.Memberships = time.Time{}, nil
	}
	for _, g := range grants {
		u.Memberships = append(slices.DeleteFunc(u.Memberships, func(m people.Membership) bool { return m.ServerID == g.ServerID }), g)
	}
	link, err := "", error(nil)
	if mayGiveAll(a, u) {
		u.InvitedBy = a.userID()
		link, err = s.newLink(ctx, tx, a, LinkInvite, u.ID)
	}
	if err != nil {
		return nil, "", err
	}
	if err := tx.UpdateUser(ctx, u); err != nil {
		return nil, "", err
	}
	return u, link, s.auditGrants(ctx, tx, a, act{name: "user.invite", subject: u.Email, before: before, after: userFacts(u), kept: leaving(u)}, grants)
}

// RenewInvitation makes a new link for an account that nobody came for, and ends
// the one before. Conflict when somebody came.
func (s *Service) RenewInvitation(ctx context.Context, a Actor, userID string) (*people.User, string, error) {
	var u *people.User
	var link string
	err := s.store.Update(ctx, func(tx Tx) error {
		var err error
		if u, err = s.invited(ctx, tx, a, userID); err != nil {
			return err
		}
		if !mayGiveAll(a, u) {
			return Errorf(Forbidden, "%s is invited to more than you may give. Ask an administrator for a new link.", u.Email)
		}
		u.InvitedBy = a.userID()
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		if link, err = s.newLink(ctx, tx, a, LinkInvite, u.ID); err != nil {
			return err
		}
		return s.auditGrants(ctx, tx, a, act{name: "link.create", subject: u.Email, after: map[string]any{"link": LinkInvite}, kept: leaving(u)}, u.Memberships)
	})
	if err != nil {
		return nil, "", err
	}
	return u, link, nil
}

// RevokeInvitation takes back what the actor may take of an invitation. When
// nothing is left of it, its link ends and the account is disabled; inviting the
// same address again begins anew.
func (s *Service) RevokeInvitation(ctx context.Context, a Actor, userID string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		u, err := s.invited(ctx, tx, a, userID)
		if err != nil {
			return err
		}
		before := userFacts(u)
		taken := slices.DeleteFunc(slices.Clone(u.Memberships), func(m people.Membership) bool { return !mayGive(a, m) })
		u.Memberships = slices.DeleteFunc(slices.Clone(u.Memberships), func(m people.Membership) bool { return mayGive(a, m) })
		if len(u.Memberships) == 0 {
			u.DisabledAt = s.now()
			if err := tx.EndLinksOfUser(ctx, u.ID, accountLinks, s.now()); err != nil {
				return err
			}
			if err := s.endAccess(ctx, tx, u.ID); err != nil {
				return err
			}
		}
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		if len(taken) == 0 { // of an account without a role
			taken = []people.Membership{{}}
		}
		return s.auditGrants(ctx, tx, a, act{name: "user.uninvite", subject: u.Email, before: before, after: userFacts(u), kept: leaving(u)}, taken)
	})
}

// invited returns an account that nobody came for, when the actor may know of it
// and act on it.
func (s *Service) invited(ctx context.Context, tx Tx, a Actor, userID string) (*people.User, error) {
	if err := signedIn(a); err != nil {
		return nil, err
	}
	u, err := tx.UserByID(ctx, userID)
	if err != nil {
		return nil, err
	}
	switch {
	case !mayGiveSome(a, u):
		return nil, errNoSuchThing
	case u.Joined():
		return nil, Errorf(Conflict, "%s came already: the invitation is used. Change the role, or disable the account.", u.Label())
	case !u.Active():
		return nil, Errorf(Conflict, "The invitation of %s was revoked. Invite the address again.", u.Email)
	}
	return u, nil
}
