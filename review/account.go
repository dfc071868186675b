package review

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/review/people"
)

// NewUser is an account to add, with one role on some servers or on every one.
type NewUser struct {
	Email, Name string
	Role        people.Role
	Servers     []string // short names; none is every server
	Password    string   // "" makes an invitation
}

// Sign-in failures that are let through before an account, or an address, waits.
const (
	failuresPerAccount = 10
	failuresPerAddress = 30
	failureWindow      = 10 * time.Minute
)

// passwordHashes is how many password hashes are made at a time: each takes
// 19 MiB and a tenth of a second.
const passwordHashes = 4

// userFacts is what the audit keeps of an account.
func userFacts(u *people.User) accountFacts {
	return accountFacts{ID: u.ID, Email: u.Email, Name: u.Name, Roles: u.Memberships, Disabled: !u.DisabledAt.IsZero()}
}

func foldEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// newUser checks what somebody typed and makes an account of it.
func (s *Service) newUser(ctx context.Context, email, name, password string) (*people.User, error) {
	email, name = strings.TrimSpace(email), strings.TrimSpace(name)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > 254 {
		return nil, Errorf(Invalid, "That is no mail address: write one such as ana@example.com.")
	}
	if len(name) > 200 || !plainLine(name) {
		return nil, Errorf(Invalid, "The name must be one line of at most 200 bytes.")
	}
	u := &people.User{ID: newID(), Email: email, Name: name, CreatedAt: s.now()}
	if password == "" {
		return u, nil
	}
	var err error
	u.JoinedAt = u.CreatedAt
	u.PasswordHash, err = s.hashNew(ctx, password)
	return u, err
}

// plainLine reports whether s is text without control or invisible characters.
func plainLine(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// hashNew checks and hashes a password that somebody chose.
func (s *Service) hashNew(ctx context.Context, password string) (string, error) {
	if why := people.CheckNewPassword(password); why != "" {
		return "", Errorf(Invalid, "%s", why)
	}
	var hash string
	err := s.hashing(ctx, func() { hash = people.HashPassword(password, randomBytes(people.SaltBytes)) })
	return hash, err
}

// hashing runs f when fewer than passwordHashes others run.
func (s *Service) hashing(ctx context.Context, f func()) error {
	select {
	case s.hashes <- struct{}{}:
		defer func() { <-s.hashes }()
		f()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SignIn checks a password. One sentence covers a wrong address and a wrong
// password; failures are throttled per address and per account. Who has a second
// factor is not in yet: SignInCode follows.
func (s *Service) SignIn(ctx context.Context, email, password, addr string) (*people.User, error) {
	account, from, now := "account "+foldEmail(email), "address "+addr, s.now()
	if d := s.attempt(account, from, now); d > 0 {
		return nil, &Error{Kind: RateLimited, RetryAfter: d, Sentence: "Too many attempts. Wait a few minutes, or ask an administrator for a reset link."}
	}
	u, err := s.userWithPassword(ctx, email, password)
	if KindOf(err) == Unauthenticated {
		return nil, err
	}
	s.signInAddrs.giveBack(from, now)
	if err != nil {
		s.signIns.giveBack(account, now)
		return nil, err
	}
	s.signIns.forget(account)
	if u.HasSecondFactor() {
		return u, nil
	}
	err = s.store.Update(ctx, func(tx Tx) error {
		return s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr}, act{name: "session.start", subject: u.Email, after: "password"})
	})
	return u, err
}

// attempt counts a sign-in as failed before its password is looked at, since
// guesses that are sent at once would all pass a count that comes after; whoever
// is right gets it back. It returns how long to wait when there were too many.
func (s *Service) attempt(account, from string, now time.Time) time.Duration {
	if d := s.signInAddrs.take(from, now); d > 0 {
		return d
	}
	d := s.signIns.take(account, now)
	if d > 0 {
		s.signInAddrs.giveBack(from, now)
	}
	return d
}

// userWithPassword returns the active account that the two belong to. A hash is
// made in any case, so that the time taken says nothing about who has an account.
func (s *Service) userWithPassword(ctx context.Context, email, password string) (*people.User, error) {
	u, err := s.userByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	stored := ""
	if u.Active() {
		stored = u.PasswordHash
	}
	matches := false
	if err := s.hashing(ctx, func() { matches = people.PasswordMatches(stored, password) }); err != nil {
		return nil, err
	}
	if !matches {
		return nil, Errorf(Unauthenticated, "Wrong address or password.")
	}
	return u, nil
}

// userByEmail returns the account, nil when there is none.
func (s *Service) userByEmail(ctx context.Context, email string) (*people.User, error) {
	var u *people.User
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		u, err = tx.UserByEmail(ctx, strings.TrimSpace(email))
		return err
	})
	if KindOf(err) == NotFound {
		return nil, nil
	}
	return u, err
}

