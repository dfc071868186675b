package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type factorRow struct {
	UserID      string `db:"user_id"`
	CreatedAt   micros `db:"created_at"`
	ConfirmedAt micros `db:"confirmed_at"`
	LastStep    int64  `db:"last_step"`
	Sealed      blob   `db:"sealed"`
}

// PutSecondFactor adds or replaces a user's.
func (t *tx) PutSecondFactor(ctx context.Context, f *review.SecondFactor) error {
	_, err := insert(ctx, t, "second_factors", `ON CONFLICT (user_id) DO UPDATE SET created_at = excluded.created_at,
		confirmed_at = excluded.confirmed_at, last_step = excluded.last_step, sealed = excluded.sealed`,
		factorRow{f.UserID, micros(f.CreatedAt), micros(f.ConfirmedAt), f.LastStep, f.Sealed})
	return err
}

func (t *tx) SecondFactor(ctx context.Context, userID string) (*review.SecondFactor, error) {
	var row factorRow
	if err := t.get(ctx, &row, "SELECT "+columns[factorRow]("")+" FROM second_factors WHERE user_id = $1", userID); err != nil {
		return nil, named(err, review.NotFound, "There is no second factor.")
	}
	return &review.SecondFactor{UserID: row.UserID, Sealed: row.Sealed, CreatedAt: time.Time(row.CreatedAt),
		ConfirmedAt: time.Time(row.ConfirmedAt), LastStep: row.LastStep}, nil
}

// UseStep remembers the step of a code. Of two that use one at once, one wins.
func (t *tx) UseStep(ctx context.Context, userID string, step int64) error {
	return named(t.execOne(ctx, "UPDATE second_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2", userID, step),
		review.NotFound, "This code was used already.")
}

func (t *tx) DeleteSecondFactor(ctx context.Context, userID string) error {
	for _, table := range []string{"recovery_codes", "second_factors"} {
		if _, err := t.exec(ctx, "DELETE FROM "+table+" WHERE user_id = $1", userID); err != nil {
			return err
		}
	}
	return nil
}

type recoveryRow struct {
	UserID string `db:"user_id"`
	Hash   blob   `db:"hash"`
	UsedAt micros `db:"used_at"`
}

// PutRecoveryCodes replaces a user's, used ones too.
func (t *tx) PutRecoveryCodes(ctx context.Context, userID string, hashes [][]byte) error {
	if _, err := t.exec(ctx, "DELETE FROM recovery_codes WHERE user_id = $1", userID); err != nil {
		return err
	}
	rows := mapped(hashes, func(h []byte) recoveryRow { return recoveryRow{UserID: userID, Hash: h} })
	_, err := insert(ctx, t, "recovery_codes", "", rows...)
	return err
}

func (t *tx) UseRecoveryCode(ctx context.Context, userID string, hash []byte, at time.Time) error {
	return named(t.execOne(ctx, "UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND hash = $2 AND used_at = 0", userID, blob(hash), micros(at)),
		review.NotFound, "There is no such code.")
}

func (t *tx) CountRecoveryCodes(ctx context.Context, userID string) (int, error) {
	var n int
	err := t.get(ctx, &n, "SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND used_at = 0", userID)
	return n, err
}
