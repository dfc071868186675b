package review

import (
	"bytes"
	"context"
)

// Sealed is a secret as the database keeps it.
type Sealed struct {
	ID     string // of its row
	Owner  string // id of the server or user that it is bound to
	Sealed []byte // AES-256-GCM under a key derived from SECRET
}

// SealedStore reads and changes all that is sealed under SECRET.
type SealedStore interface {
	SealedSecrets(ctx context.Context) ([]Sealed, error) // webhook secrets, old ones too
	SealedFactors(ctx context.Context) ([]Sealed, error) // second factors; ID is the user's
	SealedHeaders(ctx context.Context) ([]Sealed, error) // of endpoints that have some; ID is the endpoint's
	ResealSecret(ctx context.Context, id string, sealed []byte) error
	ResealFactor(ctx context.Context, userID string, sealed []byte) error
	ResealHeaders(ctx context.Context, endpointID string, sealed []byte) error
}

// Resealed says what became of what was sealed under an older SECRET.
type Resealed struct {
	Secrets int      `json:"webhook_secrets"` // sealed anew
	Factors int      `json:"second_factors"`  // sealed anew
	Headers int      `json:"endpoints"`       // whose headers were sealed anew
	Kept    int      `json:"kept"`            // under the SECRET of today already
	Servers []string `json:"servers_lost"`    // slugs of those with a secret that neither opens
	People  []string `json:"people_lost"`     // addresses of those with a second factor that neither opens
	Live    []string `json:"endpoints_lost"`  // names of endpoints with headers that neither opens
}

// Reseal seals everything under the SECRET of today that is sealed under an older
// one, so that a SECRET can be changed and nobody notices: pushes are signed and codes
// made as before. All of it is one transaction, and an act in the audit. What neither
// opens stays as it is, and is named.
func (s *Service) Reseal(ctx context.Context, a Actor, old []byte) (*Resealed, error) {
	if !a.Shell {
		return nil, Errorf(Forbidden, "Secrets are sealed anew from the command line.")
	}
	if bytes.Equal(old, s.cfg.Secret) {
		return nil, Errorf(Invalid, "The old SECRET is the one that is set: set the new one, and give the old one.")
	}
	var done *Resealed
	err := s.store.Update(ctx, func(tx Tx) error {
		done = &Resealed{Servers: []string{}, People: []string{}, Live: []string{}}
		if err := s.resealSecrets(ctx, tx, old, done); err != nil {
			return err
		}
		if err := s.resealFactors(ctx, tx, old, done); err != nil {
			return err
		}
		if err := s.resealHeaders(ctx, tx, old, done); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "secret.reseal", after: done})
	})
	return done, err
}

func (s *Service) resealSecrets(ctx context.Context, tx Tx, old []byte, done *Resealed) error {
	rows, err := tx.SealedSecrets(ctx)
	if err != nil {
		return err
	}
	lost, err := s.reseal(rows, webhookVault, old, &done.Kept, func(row Sealed) error {
		done.Secrets++
		return tx.ResealSecret(ctx, row.ID, row.Sealed)
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	servers, err := tx.Servers(ctx)
	for i := range servers {
		if lost[servers[i].ID] {
			done.Servers = append(done.Servers, servers[i].Slug)
		}
	}
	return err
}

func (s *Service) resealFactors(ctx context.Context, tx Tx, old []byte, done *Resealed) error {
	rows, err := tx.SealedFactors(ctx)
	if err != nil {
		return err
	}
	lost, err := s.reseal(rows, factorVault, old, &done.Kept, func(row Sealed) error {
		done.Factors++
		return tx.ResealFactor(ctx, row.ID, row.Sealed)
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	users, err := tx.Users(ctx)
	for i := range users {
		if lost[users[i].ID] {
			done.People = append(done.People, users[i].Email)
		}
	}
	return err
}

func (s *Service) resealHeaders(ctx context.Context, tx Tx, old []byte, done *Resealed) error {
	rows, err := tx.SealedHeaders(ctx)
	if err != nil {
		return err
	}
	lost, err := s.reseal(rows, headerVault, old, &done.Kept, func(row Sealed) error {
		done.Headers++
		return tx.ResealHeaders(ctx, row.ID, row.Sealed)
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	done.Live, err = endpointNames(ctx, tx, lost)
	return err
}

// endpointNames names endpoints by id, in order.
func endpointNames(ctx context.Context, tx Tx, ids map[string]bool) ([]string, error) {
	names := []string{}
	all, err := tx.Endpoints(ctx, nil)
	for i := range all {
		if ids[all[i].ID] {
			names = append(names, all[i].Name)
		}
	}
	return names, err
}

// reseal gives each row that the old SECRET opens to keep, sealed under that of today.
// One statement a row: there are as many as servers and people, and it is rare. It
// returns the owners of what neither opens.
func (s *Service) reseal(rows []Sealed, purpose string, old []byte, kept *int, keep func(Sealed) error) (lost map[string]bool, err error) {
	today, err := newVault(s.cfg.Secret, purpose)
	if err != nil {
		return nil, err
	}
	before, err := newVault(old, purpose)
	if err != nil {
		return nil, err
	}
	lost = map[string]bool{}
	for _, row := range rows {
		if _, err := today.open(row.Owner, row.Sealed); err == nil {
			*kept++
			continue
		}
		secret, err := before.open(row.Owner, row.Sealed)
		if err != nil {
			lost[row.Owner] = true
			continue
		}
		row.Sealed = today.seal(row.Owner, secret)
		if err := keep(row); err != nil {
			return nil, err
		}
	}
	return lost, nil
}
