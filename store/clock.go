package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type seenClockRow struct {
	ID        string `db:"id"` // always seenClockID
	SeenAt    micros `db:"seen_at"`
	DoubtedAt micros `db:"doubted_at"`
}

const seenClockID = "clock"

func (t *tx) SeenClock(ctx context.Context) (review.SeenClock, error) {
	var rows []seenClockRow
	err := t.all(ctx, &rows, "SELECT "+columns[seenClockRow]("")+" FROM seen_clock WHERE id = $1", seenClockID)
	if err != nil || len(rows) == 0 {
		return review.SeenClock{}, err
	}
	return review.SeenClock{Seen: time.Time(rows[0].SeenAt), Doubted: time.Time(rows[0].DoubtedAt)}, nil
}

func (t *tx) SeeClock(ctx context.Context, c review.SeenClock) error {
	_, err := t.exec(ctx, `INSERT INTO seen_clock (id, seen_at, doubted_at) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, doubted_at = excluded.doubted_at`, seenClockID, micros(c.Seen), micros(c.Doubted))
	return err
}
