package review

import (
	"context"
	"time"
)

// RestoredFrom is the backup that a database was filled from.
type RestoredFrom struct {
	MadeAt  time.Time `json:"made_at"`
	Program string    `json:"program"` // version of the program that made it
	Engine  string    `json:"engine"`
	Rows    int64     `json:"rows"`
	Content string    `json:"content"` // its checksum
}

// AfterRestore says what became of who could get in.
type AfterRestore struct {
	Tokens  int      // that have ended
	Sealed  []string // slugs of servers whose webhook secret this SECRET does not open
	Factors []string // addresses of people whose second factor it does not open
	Headers []string // names of endpoints whose headers it does not open
}

// Restored closes a restore, inside its transaction. Tokens end: one that was
// revoked after the backup was made would work again. Sessions and links are in no
// backup, so they have ended too. The act is audited.
func (s *Service) Restored(ctx context.Context, tx Tx, a Actor, from RestoredFrom) (*AfterRestore, error) {
	if !a.Shell {
		return nil, Errorf(Forbidden, "A backup is restored from the command line.")
	}
	var after AfterRestore
	var err error
	if after.Tokens, err = tx.RevokeAllTokens(ctx, s.now()); err != nil {
		return nil, err
	}
	if after.Sealed, err = s.sealedElsewhere(ctx, tx); err != nil {
		return nil, err
	}
	if after.Factors, err = s.factorsElsewhere(ctx, tx); err != nil {
		return nil, err
	}
	if after.Headers, err = s.headersElsewhere(ctx, tx); err != nil {
		return nil, err
	}
	return &after, s.audit(ctx, tx, a, act{name: "database.restore", subject: from.MadeAt.Format(time.RFC3339),
		after: map[string]any{"from": from, "tokens_ended": after.Tokens}})
}

// sealedElsewhere returns the servers whose signed pushes could not be checked,
// since their secret was sealed under another SECRET.
func (s *Service) sealedElsewhere(ctx context.Context, tx Tx) ([]string, error) {
	v, err := newVault(s.cfg.Secret, webhookVault)
	if err != nil {
		return nil, err
	}
	servers, err := tx.Servers(ctx)
	if err != nil {
		return nil, err
	}
	var sealed []string
	for _, srv := range servers { // one query each: a restore is rare, and has no page
		secrets, err := tx.Secrets(ctx, srv.ID, s.now())
		if err != nil {
			return nil, err
		}
		for _, row := range secrets {
			if _, err := v.open(srv.ID, row.Sealed); err != nil {
				sealed = append(sealed, srv.Slug)
				break
			}
		}
	}
	return sealed, nil
}

// factorsElsewhere returns the addresses of people whose codes could not be checked,
// for the same reason.
func (s *Service) factorsElsewhere(ctx context.Context, tx Tx) ([]string, error) {
	lost, err := s.lostOwners(ctx, factorVault, tx.SealedFactors)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	var emails []string
	users, err := tx.Users(ctx)
	for i := range users {
		if lost[users[i].ID] {
			emails = append(emails, users[i].Email)
		}
	}
	return emails, err
}

// headersElsewhere returns the endpoints that could not be read, for the same reason.
func (s *Service) headersElsewhere(ctx context.Context, tx Tx) ([]string, error) {
	lost, err := s.lostOwners(ctx, headerVault, tx.SealedHeaders)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	return endpointNames(ctx, tx, lost)
}

// lostOwners returns the owners of rows that the SECRET of this instance does not
// open.
func (s *Service) lostOwners(ctx context.Context, vault string, list func(context.Context) ([]Sealed, error)) (map[string]bool, error) {
	v, err := newVault(s.cfg.Secret, vault)
	if err != nil {
		return nil, err
	}
	rows, err := list(ctx)
	if err != nil {
		return nil, err
	}
	lost := map[string]bool{}
	for _, row := range rows {
		if _, err := v.open(row.Owner, row.Sealed); err != nil {
			lost[row.Owner] = true
		}
	}
	return lost, nil
}
