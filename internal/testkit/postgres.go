package testkit

import (
	"bufio"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq" // driver "postgres"
)

// Postgres returns the address of a fresh, empty PostgreSQL database that is
// dropped after the test.
//
// It is made in the cluster that COUNTERSIGN_TEST_POSTGRES names (the address of
// a superuser), else in a private cluster that the first call of a test process
// starts from Debian's binaries: on a socket in a temporary folder, without
// fsync, since what is tested is the death of our process and not of the machine.
// A watchdog stops and removes it when the test process is gone, however it went.
// On a machine without PostgreSQL the test is missing something, see [Missing].
func Postgres(t testing.TB) string {
	t.Helper()
	cluster := os.Getenv("COUNTERSIGN_TEST_POSTGRES")
	if cluster == "" {
		cluster = privateCluster(t)
	}
	name := "cs_" + strings.ToLower(rand.Text()[:16])
	admin(t, cluster, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'")
	t.Cleanup(func() { admin(t, cluster, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(cluster)
	if err != nil {
		t.Fatalf("COUNTERSIGN_TEST_POSTGRES is not a URL: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

// Empty takes every row out of a database that [Postgres] returned, but those of the
// tables that are named. Nothing else of it is undone.
func Empty(t testing.TB, address string, but ...string) {
	t.Helper()
	const all = `DO $$ DECLARE name TEXT; BEGIN
		SET LOCAL session_replication_role = replica; -- in any order, whatever refers to what
		FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> ALL ('{%s}') LOOP
			EXECUTE format('DELETE FROM %%I', name);
		END LOOP;
	END $$`
	admin(t, address, fmt.Sprintf(all, strings.Join(but, ",")))
}

// admin runs one statement as superuser.
func admin(t testing.TB, cluster, statement string) {
	t.Helper()
	db, err := sql.Open("postgres", cluster)
	if err != nil {
		t.Fatalf("PostgreSQL: %v", err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("PostgreSQL: %s: %v", statement, err)
	}
}

var cluster struct {
	once  sync.Once
	url   string
	err   error
	stdin io.Closer // of the watchdog: kept, since collecting it would end the cluster
}

var errNoPostgres = errors.New("PostgreSQL's binaries (Debian: postgresql)")

func privateCluster(t testing.TB) string {
	t.Helper()
	cluster.once.Do(func() { cluster.url, cluster.err = startCluster() })
	if errors.Is(cluster.err, errNoPostgres) {
		Missing(t, cluster.err.Error())
	}
	if cluster.err != nil {
		t.Fatalf("start PostgreSQL: %v", cluster.err)
	}
	return cluster.url
}

// watchdog makes a cluster, runs it, and lives until its standard input ends,
// which it does when the process that holds the other end is gone. It says one
// line when the server is started. A shell is the parent, so that nothing of the
// test process is needed to end it.
const watchdog = `
set -e
bin=$1 dir=$2
trap 'rm -rf "$dir"' EXIT
"$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >"$dir/log" 2>&1 ||
	{ echo "initdb: $(tail -n 3 "$dir/log")"; exit 1; }
"$bin/postgres" -D "$dir/data" -k "$dir" -h '' -F -c full_page_writes=off -c max_connections=200 \
	-c shared_buffers=64MB -c max_wal_size=256MB >>"$dir/log" 2>&1 &
server=$!
echo started
cat >/dev/null
kill -QUIT "$server" 2>/dev/null || true
wait "$server" || true
`

func startCluster() (string, error) {
	bin, err := postgresBin()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(socketRoot(), "cs-pg-")
	if err != nil {
		return "", err
	}
	owner, err := unprivileged()
	if err != nil {
		return "", err
	}
	if owner != nil {
		if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("/bin/sh", "-c", watchdog, "watchdog", bin, dir)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	// A session of its own, so that an interrupt of the tests doesn't reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}
	if cluster.stdin, err = cmd.StdinPipe(); err != nil { // closed with this process
		return "", err
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	if line, err := bufio.NewReader(said).ReadString('\n'); line != "started\n" {
		return "", fmt.Errorf("%s %w", line, errors.Join(err, io.ErrUnexpectedEOF))
	}
	address := "postgres://postgres@/postgres?" + url.Values{"host": {dir}, "sslmode": {"disable"}}.Encode()
	return address, awaitServer(address, filepath.Join(dir, "log"))
}

// awaitServer returns when the server takes connections.
func awaitServer(address, log string) error {
	db, err := sql.Open("postgres", address)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			said, _ := os.ReadFile(log)
			return fmt.Errorf("%w\n%s", err, said)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// postgresBin returns the folder of the newest installed version.
func postgresBin() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errNoPostgres
	}
	version := func(p string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(p))))
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

// socketRoot is where the cluster's folder goes. The path of a socket has at
// most 107 bytes.
func socketRoot() string {
	if dir := os.TempDir(); len(dir) < 70 {
		return dir
	}
	return "/tmp"
}

// unprivileged returns whom to run the server as: it refuses to run as root. It
// is nil when this process isn't root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var who *user.User
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		if who, err = user.Lookup(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}
