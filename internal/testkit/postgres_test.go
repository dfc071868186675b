package testkit_test

import (
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
)

func TestPostgresGivesFreshDatabases(t *testing.T) {
	first, second := testkit.Postgres(t), testkit.Postgres(t)
	if first == second {
		t.Fatal("two calls gave the same database")
	}
	for _, address := range []string{first, second} {
		db, err := sql.Open("postgres", address)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec("CREATE TABLE made (x TEXT)"); err != nil {
			t.Errorf("create a table: %v", err)
		}
		var encoding, collation string
		if err := db.QueryRow(`SELECT pg_encoding_to_char(encoding), datcollate FROM pg_database
			WHERE datname = current_database()`).Scan(&encoding, &collation); err != nil {
			t.Fatal(err)
		}
		if encoding != "UTF8" || collation != "C.UTF-8" {
			t.Errorf("encoding %s, collation %s", encoding, collation)
		}
	}
}

func TestEmpty(t *testing.T) {
	address := testkit.Postgres(t)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE stays (x TEXT); CREATE TABLE goes (x TEXT PRIMARY KEY); CREATE TABLE "refers to" (x TEXT REFERENCES goes (x));
		INSERT INTO stays VALUES ('a'); INSERT INTO goes VALUES ('b'); INSERT INTO "refers to" VALUES ('b')`); err != nil {
		t.Fatal(err)
	}
	testkit.Empty(t, address, "stays")
	var stays, goes, refers int
	if err := db.QueryRow(`SELECT (SELECT count(*) FROM stays), (SELECT count(*) FROM goes), (SELECT count(*) FROM "refers to")`).Scan(&stays, &goes, &refers); err != nil {
		t.Fatal(err)
	}
	if stays != 1 || goes != 0 || refers != 0 {
		t.Errorf("%d rows of what stays, %d of what goes, %d of what refers to it", stays, goes, refers)
	}
}

// TestPostgresLeavesNothing runs a test process that dies without any cleanup
// while it has a cluster, and looks whether the cluster goes too.
func TestPostgresLeavesNothing(t *testing.T) {
	const role = "TESTKIT_DIES_WITH_CLUSTER"
	if os.Getenv(role) != "" {
		u, err := url.Parse(testkit.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("folder " + u.Query().Get("host") + "\n")
		os.Stdout.Sync()
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(exe, "-test.run=^TestPostgresLeavesNothing$")
	child.Env = append(os.Environ(), role+"=1", "COUNTERSIGN_TEST_POSTGRES=")
	out, _ := child.Output()
	_, rest, ok := strings.Cut(string(out), "folder ")
	if !ok {
		testkit.Missing(t, "PostgreSQL's binaries")
	}
	dir, _, _ := strings.Cut(rest, "\n")
	if !strings.HasPrefix(filepath.Base(dir), "cs-pg-") {
		t.Fatalf("the child's cluster is in %q", dir)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", dir)
		}
	}
}
