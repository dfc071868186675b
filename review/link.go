package review

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/countersign/countersign/review/people"
)

// How long links work.
const (
	linkTTL       = time.Hour
	invitationTTL = 72 * time.Hour
)

// errNoLink answers for every link that can't be used, whatever the cause.
var errNoLink = Errorf(NotFound, "This link was used, has expired, or never was one. Ask for a new one.")

// secretBytes is how much chance is in tokens, links and webhook secrets.
const secretBytes = 32

// newSecret returns 256 random bits as text that fits into an address.
func newSecret() string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(secretBytes))
}

// randomBytes never fails: the program ends where there is no chance to be had.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

func hashSecret(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// newLink stores a link and returns its address, which BaseURL alone decides. Of
// the links that let somebody into an account only the newest works.
func (s *Service) newLink(ctx context.Context, tx Tx, a Actor, kind LinkKind, userID string) (string, error) {
	token, ttl := newSecret(), linkTTL
	if kind == LinkInvite {
		ttl = invitationTTL
	}
	if kind == LinkInvite || kind == LinkReset {
		if err := tx.EndLinksOfUser(ctx, userID, accountLinks, s.now()); err != nil {
			return "", err
		}
	}
	l := &Link{Hash: hashSecret(token), Kind: kind, UserID: userID, ExpiresAt: s.now().Add(ttl), MadeBy: a.userID(), MadeAt: s.now()}
	return s.url("/links/" + token), tx.InsertLink(ctx, l)
}

// accountLinks set the password of an account.
var accountLinks = []LinkKind{LinkInvite, LinkReset}

// usableLink returns a link of one of kinds that was not used and has not expired,
// and its user.
func (s *Service) usableLink(ctx context.Context, tx Tx, token string, kinds ...LinkKind) (*Link, *people.User, error) {
	l, err := tx.LinkByHash(ctx, hashSecret(token))
	if KindOf(err) == NotFound {
		return nil, nil, errNoLink
	}
	if err != nil {
		return nil, nil, err
	}
	fits := len(kinds) == 0
	for _, k := range kinds {
		fits = fits || l.Kind == k
	}
	if !fits || !l.UsedAt.IsZero() || !s.now().Before(l.ExpiresAt) {
		return nil, nil, errNoLink
	}
	if l.Kind == LinkSetUp {
		return l, nil, s.stillEmpty(ctx, tx)
	}
	u, err := tx.UserByID(ctx, l.UserID)
	if err != nil || !u.Active() {
		return nil, nil, errNoLink
	}
	return l, u, nil
}

// useLink takes a link of one of kinds, once. Of two that try at once one wins.
func (s *Service) useLink(ctx context.Context, tx Tx, token string, kinds ...LinkKind) (*people.User, error) {
	l, u, err := s.usableLink(ctx, tx, token, kinds...)
	if err != nil {
		return nil, err
	}
	if err := tx.UseLink(ctx, l.Hash, s.now()); KindOf(err) == Conflict {
		return nil, errNoLink
	} else if err != nil {
		return nil, err
	}
	return u, nil
}

// stillEmpty checks that no user ever existed.
func (s *Service) stillEmpty(ctx context.Context, tx Tx) error {
	n, err := tx.CountUsers(ctx)
	if err == nil && n > 0 {
		return Errorf(Conflict, "This instance is set up already. Sign in.")
	}
	return err
}

// SetUpNeeded reports whether no user ever existed, so that a set-up link may be
// made.
func (s *Service) SetUpNeeded(ctx context.Context) (bool, error) {
	needed := false
	err := s.store.View(ctx, func(tx Tx) error {
		n, err := tx.CountUsers(ctx)
		needed = n == 0
		return err
	})
	return needed, err
}

// NewSetUpLink makes the link that creates the first administrator. It is a
// Conflict once a user exists.
func (s *Service) NewSetUpLink(ctx context.Context) (string, error) {
	var url string
	err := s.store.Update(ctx, func(tx Tx) error {
		if err := s.stillEmpty(ctx, tx); err != nil {
			return err
		}
		var err error
		if url, err = s.newLink(ctx, tx, shellActor, LinkSetUp, ""); err != nil {
			return err
		}
		return s.audit(ctx, tx, shellActor, act{name: "link.create", subject: string(LinkSetUp), after: LinkSetUp})
	})
	return url, err
}

// shellActor is the program itself, or who runs it.
var shellActor = Actor{Shell: true, Via: "shell"}

// Link returns a usable link and its user (nil for set-up) and changes nothing, so
// that a scanner that opens it does no harm. NotFound when it is unknown, used or
// expired.
func (s *Service) Link(ctx context.Context, token string) (*Link, *people.User, error) {
	var l *Link
	var u *people.User
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		l, u, err = s.usableLink(ctx, tx, token)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return l, u, nil
}

// UseSetUp creates the first administrator.
func (s *Service) UseSetUp(ctx context.Context, token, email, name, password, addr string) (*people.User, error) {
	u, err := s.newUser(ctx, email, name, password)
	if err != nil {
		return nil, err
	}
	u.JoinedAt, u.Memberships = s.now(), []people.Membership{{Role: people.Admin}}
	err = s.store.Update(ctx, func(tx Tx) error {
		if _, err := s.useLink(ctx, tx, token, LinkSetUp); err != nil {
			return err
		}
		if err := tx.InsertUser(ctx, u); err != nil {
			return err
		}
		return s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr}, act{name: "user.set-up", subject: u.Email, after: userFacts(u), kept: leaving(u)})
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// UseReset sets a password by an invitation or reset link, and ends the sessions
// and tokens of the account. Identities are unlinked: whoever took the account over
// may have linked theirs.
func (s *Service) UseReset(ctx context.Context, token, password, addr string) (*people.User, error) {
	if _, _, err := s.Link(ctx, token); err != nil {
		return nil, err // before a hash is made for nothing
	}
	hash, err := s.hashNew(ctx, password)
	if err != nil {
		return nil, err
	}
	var u *people.User
	err = s.store.Update(ctx, func(tx Tx) error {
		if u, err = s.useLink(ctx, tx, token, LinkInvite, LinkReset); err != nil {
			return err
		}
		u.PasswordHash = hash
		s.join(u)
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		if err := tx.EndLinksOfUser(ctx, u.ID, accountLinks, s.now()); err != nil {
			return err
		}
		if err := s.endAccess(ctx, tx, u.ID); err != nil {
			return err
		}
		if err := tx.DeleteIdentitiesOfUser(ctx, u.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr}, act{name: "user.password", subject: u.Email, after: map[string]any{"user": u.ID, "sessions": 0, "tokens": 0, "identities": 0}, kept: leaving(u)})
	})
	if err != nil {
		return nil, err
	}
	s.signIns.forget("account " + foldEmail(u.Email))
	return u, nil
}

// join remembers when somebody first came for an account.
func (s *Service) join(u *people.User) {
	if !u.Joined() {
		u.JoinedAt = s.now()
	}
}

// endAccess ends a user's sessions and tokens.
func (s *Service) endAccess(ctx context.Context, tx Tx, userID string) error {
	if err := tx.DeleteSessionsOfUser(ctx, userID); err != nil {
		return err
	}
	return tx.RevokeTokensOfUser(ctx, userID, s.now())
}

// UseSignInLink signs a user in by a link of the demo.
func (s *Service) UseSignInLink(ctx context.Context, token, addr string) (*people.User, error) {
	var u *people.User
	err := s.store.Update(ctx, func(tx Tx) error {
		var err error
		if u, err = s.useLink(ctx, tx, token, LinkSignIn); err != nil {
			return err
		}
		s.join(u)
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		if u.HasSecondFactor() {
			return nil // not in yet
		}
		return s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr}, act{name: "session.start", subject: u.Email, after: map[string]any{"by": "link"}, kept: leaving(u)})
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// DemoSignInLink makes a link that signs the user in once. Only the demo, on
// loopback, hands it out.
func (s *Service) DemoSignInLink(ctx context.Context, userID string) (string, error) {
	var url string
	err := s.store.Update(ctx, func(tx Tx) error {
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		if url, err = s.newLink(ctx, tx, shellActor, LinkSignIn, u.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, shellActor, act{name: "link.create", subject: u.Email, after: LinkSignIn})
	})
	return url, err
}
