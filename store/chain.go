package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

// Seal runs f in a transaction that only one at a time gets on the whole database.
// On PostgreSQL it is not serializable: it reads what waits while others append,
// and must neither fail because of them nor make them fail.
func (s *Store) Seal(ctx context.Context, f func(review.Tx) error) (ran bool, err error) {
	err = s.transact(ctx, s.write, s.engine.seal, func(t review.Tx) error {
		ran = true
		if s.engine.sealLock != "" {
			if err := t.(*tx).get(ctx, &ran, s.engine.sealLock); err != nil || !ran {
				return err
			}
		}
		return f(t)
	})
	return ran, err
}

type chainRow struct {
	Seq     int64  `db:"seq"`
	AuditID string `db:"audit_id"`
	Row     hash   `db:"row_digest"`
	Hash    hash   `db:"hash"`
}

func (r chainRow) link() proof.Link {
	return proof.Link{Seq: r.Seq, Row: surface.Hash(r.Row), Hash: surface.Hash(r.Hash)}
}

func (t *tx) PendingAudit(ctx context.Context, limit int) ([]review.AuditEntry, error) {
	var rows []auditRow
	err := t.all(ctx, &rows, "SELECT "+columns[auditRow]("a.")+
		" FROM audit_pending p JOIN audit a ON a.id = p.id ORDER BY p.id LIMIT $1", limit)
	return mapped(rows, auditRow.entry), err
}

func (t *tx) CountPendingAudit(ctx context.Context) (int, error) {
	var n int
	err := t.get(ctx, &n, "SELECT COUNT(*) FROM audit_pending")
	return n, err
}

func (t *tx) AppendChain(ctx context.Context, links []proof.Link, ids []string) error {
	rows := make([]chainRow, len(links))
	for i, l := range links {
		rows[i] = chainRow{l.Seq, ids[i], hash(l.Row), hash(l.Hash)}
	}
	if _, err := insert(ctx, t, "audit_chain", "", rows...); err != nil {
		return err
	}
	_, err := execIn(ctx, t, "DELETE FROM audit_pending WHERE id IN (%s)", nil, ids)
	return err
}

func (t *tx) ChainHead(ctx context.Context) (proof.Head, error) {
	var r chainRow
	err := t.get(ctx, &r, "SELECT "+columns[chainRow]("")+" FROM audit_chain ORDER BY seq DESC LIMIT 1")
	if review.KindOf(err) == review.NotFound && err != nil {
		return proof.Head{}, nil
	}
	return r.link().Head(), err
}

func (t *tx) LinkAt(ctx context.Context, seq int64) (proof.Link, error) {
	var r chainRow
	err := t.get(ctx, &r, "SELECT "+columns[chainRow]("")+" FROM audit_chain WHERE seq = $1", seq)
	return r.link(), named(err, review.NotFound, "The chain of the audit has no place %d.", seq)
}

func (t *tx) Chain(ctx context.Context, after int64, limit int) ([]review.SealedAct, error) {
	var links []chainRow
	if err := t.all(ctx, &links, "SELECT "+columns[chainRow]("")+" FROM audit_chain WHERE seq > $1 ORDER BY seq LIMIT $2", after, limit); err != nil || len(links) == 0 {
		return nil, err
	}
	var rows []auditRow
	if err := t.all(ctx, &rows, "SELECT "+columns[auditRow]("a.")+" FROM audit_chain c JOIN audit a ON a.id = c.audit_id WHERE c.seq > $1 AND c.seq <= $2",
		after, links[len(links)-1].Seq); err != nil {
		return nil, err
	}
	byID := make(map[string]review.AuditEntry, len(rows))
	for _, r := range rows {
		byID[r.ID] = r.entry()
	}
	return mapped(links, func(l chainRow) review.SealedAct {
		e, there := byID[l.AuditID]
		e.ID = l.AuditID
		return review.SealedAct{Link: l.link(), Entry: e, Gone: !there}
	}), nil
}

func (t *tx) ChainRange(ctx context.Context, f review.AuditFilter) (first, last int64, err error) {
	var p params
	var r struct {
		First sql.NullInt64 `db:"first"`
		Last  sql.NullInt64 `db:"last"`
	}
	err = t.get(ctx, &r, "SELECT MIN(c.seq) AS first, MAX(c.seq) AS last FROM audit a JOIN audit_chain c ON c.audit_id = a.id WHERE "+p.acts("a.", f), p.args...)
	return r.First.Int64, r.Last.Int64, err
}

func (t *tx) StrayAudit(ctx context.Context) (string, error) {
	var ids []string
	err := t.all(ctx, &ids, `SELECT a.id FROM audit a WHERE NOT EXISTS (SELECT 1 FROM audit_chain c WHERE c.audit_id = a.id)
		AND NOT EXISTS (SELECT 1 FROM audit_pending p WHERE p.id = a.id) ORDER BY a.id LIMIT 1`)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

type checkpointRow struct {
	Seq      int64                  `db:"seq"`
	Hash     hash                   `db:"hash"`
	At       micros                 `db:"at"`
	KeyID    string                 `db:"key_id"`
	Envelope jsonOf[proof.Envelope] `db:"envelope"`
}

func (r checkpointRow) checkpoint() review.KeptCheckpoint {
	return review.KeptCheckpoint{Seq: r.Seq, Hash: surface.Hash(r.Hash), At: time.Time(r.At), KeyID: r.KeyID, Envelope: r.Envelope.V}
}

func (t *tx) InsertCheckpoint(ctx context.Context, c *review.KeptCheckpoint) error {
	return insertOne(ctx, t, "audit_checkpoints", checkpointRow{c.Seq, hash(c.Hash), micros(c.At), c.KeyID, jsonOf[proof.Envelope]{c.Envelope}})
}

func (t *tx) Checkpoints(ctx context.Context, after, upTo int64, limit int) ([]review.KeptCheckpoint, error) {
	var rows []checkpointRow
	err := t.all(ctx, &rows, "SELECT "+columns[checkpointRow]("")+" FROM audit_checkpoints WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3", after, upTo, limit)
	return mapped(rows, checkpointRow.checkpoint), err
}

func (t *tx) LastCheckpoint(ctx context.Context) (*review.KeptCheckpoint, error) {
	var r checkpointRow
	if err := t.get(ctx, &r, "SELECT "+columns[checkpointRow]("")+" FROM audit_checkpoints ORDER BY seq DESC LIMIT 1"); err != nil {
		return nil, named(err, review.NotFound, "The audit has no checkpoint yet.")
	}
	c := r.checkpoint()
	return &c, nil
}
