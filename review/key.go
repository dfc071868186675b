package review

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/countersign/countersign/review/proof"
)

// instanceID returns who this database is, and makes it so at first.
func (s *Service) instanceID(ctx context.Context, tx Tx) (string, error) {
	id, err := tx.InstanceID(ctx)
	if err != nil || id != "" {
		return id, err
	}
	id = uuid.NewString()
	return id, tx.InsertInstance(ctx, id, s.now())
}

// localSigner is the key that this process was given.
func (s *Service) localSigner() (*proof.Signer, error) {
	if s.cfg.Signer == nil {
		return nil, Errorf(Unavailable, "This process has no signing key, so it can't sign.")
	}
	signer, err := s.cfg.Signer()
	if err != nil {
		return nil, &Error{Kind: Unavailable, Sentence: "The signing key can't be read, so nothing can be signed: " + err.Error(), Err: err}
	}
	return signer, nil
}

// signer returns the key to sign with: that of this process, when it is the one
// that the instance published last. Another one would sign what nobody can check.
func (s *Service) signer(ctx context.Context, tx Tx) (*proof.Signer, error) {
	signer, err := s.localSigner()
	if err != nil {
		return nil, err
	}
	keys, err := tx.SigningKeys(ctx)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 || keys[len(keys)-1].ID != signer.Key().ID {
		return nil, errOtherKey(keys, signer)
	}
	return signer, nil
}

func errOtherKey(keys []proof.Record, signer *proof.Signer) error {
	if len(keys) == 0 {
		return Errorf(Unavailable, "The instance has published no signing key yet, so nothing can be signed. Start countersign serve with it.")
	}
	return Errorf(Unavailable, "The signing key here (%.19s…) is not the one that this instance published last (%.19s…), so nothing can be signed. Give every process the same key, or record this one: countersign keys rotate.",
		signer.Key().ID, keys[len(keys)-1].ID)
}

// PublishKey records the key of this process as the instance's first one. Where
// there is one already it must be the same: Unavailable otherwise.
func (s *Service) PublishKey(ctx context.Context) error {
	signer, err := s.localSigner()
	if err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error {
		if _, err := s.instanceID(ctx, tx); err != nil {
			return err
		}
		keys, err := tx.SigningKeys(ctx)
		switch {
		case err != nil:
			return err
		case len(keys) > 0 && keys[len(keys)-1].ID != signer.Key().ID:
			return errOtherKey(keys, signer)
		case len(keys) > 0:
			return nil
		}
		if err := tx.InsertSigningKey(ctx, s.record(signer.Key())); err != nil {
			return err
		}
		return s.audit(ctx, tx, shellActor, act{name: "key.add", subject: signer.Key().ID, after: map[string]any{"algorithm": proof.Algorithm}})
	})
}

func (s *Service) record(k proof.Key) *proof.Record {
	return &proof.Record{ID: k.ID, Algorithm: proof.Algorithm, PublicKey: k.PEM(), Since: s.now()}
}

// Ring returns the public keys of the instance. They are for everybody.
func (s *Service) Ring(ctx context.Context) (*proof.Ring, error) {
	var ring *proof.Ring
	err := s.store.View(ctx, func(tx Tx) (err error) {
		ring, err = s.ring(ctx, tx)
		return err
	})
	return ring, err
}

func (s *Service) ring(ctx context.Context, tx Tx) (*proof.Ring, error) {
	id, err := tx.InstanceID(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := tx.SigningKeys(ctx)
	return &proof.Ring{Instance: proof.Instance{ID: id, URL: s.url("")}, Keys: keys}, err
}

// RotateKey lets another key sign from now on. The key that signs until now, which
// this process must have, signs the statement that the new one follows it; with
// lost it is gone, and whoever pinned it must pin the new one by hand.
func (s *Service) RotateKey(ctx context.Context, a Actor, next *proof.Signer, lost bool) (*proof.Record, error) {
	if err := a.administrator(); err != nil {
		return nil, err
	}
	var rec *proof.Record
	err := s.store.Update(ctx, func(tx Tx) error {
		instance, err := s.instanceID(ctx, tx)
		if err != nil {
			return err
		}
		keys, err := tx.SigningKeys(ctx)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return Errorf(Conflict, "There is no signing key yet to be followed: start countersign serve, which makes the first one.")
		}
		rec, err = s.rotation(ctx, tx, instance, keys[len(keys)-1], next, lost)
		if err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "key.rotate", subject: rec.ID, before: keys[len(keys)-1].ID, after: map[string]any{"key": rec.ID, "lost": lost}})
	})
	return rec, err
}

func (s *Service) rotation(ctx context.Context, tx Tx, instance string, last proof.Record, next *proof.Signer, lost bool) (*proof.Record, error) {
	from, err := proof.ParseKey([]byte(last.PublicKey))
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", last.ID, err)
	}
	var old *proof.Signer
	if !lost {
		if old, err = s.signer(ctx, tx); err != nil {
			return nil, err
		}
	}
	rec := s.record(next.Key())
	e, err := proof.Rotate(instance, from, old, next, rec.Since)
	if err != nil {
		return nil, err
	}
	rec.Rotation = &e
	if err := tx.RetireSigningKey(ctx, last.ID, rec.Since); err != nil {
		return nil, err
	}
	return rec, tx.InsertSigningKey(ctx, rec)
}
