package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type auditRow struct {
	ID       string `db:"id"`
	At       micros `db:"at"`
	ActorID  string `db:"actor_id"`
	Actor    string `db:"actor"`
	Via      string `db:"via"`
	Addr     string `db:"addr"`
	Act      string `db:"act"`
	ServerID string `db:"server_id"`
	Subject  octets `db:"subject"`
	Before   string `db:"before"`
	After    string `db:"after"`
}

func (r auditRow) entry() review.AuditEntry {
	return review.AuditEntry{ID: r.ID, At: time.Time(r.At), ActorID: r.ActorID, Actor: r.Actor, Via: r.Via, Addr: r.Addr,
		Act: r.Act, ServerID: r.ServerID, Subject: string(r.Subject), Before: r.Before, After: r.After}
}

func (t *tx) AppendAudit(ctx context.Context, e *review.AuditEntry) error {
	t.touch(e.ServerID) // every act is audited, so this is where acts are seen
	return insertOne(ctx, t, "audit", auditRow{e.ID, micros(e.At), e.ActorID, e.Actor, e.Via, e.Addr, e.Act, e.ServerID,
		octets(e.Subject), e.Before, e.After})
}

func (t *tx) Audit(ctx context.Context, serverIDs []string, pg review.Page) ([]review.AuditEntry, error) {
	var p params
	query := "SELECT " + columns[auditRow]("") + " FROM audit WHERE " + p.ofServers("server_id", serverIDs)
	query += p.page("audit", "", "at", pg)
	var rows []auditRow
	err := t.all(ctx, &rows, query, p.args...)
	return mapped(rows, auditRow.entry), err
}
