package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
)

// NewToken is a token to make.
type NewToken struct {
	Name       string
	ServerSlug string // "" is every server
	Profile    string // of the server, pushed to or not yet; "" is every profile
	UserEmail  string // "" is a machine
	Scopes     []people.Scope
	Days       int // until it expires; 0 is 90, at most 365
}

const (
	tokenPrefix  = "cs_"
	tokenDays    = 90
	maxTokenDays = 365
	// touchEvery is how exact the time of last use is: a write for each request
	// would cost more than it tells.
	touchEvery = 5 * time.Minute
)

// errBadToken answers for every token that can't be used, whatever the cause.
var errBadToken = Errorf(Unauthenticated, "This token is unknown, has expired or was revoked. Make a new one.")

// TokenActor finds out who a bearer token acts for. Unauthenticated when it is
// unknown, expired or revoked, or its user is disabled.
func (s *Service) TokenActor(ctx context.Context, bearer, addr string) (Actor, error) {
	a := Actor{Via: "token", Addr: addr}
	err := s.store.View(ctx, func(tx Tx) error {
		t, err := tx.TokenByHash(ctx, hashSecret(bearer))
		if KindOf(err) == NotFound {
			return errBadToken
		}
		if err != nil {
			return err
		}
		if !t.RevokedAt.IsZero() || !s.now().Before(t.ExpiresAt) {
			return errBadToken
		}
		a.Token = t
		if t.UserID == "" {
			return nil
		}
		a.User, err = tx.UserByID(ctx, t.UserID)
		if err == nil && !a.User.Active() {
			return errBadToken
		}
		return err
	})
	if err != nil {
		return Actor{}, err
	}
	return a, s.touch(ctx, a.Token)
}

// touch remembers that a token was used.
func (s *Service) touch(ctx context.Context, t *people.Token) error {
	if s.now().Sub(t.LastUsed) < touchEvery {
		return nil
	}
	return s.store.Update(ctx, func(tx Tx) error { return tx.TouchToken(ctx, t.ID, s.now()) })
}

// TokenView is a token with the names of whom it is about.
type TokenView struct {
	people.Token
	User  string // label of whom it acts as, "" for a machine
	Maker string // label of who made it, "" for the command line and where it is not known
}

// Tokens lists tokens, newest first: an administrator sees all, others their own
// and those of servers that they maintain.
func (s *Service) Tokens(ctx context.Context, a Actor) ([]TokenView, error) {
	var views []TokenView
	err := s.store.View(ctx, func(tx Tx) error {
		if err := signedIn(a); err != nil {
			return err
		}
		tokens, err := tx.Tokens(ctx)
		if err != nil {
			return err
		}
		users, err := tx.Users(ctx)
		if err != nil {
			return err
		}
		labels := map[string]string{}
		for i := range users {
			labels[users[i].ID] = users[i].Label()
		}
		for _, t := range tokens {
			if mayManage(a, &t) {
				views = append(views, TokenView{Token: t, User: labels[t.UserID], Maker: labels[t.MadeBy]})
			}
		}
		return nil
	})
	return views, err
}

// signedIn checks that a person or the shell acts, and no token.
func signedIn(a Actor) error {
	if a.User == nil && !a.Shell {
		return Errorf(Unauthenticated, "Sign in first.")
	}
	return a.scope()
}

// mayManage reports whether the actor may see and end a token: one's own, a
// machine's on a server that one maintains, any as administrator.
func mayManage(a Actor, t *people.Token) bool {
	switch {
	case a.role("").AtLeast(people.Admin):
		return true
	case t.UserID != "":
		return t.UserID == a.userID()
	}
	return t.ServerID != "" && a.role(t.ServerID).AtLeast(people.Maintainer)
}

// CreateToken makes a token. The secret is returned once and not kept. In the
// browser nobody makes a token that acts for another.
func (s *Service) CreateToken(ctx context.Context, a Actor, n NewToken) (string, *people.Token, error) {
	if err := checkToken(a, &n); err != nil {
		return "", nil, err
	}
	secret := tokenPrefix + newSecret()
	t := &people.Token{
		ID: newID(), Hash: hashSecret(secret), Hint: secret[len(secret)-4:], Name: n.Name, Profile: n.Profile,
		MadeBy: a.userID(), Scopes: n.Scopes, FromShell: a.Shell, CreatedAt: s.now(), ExpiresAt: s.now().AddDate(0, 0, n.Days),
	}
	err := s.store.Update(ctx, func(tx Tx) error {
		if err := s.bindToken(ctx, tx, a, n, t); err != nil {
			return err
		}
		if !mayManage(a, t) {
			return Errorf(Forbidden, "You may make tokens for yourself, and for machines on servers that you maintain.")
		}
		if err := tx.InsertToken(ctx, t); err != nil {
			return err
		}
		if err := s.tellOfToken(ctx, tx, a, t); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "token.create", serverID: t.ServerID, subject: t.Name, after: tokenFacts(t), kept: leaving(t)})
	})
	if err != nil {
		return "", nil, err
	}
	return secret, t, nil
}

