package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
)

// unpurged are the tables that a purge leaves alone: the audit is a chain that
// could not be checked any more.
var unpurged = []string{"audit", "audit_pending", "audit_chain", "audit_checkpoints"}

type purgedRow struct {
	ListingID string `db:"listing_id"`
	At        micros `db:"at"`
	By        string `db:"by_label"`
	Reason    string `db:"reason"`
}

// Purge writes stars over a text in every column of every table that can hold it:
// as many as it has bytes, so that lengths around it still say what is so. Hashes
// and digests stay. A listing that held it is marked.
func (t *tx) Purge(ctx context.Context, text string, p review.Purging) (*review.Purged, error) {
	tables, err := t.store.catalogue(ctx, t.db)
	if err != nil {
		return nil, failure(ctx, err)
	}
	done := &review.Purged{Rows: map[string]int{}}
	changed := map[int64]bool{} // slices
	listings := map[string]bool{}
	for _, table := range kept(tables) {
		if table.Name == reportsTable {
			continue
		}
		keys, err := t.purgeTable(ctx, table, text)
		if err != nil {
			return nil, err
		}
		if len(keys) > 0 {
			done.Rows[table.Name] = len(keys)
		}
		for _, key := range keys {
			switch table.Name {
			case "slices":
				var id int64
				if err := t.get(ctx, &id, "SELECT id FROM slices WHERE raw_hash = $1", key[0]); err != nil {
					return nil, err
				}
				changed[id] = true
			case "listings":
				listings[key[0].(string)] = true
			}
		}
	}
	if n, err := t.purgeReports(ctx, text); err != nil {
		return nil, err
	} else if n > 0 {
		done.Rows[reportsTable] = n
	}
	err = t.eachRefs(ctx, func(id string, refs []ref) {
		if slices.ContainsFunc(refs, func(r ref) bool { return changed[r.slice] }) {
			listings[id] = true
		}
	})
	if err != nil {
		return nil, err
	}
	if len(listings) > 0 {
		// The index holds texts in another spelling. It is made anew where it is missing.
		for _, index := range []string{"search_heads", "search_texts"} {
			if _, err := t.exec(ctx, "DELETE FROM "+index); err != nil {
				return nil, err
			}
		}
	}
	for id := range listings {
		done.Listings = append(done.Listings, id)
	}
	slices.Sort(done.Listings)
	rows := make([]purgedRow, len(done.Listings))
	for i, id := range done.Listings {
		rows[i] = purgedRow{id, micros(p.At), p.By, p.Reason}
	}
	_, err = insert(ctx, t, "purged", "", rows...)
	return done, err
}

// purgeTable returns the primary keys of the rows that it changed, and of the
// tables that are left alone those it would have.
func (t *tx) purgeTable(ctx context.Context, table table, text string) ([][]any, error) {
	var touched [][]any
	seen := map[string]bool{} // keys as text: a database gives them in several types
	for _, c := range table.Columns {
		if c.Type != "text" && c.Type != "bytea" || slices.Contains(table.key, c.Name) {
			continue
		}
		for _, spelling := range spellings(text) {
			keys, err := t.purgeColumn(ctx, table, c, spelling)
			if err != nil {
				return nil, err
			}
			for _, key := range keys {
				if k := keyText(key); !seen[k] {
					seen[k] = true
					touched = append(touched, key)
				}
			}
		}
	}
	return touched, nil
}

// keyText is a key as text, its parts told apart.
func keyText(key []any) string {
	parts := make([]string, len(key))
	for i, part := range key {
		parts[i] = fmt.Sprint(part)
	}
	return fmt.Sprintf("%q", parts)
}

// spellings are the ways in which a text stands in JSON, each once.
func spellings(text string) []string {
	escaped, _ := json.Marshal(text) // a string always marshals
	html := strings.Trim(string(escaped), `"`)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text)
	plain := strings.TrimSuffix(b.String(), "\n")
	plain = plain[1 : len(plain)-1]
	all := []string{text, html, plain, strings.ReplaceAll(plain, "/", `\/`)}
	slices.Sort(all)
	return slices.Compact(all)
}

func (t *tx) purgeColumn(ctx context.Context, table table, c column, text string) ([][]any, error) {
	var sought any = text
	if c.Type == "bytea" {
		sought = []byte(text)
	}
	columns := make([]string, 0, len(table.key)+1)
	for _, name := range append(slices.Clone(table.key), c.Name) {
		columns = append(columns, quoted(name))
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(table.Name) + " WHERE " + fmt.Sprintf(t.store.engine.contains, quoted(c.Name), "$1")
	found, err := t.rows(ctx, query, sought)
	for _, row := range found {
		for i, name := range table.key { // as the driver takes them again
			at := slices.IndexFunc(table.Columns, func(c column) bool { return c.Name == name })
			if err == nil {
				row[i], err = table.Columns[at].portable(row[i])
			}
		}
	}
	if err != nil || slices.Contains(unpurged, table.Name) {
		return keysOf(found), err
	}
	for _, row := range found {
		var p params
		last := len(row) - 1
		set := quoted(c.Name) + " = " + p.add(starred(row[last], c, text))
		var where []string
		for i, name := range table.key {
			where = append(where, quoted(name)+" = "+p.add(row[i]))
		}
		if _, err := t.exec(ctx, "UPDATE "+quoted(table.Name)+" SET "+set+" WHERE "+strings.Join(where, " AND "), p.args...); err != nil {
			return nil, err
		}
	}
	return keysOf(found), nil
}

// rows reads rows of whatever columns, each value as a driver takes it again.
func (t *tx) rows(ctx context.Context, query string, args ...any) ([][]any, error) {
	var found [][]any
	err := t.run(ctx, query, args, func(query string) error {
		rows, err := t.db.QueryxContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			row, err := rows.SliceScan()
			if err != nil {
				return err
			}
			found = append(found, row)
		}
		return rows.Err()
	})
	return found, err
}

func keysOf(rows [][]any) [][]any {
	keys := make([][]any, len(rows))
	for i, row := range rows {
		keys[i] = row[:len(row)-1]
	}
	return keys
}

func starred(v any, c column, text string) any {
	var was string
	switch v := v.(type) {
	case []byte:
		was = string(v)
	case string:
		was = v
	}
	now := strings.ReplaceAll(was, text, strings.Repeat("*", len(text)))
	if c.Type == "bytea" {
		return []byte(now)
	}
	return now
}

// purgedMark says what was purged of a listing; nil for nothing.
func (t *tx) purgedMark(ctx context.Context, listingID string) (*review.Purging, error) {
	var row purgedRow
	err := t.get(ctx, &row, "SELECT "+columns[purgedRow]("")+" FROM purged WHERE listing_id = $1 ORDER BY at DESC LIMIT 1", listingID)
	if review.KindOf(err) == review.NotFound && err != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &review.Purging{By: row.By, At: time.Time(row.At), Reason: row.Reason}, nil
}

// Erase is Update, after which the file of an SQLite database and its log hold nothing
// of what f wrote over or removed. On PostgreSQL old rows stay until a VACUUM. What is
// remembered of listings and reports is forgotten.
func (s *Store) Erase(ctx context.Context, f func(review.Tx) error) error {
	if s.write != s.read {
		if _, err := s.write.ExecContext(ctx, "PRAGMA secure_delete = 1"); err != nil {
			return failure(ctx, err)
		}
	}
	if err := s.Update(ctx, f); err != nil {
		return err
	}
	s.toolRefs.clear()
	s.reportBases.clear()
	if s.write == s.read {
		return nil
	}
	_, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return failure(ctx, err)
}
