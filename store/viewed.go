package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type viewedRow struct {
	UserID   string `db:"user_id"`
	ServerID string `db:"server_id"`
	Profile  string `db:"profile"`
	ChangeID string `db:"change_id"`
	At       micros `db:"at"`
}

func (t *tx) SetViewed(ctx context.Context, userID string, k review.ProfileKey, changes []string, at time.Time) error {
	rows := mapped(changes, func(id string) viewedRow { return viewedRow{userID, k.ServerID, k.Profile, id, micros(at)} })
	_, err := insert(ctx, t, "viewed", "ON CONFLICT DO NOTHING", rows...)
	return err
}

func (t *tx) ClearViewed(ctx context.Context, userID string, k review.ProfileKey, changes []string) error {
	_, err := execIn(ctx, t, "DELETE FROM viewed WHERE user_id = $1 AND server_id = $2 AND profile = $3 AND change_id IN (%s)",
		[]any{userID, k.ServerID, k.Profile}, changes)
	return err
}

func (t *tx) Viewed(ctx context.Context, userID string, k review.ProfileKey, changes []string) (map[string]bool, error) {
	rows, err := allIn[viewedID](ctx, t, "SELECT change_id FROM viewed WHERE user_id = $1 AND server_id = $2 AND profile = $3 AND change_id IN (%s)",
		[]any{userID, k.ServerID, k.Profile}, changes)
	return viewedSet(rows), err
}

func (t *tx) ViewedByAny(ctx context.Context, k review.ProfileKey, changes []string) (map[string]bool, error) {
	rows, err := allIn[viewedID](ctx, t, "SELECT DISTINCT change_id FROM viewed WHERE server_id = $1 AND profile = $2 AND change_id IN (%s)",
		[]any{k.ServerID, k.Profile}, changes)
	return viewedSet(rows), err
}

type viewedID struct {
	ChangeID string `db:"change_id"`
}

func viewedSet(rows []viewedID) map[string]bool {
	seen := make(map[string]bool, len(rows))
	for _, row := range rows {
		seen[row.ChangeID] = true
	}
	return seen
}

type lookRow struct {
	UserID    string `db:"user_id"`
	ServerID  string `db:"server_id"`
	Profile   string `db:"profile"`
	ListingID string `db:"listing_id"`
	ReleaseID string `db:"release_id"`
	At        micros `db:"at"`
}

func (t *tx) PutLook(ctx context.Context, l *review.Look) error {
	_, err := insert(ctx, t, "looks", `ON CONFLICT (user_id, server_id, profile, listing_id)
		DO UPDATE SET at = excluded.at, release_id = excluded.release_id`,
		lookRow{l.UserID, l.ServerID, l.Profile, l.ListingID, l.ReleaseID, micros(l.At)})
	return err
}

func (t *tx) LastLook(ctx context.Context, userID string, k review.ProfileKey) (*review.Look, error) {
	return t.look(ctx, "ORDER BY at DESC, listing_id DESC", userID, k.ServerID, k.Profile)
}

func (t *tx) LookBefore(ctx context.Context, userID string, k review.ProfileKey, head *review.Revision) (*review.Look, error) {
	return t.look(ctx, `AND listing_id <> $4 AND EXISTS (SELECT 1 FROM revisions r WHERE r.listing_id = looks.listing_id
			AND (r.release_id = $5 AND r.n < $6 OR r.release_id <> $5 AND r.pushed_at < $7))
		ORDER BY CASE WHEN EXISTS (SELECT 1 FROM revisions r WHERE r.listing_id = looks.listing_id AND r.release_id = $5) THEN 0 ELSE 1 END,
			at DESC, listing_id DESC`,
		userID, k.ServerID, k.Profile, head.ListingID, head.ReleaseID, head.N, micros(head.PushedAt))
}

// look returns the first of somebody's looks; rest follows on person, server and profile,
// which are the first arguments.
func (t *tx) look(ctx context.Context, rest string, args ...any) (*review.Look, error) {
	var row lookRow
	err := t.get(ctx, &row, "SELECT "+columns[lookRow]("")+" FROM looks WHERE user_id = $1 AND server_id = $2 AND profile = $3 "+rest+" LIMIT 1", args...)
	if err != nil {
		return nil, err
	}
	return &review.Look{UserID: row.UserID, ServerID: row.ServerID, Profile: row.Profile, ListingID: row.ListingID,
		ReleaseID: row.ReleaseID, At: time.Time(row.At)}, nil
}
