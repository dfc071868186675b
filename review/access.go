package review

import (
	"context"

	"github.com/countersign/countersign/review/people"
)

// Label is how the audit and pages name who acted.
func (a Actor) Label() string {
	switch {
	case a.User != nil:
		return a.User.Label()
	case a.Token != nil:
		return a.Token.Name
	case a.Shell:
		return "shell"
	case a.Via == "webhook":
		return "webhook"
	}
	return "nobody"
}

// userID returns the person's id, "" for machines and the shell.
func (a Actor) userID() string {
	if a.User == nil {
		return ""
	}
	return a.User.ID
}

// tokenID returns the token's id, "" without one.
func (a Actor) tokenID() string {
	if a.Token == nil {
		return ""
	}
	return a.Token.ID
}

// role returns what the actor is to a server; "" asks for what holds on every
// server. A token of another server is nothing, and a machine is a viewer.
func (a Actor) role(serverID string) people.Role {
	switch {
	case a.Shell:
		return people.Admin
	case a.Token != nil && a.Token.ServerID != "" && a.Token.ServerID != serverID:
		return people.NoRole
	case a.User != nil:
		return a.User.RoleOn(serverID)
	case a.Token != nil:
		return people.Viewer
	}
	return people.NoRole
}

// allow checks that the actor is at least need to a server and, when a token is
// used, that it has one of scopes. Who has no role learns nothing, not even that
// the server exists.
func (a Actor) allow(serverID string, need people.Role, scopes ...people.Scope) error {
	if a.User == nil && a.Token == nil && !a.Shell {
		return Errorf(Unauthenticated, "Sign in, or send a token.")
	}
	role := a.role(serverID)
	if role == people.NoRole {
		return errNoSuchThing
	}
	if err := a.scope(scopes...); err != nil {
		return err
	}
	if !role.AtLeast(need) {
		return Errorf(Forbidden, "This takes the role %s; you are %s here.", need, role)
	}
	return nil
}

// errNoSuchThing answers for what does not exist and for what the actor may not
// know of.
var errNoSuchThing = Errorf(NotFound, "There is no such thing here, or you have no role on its server.")

// scope checks that a token, when one is used, has one of scopes. A token that
// reviews also reads; without scopes no token will do.
func (a Actor) scope(scopes ...people.Scope) error {
	if a.Token == nil {
		return nil
	}
	for _, s := range scopes {
		if a.Token.Has(s) || s == people.ScopeRead && a.Token.Has(people.ScopeReview) {
			return nil
		}
	}
	if len(scopes) == 0 {
		return Errorf(Forbidden, "A token can't do this: sign in.")
	}
	return Errorf(Forbidden, "This token has not the scope %s.", scopes[0])
}

// reaches checks that a token, when one is used, is bound to no other profile; "" is
// the default one.
func (a Actor) reaches(profile string) error {
	if profile == "" {
		profile = DefaultProfile
	}
	if a.Token.Reaches(profile) {
		return nil
	}
	return Errorf(Forbidden, "This token is bound to the profile %s and can't act on the profile %.80q. Name its own: profile=%[1]s, or use another token.", a.Token.Profile, profile)
}

// person checks that somebody with an account acts, since an answer must have a
// giver.
func (a Actor) person() error {
	if a.User == nil {
		return Errorf(Forbidden, "Only a person can do this: use an account, or a token that acts for one.")
	}
	return nil
}

// administrator checks that the actor rules the whole instance.
func (a Actor) administrator() error { return a.allow("", people.Admin) }

// serverFor returns the server of a slug when the actor is at least need there.
func serverFor(ctx context.Context, tx Tx, a Actor, slug string, need people.Role, scopes ...people.Scope) (*Server, error) {
	srv, err := tx.ServerBySlug(ctx, slug)
	if KindOf(err) == NotFound {
		if a.User == nil && a.Token == nil && !a.Shell {
			return nil, Errorf(Unauthenticated, "Sign in, or send a token.")
		}
		return nil, errNoSuchThing
	}
	if err != nil {
		return nil, err
	}
	return srv, a.allow(srv.ID, need, scopes...)
}

// serverIDsFor returns the servers that the actor is at least need on; all is
// true for who rules every one of them.
func serverIDsFor(ctx context.Context, tx Tx, a Actor, need people.Role) (ids []string, all bool, err error) {
	if a.role("").AtLeast(people.Admin) {
		return nil, true, nil
	}
	servers, err := tx.Servers(ctx)
	ids = []string{}
	for _, srv := range servers {
		if a.role(srv.ID).AtLeast(need) {
			ids = append(ids, srv.ID)
		}
	}
	return ids, false, err
}
