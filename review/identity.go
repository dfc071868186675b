package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/people"
)

// Identity is what an identity provider said of somebody, its signature checked.
// Issuer and subject together name a person. The mail address does not: providers
// give addresses anew, and let people choose them.
type Identity struct {
	Issuer, Subject string
	Email           string
	EmailVerified   bool // by the provider
	Name            string
	AuthAt          time.Time // when the person last proved themselves there; zero when it did not say
}

// IdentityLink lets an identity into an account.
type IdentityLink struct {
	Issuer, Subject string
	UserID          string
	Email           string // what the provider called it when it was linked, for people to recognise
	LinkedAt        time.Time
}

// IdentityStore keeps which identities belong to which accounts.
type IdentityStore interface {
	InsertIdentity(ctx context.Context, l *IdentityLink) error // Conflict when the identity is linked
	Identity(ctx context.Context, issuer, subject string) (*IdentityLink, error)
	IdentitiesOfUser(ctx context.Context, userID string) ([]IdentityLink, error) // oldest first
	// DeleteIdentity unlinks a user's identity at an issuer; NotFound when there is none.
	DeleteIdentity(ctx context.Context, userID, issuer string) error
	DeleteIdentitiesOfUser(ctx context.Context, userID string) error
}

// Sign-ins through a provider that an address may begin: each keeps a session for
// some minutes. An office behind one address passes.
const providerStarts = 200

// longestSubject is what OpenID Connect allows.
const longestSubject = 255

// BeginIdentity counts a sign-in that somebody at an address begins at a provider.
func (s *Service) BeginIdentity(addr string) error {
	if d := s.identityStarts.take(addr, s.now()); d > 0 {
		return &Error{Kind: RateLimited, RetryAfter: d, Sentence: "Too many attempts. Wait a few minutes."}
	}
	return nil
}

// SignInIdentity returns the account that an identity is linked to. Somebody new,
// whose mail address is verified and known to no account, gets an account with the
// role of newcomers. An account with the same address is never taken for theirs. Who has a
// second factor is not in yet: SignInCode follows.
func (s *Service) SignInIdentity(ctx context.Context, id Identity, addr string) (*people.User, error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	var u *people.User
	err := s.store.Update(ctx, func(tx Tx) error {
		var err error
		if u, err = s.userOfIdentity(ctx, tx, id, addr); err != nil || u.HasSecondFactor() {
			return err
		}
		return s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr}, act{name: "session.start", subject: u.Email, after: identityFacts(id)})
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

func (id Identity) check() error {
	if id.Issuer == "" || id.Subject == "" || len(id.Subject) > longestSubject || !plainLine(id.Subject) {
		return Errorf(Unauthenticated, "Your identity provider did not say who you are in a way that can be kept. Sign in with your password.")
	}
	return nil
}

// identityFacts is what the audit keeps of an identity.
func identityFacts(id Identity) any {
	return map[string]any{"issuer": id.Issuer, "subject": id.Subject}
}

func (s *Service) userOfIdentity(ctx context.Context, tx Tx, id Identity, addr string) (*people.User, error) {
	link, err := tx.Identity(ctx, id.Issuer, id.Subject)
	if KindOf(err) == NotFound {
		return s.newcomer(ctx, tx, id, addr)
	}
	if err != nil {
		return nil, err
	}
	u, err := tx.UserByID(ctx, link.UserID)
	if err == nil && !u.Active() {
		return nil, Errorf(Unauthenticated, "Your account is disabled. Ask an administrator.")
	}
	return u, err
}

// newcomer makes an account for somebody whom nobody invited: with the role of
// newcomers, which at most reads.
func (s *Service) newcomer(ctx context.Context, tx Tx, id Identity, addr string) (*people.User, error) {
	if !id.EmailVerified || id.Email == "" {
		return nil, Errorf(Forbidden, "Your identity provider does not vouch for your mail address, so no account can be made of it. Ask an administrator for an invitation, and link this sign-in from your account page.")
	}
	n, err := tx.CountUsers(ctx)
	if err != nil {
		return nil, err
	}
	if n == 0 { // whoever is first would close the set-up and rule nothing
		return nil, Errorf(Conflict, "Nobody has an account yet. `countersign serve` printed a link when it started: open it to make the first one.")
	}
	if _, err := tx.UserByEmail(ctx, id.Email); err == nil {
		return nil, Errorf(Conflict, "There is an account with the address %.254s already, and this sign-in is not linked to it. Sign in as usual, then link it from your account page.", id.Email)
	} else if KindOf(err) != NotFound {
		return nil, err
	}
	u, err := s.newUser(ctx, id.Email, id.plainName(), "")
	if err != nil {
		return nil, err
	}
	u.JoinedAt = u.CreatedAt
	if s.cfg.Newcomers == people.Viewer {
		u.Memberships = []people.Membership{{Role: people.Viewer}}
	}
	if err := tx.InsertUser(ctx, u); err != nil {
		return nil, err
	}
	if err := tx.InsertIdentity(ctx, s.identityLink(id, u.ID)); err != nil {
		return nil, err
	}
	return u, s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr},
		act{name: "user.join", subject: u.Email, after: map[string]any{"user": userFacts(u), "identity": identityFacts(id)}, kept: leaving(u)})
}

