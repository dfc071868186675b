package review

import (
	"context"
	"net/url"
	"time"

	"github.com/countersign/countersign/review/people"
)

// SecondFactor is what a person's app shares with us. It counts once a code has
// confirmed it.
type SecondFactor struct {
	UserID      string
	Sealed      []byte // AES-256-GCM under a key derived from SECRET
	CreatedAt   time.Time
	ConfirmedAt time.Time // zero while no code was given
	LastStep    int64     // of the last code that was used; none up to it works again
}

// FactorStore keeps second factors and recovery codes.
type FactorStore interface {
	PutSecondFactor(ctx context.Context, f *SecondFactor) error // or replace it
	SecondFactor(ctx context.Context, userID string) (*SecondFactor, error)
	// UseStep sets the last step; NotFound when it is not later than the one kept.
	UseStep(ctx context.Context, userID string, step int64) error
	DeleteSecondFactor(ctx context.Context, userID string) error // with the recovery codes
	PutRecoveryCodes(ctx context.Context, userID string, hashes [][]byte) error
	UseRecoveryCode(ctx context.Context, userID string, hash []byte, at time.Time) error // NotFound when unknown or used
	CountRecoveryCodes(ctx context.Context, userID string) (int, error)                  // unused ones
}

// FactorSetUp is what a person needs to teach their app, shown to them alone.
type FactorSetUp struct {
	Key string // to type
	URL string // for a picture
}

const factorVault = "countersign: second factors, version 1"

// wrong codes that are let through before a person waits.
const codesPerWindow = 5

// errCode answers for every code that is not taken.
var errCode = Errorf(Unauthenticated, "This code is not right, or was used already. Wait for the next one, or use a recovery code.")

// BeginSecondFactor makes a secret that waits to be confirmed; one that waited
// before is gone. Conflict when the actor has a second factor.
func (s *Service) BeginSecondFactor(ctx context.Context, a Actor) error {
	if err := ownAccount(a); err != nil {
		return err
	}
	v, err := newVault(s.cfg.Secret, factorVault)
	if err != nil {
		return err
	}
	secret := randomBytes(people.FactorSecretBytes)
	return s.store.Update(ctx, func(tx Tx) error {
		u, err := tx.UserByID(ctx, a.User.ID)
		if err != nil {
			return err
		}
		if u.HasSecondFactor() {
			return Errorf(Conflict, "You have a second factor. Remove it first to set up another.")
		}
		return tx.PutSecondFactor(ctx, &SecondFactor{UserID: u.ID, Sealed: v.seal(u.ID, secret), CreatedAt: s.now()})
	})
}

// WaitingSecondFactor returns what the actor's app has to learn, nil when nothing
// waits to be confirmed. Once confirmed nobody gets to see it again.
func (s *Service) WaitingSecondFactor(ctx context.Context, a Actor) (*FactorSetUp, error) {
	if err := ownAccount(a); err != nil {
		return nil, err
	}
	var f *SecondFactor
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		f, err = tx.SecondFactor(ctx, a.User.ID)
		return err
	})
	if KindOf(err) == NotFound || err == nil && !f.ConfirmedAt.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	secret, err := s.unsealFactor(f)
	if err != nil {
		return nil, err
	}
	return &FactorSetUp{Key: people.FactorKey(secret), URL: people.FactorURL(secret, s.issuer(), a.User.Email)}, nil
}

// issuer is how this instance is named in a person's app.
func (s *Service) issuer() string {
	u, err := url.Parse(s.cfg.BaseURL)
	if err != nil || u.Host == "" {
		return "Countersign"
	}
	return "Countersign (" + u.Hostname() + ")"
}

func (s *Service) unsealFactor(f *SecondFactor) ([]byte, error) {
	v, err := newVault(s.cfg.Secret, factorVault)
	if err != nil {
		return nil, err
	}
	secret, err := v.open(f.UserID, f.Sealed)
	if err != nil {
		return nil, &Error{Kind: Unavailable, Err: err,
			Sentence: "The second factor was set up under another SECRET and can't be checked. Whoever runs this instance can remove it: countersign user remove-second-factor."}
	}
	return secret, nil
}

