package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/migrations"
	"github.com/countersign/countersign/review"
)

// onBoth runs a test on an empty database of each engine, not migrated.
func onBoth(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "countersign.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, testkit.Postgres(t)) })
}

func open(t testing.TB, address string) *Store {
	t.Helper()
	s, err := Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func migrationsOf(sql ...string) []migrations.Migration {
	var all []migrations.Migration
	for i, text := range sql {
		all = append(all, migrations.Migration{Version: i + 1, Name: "000" + string(rune('1'+i)) + "_test.sql", SQL: text, Checksum: text})
	}
	return all
}

func TestMigrate(t *testing.T) {
	one, two, three := "CREATE TABLE a (x TEXT); CREATE TABLE b (x TEXT)", "ALTER TABLE a ADD COLUMN y TEXT", "CREATE TABLE c (x TEXT)"
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		migrate := func(sql ...string) error { return s.migrate(t.Context(), migrationsOf(sql...)) }
		refused := func(err error, kind review.Kind, sentence string) {
			t.Helper()
			if review.KindOf(err) != kind || !strings.Contains(err.Error(), sentence) {
				t.Errorf("error %v, want one of kind %q with %q", err, kind, sentence)
			}
		}
		for _, step := range [][]string{{one}, {one}, {one, two}, {one, two}} {
			if err := migrate(step...); err != nil {
				t.Fatalf("migrate to %d: %v", len(step), err)
			}
		}
		refused(migrate(one, three), review.Conflict, "another text of migration 0002_test.sql")
		refused(migrate(one), review.Conflict, "has migration 0002_test.sql, which this version of Countersign doesn't know")
		refused(migrate(), review.Conflict, "0001_test.sql")

		// A migration that fails half way leaves nothing of itself.
		refused(migrate(one, two, "CREATE TABLE half (x TEXT); CREATE TABLE a (x TEXT)"), review.Internal, "0003_test.sql")
		if err := migrate(one, two, "CREATE TABLE half (x TEXT)"); err != nil {
			t.Errorf("after a failed one: %v", err)
		}
	})
}

func TestMigrateAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			s := open(t, address)
			wg.Go(func() { errs[i] = s.Migrate(t.Context()) })
		}
		wg.Wait()
		for i, err := range errs {
			if err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		}
	})
}

func TestPing(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		ping := func(want string) {
			t.Helper()
			err := s.Ping(t.Context())
			if want == "" && err != nil || want != "" && (review.KindOf(err) != review.Unavailable || !strings.Contains(err.Error(), want)) {
				t.Errorf("ping: %v, want %q", err, want)
			}
		}
		all, err := migrations.All()
		if err != nil {
			t.Fatal(err)
		}
		ping(fmt.Sprintf("has 0 of %d migrations; run countersign migrate", len(all)))
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		ping("")
		row := migrationRow{Version: len(all) + 1, Name: "9999_new.sql", Checksum: "new"}
		if err := insertOne(t.Context(), &tx{db: s.write, store: s}, "schema_migrations", row); err != nil {
			t.Fatal(err)
		}
		ping("has migration 9999_new.sql, which this version of Countersign doesn't know")
	})
}
