package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
)

type instanceRow struct {
	ID     string `db:"id"`
	MadeAt micros `db:"made_at"`
}

func (t *tx) InstanceID(ctx context.Context) (string, error) {
	var ids []string
	if err := t.all(ctx, &ids, "SELECT id FROM instance"); err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

func (t *tx) InsertInstance(ctx context.Context, id string, at time.Time) error {
	return insertOne(ctx, t, "instance", instanceRow{id, micros(at)})
}

type keyRow struct {
	ID       string `db:"id"`
	N        int64  `db:"n"`
	Public   string `db:"public"`
	Since    micros `db:"since"`
	Until    micros `db:"until"`
	Rotation string `db:"rotation"`
}

func (r keyRow) record() (proof.Record, error) {
	rec := proof.Record{ID: r.ID, Algorithm: proof.Algorithm, PublicKey: r.Public, Since: time.Time(r.Since)}
	if until := time.Time(r.Until); !until.IsZero() {
		rec.Until = &until
	}
	if r.Rotation == "" {
		return rec, nil
	}
	rec.Rotation = new(proof.Envelope)
	return rec, json.Unmarshal([]byte(r.Rotation), rec.Rotation)
}

func (t *tx) SigningKeys(ctx context.Context) ([]proof.Record, error) {
	var rows []keyRow
	if err := t.all(ctx, &rows, "SELECT "+columns[keyRow]("")+" FROM signing_keys ORDER BY n"); err != nil {
		return nil, err
	}
	records := make([]proof.Record, len(rows))
	for i, r := range rows {
		var err error
		if records[i], err = r.record(); err != nil {
			return nil, err
		}
	}
	return records, nil
}

func (t *tx) InsertSigningKey(ctx context.Context, k *proof.Record) error {
	r := keyRow{ID: k.ID, Public: k.PublicKey, Since: micros(k.Since)}
	if k.Rotation != nil {
		b, err := json.Marshal(k.Rotation)
		if err != nil {
			return err
		}
		r.Rotation = string(b)
	}
	if err := t.get(ctx, &r.N, "SELECT COUNT(*) + 1 FROM signing_keys"); err != nil {
		return err
	}
	return named(insertOne(ctx, t, "signing_keys", r), review.Conflict, "The signing key %s is known already.", k.ID)
}

func (t *tx) RetireSigningKey(ctx context.Context, id string, at time.Time) error {
	return named(t.execOne(ctx, "UPDATE signing_keys SET until = $1 WHERE id = $2", micros(at), id),
		review.NotFound, "There is no signing key %s.", id)
}
