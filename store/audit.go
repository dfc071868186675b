package store

import (
	"context"
	"strings"
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

type pendingRow struct {
	ID string `db:"id"`
}

func (t *tx) AppendAudit(ctx context.Context, e *review.AuditEntry) error {
	t.touch(e.ServerID) // every act is audited, so this is where acts are seen
	if err := insertOne(ctx, t, "audit", auditRow{e.ID, micros(e.At), e.ActorID, e.Actor, e.Via, e.Addr, e.Act, e.ServerID,
		octets(e.Subject), e.Before, e.After}); err != nil {
		return err
	}
	return insertOne(ctx, t, "audit_pending", pendingRow{e.ID})
}

func (t *tx) Audit(ctx context.Context, f review.AuditFilter, pg review.Page) ([]review.AuditEntry, error) {
	var p params
	query := "SELECT " + columns[auditRow]("") + " FROM audit WHERE " + p.acts("", f)
	query += p.page("audit", "", "at", pg)
	var rows []auditRow
	err := t.all(ctx, &rows, query, p.args...)
	return mapped(rows, auditRow.entry), err
}

// acts restricts rows of the audit to those of a filter.
func (p *params) acts(alias string, f review.AuditFilter) string {
	where := p.ofServers(alias+"server_id", f.ServerIDs)
	if f.Actor != "" {
		where += " AND " + alias + "actor = " + p.add(f.Actor)
	}
	switch {
	case f.Act == "":
	case strings.Contains(f.Act, "."):
		where += " AND " + alias + "act = " + p.add(f.Act)
	default: // a noun, which the workflow checked to be one
		where += " AND " + alias + "act LIKE " + p.add(f.Act+".%")
	}
	if !f.Since.IsZero() {
		where += " AND " + alias + "at >= " + p.add(micros(f.Since))
	}
	if !f.Until.IsZero() {
		where += " AND " + alias + "at < " + p.add(micros(f.Until))
	}
	return where
}
