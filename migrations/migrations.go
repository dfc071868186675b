// Package migrations holds the schema of the database: numbered SQL files in the
// one dialect that SQLite and PostgreSQL share.
//
// A file is NNNN_name.sql, numbered from 1 without gaps. Once released it never
// changes: its checksum is kept in every database that applied it, and a
// database whose checksums differ is refused. What must change later is a new
// file. All pending files run in one transaction.
package migrations

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
)

//go:embed *.sql
var files embed.FS

// Migration is one step of the schema.
type Migration struct {
	Version  int    // from 1
	Name     string // of its file
	SQL      string
	Checksum string // SHA-256 of SQL, in hex
}

// All returns the migrations of this binary in order.
func All() ([]Migration, error) { return Load(files) }

// Load reads the migrations at the top of a file system. It fails when a number
// is missing, taken twice or unreadable.
func Load(dir fs.FS) ([]Migration, error) {
	names, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return nil, err
	}
	all := make([]Migration, 0, len(names))
	for i, name := range names { // Glob sorts
		if want := fmt.Sprintf("%04d_", i+1); len(name) < len(want) || name[:len(want)] != want {
			return nil, fmt.Errorf("migration %s: its name should begin with %s", name, want)
		}
		sql, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		all = append(all, newMigration(i+1, name, sql))
	}
	return all, nil
}

// newMigration normalises line ends first, so that a checkout that rewrites them
// doesn't look like a changed migration.
func newMigration(version int, name string, sql []byte) Migration {
	sql = bytes.ReplaceAll(sql, []byte("\r\n"), []byte("\n"))
	sum := sha256.Sum256(sql)
	return Migration{Version: version, Name: name, SQL: string(sql), Checksum: hex.EncodeToString(sum[:])}
}