// tellOfToken tells a person that something decides as them which they did not make
// themselves: whoever has the command line makes it without their password.
func (s *Service) tellOfToken(ctx context.Context, tx Tx, a Actor, t *people.Token) error {
	if !t.FromShell || !t.Has(people.ScopeReview) {
		return nil
	}
	return tx.InsertNotices(ctx, []Notice{{
		ID: newID(), UserID: t.UserID, Kind: NoticeToken, Actor: a.Label(), At: s.now(),
		Text: fmt.Sprintf("made %s (…%s), a token that decides as you. Revoke it if you did not ask for it.", t.Name, t.Hint),
	}})
}

// tokenFacts is what the audit keeps of a token.
func tokenFacts(t *people.Token) any {
	return map[string]any{"id": t.ID, "hint": t.Hint, "scopes": t.Scopes, "profile": t.Profile, "user": t.UserID, "expires": t.ExpiresAt}
}

// checkToken checks what was asked for and fills in what was left out.
func checkToken(a Actor, n *NewToken) error {
	if err := signedIn(a); err != nil {
		return err
	}
	n.Name = strings.TrimSpace(n.Name)
	if n.Name == "" {
		n.Name = "token " + s4()
	}
	if n.Days == 0 {
		n.Days = tokenDays
	}
	switch {
	case len(n.Name) > 100 || !plainLine(n.Name):
		return Errorf(Invalid, "The token's name must be one line of at most 100 bytes.")
	case n.Days < 0 || n.Days > maxTokenDays:
		return Errorf(Invalid, "A token lives 1 to %d days.", maxTokenDays)
	case len(n.Scopes) == 0:
		return Errorf(Invalid, "Name at least one scope: push, gate, read or review.")
	case slices.Contains(n.Scopes, people.ScopeReview) && n.UserEmail == "":
		return Errorf(Invalid, "A token with the scope review acts for a person: name the user.")
	}
	for _, sc := range n.Scopes {
		if _, ok := people.ParseScope(string(sc)); !ok {
			return Errorf(Invalid, "The scope %.40q is unknown: use push, gate, read or review.", sc)
		}
	}
	return n.checkProfile()
}

// checkProfile checks what a token is bound to. Only what pushes and asks the gate can
// be: whoever reads or reviews a server compares its profiles.
func (n *NewToken) checkProfile() error {
	wider := func(sc people.Scope) bool { return sc != people.ScopePush && sc != people.ScopeGate }
	switch {
	case n.Profile == "":
		return nil
	case !profileForm.MatchString(n.Profile):
		return errProfile(n.Profile)
	case n.ServerSlug == "":
		return Errorf(Invalid, "A profile is of one server: name the server too.")
	case slices.ContainsFunc(n.Scopes, wider):
		return Errorf(Invalid, "A token that is bound to a profile can push and ask the gate. Leave out read and review, or the profile.")
	}
	return nil
}

// s4 tells unnamed tokens apart.
func s4() string { return newSecret()[:4] }

// bindToken sets the token's server and user.
func (s *Service) bindToken(ctx context.Context, tx Tx, a Actor, n NewToken, t *people.Token) error {
	if n.ServerSlug != "" {
		srv, err := serverFor(ctx, tx, a, n.ServerSlug, people.Viewer)
		if err != nil {
			return err
		}
		t.ServerID = srv.ID
	}
	if n.UserEmail == "" {
		return nil
	}
	u, err := tx.UserByEmail(ctx, strings.TrimSpace(n.UserEmail))
	unknown := KindOf(err) == NotFound || err == nil && !u.Active()
	switch {
	case !a.Shell && (unknown || err == nil && u.ID != a.userID()):
		return Errorf(Forbidden, "You may make tokens for yourself, and for machines on servers that you maintain.")
	case unknown:
		return Errorf(NotFound, "There is no active account with the address %.254q.", n.UserEmail)
	case err != nil:
		return err
	}
	t.UserID = u.ID
	return nil
}

// RevokeToken ends a token.
func (s *Service) RevokeToken(ctx context.Context, a Actor, id string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		if err := signedIn(a); err != nil {
			return err
		}
		t, err := tx.TokenByID(ctx, id)
		if err != nil {
			return err
		}
		if !mayManage(a, t) {
			return errNoSuchThing
		}
		revoked := s.now()
		if err := tx.RevokeToken(ctx, id, revoked); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "token.revoke", serverID: t.ServerID, subject: t.Name,
			before: tokenFacts(t), after: map[string]any{"id": t.ID, "revoked": revoked},
		})
	})
}
