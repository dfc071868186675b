package store

import (
	"context"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type authorRow struct {
	ServerID string `db:"server_id"`
	Profile  string `db:"profile"`
	Key      hash   `db:"key"`
	UserID   string `db:"user_id"`
	TokenID  string `db:"token_id"`
}

// InsertAuthors keeps who brought what, each once.
func (t *tx) InsertAuthors(ctx context.Context, as []review.Author) error {
	rows := mapped(as, func(a review.Author) authorRow {
		return authorRow{a.ServerID, a.Profile, hash(a.Key), a.UserID, a.TokenID}
	})
	_, err := insert(ctx, t, "authors", "ON CONFLICT DO NOTHING", rows...)
	return err
}

// Authors finds those who brought any of keys.
func (t *tx) Authors(ctx context.Context, profiles []review.ProfileKey, keys []surface.Hash) ([]review.Author, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	var p params
	where := p.ofProfiles("", profiles)
	rows, err := allIn[authorRow](ctx, t, "SELECT "+columns[authorRow]("")+" FROM authors WHERE "+where+" AND key IN (%s)",
		p.args, distinct(mapped(keys, func(h surface.Hash) hash { return hash(h) })))
	if err != nil {
		return nil, err
	}
	return mapped(rows, authorRow.author), nil
}

func (r authorRow) author() review.Author {
	return review.Author{ServerID: r.ServerID, Profile: r.Profile, Key: surface.Hash(r.Key), UserID: r.UserID, TokenID: r.TokenID}
}
