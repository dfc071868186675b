package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type endpointRow struct {
	ID       string           `db:"id"`
	ServerID string           `db:"server_id"`
	Profile  string           `db:"profile"`
	Name     string           `db:"name"`
	URL      string           `db:"url"`
	Headers  jsonOf[[]string] `db:"header_names"`
	Sealed   blob             `db:"sealed"`
	Every    int64            `db:"every"` // microseconds
	At       micros           `db:"at"`
	UserID   string           `db:"user_id"`
}

func endpointRowOf(e *review.Endpoint) endpointRow {
	return endpointRow{e.ID, e.ServerID, e.Profile, e.Name, e.URL, jsonOf[[]string]{e.Headers}, e.Sealed, e.Every.Microseconds(), micros(e.At), e.By}
}

func (r endpointRow) endpoint() review.Endpoint {
	return review.Endpoint{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, Name: r.Name, URL: r.URL, Headers: r.Headers.V, Sealed: r.Sealed,
		Every: time.Duration(r.Every) * time.Microsecond, At: time.Time(r.At), By: r.UserID}
}

type turnRow struct {
	EndpointID   string `db:"endpoint_id"`
	NextAt       micros `db:"next_at"`
	TriedAt      micros `db:"tried_at"`
	Claim        string `db:"claim"`
	ClaimedUntil micros `db:"claimed_until"`
	Failures     int    `db:"failures"`
}

func (r turnRow) turn() review.Turn {
	return review.Turn{Next: time.Time(r.NextAt), Tried: time.Time(r.TriedAt), Failures: r.Failures}
}

const sayEndpointTaken = "This server has an endpoint of that name already."

func (t *tx) InsertEndpoint(ctx context.Context, e *review.Endpoint, next time.Time) error {
	if err := insertOne(ctx, t, "endpoints", endpointRowOf(e)); err != nil {
		return named(err, review.Conflict, sayEndpointTaken)
	}
	return insertOne(ctx, t, "endpoint_turns", turnRow{EndpointID: e.ID, NextAt: micros(next)})
}

func (t *tx) UpdateEndpoint(ctx context.Context, e *review.Endpoint, next time.Time) error {
	row := endpointRowOf(e)
	err := t.execOne(ctx, "UPDATE endpoints SET profile = $2, name = $3, url = $4, header_names = $5, sealed = $6, every = $7 WHERE id = $1",
		row.ID, row.Profile, row.Name, row.URL, row.Headers, row.Sealed, row.Every)
	if err != nil {
		return named(named(err, review.Conflict, sayEndpointTaken), review.NotFound, "There is no such endpoint.")
	}
	// A reading that is under way was of what the endpoint was: it loses its claim.
	_, err = t.exec(ctx, "UPDATE endpoint_turns SET next_at = $2, claim = '', claimed_until = 0, failures = 0 WHERE endpoint_id = $1", e.ID, micros(next))
	return err
}

func (t *tx) DeleteEndpoint(ctx context.Context, id string) error {
	if err := t.ForgetReadings(ctx, id); err != nil {
		return err
	}
	for _, statement := range []string{
		"DELETE FROM notifications WHERE endpoint_id = $1 AND read_at = 0",
		"DELETE FROM endpoint_turns WHERE endpoint_id = $1",
	} {
		if _, err := t.exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return named(t.execOne(ctx, "DELETE FROM endpoints WHERE id = $1", id), review.NotFound, "There is no such endpoint.")
}

func (t *tx) ForgetReadings(ctx context.Context, endpointID string) error {
	for _, statement := range []string{
		"DELETE FROM readings WHERE endpoint_id = $1",
		"DELETE FROM drifts WHERE endpoint_id = $1",
	} {
		if _, err := t.exec(ctx, statement, endpointID); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) EndpointByID(ctx context.Context, id string) (*review.Endpoint, error) {
	var row endpointRow
	if err := t.get(ctx, &row, "SELECT "+columns[endpointRow]("")+" FROM endpoints WHERE id = $1", id); err != nil {
		return nil, named(err, review.NotFound, "There is no such endpoint.")
	}
	e := row.endpoint()
	return &e, nil
}

func (t *tx) Endpoints(ctx context.Context, serverIDs []string) ([]review.Endpoint, error) {
	var p params
	var rows []endpointRow
	err := t.all(ctx, &rows, "SELECT "+columns[endpointRow]("")+" FROM endpoints WHERE "+p.ofServers("server_id", serverIDs)+" ORDER BY name, id", p.args...)
	return mapped(rows, endpointRow.endpoint), err
}

func (t *tx) Turns(ctx context.Context, endpointIDs []string) (map[string]review.Turn, error) {
	rows, err := allIn[turnRow](ctx, t, "SELECT "+columns[turnRow]("")+" FROM endpoint_turns WHERE endpoint_id IN (%s)", nil, endpointIDs)
	turns := make(map[string]review.Turn, len(rows))
	for _, row := range rows {
		turns[row.EndpointID] = row.turn()
	}
	return turns, err
}

// ClaimEndpoint is one statement, so that of two readers only one gets the row.
func (t *tx) ClaimEndpoint(ctx context.Context, claim string, now, until time.Time) (string, error) {
	var id string
	err := t.get(ctx, &id, `UPDATE endpoint_turns SET claim = $1, claimed_until = $3, tried_at = $2
		WHERE endpoint_id = (SELECT e.endpoint_id FROM endpoint_turns e WHERE e.next_at <= $2 AND e.claimed_until <= $2 ORDER BY e.next_at, e.endpoint_id LIMIT 1)
			AND claimed_until <= $2
		RETURNING endpoint_id`, claim, micros(now), micros(until))
	return id, named(err, review.NotFound, "It is no endpoint's turn.")
}

func (t *tx) ClaimOne(ctx context.Context, id, claim string, now, until, since time.Time) error {
	err := t.execOne(ctx, "UPDATE endpoint_turns SET claim = $2, claimed_until = $4, tried_at = $3 WHERE endpoint_id = $1 AND claimed_until <= $3 AND tried_at <= $5",
		id, claim, micros(now), micros(until), micros(since))
	if review.KindOf(err) == review.NotFound {
		return review.Errorf(review.Conflict, "It is being read, or was tried a moment ago.")
	}
	return err
}

func (t *tx) EndTurn(ctx context.Context, id, claim string, turn review.Turn) error {
	err := t.execOne(ctx, "UPDATE endpoint_turns SET claim = '', claimed_until = 0, next_at = $3, tried_at = $4, failures = $5 WHERE endpoint_id = $1 AND claim = $2",
		id, claim, micros(turn.Next), micros(turn.Tried), turn.Failures)
	return named(err, review.NotFound, "Another reader has this endpoint, or it is gone.")
}
