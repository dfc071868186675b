package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	_ "modernc.org/sqlite" // driver "sqlite", the only one for SQLite that binds $N by number

	"github.com/countersign/countersign/review"
)

func init() { sqlx.BindDriver("sqlite", sqlx.DOLLAR) }

// Store keeps everything in one database. It implements [review.Store] and is
// safe for concurrent use.
type Store struct {
	engine  engine
	write   *sqlx.DB // of one connection on SQLite
	read    *sqlx.DB // the same pool as write on PostgreSQL
	slices  sliceIDs
	now     func() time.Time
	retries int
	address string // of PostgreSQL, for connections outside of the pool

	watch     func(query string) // sees every statement; for tests
	listeners listeners
	toolRefs  *cache[[]review.ToolRef] // by listing

	reportBases *cache[*reportBase] // by key
	reportUses  reportUses
}

var _ review.Store = (*Store)(nil)

// engine is what differs between the two databases.
type engine struct {
	name     string
	update   *sql.TxOptions
	view     *sql.TxOptions
	seal     *sql.TxOptions
	lock     string // taken by a migration before it looks
	sealLock string // says whether nobody else seals, and keeps it so; "" when a transaction that writes does
	notify   string // tells other programs on the database; "" when there are none
	among    string // begins a transaction that writes among others; "" where writers are alone anyway
	alone    string // begins one that loses no more races: it waits for those that write, and lets no other begin

	anonymous bool // long statements are quicker with ? for $1

	catalogue string // lists the columns of every table: table_name, column_name, type, key_place
	contains  string // whether its first operand holds its second
	byBytes   string // makes ORDER BY compare text by its bytes
}

var (
	sqliteEngine = engine{
		name:   "SQLite",
		update: nil, // _txlock=immediate in the address
		view:   &sql.TxOptions{ReadOnly: true},

		anonymous: true,
		catalogue: `SELECT m.name AS table_name, c.name AS column_name, c.type AS type, c.pk AS key_place
			FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`,
		contains: "instr(%s, %s) > 0",
	}
	postgresEngine = engine{
		name:     "PostgreSQL",
		update:   &sql.TxOptions{Isolation: sql.LevelSerializable},
		view:     &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		seal:     &sql.TxOptions{Isolation: sql.LevelReadCommitted},
		lock:     "SELECT pg_advisory_xact_lock(7237123446850872179)",
		sealLock: "SELECT pg_try_advisory_xact_lock(7237123446850872180)",
		notify:   "SELECT pg_notify($1, $2)",
		// Whoever acts writes the audit, so nobody else commits an act meanwhile. Locking
		// a table takes no snapshot: the first statement after it sees all that was
		// committed while it waited.
		// The others name it too, before anything else: whoever met the one alone only at
		// the end would hold what that one needs.
		among: "LOCK TABLE audit IN ROW EXCLUSIVE MODE",
		alone: "LOCK TABLE audit IN SHARE ROW EXCLUSIVE MODE",

		catalogue: `SELECT t.relname AS table_name, c.attname AS column_name, format_type(c.atttypid, c.atttypmod) AS type,
				COALESCE(array_position(i.indkey::int2[], c.attnum) + 1, 0) AS key_place
			FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
			LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
			WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace ORDER BY t.relname, c.attnum`,
		contains: "position(%[2]s IN %[1]s) > 0",
		byBytes:  ` COLLATE "C"`,
	}
)

const (
	sqliteReaders    = 8
	postgresConns    = 20
	idleConns        = 4
	idleFor          = 5 * time.Minute
	conflictRetries  = 40
	patience         = 2 // races that a transaction loses before it runs alone
	sqliteBusyMillis = 10_000
	cachedTools      = 100_000 // some 20 MB
	cachedBases      = 16 << 20

	// Hashes are random, so a push of new definitions touches many pages of their
	// index: the writer keeps 8 MB of pages, and folds its log into the file every
	// 16 MB, so that a page which many pushes touch is copied once.
	sqliteWriter = "_txlock=immediate&_pragma=cache_size(-8000)&_pragma=wal_autocheckpoint(4000)"
)

// Open connects to a database and checks that it answers. It migrates nothing.
//
// The address is postgres://user@host/name?…, or the path of a SQLite file,
// plain or as sqlite:PATH or file:PATH; the file and its folder are made when
// absent, readable by their owner only. An address that can't be used is an
// error of kind Invalid, a database that doesn't answer of kind Unavailable.
func Open(ctx context.Context, databaseURL string) (*Store, error) {
	switch scheme, _, _ := strings.Cut(databaseURL, ":"); {
	case databaseURL == "":
		return nil, review.Errorf(review.Invalid, "The database address is empty; give postgres://… or the path of a SQLite file.")
	case scheme == "postgres" || scheme == "postgresql":
		return openPostgres(ctx, databaseURL)
	case strings.Contains(databaseURL, "://") && scheme != "sqlite" && scheme != "file":
		return nil, review.Errorf(review.Invalid, "The database address begins with %q; give postgres://… or the path of a SQLite file.", scheme+"://")
	}
	return openSQLite(ctx, databaseURL)
}

