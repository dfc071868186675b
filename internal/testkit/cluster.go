package testkit

import (
	"database/sql"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Cluster is a PostgreSQL server of one test alone, which the test may stop and
// start. Like the one of [Postgres] it ends when the test process is gone.
type Cluster struct {
	t     testing.TB
	bin   string
	dir   string
	owner *syscall.Credential
	stdin io.Closer // of the watchdog; nil while the server is stopped
	shell *exec.Cmd
}

// clusterWatch runs a server until its standard input ends, then stops it at once,
// as if it had crashed.
const clusterWatch = `
"$1/postgres" -D "$2/data" -k "$2" -h '' -F -c full_page_writes=off -c max_connections=100 -c shared_buffers=64MB >>"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -QUIT "$server" 2>/dev/null || true
wait "$server"
`

// NewCluster makes and starts a server that is removed after the test.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t}
	var err error
	if c.bin, err = postgresBin(); err != nil {
		Missing(t, err.Error())
	}
	if c.owner, err = unprivileged(); err != nil {
		t.Fatal(err)
	}
	if c.dir, err = os.MkdirTemp(socketRoot(), "cs-pg-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(c.dir) })
	if c.owner != nil {
		if err := os.Chown(c.dir, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	initdb := c.command(filepath.Join(c.bin, "initdb"), "-D", filepath.Join(c.dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C.UTF-8", "--no-sync", "--no-instructions")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	c.Start()
	t.Cleanup(c.Stop)
	return c
}

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.owner}
	return cmd
}

// Address is that of the server's database, to its superuser.
func (c *Cluster) Address() string {
	return "postgres://postgres@/postgres?" + url.Values{"host": {c.dir}, "sslmode": {"disable"}}.Encode()
}

// Start starts the server and waits until it takes connections.
func (c *Cluster) Start() {
	c.t.Helper()
	c.shell = c.command("/bin/sh", "-c", clusterWatch, "watchdog", c.bin, c.dir)
	var err error
	if c.stdin, err = c.shell.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	if err := c.shell.Start(); err != nil {
		c.t.Fatal(err)
	}
	if err := awaitServer(c.Address(), filepath.Join(c.dir, "log")); err != nil {
		c.t.Fatal(err)
	}
}

// Stop stops the server at once, whatever it is doing.
func (c *Cluster) Stop() {
	if c.stdin == nil {
		return
	}
	c.stdin.Close()
	c.stdin = nil
	_ = c.shell.Wait() // it says that it was told to quit
}

// Disconnect ends every connection but the one that it takes for that, and returns
// how many there were.
func (c *Cluster) Disconnect() (n int) {
	c.t.Helper()
	db, err := sql.Open("postgres", c.Address())
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	err = db.QueryRow(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&n)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}
