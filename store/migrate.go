package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/countersign/countersign/migrations"
	"github.com/countersign/countersign/review"
)

const migrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
	version    BIGINT PRIMARY KEY,
	name       TEXT NOT NULL,
	checksum   TEXT NOT NULL,
	applied_at BIGINT NOT NULL
)`

type migrationRow struct {
	Version   int    `db:"version"`
	Name      string `db:"name"`
	Checksum  string `db:"checksum"`
	AppliedAt micros `db:"applied_at"`
}

// Migrate brings the schema up to that of this binary, in one transaction. Of
// several processes that start at once, one migrates and the others wait. A
// database that was migrated by other code is refused, untouched, with an error
// of kind Conflict.
func (s *Store) Migrate(ctx context.Context) error {
	all, err := migrations.All()
	if err != nil {
		return err
	}
	return s.migrate(ctx, all)
}

func (s *Store) migrate(ctx context.Context, all []migrations.Migration) error {
	begun, err := s.write.BeginTxx(ctx, nil)
	if err != nil {
		return failure(ctx, err)
	}
	defer begun.Rollback()
	if err := s.applyPending(ctx, begun, all); err != nil {
		return failure(ctx, err)
	}
	return failure(ctx, begun.Commit())
}

func (s *Store) applyPending(ctx context.Context, db *sqlx.Tx, all []migrations.Migration) error {
	if s.engine.lock != "" {
		if _, err := db.ExecContext(ctx, s.engine.lock); err != nil {
			return err
		}
	}
	if _, err := db.ExecContext(ctx, migrationsTable); err != nil {
		return err
	}
	applied, err := appliedMigrations(ctx, db)
	if err != nil {
		return err
	}
	if err := checkApplied(applied, all); err != nil {
		return err
	}
	t := &tx{db: db, store: s}
	for _, m := range all[len(applied):] {
		if _, err := db.ExecContext(ctx, m.SQL); err != nil { // several statements: no arguments
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
		if err := insertOne(ctx, t, "schema_migrations", migrationRow{m.Version, m.Name, m.Checksum, micros(s.now())}); err != nil {
			return err
		}
	}
	return nil
}

func appliedMigrations(ctx context.Context, db sqlx.QueryerContext) ([]migrationRow, error) {
	var applied []migrationRow
	err := sqlx.SelectContext(ctx, db, &applied, "SELECT "+columns[migrationRow]("")+" FROM schema_migrations ORDER BY version")
	return applied, err
}

// checkApplied refuses a database whose migrations are not a beginning of ours.
func checkApplied(applied []migrationRow, all []migrations.Migration) error {
	if len(applied) > len(all) {
		return review.Errorf(review.Conflict, "The database has migration %s, which this version of Countersign doesn't know; run the newer version.",
			applied[len(all)].Name)
	}
	for i, row := range applied {
		if m := all[i]; row.Version != m.Version || row.Checksum != m.Checksum {
			return review.Errorf(review.Conflict, "The database was migrated with another text of migration %s (checksum %.12s, here %.12s); run the version that migrated it, or restore a backup.",
				row.Name, row.Checksum, m.Checksum)
		}
	}
	return nil
}

// Migrated reports whether a migration of ours was ever applied to the database.
func (s *Store) Migrated(ctx context.Context) (bool, error) {
	tables, err := s.catalogue(ctx, s.read)
	if err != nil || len(tables) == 0 || tables[0].Name != "schema_migrations" { // the first one that is made
		return false, failure(ctx, err)
	}
	applied, err := appliedMigrations(ctx, s.read)
	return len(applied) > 0, failure(ctx, err)
}

// Ping reports whether the database answers and has the schema of this binary.
// Both failures are of kind Unavailable.
func (s *Store) Ping(ctx context.Context) error {
	all, err := migrations.All()
	if err != nil {
		return err
	}
	if err := s.read.PingContext(ctx); err != nil {
		return failure(ctx, err)
	}
	applied, err := appliedMigrations(ctx, s.read)
	if err != nil && review.KindOf(failure(ctx, err)) == review.Unavailable {
		return failure(ctx, err)
	}
	if other := (*review.Error)(nil); errors.As(checkApplied(applied, all), &other) {
		return &review.Error{Kind: review.Unavailable, Sentence: other.Sentence}
	}
	if len(applied) < len(all) {
		return &review.Error{Kind: review.Unavailable, Err: err,
			Sentence: fmt.Sprintf("The database has %d of %d migrations; run countersign migrate.", len(applied), len(all))}
	}
	return nil
}
