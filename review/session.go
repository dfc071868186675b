package review

import (
	"context"
	"slices"

	"github.com/countersign/countersign/review/people"
)

// Sessions lists the actor's own sessions, the one used last first.
func (s *Service) Sessions(ctx context.Context, a Actor) ([]people.Session, error) {
	if err := ownAccount(a); err != nil {
		return nil, err
	}
	var list []people.Session
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		list, err = tx.SessionsOfUser(ctx, a.User.ID)
		return err
	})
	slices.SortStableFunc(list, func(x, y people.Session) int { return y.Seen.Compare(x.Seen) })
	return list, err
}

// ownAccount checks that a person acts on their own account, and no token for
// them: a token that leaks must not be able to lock its owner out.
func ownAccount(a Actor) error {
	if a.User == nil {
		return Errorf(Unauthenticated, "Sign in first.")
	}
	return a.scope()
}

// EndSession ends one of the actor's own sessions; one that has ended is no error.
func (s *Service) EndSession(ctx context.Context, a Actor, id string) error {
	return s.endSessions(ctx, a, func(session people.Session) bool { return session.ID == id })
}

// EndOtherSessions ends all of the actor's own sessions but one.
func (s *Service) EndOtherSessions(ctx context.Context, a Actor, keep string) error {
	return s.endSessions(ctx, a, func(session people.Session) bool { return session.ID != keep })
}

func (s *Service) endSessions(ctx context.Context, a Actor, which func(people.Session) bool) error {
	if err := ownAccount(a); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error {
		list, err := tx.SessionsOfUser(ctx, a.User.ID)
		if err != nil {
			return err
		}
		for _, session := range list {
			if !which(session) {
				continue
			}
			if err := tx.DeleteSession(ctx, a.User.ID, session.ID); err != nil {
				return err
			}
			if err := s.audit(ctx, tx, a, act{name: "session.end", subject: a.User.Email, before: sessionFacts(session)}); err != nil {
				return err
			}
		}
		return nil
	})
}

func sessionCount(n int) any { return map[string]any{"sessions": n} }

func sessionFacts(session people.Session) any {
	return map[string]any{"since": session.Since, "addr": session.Addr}
}

// EndSessionsOf ends every session of an account; its tokens stay.
func (s *Service) EndSessionsOf(ctx context.Context, a Actor, userID string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		if err := a.administrator(); err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		list, err := tx.SessionsOfUser(ctx, u.ID)
		if err != nil {
			return err
		}
		if err := tx.DeleteSessionsOfUser(ctx, u.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "session.end-all", subject: u.Email, before: sessionCount(len(list)), after: sessionCount(0)})
	})
}
