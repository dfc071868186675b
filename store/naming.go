package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type namingRow struct {
	ID       string            `db:"id"`
	ServerID string            `db:"server_id"`
	Profile  string            `db:"profile"`
	Kind     review.NamingKind `db:"kind"`
	Old      octets            `db:"old_name"`
	New      octets            `db:"new_name"`
	Note     string            `db:"note"`
	By       string            `db:"user_id"`
	At       micros            `db:"at"`
	Until    micros            `db:"until"`
	EndedBy  string            `db:"ended_by"`
	EndedAt  micros            `db:"ended_at"`
}

type namingView struct {
	namingRow
	userLabel
}

func (r namingView) naming() review.Naming {
	return review.Naming{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, Kind: r.Kind, Old: string(r.Old), New: string(r.New),
		Note: r.Note, By: r.By, ByLabel: r.label(), At: time.Time(r.At), Until: time.Time(r.Until),
		EndedBy: r.EndedBy, EndedAt: time.Time(r.EndedAt)}
}

func (t *tx) InsertNaming(ctx context.Context, n *review.Naming) error {
	return insertOne(ctx, t, "namings", namingRow{ID: n.ID, ServerID: n.ServerID, Profile: n.Profile, Kind: n.Kind,
		Old: octets(n.Old), New: octets(n.New), Note: n.Note, By: n.By, At: micros(n.At), Until: micros(n.Until),
		EndedBy: n.EndedBy, EndedAt: micros(n.EndedAt)})
}

func (t *tx) NamingByID(ctx context.Context, id string) (*review.Naming, error) {
	found, err := t.namings(ctx, "WHERE n.id = $1", id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, review.Errorf(review.NotFound, "There is no such name.")
	}
	return &found[0], nil
}

func (t *tx) Namings(ctx context.Context, serverID string) ([]review.Naming, error) {
	var p params
	return t.namings(ctx, "WHERE "+p.ofServers("n.server_id", oneOrAll(serverID))+" ORDER BY n.at, n.id", p.args...)
}

func (t *tx) namings(ctx context.Context, end string, args ...any) ([]review.Naming, error) {
	var rows []namingView
	err := t.all(ctx, &rows, "SELECT "+columns[namingRow]("n.")+", "+userLabelColumns+
		" FROM namings n LEFT JOIN users u ON u.id = n.user_id "+end, args...)
	return mapped(rows, namingView.naming), err
}

// EndNaming ends a naming; the first end stays.
func (t *tx) EndNaming(ctx context.Context, id, by string, at time.Time) error {
	return named(t.execOne(ctx, `UPDATE namings SET
		ended_by = CASE WHEN ended_at = 0 THEN $2 ELSE ended_by END,
		ended_at = CASE WHEN ended_at = 0 THEN $3 ELSE ended_at END
		WHERE id = $1`, id, by, micros(at)), review.NotFound, "There is no such name.")
}
