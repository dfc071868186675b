package store

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type deliveryRow struct {
	ID         string                    `db:"id"`
	ServerID   string                    `db:"server_id"`
	Slug       octets                    `db:"slug"`
	WebhookID  octets                    `db:"webhook_id"`
	Replay     []byte                    `db:"replay"` // NULL unless replays are looked for
	BodyHash   hash                      `db:"body_hash"`
	BodyBytes  int                       `db:"body_bytes"`
	Via        string                    `db:"via"`
	By         string                    `db:"by_label"`
	Verified   bool                      `db:"verified"`
	Status     int                       `db:"status"`
	Outcome    octets                    `db:"outcome"`
	ListingID  string                    `db:"listing_id"`
	ReleaseID  string                    `db:"release_id"`
	RemoteAddr string                    `db:"remote_addr"`
	ReceivedAt micros                    `db:"received_at"`
	Params     jsonOf[review.PushParams] `db:"params"`
	Problems   jsonOf[[]problem]         `db:"problems"`
	Answer     blob                      `db:"answer"`
}

func (r deliveryRow) delivery() review.Delivery {
	return review.Delivery{ID: r.ID, ServerID: r.ServerID, Slug: string(r.Slug), WebhookID: string(r.WebhookID),
		BodyHash: surface.Hash(r.BodyHash), BodyBytes: r.BodyBytes, Via: r.Via, By: r.By, Verified: r.Verified,
		Status: r.Status, Outcome: string(r.Outcome), Problems: givenProblems(r.Problems), Answer: r.Answer,
		ListingID: r.ListingID, ReleaseID: r.ReleaseID, Params: r.Params.V, RemoteAddr: r.RemoteAddr,
		ReceivedAt: time.Time(r.ReceivedAt)}
}

// replayKey is under which a delivery's webhook id is unique within its server.
// Only accepted ones count: else a stranger could use up ids, and a push that was
// put right could not be sent again.
func replayKey(d *review.Delivery) []byte {
	if !d.Verified || d.WebhookID == "" || d.Status >= 300 {
		return nil
	}
	return webhookKey(d.WebhookID)
}

func webhookKey(webhookID string) []byte {
	sum := sha256.Sum256([]byte(webhookID))
	return sum[:]
}

func (t *tx) InsertDelivery(ctx context.Context, d *review.Delivery) error {
	t.touch(d.ServerID)
	err := insertOne(ctx, t, "deliveries", deliveryRow{ID: d.ID, ServerID: d.ServerID,
		Slug: octets(d.Slug), WebhookID: octets(d.WebhookID), Replay: replayKey(d),
		BodyHash: hash(d.BodyHash), BodyBytes: d.BodyBytes, Via: d.Via, By: d.By, Verified: d.Verified,
		Status: d.Status, Outcome: octets(d.Outcome), ListingID: d.ListingID, ReleaseID: d.ReleaseID,
		RemoteAddr: d.RemoteAddr, ReceivedAt: micros(d.ReceivedAt),
		Params: jsonOf[review.PushParams]{d.Params}, Problems: keepProblems(d.Problems), Answer: d.Answer})
	return named(err, review.Conflict, "A delivery with this webhook id was taken already.")
}

func (t *tx) DeliveryByWebhookID(ctx context.Context, serverID, webhookID string) (*review.Delivery, error) {
	var row deliveryRow
	if err := t.get(ctx, &row, "SELECT "+columns[deliveryRow]("")+" FROM deliveries WHERE server_id = $1 AND replay = $2",
		serverID, webhookKey(webhookID)); err != nil {
		return nil, named(err, review.NotFound, "There is no accepted delivery with this webhook id.")
	}
	d := row.delivery()
	return &d, nil
}

func (t *tx) Deliveries(ctx context.Context, serverIDs []string, f review.DeliveryFilter, pg review.Page) ([]review.Delivery, error) {
	var p params
	query := "SELECT " + columns[deliveryRow]("") + " FROM deliveries WHERE " + p.ofServers("server_id", serverIDs)
	switch f.Outcome {
	case review.DeliveryAccepted:
		query += " AND status < 300"
	case review.DeliveryRefused:
		query += " AND status >= 300 AND verified = true"
	case review.DeliveryUnverified:
		query += " AND verified = false"
	}
	if !f.Since.IsZero() {
		query += " AND received_at >= " + p.add(micros(f.Since))
	}
	query += p.page("deliveries", "", "received_at", pg)
	var rows []deliveryRow
	err := t.all(ctx, &rows, query, p.args...)
	return mapped(rows, deliveryRow.delivery), err
}

func (t *tx) CountDeliveries(ctx context.Context, serverID string, since time.Time) (int, error) {
	var n int
	err := t.get(ctx, &n, "SELECT count(*) FROM deliveries WHERE server_id = $1 AND received_at >= $2 AND verified = true AND status <> 429", serverID, micros(since))
	return n, err
}

func (t *tx) AddUnverified(ctx context.Context, serverID, day string) (int, error) {
	var n int
	err := t.get(ctx, &n, `INSERT INTO unverified (server_id, day, n) VALUES ($1, $2, 1)
		ON CONFLICT (server_id, day) DO UPDATE SET n = unverified.n + 1 RETURNING n`, serverID, day)
	return n, err
}

func (t *tx) ManyUnverified(ctx context.Context, serverIDs []string, since string, most int) ([]review.TurnedAway, error) {
	var p params
	var days []review.TurnedAway
	err := t.all(ctx, &days, "SELECT day, CAST(sum(n) AS BIGINT) AS n FROM unverified WHERE "+p.ofServers("server_id", serverIDs)+
		" AND day >= "+p.add(since)+" AND n > "+p.add(most)+" GROUP BY day ORDER BY day DESC", p.args...)
	return days, err
}
