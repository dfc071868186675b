package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type readingRow struct {
	ID         string           `db:"id"`
	EndpointID string           `db:"endpoint_id"`
	ServerID   string           `db:"server_id"`
	State      review.LiveState `db:"state"`
	Digest     hash             `db:"digest"`
	Set        hash             `db:"tool_set"`
	Order      hash             `db:"tool_order"`
	Tools      int              `db:"tools"`
	Complete   bool             `db:"complete"`
	Unstable   bool             `db:"unstable"`
	ReleaseID  string           `db:"release_id"`
	DriftID    string           `db:"drift_id"`
	Why        string           `db:"why"`
	FirstAt    micros           `db:"first_at"`
	LastAt     micros           `db:"last_at"`
	Times      int              `db:"times"`
}

func (r readingRow) live() review.Reading {
	return review.Reading{ID: r.ID, EndpointID: r.EndpointID, ServerID: r.ServerID, State: r.State, Digest: surface.Hash(r.Digest),
		Set: surface.Hash(r.Set), Order: surface.Hash(r.Order), Tools: r.Tools, Complete: r.Complete, Unstable: r.Unstable, ReleaseID: r.ReleaseID,
		DriftID: r.DriftID, Why: r.Why, FirstAt: time.Time(r.FirstAt), LastAt: time.Time(r.LastAt), Times: r.Times}
}

func (t *tx) InsertReading(ctx context.Context, r *review.Reading) error {
	return insertOne(ctx, t, "readings", readingRow{r.ID, r.EndpointID, r.ServerID, r.State, hash(r.Digest), hash(r.Set), hash(r.Order), r.Tools, r.Complete,
		r.Unstable, r.ReleaseID, r.DriftID, r.Why, micros(r.FirstAt), micros(r.LastAt), r.Times})
}

func (t *tx) ExtendReading(ctx context.Context, r *review.Reading) error {
	return t.execOne(ctx, "UPDATE readings SET why = $2, last_at = $3, times = $4 WHERE id = $1", r.ID, r.Why, micros(r.LastAt), r.Times)
}

func (t *tx) LastReadings(ctx context.Context, endpointIDs []string) (map[string]review.Reading, error) {
	rows, err := allIn[readingRow](ctx, t, "SELECT "+columns[readingRow]("r.")+` FROM readings r WHERE r.endpoint_id IN (%s)
		AND NOT EXISTS (SELECT 1 FROM readings o WHERE o.endpoint_id = r.endpoint_id AND (o.first_at, o.id) > (r.first_at, r.id))`, nil, endpointIDs)
	last := make(map[string]review.Reading, len(rows))
	for _, row := range rows {
		last[row.EndpointID] = row.live()
	}
	return last, err
}

func (t *tx) Readings(ctx context.Context, endpointID string) ([]review.Reading, error) {
	var rows []readingRow
	err := t.all(ctx, &rows, "SELECT "+columns[readingRow]("")+" FROM readings WHERE endpoint_id = $1 ORDER BY first_at DESC, id DESC LIMIT $2", endpointID, maxPage)
	return mapped(rows, readingRow.live), err
}

func (t *tx) TrimReadings(ctx context.Context, endpointID string, keep int) error {
	_, err := t.exec(ctx, `DELETE FROM readings WHERE endpoint_id = $1 AND id NOT IN (
		SELECT id FROM readings WHERE endpoint_id = $1 ORDER BY first_at DESC, id DESC LIMIT $2)`, endpointID, keep)
	return err
}

// ForgetLive leaves what a drift, a capture or somebody's release refers to.
func (t *tx) ForgetLive(ctx context.Context, before time.Time, most int) (int, error) {
	var ids []string
	err := t.all(ctx, &ids, `SELECT l.id FROM listings l WHERE l.live AND l.received_at < $1 AND NOT (`+keptListing+`)
		AND NOT EXISTS (SELECT 1 FROM drifts d WHERE d.listing_id = l.id) ORDER BY l.received_at, l.id LIMIT $2`, micros(before), most)
	if err != nil {
		return 0, err
	}
	return len(ids), t.forgetListings(ctx, ids)
}