// UserByEmail finds an active account for administration.
func (s *Service) UserByEmail(ctx context.Context, a Actor, email string) (*people.User, error) {
	if err := a.administrator(); err != nil {
		return nil, err
	}
	u, err := s.userByEmail(ctx, email)
	if err == nil && !u.Active() {
		return nil, Errorf(NotFound, "There is no active account with the address %.254q.", email)
	}
	return u, err
}

// UserByID returns the user of a session; Unauthenticated when the account is gone
// or disabled.
func (s *Service) UserByID(ctx context.Context, id string) (*people.User, error) {
	var u *people.User
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		u, err = tx.UserByID(ctx, id)
		return err
	})
	if KindOf(err) == NotFound || err == nil && !u.Active() {
		return nil, Errorf(Unauthenticated, "Your account is disabled. Ask an administrator.")
	}
	return u, err
}

// Users lists accounts by address: all of them for an administrator, those with a
// role on a server of theirs for a maintainer.
func (s *Service) Users(ctx context.Context, a Actor) ([]people.User, error) {
	var users []people.User
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		users, err = s.usersFor(ctx, tx, a)
		return err
	})
	return users, err
}

func (s *Service) usersFor(ctx context.Context, tx Tx, a Actor) ([]people.User, error) {
	if err := a.scope(); err != nil {
		return nil, err
	}
	ids, all, err := serverIDsFor(ctx, tx, a, people.Maintainer)
	if err != nil {
		return nil, err
	}
	if !all && len(ids) == 0 {
		return nil, Errorf(Forbidden, "This takes the role maintainer on a server.")
	}
	users, err := tx.Users(ctx)
	if !all {
		users = slices.DeleteFunc(users, func(u people.User) bool { return !memberOf(&u, ids) })
	}
	return users, err
}

// memberOf reports whether the user has a role on one of the servers.
func memberOf(u *people.User, serverIDs []string) bool {
	return slices.ContainsFunc(u.Memberships, func(m people.Membership) bool {
		return m.ServerID == "" || slices.Contains(serverIDs, m.ServerID)
	})
}

// grantScope returns the id of the server that a role is granted on ("" for every
// one), when the actor may grant it: maintainers on their server, administrators
// everywhere, nobody above their own role.
func grantScope(ctx context.Context, tx Tx, a Actor, slug string, role people.Role) (string, error) {
	id := ""
	if slug == "" {
		if err := a.administrator(); err != nil {
			return "", err
		}
	} else {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return "", err
		}
		id = srv.ID
	}
	if !a.role(id).AtLeast(role) {
		return "", Errorf(Forbidden, "Nobody grants a role above their own: you are %s here.", a.role(id))
	}
	return id, nil
}

