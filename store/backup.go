package store

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	stdhash "hash"
	"io"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"github.com/countersign/countersign/review"
)

// A backup is lines of JSON under gzip, the same from both engines:
//
//	{"format":"countersign backup","version":1,"made_at":…,"program":…,"engine":…,"schema":[{"version","name","checksum"},…]}
//	{"table":"servers","columns":[{"name":"id","type":"text"},…]}
//	["0192…","shop",…]                one line a row, in order of its primary key
//	…
//	{"end":{"rows":…,"content":…}}
//
// Text is a JSON string, bytes are a string in base64, NULL is null. content is
// the SHA-256, in hex, of all lines between the first and the last, so that equal
// contents have equal sums, whenever and wherever they were written.
const (
	backupFormat  = "countersign backup"
	backupVersion = 1
)

// Backup says what a backup holds.
type Backup struct {
	MadeAt  time.Time
	Program string // version of the program that made it
	Engine  string // of the database that it was made from
	Schema  int    // migrations that this database had
	Tables  int
	Rows    int64
	Content string // sum of all tables: equal contents have equal sums
}

type backupHeader struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	MadeAt  time.Time         `json:"made_at"`
	Program string            `json:"program"`
	Engine  string            `json:"engine"`
	Schema  []backupMigration `json:"schema"`
}

type backupMigration struct {
	Version  int    `json:"version"`
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
}

type backupEnd struct {
	Rows    int64  `json:"rows"`
	Content string `json:"content"`
}

// backupMark is a line that is no row: the beginning of a table, or the end.
type backupMark struct {
	table
	End *backupEnd `json:"end,omitempty"`
}

// Backup writes everything that the database holds, but for who is signed in and
// links that let somebody in, as it is at one moment: a running server goes on
// meanwhile. program is the version of the caller, for the header.
func (s *Store) Backup(ctx context.Context, w io.Writer, program string) (*Backup, error) {
	snapshot, err := s.read.BeginTxx(ctx, s.engine.view)
	if err != nil {
		return nil, failure(ctx, err)
	}
	defer snapshot.Rollback()
	applied, err := appliedMigrations(ctx, snapshot)
	if err != nil {
		return nil, failure(ctx, err)
	}
	tables, err := s.catalogue(ctx, snapshot)
	if err != nil {
		return nil, failure(ctx, err)
	}
	out := newBackupWriter(w)
	header := backupHeader{backupFormat, backupVersion, s.now().UTC().Truncate(time.Second), program, s.Engine(), nil}
	for _, m := range applied {
		header.Schema = append(header.Schema, backupMigration{m.Version, m.Name, m.Checksum})
	}
	if err := out.begin(header); err != nil {
		return nil, err
	}
	for _, t := range kept(tables) {
		if err := s.backUpTable(ctx, snapshot, out, t); err != nil {
			return nil, failure(ctx, fmt.Errorf("table %s: %w", t.Name, err))
		}
	}
	return out.end(header)
}

// backUpTable writes a table row by row, so that memory holds one of them.
func (s *Store) backUpTable(ctx context.Context, db sqlx.QueryerContext, out *backupWriter, t table) error {
	if err := out.line(backupMark{table: t}); err != nil {
		return err
	}
	rows, err := db.QueryxContext(ctx, "SELECT "+t.columnList()+" FROM "+quoted(t.Name)+" ORDER BY "+t.order(s.engine))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.SliceScan()
		if err != nil {
			return err
		}
		for i, c := range t.Columns {
			if row[i], err = c.portable(row[i]); err != nil {
				return err
			}
		}
		if err := out.row(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// portable turns what a driver gave for a column into what JSON keeps of it.
func (c column) portable(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch c.Type {
	case "text":
		if b, ok := v.([]byte); ok {
			v = string(b)
		}
		if text, ok := v.(string); ok {
			if !utf8.ValidString(text) {
				return nil, review.Errorf(review.Internal, "Column %s holds text that isn't UTF-8; the database is damaged.", c.Name)
			}
			return text, nil
		}
	case "bytea":
		if text, ok := v.(string); ok {
			v = []byte(text)
		}
		if b, ok := v.([]byte); ok {
			return append([]byte{}, b...), nil // a nil one would be read as NULL
		}
	case "bigint":
		if n, ok := v.(int64); ok {
			return n, nil
		}
	case "boolean":
		if n, ok := v.(int64); ok {
			v = n != 0
		}
		if b, ok := v.(bool); ok {
			return b, nil
		}
	}
	return nil, fmt.Errorf("column %s of type %s holds %T", c.Name, c.Type, v)
}

// backupWriter writes the lines of a backup, and sums them up.
type backupWriter struct {
	zip  *gzip.Writer
	sum  stdhash.Hash
	done Backup
}

func newBackupWriter(w io.Writer) *backupWriter {
	return &backupWriter{zip: gzip.NewWriter(w), sum: sha256.New()}
}

func (w *backupWriter) begin(h backupHeader) error { return encodeLine(w.zip, h) }

func (w *backupWriter) line(mark backupMark) error {
	w.done.Tables++
	return encodeLine(io.MultiWriter(w.zip, w.sum), mark)
}

func (w *backupWriter) row(row []any) error {
	w.done.Rows++
	return encodeLine(io.MultiWriter(w.zip, w.sum), row)
}

func (w *backupWriter) end(h backupHeader) (*Backup, error) {
	w.done.Content = hex.EncodeToString(w.sum.Sum(nil))
	end := struct {
		End backupEnd `json:"end"`
	}{backupEnd{w.done.Rows, w.done.Content}}
	if err := encodeLine(w.zip, end); err != nil {
		return nil, err
	}
	w.done.describe(h)
	return &w.done, w.zip.Close()
}

func (b *Backup) describe(h backupHeader) {
	b.MadeAt, b.Program, b.Engine, b.Schema = h.MadeAt, h.Program, h.Engine, len(h.Schema)
}

func encodeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
