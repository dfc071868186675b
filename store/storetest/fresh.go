package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/store"
)

// SQLite returns the path of an empty, migrated SQLite file that lasts as long as the
// test. It is a copy of one that is migrated once for all tests of a process.
func SQLite(t testing.TB) string {
	t.Helper()
	file, err := migratedFile()
	if err != nil {
		t.Fatalf("migrate a file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "countersign.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "countersign-migrated-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "countersign.db")
	s, err := store.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(context.Background()); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.Close(); err != nil { // folds its log into the file
		return nil, err
	}
	return os.ReadFile(path)
})

// used are PostgreSQL databases of ours, migrated and empty, that nobody uses now.
type used struct {
	lasting testing.TB // drops them at its end

	mu   sync.Mutex
	free []string
}

// postgres returns the address of one, which is taken back after the test.
func (u *used) postgres(t testing.TB) string {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	address := ""
	if n := len(u.free); n > 0 {
		address, u.free = u.free[n-1], u.free[:n-1]
	} else {
		address = testkit.Postgres(u.lasting)
	}
	t.Cleanup(func() { // after the store is closed
		testkit.Empty(t, address, "schema_migrations")
		u.mu.Lock()
		defer u.mu.Unlock()
		u.free = append(u.free, address)
	})
	return address
}
