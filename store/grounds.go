package store

import (
	"context"

	"github.com/countersign/countersign/review"
)

type groundsRow struct {
	ReleaseID string `db:"release_id"`
	Body      string `db:"body"`
	Alone     bool   `db:"alone"`
}

func (t *tx) InsertGrounds(ctx context.Context, releaseID string, body []byte, alone bool) error {
	return named(insertOne(ctx, t, "release_grounds", groundsRow{releaseID, string(body), alone}), review.Conflict, "The release was released already.")
}

func (t *tx) Grounds(ctx context.Context, releaseID string) ([]byte, error) {
	var r groundsRow
	err := t.get(ctx, &r, "SELECT "+columns[groundsRow]("")+" FROM release_grounds WHERE release_id = $1", releaseID)
	return []byte(r.Body), named(err, review.NotFound, "Nothing was kept of what release %s stood on.", releaseID)
}

func (t *tx) GroundsAlone(ctx context.Context, releaseIDs []string) (map[string][]byte, error) {
	rows, err := allIn[groundsRow](ctx, t, "SELECT "+columns[groundsRow]("")+" FROM release_grounds WHERE alone AND release_id IN (%s)", nil, releaseIDs)
	bodies := make(map[string][]byte, len(rows))
	for _, r := range rows {
		bodies[r.ReleaseID] = []byte(r.Body)
	}
	return bodies, err
}
