package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/countersign/countersign/migrations"
	"github.com/countersign/countersign/review"
)

// Restoring says how to restore.
type Restoring struct {
	// Replace loses what the database holds; without it only an empty one is taken.
	Replace bool
	// After is called when everything is there, inside the transaction.
	After func(tx review.Tx, b *Backup) error
}

// restoreChunk bounds the bytes of one INSERT.
const restoreChunk = 4 << 20

// Restore fills the database from a backup of either engine, in one transaction:
// when anything is wrong, nothing was changed. A backup of an older schema is
// read into that schema, which is then migrated to this one; of a newer one it is
// refused with an error of kind Conflict. Nobody is signed in afterwards.
func (s *Store) Restore(ctx context.Context, r io.Reader, opt Restoring) (*Backup, error) {
	b, err := newBackupReader(r)
	if err != nil {
		return nil, err
	}
	all, err := migrations.All()
	if err != nil {
		return nil, err
	}
	if err := b.checkSchema(all); err != nil {
		return nil, err
	}
	begun, err := s.write.BeginTxx(ctx, nil)
	if err != nil {
		return nil, failure(ctx, err)
	}
	defer begun.Rollback()
	if err := s.restore(ctx, begun, b, all, opt); err != nil {
		return nil, unfit(failure(ctx, err))
	}
	if err := begun.Commit(); err != nil {
		return nil, unfit(failure(ctx, err))
	}
	s.listeners.tell([]string{""})
	return &b.done, nil
}

// unfit says of rows that a database won't hold together what that means in a backup.
func unfit(err error) error {
	var e *review.Error
	if errors.As(err, &e) && (e.Sentence == sayAbsent || e.Sentence == sayTaken) {
		return &review.Error{Kind: review.Invalid, Sentence: "The backup is damaged: its rows don't fit together. " + sayBackup, Err: err}
	}
	return err
}

// checkSchema refuses a backup whose migrations are not a beginning of ours.
func (b *backupReader) checkSchema(all []migrations.Migration) error {
	applied := make([]migrationRow, len(b.header.Schema))
	for i, m := range b.header.Schema {
		applied[i] = migrationRow{Version: m.Version, Name: m.Name, Checksum: m.Checksum}
	}
	if err := checkApplied(applied, all); err != nil {
		return review.Errorf(review.Conflict, "The backup was made by %.80q, whose database had %d migrations that this version doesn't share. Restore it with that version or a later one.",
			b.header.Program, len(applied))
	}
	return nil
}

func (s *Store) restore(ctx context.Context, db *sqlx.Tx, b *backupReader, all []migrations.Migration, opt Restoring) error {
	t := &tx{db: db, store: s}
	if s.engine.lock != "" {
		if _, err := db.ExecContext(ctx, s.engine.lock); err != nil {
			return err
		}
	}
	if err := s.clear(ctx, t, opt.Replace); err != nil {
		return err
	}
	if err := s.applyPending(ctx, db, all[:len(b.header.Schema)]); err != nil {
		return err
	}
	if err := s.fill(ctx, t, b); err != nil {
		return err
	}
	if err := s.applyPending(ctx, db, all); err != nil {
		return err
	}
	if opt.After != nil {
		if err := opt.After(t, &b.done); err != nil {
			return err
		}
	}
	t.touched = append(t.touched, "") // anything may have changed
	return t.announce(ctx)
}

// clear drops the tables of ours, the last first since they refer to those before.
func (s *Store) clear(ctx context.Context, t *tx, replace bool) error {
	tables, err := s.catalogue(ctx, t.db)
	if err != nil {
		return err
	}
	if !replace {
		if err := checkEmpty(ctx, t, kept(tables)); err != nil {
			return err
		}
	}
	for _, old := range slices.Backward(tables) {
		if _, err := t.exec(ctx, "DROP TABLE "+quoted(old.Name)); err != nil {
			return err
		}
	}
	return nil
}

func checkEmpty(ctx context.Context, t *tx, tables []table) error {
	for _, old := range tables {
		var rows int
		if err := t.get(ctx, &rows, "SELECT count(*) FROM (SELECT 1 FROM "+quoted(old.Name)+" LIMIT 1) AS found"); err != nil {
			return err
		}
		if rows > 0 {
			return review.Errorf(review.Conflict, "The database is not empty: its table %s has rows. Nothing was changed. Restore into an empty database, or add --replace to lose what this one holds.", old.Name)
		}
	}
	return nil
}

// fill reads every row. The backup must have exactly the tables and columns that
// its schema makes, so that nothing comes in that no version of ours wrote.
func (s *Store) fill(ctx context.Context, t *tx, b *backupReader) error {
	tables, err := s.catalogue(ctx, t.db)
	if err != nil {
		return err
	}
	wanted := kept(tables)
	into := rowsInto{}
	for {
		from, row, err := b.next()
		if err != nil {
			return err
		}
		if row != nil {
			if err := into.add(ctx, t, row, b.size()); err != nil {
				return err
			}
			continue
		}
		if err := into.flush(ctx, t); err != nil {
			return err
		}
		if from == nil {
			break
		}
		if len(wanted) == 0 || from.Name != wanted[0].Name || !slices.Equal(from.Columns, wanted[0].Columns) {
			return brokenBackup("The backup's table %.80q is not one that its schema has at this place.", from.Name)
		}
		into.table, wanted = wanted[0], wanted[1:]
	}
	if len(wanted) > 0 {
		return brokenBackup("The backup has no table %s.", wanted[0].Name)
	}
	return nil
}

// size is how many bytes the line took that was read last.
func (b *backupReader) size() int { return len(b.lines.Bytes()) }

// rowsInto collects rows of a table for one statement.
type rowsInto struct {
	table table
	rows  [][]any
	bytes int
}

func (i *rowsInto) add(ctx context.Context, t *tx, row []any, size int) error {
	i.rows, i.bytes = append(i.rows, row), i.bytes+size
	if len(i.rows) < min(insertChunk, insertParams/len(i.table.Columns)) && i.bytes < restoreChunk {
		return nil
	}
	return i.flush(ctx, t)
}

func (i *rowsInto) flush(ctx context.Context, t *tx) error {
	if len(i.rows) == 0 {
		return nil
	}
	var p params
	tuples := p.tuples(len(i.rows), func(n int) []any { return i.rows[n] })
	_, err := t.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES %s", quoted(i.table.Name), i.table.columnList(), tuples), p.args...)
	i.rows, i.bytes = i.rows[:0], 0
	return err
}
