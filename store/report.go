package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/countersign/countersign/review"
)

// reportRow is a report as it is kept. Base is the key of the report that Body is
// packed against, zero when it stands by itself; see reportPacker.
type reportRow struct {
	Key    hash   `db:"key"`
	Kind   string `db:"kind"`
	Engine string `db:"engine"`
	Packed bool   `db:"packed"` // false: from before reports were packed
	Base   hash   `db:"base"`
	Body   blob   `db:"body"`
}

// reportHash is the SHA-256 of a report key; a length before each text keeps
// different keys apart.
func reportHash(k review.ReportKey) hash {
	b := appendText(appendText(nil, k.Kind), k.Engine)
	b = append(b, k.From[:]...)
	b = append(b, k.To[:]...)
	b = append(b, k.Inputs[:]...)
	return sha256.Sum256(b)
}

// stemHash names the reports that resemble each other: of one kind and engine, near
// the same thing, and all with something that they compare with or all without.
func stemHash(near string, k review.ReportKey) hash {
	b := appendText(appendText(appendText(nil, near), k.Kind), k.Engine)
	if !k.From.IsZero() {
		b = binary.AppendUvarint(b, 1)
	}
	return sha256.Sum256(b)
}

func (t *tx) Reports(ctx context.Context, keys []review.ReportKey) (map[review.ReportKey][]byte, error) {
	byHash := indexed(keys, reportHash)
	rows, err := t.reportRows(ctx, distinct(slices.Collect(maps.Keys(byHash))))
	if err != nil {
		return nil, err
	}
	read, err := t.reportReader(ctx, rows)
	if err != nil {
		return nil, err
	}
	t.store.reportUses.add(rows)
	found := make(map[review.ReportKey][]byte, len(rows))
	for i := range rows {
		if found[byHash[rows[i].Key]], err = read.body(&rows[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (t *tx) reportRows(ctx context.Context, keys []hash) ([]reportRow, error) {
	return allIn[reportRow](ctx, t, "SELECT "+columns[reportRow]("")+" FROM reports WHERE key IN (%s)", nil, keys)
}

// reportReader reads the bases of rows, so that their bodies can be unpacked.
func (t *tx) reportReader(ctx context.Context, rows []reportRow) (*reportReader, error) {
	read := &reportReader{bases: map[hash]*reportBase{}}
	var unread []hash
	for i := range rows {
		key := rows[i].Base
		if _, ok := read.bases[key]; ok || key == (hash{}) {
			continue
		}
		if base, ok := t.store.reportBases.get(string(key[:])); ok {
			read.bases[key] = base
			continue
		}
		read.bases[key] = nil // until it is read
		unread = append(unread, key)
	}
	if len(unread) == 0 {
		return read, nil
	}
	found, err := t.reportRows(ctx, distinct(unread))
	for i := range found {
		base, err := newReportBase(&found[i])
		if err != nil {
			return nil, err
		}
		read.bases[base.key] = base
		t.store.reportBases.put(string(base.key[:]), base, len(base.text))
	}
	return read, err
}

// PutReport keeps a report. It is a function of its key, so one that is there
// already stays.
func (t *tx) PutReport(ctx context.Context, near string, k review.ReportKey, body []byte) error {
	return t.PutReports(ctx, near, map[review.ReportKey][]byte{k: body})
}

// PutReports writes in order of the keys' hashes, since PostgreSQL would deadlock
// writers that bring the same reports in different orders.
func (t *tx) PutReports(ctx context.Context, near string, reports map[review.ReportKey][]byte) error {
	fresh, err := t.freshReports(ctx, reports)
	if err != nil || len(fresh) == 0 {
		return err
	}
	packers, err := t.reportPackers(ctx, near, fresh)
	if err != nil {
		return err
	}
	rows := make([]reportRow, len(fresh))
	for i, k := range fresh {
		rows[i] = reportRow{Key: reportHash(k), Kind: k.Kind, Engine: k.Engine, Packed: true}
		p := packers[stemHash(near, k)]
		if rows[i].Body, rows[i].Base, err = p.pack(rows[i].Key, reports[k]); err != nil {
			return err
		}
	}
	// Conflicts are reports that another instance kept meanwhile: PostgreSQL then runs
	// this transaction again.
	if _, err := insert(ctx, t, "reports", "ON CONFLICT DO NOTHING", rows...); err != nil {
		return err
	}
	return t.putReportBases(ctx, packers)
}

// freshReports returns the keys of those that are not kept yet, in order of their
// hashes.
func (t *tx) freshReports(ctx context.Context, reports map[review.ReportKey][]byte) ([]review.ReportKey, error) {
	byHash := indexed(slices.Collect(maps.Keys(reports)), reportHash)
	kept, err := allIn[hash](ctx, t, "SELECT key FROM reports WHERE key IN (%s)", nil, distinct(slices.Collect(maps.Keys(byHash))))
	for _, key := range kept {
		delete(byHash, key)
	}
	fresh := make([]review.ReportKey, 0, len(byHash))
	for _, key := range slices.SortedFunc(maps.Keys(byHash), func(a, b hash) int { return bytes.Compare(a[:], b[:]) }) {
		fresh = append(fresh, byHash[key])
	}
	return fresh, err
}

type reportBaseRow struct {
	Stem hash `db:"stem"`
	Key  hash `db:"key"`
}

// reportPackers returns a packer for every stem of the keys, with the base that the
// stem has.
func (t *tx) reportPackers(ctx context.Context, near string, keys []review.ReportKey) (map[hash]*reportPacker, error) {
	packers := map[hash]*reportPacker{}
	for _, k := range keys {
		packers[stemHash(near, k)] = &reportPacker{}
	}
	stems, err := allIn[reportBaseRow](ctx, t, "SELECT "+columns[reportBaseRow]("")+" FROM report_bases WHERE stem IN (%s)", nil,
		distinct(slices.Collect(maps.Keys(packers))))
	if err != nil || len(stems) == 0 {
		return packers, err
	}
	// Never from the cache: a base that was purged meanwhile is none any more.
	rows, err := t.reportRows(ctx, distinct(mapped(stems, func(s reportBaseRow) hash { return s.Key })))
	if err != nil {
		return nil, err
	}
	byKey := indexed(rows, func(r reportRow) hash { return r.Key })
	for _, s := range stems {
		row := byKey[s.Key]
		if packers[s.Stem].base, err = newReportBase(&row); err != nil {
			return nil, err
		}
	}
	return packers, nil
}

// putReportBases keeps the bases that were chosen anew.
func (t *tx) putReportBases(ctx context.Context, packers map[hash]*reportPacker) error {
	var rows []reportBaseRow
	for stem, p := range packers {
		if p.chosen {
			rows = append(rows, reportBaseRow{stem, p.base.key})
		}
	}
	slices.SortFunc(rows, func(a, b reportBaseRow) int { return bytes.Compare(a.Stem[:], b.Stem[:]) })
	_, err := insert(ctx, t, "report_bases", "ON CONFLICT (stem) DO UPDATE SET key = excluded.key", rows...)
	return err
}