// plainName is the name that the provider gave, if an account may have it.
func (id Identity) plainName() string {
	if len(id.Name) > 200 || !plainLine(id.Name) {
		return ""
	}
	return id.Name
}

func (s *Service) identityLink(id Identity, userID string) *IdentityLink {
	email := id.Email
	if len(email) > 254 || !plainLine(email) {
		email = ""
	}
	return &IdentityLink{Issuer: id.Issuer, Subject: id.Subject, UserID: userID, Email: email, LinkedAt: s.now()}
}

// Identities lists what is linked to the actor's own account.
func (s *Service) Identities(ctx context.Context, a Actor) ([]IdentityLink, error) {
	if err := ownAccount(a); err != nil {
		return nil, err
	}
	var links []IdentityLink
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		links, err = tx.IdentitiesOfUser(ctx, a.User.ID)
		return err
	})
	return links, err
}

// ownIdentities reads the actor's account as it is now, and what is linked to it.
func ownIdentities(ctx context.Context, tx Tx, a Actor) (*people.User, []IdentityLink, error) {
	u, err := tx.UserByID(ctx, a.User.ID)
	if err != nil {
		return nil, nil, err
	}
	links, err := tx.IdentitiesOfUser(ctx, u.ID)
	return u, links, err
}

// LinkIdentity lets an identity into the actor's own account, from now on. Conflict
// when it belongs to another account, or the account has another one at the issuer.
func (s *Service) LinkIdentity(ctx context.Context, a Actor, id Identity) error {
	if err := ownAccount(a); err != nil {
		return err
	}
	if err := id.check(); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error {
		u, links, err := ownIdentities(ctx, tx, a)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(links, func(l IdentityLink) bool { return l.Issuer == id.Issuer }); i >= 0 {
			if links[i].Subject == id.Subject {
				return nil
			}
			return Errorf(Conflict, "Your account is linked to another sign-in there. Unlink that one first.")
		}
		if err := tx.InsertIdentity(ctx, s.identityLink(id, u.ID)); KindOf(err) == Conflict {
			return Errorf(Conflict, "This sign-in is linked to another account. Sign in with it and unlink it there first.")
		} else if err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "user.identity-linked", subject: u.Email, after: identityFacts(id)})
	})
}

// UnlinkIdentity takes an identity off the actor's own account. Conflict when it is
// the only way in, or not linked.
func (s *Service) UnlinkIdentity(ctx context.Context, a Actor, issuer string) error {
	if err := ownAccount(a); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error {
		u, links, err := ownIdentities(ctx, tx, a)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(links, func(l IdentityLink) bool { return l.Issuer == issuer })
		if i < 0 {
			return Errorf(Conflict, "No such sign-in is linked to your account.")
		}
		if u.PasswordHash == "" && len(links) == 1 {
			return Errorf(Conflict, "You have no password, so nothing else lets you in. Ask an administrator for a reset link: it sets a password, and unlinks this too.")
		}
		if err := tx.DeleteIdentity(ctx, u.ID, issuer); err != nil {
			return err
		}
		l := links[i]
		return s.audit(ctx, tx, a, act{name: "user.identity-unlinked", subject: u.Email, before: identityFacts(Identity{Issuer: l.Issuer, Subject: l.Subject})})
	})
}

// providerClock is how far the clocks of a provider and ours may be apart.
const providerClock = time.Minute

// ProveIdentity checks that whoever sits before a session proved themselves at the
// provider since a time, as somebody whom the account is linked to. It is no proof
// for who has a second factor: they give a code.
func (s *Service) ProveIdentity(ctx context.Context, a Actor, id Identity, since time.Time) error {
	if err := ownAccount(a); err != nil {
		return err
	}
	if a.User.HasSecondFactor() {
		return Errorf(Forbidden, "You have a second factor: prove with a code who you are.")
	}
	if id.AuthAt.Before(since.Add(-providerClock)) {
		return Errorf(Unauthenticated, "Your identity provider did not ask you to sign in anew, so nothing is proved. Sign out here and in again.")
	}
	return s.store.Update(ctx, func(tx Tx) error {
		link, err := tx.Identity(ctx, id.Issuer, id.Subject)
		if KindOf(err) == NotFound || err == nil && link.UserID != a.User.ID {
			return Errorf(Unauthenticated, "You signed in there as somebody whom your account is not linked to.")
		}
		if err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "session.prove", subject: a.User.Email, after: identityFacts(id)})
	})
}
