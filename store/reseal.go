package store

import (
	"context"

	"github.com/countersign/countersign/review"
)

type sealedRow struct {
	ID     string `db:"id"`
	Owner  string `db:"owner"`
	Sealed blob   `db:"sealed"`
}

func (r sealedRow) sealed() review.Sealed {
	return review.Sealed{ID: r.ID, Owner: r.Owner, Sealed: r.Sealed}
}

func (t *tx) SealedSecrets(ctx context.Context) ([]review.Sealed, error) {
	var rows []sealedRow
	err := t.all(ctx, &rows, "SELECT id, server_id AS owner, sealed FROM server_secrets ORDER BY id")
	return mapped(rows, sealedRow.sealed), err
}

func (t *tx) SealedFactors(ctx context.Context) ([]review.Sealed, error) {
	var rows []sealedRow
	err := t.all(ctx, &rows, "SELECT user_id AS id, user_id AS owner, sealed FROM second_factors ORDER BY user_id")
	return mapped(rows, sealedRow.sealed), err
}

func (t *tx) SealedHeaders(ctx context.Context) ([]review.Sealed, error) {
	var rows []sealedRow
	err := t.all(ctx, &rows, "SELECT id, id AS owner, sealed FROM endpoints WHERE octet_length(sealed) > 0 ORDER BY id")
	return mapped(rows, sealedRow.sealed), err
}

func (t *tx) ResealSecret(ctx context.Context, id string, sealed []byte) error {
	return t.execOne(ctx, "UPDATE server_secrets SET sealed = $2 WHERE id = $1", id, blob(sealed))
}

func (t *tx) ResealFactor(ctx context.Context, userID string, sealed []byte) error {
	return t.execOne(ctx, "UPDATE second_factors SET sealed = $2 WHERE user_id = $1", userID, blob(sealed))
}

func (t *tx) ResealHeaders(ctx context.Context, endpointID string, sealed []byte) error {
	return t.execOne(ctx, "UPDATE endpoints SET sealed = $2 WHERE id = $1", endpointID, blob(sealed))
}
