package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type driftRow struct {
	ID         string                        `db:"id"`
	EndpointID string                        `db:"endpoint_id"`
	ServerID   string                        `db:"server_id"`
	Profile    string                        `db:"profile"`
	Weight     hash                          `db:"weight"`
	Level      review.DriftLevel             `db:"level"`
	State      review.LiveState              `db:"state"`
	Digest     hash                          `db:"digest"`
	ListingID  string                        `db:"listing_id"`
	ReleaseID  string                        `db:"release_id"`
	Why        string                        `db:"why"`
	Findings   jsonOf[[]review.DriftFinding] `db:"findings"`
	Since      micros                        `db:"since"`
	LastAt     micros                        `db:"last_at"`
	Times      int                           `db:"times"`
	Variants   int                           `db:"variants"`
	EndedAt    micros                        `db:"ended_at"`
	EndedWhy   string                        `db:"ended_why"`
}

func (r driftRow) drift() review.Drift {
	return review.Drift{ID: r.ID, EndpointID: r.EndpointID, ServerID: r.ServerID, Profile: r.Profile, Weight: surface.Hash(r.Weight), Level: r.Level, State: r.State,
		Digest: surface.Hash(r.Digest), ListingID: r.ListingID, ReleaseID: r.ReleaseID, Why: r.Why, Findings: r.Findings.V, Since: time.Time(r.Since),
		LastAt: time.Time(r.LastAt), Times: r.Times, Variants: r.Variants, EndedAt: time.Time(r.EndedAt), EndedWhy: r.EndedWhy}
}

// PutDrift leaves what a drift is about: its endpoint and its weight.
func (t *tx) PutDrift(ctx context.Context, d *review.Drift) error {
	_, err := insert(ctx, t, "drifts", `ON CONFLICT (id) DO UPDATE SET state = excluded.state, digest = excluded.digest, listing_id = excluded.listing_id,
		release_id = excluded.release_id, why = excluded.why, findings = excluded.findings, since = excluded.since, last_at = excluded.last_at,
		times = excluded.times, variants = excluded.variants, ended_at = excluded.ended_at, ended_why = excluded.ended_why`,
		driftRow{d.ID, d.EndpointID, d.ServerID, d.Profile, hash(d.Weight), d.Level, d.State, hash(d.Digest), d.ListingID, d.ReleaseID, d.Why,
			jsonOf[[]review.DriftFinding]{d.Findings}, micros(d.Since), micros(d.LastAt), d.Times, d.Variants, micros(d.EndedAt), d.EndedWhy})
	return err
}

func (t *tx) DriftByID(ctx context.Context, id string) (*review.Drift, error) {
	var row driftRow
	if err := t.get(ctx, &row, "SELECT "+columns[driftRow]("")+" FROM drifts WHERE id = $1", id); err != nil {
		return nil, named(err, review.NotFound, "There is no such drift.")
	}
	d := row.drift()
	return &d, nil
}

func (t *tx) Drifts(ctx context.Context, f review.DriftFilter) ([]review.Drift, error) {
	var p params
	where := p.ofServers("server_id", f.ServerIDs)
	if f.EndpointID != "" {
		where += " AND endpoint_id = " + p.add(f.EndpointID)
	}
	if f.ListingID != "" {
		where += " AND listing_id = " + p.add(f.ListingID)
	}
	if f.Open {
		where += " AND ended_at = 0"
	}
	var rows []driftRow
	err := t.all(ctx, &rows, "SELECT "+columns[driftRow]("")+" FROM drifts WHERE "+where+" ORDER BY since DESC, id DESC", p.args...)
	return mapped(rows, driftRow.drift), err
}

func (t *tx) TrimDrifts(ctx context.Context, endpointID string, keep int) error {
	_, err := t.exec(ctx, `DELETE FROM drifts WHERE endpoint_id = $1 AND ended_at <> 0 AND id NOT IN (
		SELECT id FROM drifts WHERE endpoint_id = $1 ORDER BY since DESC, id DESC LIMIT $2)`, endpointID, keep)
	return err
}

type knownDriftRow struct {
	ID         string `db:"id"`
	ServerID   string `db:"server_id"`
	EndpointID string `db:"endpoint_id"`
	Digest     hash   `db:"digest"`
	UserID     string `db:"user_id"`
	Reason     string `db:"reason"`
	At         micros `db:"at"`
	Until      micros `db:"until"`
	EndedBy    string `db:"ended_by"`
	EndedAt    micros `db:"ended_at"`
}

// knownDriftView adds the label of who knows.
type knownDriftView struct {
	knownDriftRow
	userLabel
}

func (r knownDriftView) known() review.KnownDrift {
	return review.KnownDrift{ID: r.ID, ServerID: r.ServerID, EndpointID: r.EndpointID, Digest: surface.Hash(r.Digest), By: r.UserID, ByLabel: r.label(),
		Reason: r.Reason, At: time.Time(r.At), Until: time.Time(r.Until), EndedBy: r.EndedBy, EndedAt: time.Time(r.EndedAt)}
}

func (t *tx) InsertKnownDrift(ctx context.Context, k *review.KnownDrift) error {
	return insertOne(ctx, t, "known_drifts", knownDriftRow{k.ID, k.ServerID, k.EndpointID, hash(k.Digest), k.By, k.Reason, micros(k.At), micros(k.Until), k.EndedBy, micros(k.EndedAt)})
}

func (t *tx) EndKnownDrift(ctx context.Context, id, by string, at time.Time) error {
	return t.execOne(ctx, "UPDATE known_drifts SET ended_by = $2, ended_at = $3 WHERE id = $1 AND ended_at = 0", id, by, micros(at))
}

func (t *tx) KnownDrifts(ctx context.Context, serverIDs []string, at time.Time) ([]review.KnownDrift, error) {
	var p params
	when := p.add(micros(at))
	var rows []knownDriftView
	err := t.all(ctx, &rows, "SELECT "+columns[knownDriftRow]("k.")+", "+userLabelColumns+" FROM known_drifts k LEFT JOIN users u ON u.id = k.user_id WHERE "+
		p.ofServers("k.server_id", serverIDs)+" AND k.ended_at = 0 AND k.until > "+when+" ORDER BY k.at DESC, k.id DESC", p.args...)
	return mapped(rows, knownDriftView.known), err
}
