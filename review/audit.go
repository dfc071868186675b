package review

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/countersign/countersign/review/people"
)

// act is one thing done, on its way into the audit.
type act struct {
	name          string // noun.verb
	serverID      string
	subject       string
	before, after any // nil for none; never a secret
}

// audit appends an act to the audit, in the transaction that does it.
func (s *Service) audit(ctx context.Context, tx Tx, a Actor, what act) error {
	before, err := auditJSON(what.before)
	if err != nil {
		return err
	}
	after, err := auditJSON(what.after)
	if err != nil {
		return err
	}
	return tx.AppendAudit(ctx, &AuditEntry{
		ID: newID(), At: s.now(), ActorID: a.userID(), Actor: a.Label(), Via: a.Via, Addr: a.Addr,
		Act: what.name, ServerID: what.serverID, Subject: what.subject, Before: before, After: after,
	})
}

func auditJSON(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("audit: %w", err)
	}
	return string(b), nil
}

// AuditLog lists acts, newest first; "" is every server that the actor maintains,
// and for an administrator also what belongs to none.
func (s *Service) AuditLog(ctx context.Context, a Actor, slug string, p Page) ([]AuditEntry, error) {
	var entries []AuditEntry
	err := s.store.View(ctx, func(tx Tx) error {
		ids, err := s.auditScope(ctx, tx, a, slug)
		if err != nil {
			return err
		}
		entries, err = tx.Audit(ctx, ids, p.bounded())
		return err
	})
	return entries, err
}

// auditScope returns whose acts the actor may read, nil for everybody's.
func (s *Service) auditScope(ctx context.Context, tx Tx, a Actor, slug string) ([]string, error) {
	if err := a.scope(); err != nil {
		return nil, err
	}
	if slug != "" {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return nil, err
		}
		return []string{srv.ID}, nil
	}
	ids, all, err := serverIDsFor(ctx, tx, a, people.Maintainer)
	switch {
	case err != nil:
		return nil, err
	case all:
		return nil, nil
	case len(ids) == 0:
		return nil, Errorf(Forbidden, "This takes the role maintainer on a server.")
	}
	return ids, nil
}