// ConfirmSecondFactor takes a code of the app that was taught, and returns the
// recovery codes, once. From then on signing in asks for a code. Other sessions
// end: they were begun with less.
func (s *Service) ConfirmSecondFactor(ctx context.Context, a Actor, code, keepSession string) ([]string, error) {
	if err := ownAccount(a); err != nil {
		return nil, err
	}
	if err := s.countCode(a.User.ID); err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	err := s.store.Update(ctx, func(tx Tx) error {
		u, err := tx.UserByID(ctx, a.User.ID)
		if err != nil {
			return err
		}
		f, err := tx.SecondFactor(ctx, u.ID)
		if KindOf(err) == NotFound || err == nil && !f.ConfirmedAt.IsZero() {
			return Errorf(Conflict, "No second factor waits to be confirmed. Begin again.")
		}
		if err != nil {
			return err
		}
		secret, err := s.unsealFactor(f)
		if err != nil {
			return err
		}
		step, ok := people.FactorStep(secret, code, s.now())
		if !ok {
			return Errorf(Invalid, "This code is not right. Check that the clock of your phone is, and type the newest code.")
		}
		before := factorFacts(u)
		f.ConfirmedAt, f.LastStep, u.SecondFactorAt = s.now(), step, s.now()
		if err := tx.PutSecondFactor(ctx, f); err != nil {
			return err
		}
		if err := tx.PutRecoveryCodes(ctx, u.ID, hashes); err != nil {
			return err
		}
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "user.second-factor", subject: u.Email, before: before, after: factorFacts(u)})
	})
	if err != nil {
		return nil, err
	}
	s.codes.forget(a.User.ID)
	return codes, s.EndOtherSessions(ctx, a, keepSession)
}

// factorFacts are what the audit says of a second factor: since when, never what.
func factorFacts(u *people.User) any {
	return map[string]any{"user": u.ID, "second_factor": timeOrNil(u.SecondFactorAt)}
}

func newRecoveryCodes() (codes []string, hashes [][]byte) {
	for range people.RecoveryCodes {
		code := people.RecoveryCode(randomBytes(people.RecoveryBytes))
		codes, hashes = append(codes, code), append(hashes, hashSecret(people.FoldRecoveryCode(code)))
	}
	return codes, hashes
}

// NewRecoveryCodes replaces the actor's recovery codes and returns the new ones,
// once.
func (s *Service) NewRecoveryCodes(ctx context.Context, a Actor) ([]string, error) {
	if err := ownAccount(a); err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	err := s.store.Update(ctx, func(tx Tx) error {
		u, err := tx.UserByID(ctx, a.User.ID)
		if err != nil {
			return err
		}
		if !u.HasSecondFactor() {
			return Errorf(Conflict, "You have no second factor, so there is nothing to recover.")
		}
		left, err := tx.CountRecoveryCodes(ctx, u.ID)
		if err != nil {
			return err
		}
		if err := tx.PutRecoveryCodes(ctx, u.ID, hashes); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "user.recovery-codes", subject: u.Email,
			before: map[string]any{"unused": left}, after: map[string]any{"unused": len(hashes)},
		})
	})
	return codes, err
}

// RecoveryCodesLeft counts the actor's unused recovery codes.
func (s *Service) RecoveryCodesLeft(ctx context.Context, a Actor) (int, error) {
	if err := ownAccount(a); err != nil {
		return 0, err
	}
	n := 0
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		n, err = tx.CountRecoveryCodes(ctx, a.User.ID)
		return err
	})
	return n, err
}

// RemoveSecondFactor takes a second factor away: one's own, or as administrator
// anybody's who lost it, whose sessions then end.
func (s *Service) RemoveSecondFactor(ctx context.Context, a Actor, userID string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		own := a.User != nil && a.User.ID == userID
		if err := a.administrator(); err != nil && !own {
			return err
		}
		if err := signedIn(a); err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		if !u.HasSecondFactor() {
			return Errorf(Conflict, "%s has no second factor.", u.Label())
		}
		before := factorFacts(u)
		u.SecondFactorAt = time.Time{}
		if err := tx.UpdateUser(ctx, u); err != nil {
			return err
		}
		if err := tx.DeleteSecondFactor(ctx, u.ID); err != nil {
			return err
		}
		if !own {
			if err := tx.DeleteSessionsOfUser(ctx, u.ID); err != nil {
				return err
			}
		}
		return s.audit(ctx, tx, a, act{name: "user.second-factor-removed", subject: u.Email, before: before, after: factorFacts(u)})
	})
}

