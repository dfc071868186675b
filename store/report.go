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

type reportRow struct {
	Key    hash   `db:"key"`
	Kind   string `db:"kind"`
	Engine string `db:"engine"`
	Body   blob   `db:"body"`
}

// reportHash is the SHA-256 of a report key; a length before each text keeps
// different keys apart.
func reportHash(k review.ReportKey) hash {
	var b []byte
	for _, text := range []string{k.Kind, k.Engine} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	b = append(b, k.From[:]...)
	b = append(b, k.To[:]...)
	b = append(b, k.Inputs[:]...)
	return sha256.Sum256(b)
}

func (t *tx) Reports(ctx context.Context, keys []review.ReportKey) (map[review.ReportKey][]byte, error) {
	byHash := indexed(keys, reportHash)
	rows, err := allIn[reportRow](ctx, t, "SELECT "+columns[reportRow]("")+" FROM reports WHERE key IN (%s)", nil,
		distinct(slices.Collect(maps.Keys(byHash))))
	found := make(map[review.ReportKey][]byte, len(rows))
	for _, row := range rows {
		found[byHash[row.Key]] = row.Body
	}
	return found, err
}

// PutReport keeps a report. It is a function of its key, so one that is there
// already stays.
func (t *tx) PutReport(ctx context.Context, k review.ReportKey, body []byte) error {
	return t.PutReports(ctx, map[review.ReportKey][]byte{k: body})
}

// PutReports writes in order of the keys' hashes, since PostgreSQL would deadlock
// writers that bring the same reports in different orders.
func (t *tx) PutReports(ctx context.Context, reports map[review.ReportKey][]byte) error {
	rows := make([]reportRow, 0, len(reports))
	for k, body := range reports {
		rows = append(rows, reportRow{reportHash(k), k.Kind, k.Engine, body})
	}
	slices.SortFunc(rows, func(a, b reportRow) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	_, err := insert(ctx, t, "reports", "ON CONFLICT DO NOTHING", rows...)
	return err
}
