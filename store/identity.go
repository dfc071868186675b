package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type identityRow struct {
	Issuer   string `db:"issuer"`
	Subject  string `db:"subject"`
	UserID   string `db:"user_id"`
	Email    string `db:"email"`
	LinkedAt micros `db:"linked_at"`
}

func (r identityRow) link() review.IdentityLink {
	return review.IdentityLink{Issuer: r.Issuer, Subject: r.Subject, UserID: r.UserID, Email: r.Email, LinkedAt: time.Time(r.LinkedAt)}
}

func (t *tx) InsertIdentity(ctx context.Context, l *review.IdentityLink) error {
	return named(insertOne(ctx, t, "identities", identityRow{l.Issuer, l.Subject, l.UserID, l.Email, micros(l.LinkedAt)}),
		review.Conflict, "This sign-in is linked to an account already.")
}

func (t *tx) Identity(ctx context.Context, issuer, subject string) (*review.IdentityLink, error) {
	var row identityRow
	if err := t.get(ctx, &row, "SELECT "+columns[identityRow]("")+" FROM identities WHERE issuer = $1 AND subject = $2", issuer, subject); err != nil {
		return nil, named(err, review.NotFound, "This sign-in is linked to no account.")
	}
	l := row.link()
	return &l, nil
}

func (t *tx) IdentitiesOfUser(ctx context.Context, userID string) ([]review.IdentityLink, error) {
	var rows []identityRow
	err := t.all(ctx, &rows, "SELECT "+columns[identityRow]("")+" FROM identities WHERE user_id = $1 ORDER BY linked_at, issuer, subject", userID)
	return mapped(rows, identityRow.link), err
}

func (t *tx) DeleteIdentity(ctx context.Context, userID, issuer string) error {
	return named(t.execOne(ctx, "DELETE FROM identities WHERE user_id = $1 AND issuer = $2", userID, issuer),
		review.NotFound, "There is no such link.")
}

func (t *tx) DeleteIdentitiesOfUser(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "DELETE FROM identities WHERE user_id = $1", userID)
	return err
}
