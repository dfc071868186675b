package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/review"
)

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, address string
		kind          review.Kind
		sentence      string
	}{
		{"empty", "", review.Invalid, "is empty"},
		{"another database", "mysql://localhost/x", review.Invalid, `begins with "mysql://"`},
		{"memory", "sqlite::memory:", review.Invalid, "in memory is not supported"},
		{"no path", "sqlite:", review.Invalid, "names no file"},
		{"parameters", "file:x.db?mode=ro", review.Invalid, "has parameters"},
		{"a folder", t.TempDir(), review.Unavailable, "can't be made or opened"},
		{"below a file", filepath.Join(file, "x.db"), review.Unavailable, "can't be made or opened"},
		{"no database", file, review.Internal, sayDamaged},
		{"not a URL", "postgres://a:%zz@localhost/x", review.Invalid, "is not a URL"},
		{"nobody there", "postgres://localhost:1/x?sslmode=disable", review.Unavailable, saySilent},
		{"odd parameter", "postgres://localhost:1/x?sslmode=maybe", review.Invalid, "can't be used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(t.Context(), tt.address)
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if review.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.sentence) {
				t.Errorf("error %v, want one of kind %q with %q", err, tt.kind, tt.sentence)
			}
			if strings.Contains(err.Error(), "%zz") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestOpenSQLite(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain.db", "with space.db", "100%.db", "a#b&c=d.db", "ünï.db", "new/folder/x.db"} {
		path := filepath.Join(dir, name)
		for _, prefix := range []string{"", "sqlite:", "sqlite://", "file:"} {
			s, err := Open(t.Context(), prefix+path)
			if err != nil {
				t.Fatalf("%s%s: %v", prefix, name, err)
			}
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("%s%s: %v", prefix, name, err)
			}
			if s.Engine() != "SQLite" {
				t.Errorf("engine %q", s.Engine())
			}
			for _, file := range []string{path, path + "-wal"} {
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: %v, %v", file, info, err)
				}
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "-wal") || strings.ContainsRune(d.Name(), '?') {
			t.Errorf("%s was left", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestPragmas looks at several connections of each pool: a pragma that is run on
// a pool would have reached only one.
func TestPragmas(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"}
	for range 3 {
		conn, err := s.read.Connx(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() // at the end, so that the next is another one
		for pragma, value := range want {
			var got string
			if err := conn.GetContext(t.Context(), &got, "PRAGMA "+pragma); err != nil || got != value {
				t.Errorf("reader: %s is %q, want %q (%v)", pragma, got, value, err)
			}
		}
	}
	for pragma, value := range want {
		var got string
		if err := s.write.GetContext(t.Context(), &got, "PRAGMA "+pragma); err != nil || got != value {
			t.Errorf("writer: %s is %q, want %q (%v)", pragma, got, value, err)
		}
	}
}

// TestPlaceholders would fail with a driver that binds $N by order of appearance.
func TestPlaceholders(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		var got struct{ A, B, C string }
		err := s.read.GetContext(t.Context(), &got, "SELECT CAST($2 AS TEXT) AS a, CAST($1 AS TEXT) AS b, CAST($2 AS TEXT) AS c", "one", "two")
		if err != nil || got.A != "two" || got.B != "one" || got.C != "two" {
			t.Errorf("$2, $1, $2 gave %+v (%v)", got, err)
		}
	})
}
