package store

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
)

const (
	reportsTable = "reports"
	purgeStep    = 100 // reports that are in memory at a time
)

// purgeReports writes stars over a text in all reports, into which the database can't
// look since they are packed. It returns how many held it.
//
// What is packed against a base could not be read any more once that is written over,
// so it is packed anew before. A base that held the text is never one again: another
// instance may have what it said in memory, and would read later ones amiss.
func (t *tx) purgeReports(ctx context.Context, text string) (int, error) {
	texts := spellings(text)
	held := map[hash]bool{} // that stand by themselves
	if err := t.eachReport(ctx, func(row *reportRow, body []byte) error {
		if _, ok := blotted(body, texts); ok && row.Base == (hash{}) {
			held[row.Key] = true
		}
		return nil
	}); err != nil {
		return 0, err
	}
	found := len(held)
	if err := t.eachReport(ctx, func(row *reportRow, body []byte) error {
		if row.Base == (hash{}) {
			return nil
		}
		clean, ok := blotted(body, texts)
		if ok {
			found++
		}
		if !ok && !held[row.Base] {
			return nil
		}
		return t.repackReport(ctx, row.Key, clean)
	}); err != nil {
		return 0, err
	}
	return found, t.purgeBases(ctx, slices.Collect(maps.Keys(held)), texts)
}

// purgeBases is the rest of purgeReports, of those that stand by themselves.
func (t *tx) purgeBases(ctx context.Context, keys []hash, texts []string) error {
	for some := range slices.Chunk(distinct(keys), purgeStep) {
		rows, err := t.reportRows(ctx, some)
		if err != nil {
			return err
		}
		for i := range rows {
			body, err := (&reportReader{}).body(&rows[i])
			if err != nil {
				return err
			}
			clean, _ := blotted(body, texts)
			if err := t.repackReport(ctx, rows[i].Key, clean); err != nil {
				return err
			}
		}
	}
	_, err := execIn(ctx, t, "DELETE FROM report_bases WHERE key IN (%s)", nil, keys)
	return err
}

// repackReport keeps another body under a key, by itself.
func (t *tx) repackReport(ctx context.Context, key hash, body []byte) error {
	packed, base, err := (&reportPacker{}).pack(key, body)
	if err != nil {
		return err
	}
	return t.execOne(ctx, "UPDATE reports SET packed = $1, base = $2, body = $3 WHERE key = $4", true, base, blob(packed), key)
}

// eachReport calls f with every report there is and what it says.
func (t *tx) eachReport(ctx context.Context, f func(row *reportRow, body []byte) error) error {
	var last hash
	for {
		var rows []reportRow
		if err := t.all(ctx, &rows, "SELECT "+columns[reportRow]("")+" FROM reports WHERE key > $1 ORDER BY key LIMIT $2", last, purgeStep); err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		read, err := t.reportReader(ctx, rows)
		if err != nil {
			return err
		}
		for i := range rows {
			body, err := read.body(&rows[i])
			if err == nil {
				err = f(&rows[i], body)
			}
			if err != nil {
				return err
			}
			last = rows[i].Key
		}
	}
}

// blotted is a body with stars over every one of the texts; ok says that there was one.
func blotted(body []byte, texts []string) (clean []byte, ok bool) {
	for _, text := range texts {
		if bytes.Contains(body, []byte(text)) {
			body, ok = bytes.ReplaceAll(body, []byte(text), []byte(strings.Repeat("*", len(text)))), true
		}
	}
	return body, ok
}