// countCode counts a code as wrong before it is looked at, see [Service.attempt].
func (s *Service) countCode(userID string) error {
	if d := s.codes.take(userID, s.now()); d > 0 {
		return &Error{Kind: RateLimited, RetryAfter: d, Sentence: "Too many codes. Wait a few minutes, then try the newest one."}
	}
	return nil
}

// SignInCode is the second half of signing in: a code of the app, or a recovery
// code. The first half, which names the user, was proved before.
func (s *Service) SignInCode(ctx context.Context, userID, code, addr string) (*people.User, error) {
	var u *people.User
	err := s.takeCode(ctx, userID, code, func(tx Tx, found *people.User, what string) error {
		u = found
		return s.audit(ctx, tx, Actor{User: u, Via: "browser", Addr: addr}, act{name: "session.start", subject: u.Email, after: what})
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// takeCode uses a code or a recovery code up and runs then in the transaction,
// with what it was.
func (s *Service) takeCode(ctx context.Context, userID, code string, then func(Tx, *people.User, string) error) error {
	if err := s.countCode(userID); err != nil {
		return err
	}
	err := s.store.Update(ctx, func(tx Tx) error {
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		if !u.Active() || !u.HasSecondFactor() {
			return errCode
		}
		what, err := s.useCode(ctx, tx, u.ID, code)
		if err != nil {
			return err
		}
		return then(tx, u, what)
	})
	if err == nil {
		s.codes.forget(userID)
	}
	return err
}

func (s *Service) useCode(ctx context.Context, tx Tx, userID, code string) (what string, err error) {
	f, err := tx.SecondFactor(ctx, userID)
	if err != nil {
		return "", err
	}
	secret, err := s.unsealFactor(f)
	if err != nil {
		return "", err
	}
	if step, ok := people.FactorStep(secret, code, s.now()); ok {
		if err := tx.UseStep(ctx, userID, step); KindOf(err) == NotFound {
			return "", errCode
		} else if err != nil {
			return "", err
		}
		return "code", nil
	}
	err = tx.UseRecoveryCode(ctx, userID, hashSecret(people.FoldRecoveryCode(code)), s.now())
	if KindOf(err) == NotFound {
		return "", errCode
	}
	return "recovery code", err
}

// Proof is what somebody gives to show that it is still them.
type Proof struct {
	Password, Code string
}

// Prove checks that whoever sits before a session is its owner: by a code where
// there is a second factor, else by the password. Failures are throttled like
// sign-ins.
func (s *Service) Prove(ctx context.Context, a Actor, p Proof) error {
	if err := ownAccount(a); err != nil {
		return err
	}
	if a.User.HasSecondFactor() {
		return s.takeCode(ctx, a.User.ID, p.Code, func(tx Tx, u *people.User, what string) error {
			return s.audit(ctx, tx, a, act{name: "session.prove", subject: u.Email, after: what})
		})
	}
	account, from, now := "account "+foldEmail(a.User.Email), "address "+a.Addr, s.now()
	if d := s.attempt(account, from, now); d > 0 {
		return &Error{Kind: RateLimited, RetryAfter: d, Sentence: "Too many attempts. Wait a few minutes."}
	}
	if _, err := s.userWithPassword(ctx, a.User.Email, p.Password); err != nil {
		if KindOf(err) == Unauthenticated {
			return Errorf(Unauthenticated, "This is not your password.")
		}
		return err
	}
	s.signInAddrs.giveBack(from, now)
	s.signIns.forget(account)
	return s.store.Update(ctx, func(tx Tx) error {
		return s.audit(ctx, tx, a, act{name: "session.prove", subject: a.User.Email, after: "password"})
	})
}

// ProofLasts is how long a proof is good for what has to be proved.
const ProofLasts = 10 * time.Minute

// mayDecide checks that a person who decides has the second factor that the
// instance, or the policy of the server, asks for. A token of a person decides as
// that person.
func (s *Service) mayDecide(a Actor, srv *Server) error {
	if a.User == nil || a.User.HasSecondFactor() || !s.asksSecondFactor(srv) {
		return nil
	}
	return Errorf(Forbidden, "Whoever decides here needs a second factor. Set one up on your account page; until then you can look, not decide.")
}

// asksSecondFactor reports whether deciding on the server takes a second factor.
func (s *Service) asksSecondFactor(srv *Server) bool {
	return s.cfg.SecondFactor || srv.Policy.SecondFactor
}