// AddUser adds an account. Without a password it returns an invitation link. An
// account that exists gets the role on the servers, and no link; where it has one
// already, or for every server, that is a Conflict. One that nobody came for yet is
// invited again.
func (s *Service) AddUser(ctx context.Context, a Actor, n NewUser) (*people.User, string, error) {
	if _, ok := people.ParseRole(string(n.Role)); !ok {
		return nil, "", Errorf(Invalid, "The role %.40q is unknown: use admin, maintainer, reviewer or viewer.", n.Role)
	}
	if n.Role == people.Admin && len(n.Servers) > 0 {
		return nil, "", Errorf(Invalid, "An administrator is one for every server: leave the server out, or use maintainer.")
	}
	if n.Password != "" && !a.Shell {
		return nil, "", Errorf(Forbidden, "Nobody sets a password for another: add the account without one and hand over the invitation.")
	}
	fresh, err := s.newUser(ctx, n.Email, n.Name, n.Password)
	if err != nil {
		return nil, "", err
	}
	var u *people.User
	var link string
	err = s.store.Update(ctx, func(tx Tx) error {
		u, link, err = s.addUser(ctx, tx, a, n, *fresh)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return u, link, nil
}

func (s *Service) addUser(ctx context.Context, tx Tx, a Actor, n NewUser, u people.User) (*people.User, string, error) {
	grants, err := grants(ctx, tx, a, n)
	if err != nil {
		return nil, "", err
	}
	known, err := tx.UserByEmail(ctx, u.Email)
	switch {
	case err == nil && (known.Joined() || n.Password != ""):
		return s.addMember(ctx, tx, a, known, grants, n)
	case err == nil:
		return s.inviteAgain(ctx, tx, a, known, grants)
	case KindOf(err) != NotFound:
		return nil, "", err
	}
	u.InvitedBy, u.Memberships = a.userID(), grants
	if err := tx.InsertUser(ctx, &u); err != nil {
		return nil, "", err
	}
	link := ""
	if n.Password == "" {
		if link, err = s.newLink(ctx, tx, a, LinkInvite, u.ID); err != nil {
			return nil, "", err
		}
	}
	return &u, link, s.auditGrants(ctx, tx, a, act{name: "user.add", subject: u.Email, after: userFacts(&u), kept: leaving(&u)}, grants)
}

// grants are the memberships that a new account is to have, when the actor may
// give them.
func grants(ctx context.Context, tx Tx, a Actor, n NewUser) ([]people.Membership, error) {
	slugs := slices.Compact(slices.Sorted(slices.Values(n.Servers)))
	if len(slugs) == 0 {
		slugs = []string{""}
	}
	var out []people.Membership
	for _, slug := range slugs {
		id, err := grantScope(ctx, tx, a, slug, n.Role)
		if err != nil {
			return nil, err
		}
		out = append(out, people.Membership{ServerID: id, Role: n.Role})
	}
	return out, nil
}

// auditGrants writes an act down for each server that it is about, so that those
// who maintain one of them can read it.
func (s *Service) auditGrants(ctx context.Context, tx Tx, a Actor, what act, ms []people.Membership) error {
	for _, m := range ms {
		what.serverID = m.ServerID
		if err := s.audit(ctx, tx, a, what); err != nil {
			return err
		}
	}
	return nil
}

// addMember gives an account that exists a role on more servers.
func (s *Service) addMember(ctx context.Context, tx Tx, a Actor, u *people.User, grants []people.Membership, n NewUser) (*people.User, string, error) {
	for _, g := range grants {
		if g.ServerID == "" || membership(u, g.ServerID) != people.NoRole || n.Password != "" || !u.Active() {
			return nil, "", Errorf(Conflict, "%s has an account already. Change its role instead.", u.Email)
		}
		if _, err := s.giveRole(ctx, tx, a, u, g.ServerID, g.Role); err != nil {
			return nil, "", err
		}
	}
	return u, "", nil
}

// SetRole gives a user a role on a server, or on every server when serverSlug is
// empty; NoRole takes it away. Nobody gives or takes more than they have, and the
// last administrator stays one. A role with which more may decide waits for a second
// person where there are two: then the proposal comes back.
func (s *Service) SetRole(ctx context.Context, a Actor, userID, serverSlug string, role people.Role) (*Proposal, error) {
	if _, ok := people.ParseRole(string(role)); !ok && role != people.NoRole {
		return nil, Errorf(Invalid, "The role %.40q is unknown: use admin, maintainer, reviewer or viewer.", role)
	}
	if role == people.Admin && serverSlug != "" {
		return nil, Errorf(Invalid, "An administrator is one for every server: leave the server out, or use maintainer.")
	}
	var waits *Proposal
	err := s.store.Update(ctx, func(tx Tx) error {
		serverID, err := grantScope(ctx, tx, a, serverSlug, role)
		if err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		if !a.role(serverID).AtLeast(membership(u, serverID)) {
			return Errorf(Forbidden, "%s has a role above yours here.", u.Label())
		}
		waits, err = s.giveRole(ctx, tx, a, u, serverID, role)
		return err
	})
	return waits, err
}

// giveRole sets a role, or proposes one with which more may decide where there is a
// second person to agree.
func (s *Service) giveRole(ctx context.Context, tx Tx, a Actor, u *people.User, serverID string, role people.Role) (*Proposal, error) {
	p := &Proposal{ServerID: serverID, Kind: ProposedRole, ProposalDetails: ProposalDetails{UserID: u.ID, User: u.Label(), Role: role}}
	if role.AtLeast(people.Reviewer) && !u.RoleOn(serverID).AtLeast(role) {
		users, err := tx.Users(ctx)
		if err != nil {
			return nil, err
		}
		if s.takesTwo(a, users, serverID, u.ID, p.needs()) {
			return p, s.propose(ctx, tx, a, p)
		}
	}
	return nil, s.setRole(ctx, tx, a, u, serverID, role)
}

// membership returns the role that the user has on exactly this server, or on all
// for "".
func membership(u *people.User, serverID string) people.Role {
	for _, m := range u.Memberships {
		if m.ServerID == serverID {
			return m.Role
		}
	}
	return people.NoRole
}

func (s *Service) setRole(ctx context.Context, tx Tx, a Actor, u *people.User, serverID string, role people.Role) error {
	before := userFacts(u)
	old := membership(u, serverID)
	u.Memberships = slices.DeleteFunc(slices.Clone(u.Memberships), func(m people.Membership) bool { return m.ServerID == serverID })
	if role != people.NoRole {
		u.Memberships = append(u.Memberships, people.Membership{ServerID: serverID, Role: role})
	}
	if err := tx.UpdateUser(ctx, u); err != nil {
		return err
	}
	if old == people.Admin && role != people.Admin {
		if err := keepsAdministrator(ctx, tx); err != nil {
			return err
		}
	}
	return s.audit(ctx, tx, a, act{name: "user.role", serverID: serverID, subject: u.Email, before: before, after: userFacts(u), kept: leaving(u)})
}

// keepsAdministrator checks, after a change, that somebody still rules.
func keepsAdministrator(ctx context.Context, tx Tx) error {
	users, err := tx.Users(ctx)
	if err != nil {
		return err
	}
	for i := range users {
		if users[i].RoleOn("") == people.Admin {
			return nil
		}
	}
	return Errorf(Conflict, "This is the last administrator. Make somebody else one first.")
}

// DisableUser ends an account, its sessions and its tokens. Its rejections stay.
func (s *Service) DisableUser(ctx context.Context, a Actor, userID string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		if err := a.administrator(); err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		if !u.Active() {
			return nil
		}
		before, ruled := userFacts(u), u.RoleOn("") == people.Admin
		u.DisabledAt = s.now()
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		if ruled {
			if err := keepsAdministrator(ctx, tx); err != nil {
				return err
			}
		}
		if err := s.endAccess(ctx, tx, u.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "user.disable", subject: u.Email, before: before, after: userFacts(u), kept: leaving(u)})
	})
}

// ResetLink makes a link that sets a new password.
func (s *Service) ResetLink(ctx context.Context, a Actor, email string) (string, error) {
	var url string
	err := s.store.Update(ctx, func(tx Tx) error {
		if err := a.administrator(); err != nil {
			return err
		}
		u, err := tx.UserByEmail(ctx, strings.TrimSpace(email))
		if KindOf(err) == NotFound || err == nil && !u.Active() {
			return Errorf(NotFound, "There is no active account with the address %.254q.", email)
		}
		if err != nil {
			return err
		}
		if url, err = s.newLink(ctx, tx, a, LinkReset, u.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "link.create", subject: u.Email, after: LinkReset})
	})
	return url, err
}