func newStore(e engine, write, read *sqlx.DB) *Store {
	return &Store{engine: e, write: write, read: read, now: time.Now, retries: conflictRetries,
		toolRefs: newCache[[]review.ToolRef](cachedTools), reportBases: newCache[*reportBase](cachedBases)}
}

// Close ends all connections. What was committed is kept.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.write != s.read {
		if werr := s.write.Close(); err == nil { // the last one folds the log into the file
			err = werr
		}
	}
	return err
}

// Pool says how busy the connections of a pool are.
type Pool struct {
	Name              string // read, write, or both where one pool does both
	Open, InUse, Most int
	Waited            int64 // how often somebody had to wait for one
	WaitedFor         time.Duration
}

// Pools says how busy the connections are.
func (s *Store) Pools() []Pool {
	if s.write == s.read {
		return []Pool{poolOf("both", s.write)}
	}
	return []Pool{poolOf("read", s.read), poolOf("write", s.write)}
}

func poolOf(name string, db *sqlx.DB) Pool {
	n := db.Stats()
	return Pool{name, n.OpenConnections, n.InUse, n.MaxOpenConnections, n.WaitCount, n.WaitDuration}
}

// Engine names the database for people: SQLite or PostgreSQL.
func (s *Store) Engine() string { return s.engine.name }

func openSQLite(ctx context.Context, address string) (*Store, error) {
	path, err := sqlitePath(address)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(path); err != nil {
		return nil, &review.Error{Kind: review.Unavailable, Sentence: fmt.Sprintf("The database file %s can't be made or opened.", path), Err: err}
	}
	write, err := openFile(ctx, sqliteDSN(path, sqliteWriter), 1)
	if err != nil {
		return nil, err
	}
	read, err := openFile(ctx, sqliteDSN(path, "_pragma=query_only(1)"), sqliteReaders)
	if err != nil {
		write.Close()
		return nil, err
	}
	return newStore(sqliteEngine, write, read), nil
}

func openFile(ctx context.Context, dsn string, conns int) (*sqlx.DB, error) {
	pool, err := sqlx.Open("sqlite", dsn)
	if err != nil {
		return nil, failure(ctx, err)
	}
	return pool, preparePool(ctx, pool, conns)
}

// sqlitePath takes the path out of an address.
func sqlitePath(address string) (string, error) {
	path := address
	for _, scheme := range []string{"sqlite:", "file:"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok {
			path = strings.TrimPrefix(rest, "//")
			break
		}
	}
	switch {
	case path == "" || strings.Contains(path, ":memory:"):
		return "", review.Errorf(review.Invalid, "The database address %q names no file; a database in memory is not supported.", address)
	case strings.ContainsAny(path, "?\x00"):
		return "", review.Errorf(review.Invalid, "The database address %q has parameters; give the path of the SQLite file alone.", address)
	}
	return filepath.Abs(path)
}

// makePrivate makes the file first, since SQLite would make it for all to read;
// its log files take over its mode.
func makePrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// sqliteDSN puts every pragma into the address: one that is run on a pool
// reaches one connection only.
func sqliteDSN(path, more string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.Join([]string{
		fmt.Sprintf("_pragma=busy_timeout(%d)", sqliteBusyMillis),
		"_pragma=journal_mode(WAL)",
		"_pragma=synchronous(FULL)", // a commit is on disk before it is acknowledged
		"_pragma=foreign_keys(1)",
		"_pragma=trusted_schema(0)",
		"_pragma=temp_store(MEMORY)", // no folder for scratch files is needed, and no text of a listing stays in one
		more,
	}, "&")
}

func openPostgres(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, &review.Error{Kind: review.Invalid, Sentence: "The database address is not a URL; a password in it may need percent encoding."}
	}
	q := u.Query()
	q.Set("binary_parameters", "yes") // one round trip a statement instead of two
	for key, value := range map[string]string{"application_name": "countersign", "connect_timeout": "10"} {
		if !q.Has(key) {
			q.Set(key, value)
		}
	}
	u.RawQuery = q.Encode()
	connector, err := pq.NewConnector(u.String())
	if err != nil {
		return nil, &review.Error{Kind: review.Invalid, Sentence: "The database address can't be used.", Err: err}
	}
	pool := sqlx.NewDb(sql.OpenDB(connector), "postgres")
	if err := preparePool(ctx, pool, postgresConns); err != nil {
		return nil, err
	}
	if err := checkEncoding(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	s := newStore(postgresEngine, pool, pool)
	s.address = u.String()
	return s, nil
}

// checkEncoding refuses a database that would mangle text.
func checkEncoding(ctx context.Context, pool *sqlx.DB) error {
	var encoding string
	if err := pool.GetContext(ctx, &encoding, "SHOW server_encoding"); err != nil {
		return failure(ctx, err)
	}
	if encoding != "UTF8" {
		return review.Errorf(review.Invalid, "The PostgreSQL database is encoded as %s; create it with ENCODING 'UTF8'.", encoding)
	}
	return nil
}

// preparePool bounds a pool and connects; it closes a pool that can't.
func preparePool(ctx context.Context, pool *sqlx.DB, conns int) error {
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(min(conns, idleConns))
	if conns > 1 {
		pool.SetConnMaxIdleTime(idleFor)
	}
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return failure(ctx, err)
	}
	return nil
}
