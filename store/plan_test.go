package store_test

import (
	"database/sql"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

// readWhole are the tables that a statement may read from end to end, and why that
// stays cheap however long the history gets.
var readWhole = map[string]string{
	"users":          "the gate asks who could decide; a team is small",
	"memberships":    "belong to users",
	"grants":         "belong to users",
	"tokens":         "their page lists all of them",
	"links":          "one for each invitation and lost password",
	"second_factors": "belong to users; read when they are sealed anew",
	"servers":        "their page lists all of them; an instance has dozens",
	"endpoints":      "belong to servers, ten at most to each",
	"endpoint_turns": "one for each endpoint",
	"drifts":         "a few for each endpoint",
	"known_drifts":   "a person gave a reason for each",
	"server_secrets": "belong to servers; read when they are sealed anew",
	"profiles":       "belong to servers",
	"baselines":      "one for each profile",
	"search_heads":   "one for each profile",
	"namings":        "a person vouched for each",
	"overrides":      "a person gave a reason of twenty characters for each",
	"report_bases":   "a few for each profile; read whole by a purge",
	"audit_pending":  "what waits some moments for its place in the chain",
	"unverified":     "one for each server and day, for as long as deliveries are kept",
	"signing_keys":   "keys that followed one another",
}

// readWholeBy are parts of statements that may, whatever the table, and why.
var readWholeBy = map[string]string{
	"instr(":           "a purge looks everywhere, and is rare",
	"/* told again */": "the audit told again is held against all there is, when somebody asks for it",
	"FROM audit WHERE 1 = 1 ORDER BY at DESC, id DESC LIMIT":               "newest first by an index, and stops",
	"FROM deliveries WHERE 1 = 1 ORDER BY received_at DESC, id DESC LIMIT": "newest first by an index, and stops",
	"PARTITION BY r.server_id, r.profile ORDER BY v.pushed_at":             "looks for what is not in the search index, once at start",
	"DELETE FROM search_texts":                                             "after a purge the search index is made anew",
	"FROM reports WHERE key > $1":                                          "a purge looks everywhere, and is rare",
	"FROM listings WHERE id > $1":                                          "a purge, and what forgets definitions, look everywhere",
}

// TestStatementsUseIndexes plays every case of the workflow and asks the database how
// it runs each statement: none may read a table whole that grows with the history.
func TestStatementsUseIndexes(t *testing.T) {
	seen := &statements{texts: map[string]bool{}}
	t.Run("cases", func(t *testing.T) {
		reviewtest.Exercise(t, func(t testing.TB) review.Store {
			st := storetest.Open(t)
			st.Watch(seen.add)
			return st
		})
	})
	if len(seen.texts) < 100 {
		t.Fatalf("saw only %d statements", len(seen.texts))
	}
	t.Run("SQLite", func(t *testing.T) { seen.check(t, sqlitePlans(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { seen.check(t, postgresPlans(t)) })
}

func openAt(t testing.TB, address string) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return st
}

// statements are the texts of statements.
type statements struct {
	mu    sync.Mutex
	texts map[string]bool
}

var (
	placeholder = regexp.MustCompile(`\$\d+`)
	longList    = regexp.MustCompile(`\?(?:, ?\?)+`)
)

func (s *statements) add(query string) {
	if len(placeholder.FindAllString(query, -1)) > 60 {
		return // the same comes with a shorter list
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[query] = true
}

// check demands of every statement that it reads no table whole.
func (s *statements) check(t *testing.T, scans func(query string) []string) {
	said := map[string]bool{}
	for query := range s.texts {
		if slices.ContainsFunc(slices.Collect(maps.Keys(readWholeBy)), func(part string) bool { return strings.Contains(query, part) }) {
			continue
		}
		for _, table := range scans(query) {
			short := longList.ReplaceAllString(placeholder.ReplaceAllString(query, "?"), "?")
			if readWhole[table] != "" || said[table+short] {
				continue
			}
			said[table+short] = true
			t.Errorf("%s is read whole by\n%s", table, strings.Join(strings.Fields(short), " "))
		}
	}
}

// tableNamed finds the table that a statement calls by an alias.
func tableNamed(query, alias string) string {
	m := regexp.MustCompile(`(?i)\b(?:FROM|JOIN|UPDATE|INTO|,)\s+"?(\w+)"?\s+(?:AS\s+)?` + regexp.QuoteMeta(alias) + `\b`).FindStringSubmatch(query)
	if m == nil {
		return alias
	}
	return m[1]
}

// sqlitePlans says which tables a statement scans: SQLite calls it SCAN, with an index
// or without.
func sqlitePlans(t *testing.T) func(string) []string {
	path := filepath.Join(t.TempDir(), "plans.db")
	openAt(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ours := tablesIn(t, db, "SELECT name FROM sqlite_master WHERE type = 'table'")
	partial := tablesIn(t, db, "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'")
	return func(query string) (scanned []string) {
		args := make([]any, parameters(query))
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Errorf("%v\n%s", err, query)
			return nil
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(detail)
			if words[0] != "SCAN" || partial[words[len(words)-1]] { // which holds but what is open
				continue
			}
			if table := tableNamed(query, words[1]); ours[table] {
				scanned = append(scanned, table)
			}
		}
		return scanned
	}
}

// postgresPlans does the same with PostgreSQL, which is told to scan only where it
// can't help it: tables of a test are too small for it to use an index of its own
// accord.
func postgresPlans(t *testing.T) func(string) []string {
	address := testkit.Postgres(t)
	openAt(t, address)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, set := range []string{"SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan"} {
		if _, err := db.ExecContext(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	ours := tablesIn(t, db, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace")
	scan := regexp.MustCompile(`Seq Scan on (\w+)`)
	return func(query string) (scanned []string) {
		nulls := strings.TrimSuffix(strings.Repeat("NULL, ", parameters(query)), ", ")
		if nulls != "" {
			nulls = "(" + nulls + ")"
		}
		if _, err := db.ExecContext(t.Context(), "PREPARE looked_at AS "+query); err != nil {
			t.Errorf("%v\n%s", err, query)
			return nil
		}
		defer db.ExecContext(t.Context(), "DEALLOCATE looked_at")
		rows, err := db.QueryContext(t.Context(), "EXPLAIN EXECUTE looked_at"+nulls)
		if err != nil {
			t.Errorf("%v\n%s", err, query)
			return nil
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			for _, m := range scan.FindAllStringSubmatch(line, -1) {
				if ours[m[1]] {
					scanned = append(scanned, m[1])
				}
			}
		}
		return scanned
	}
}

func tablesIn(t *testing.T, db *sql.DB, query string) map[string]bool {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names[name] = true
	}
	return names
}

// parameters counts the parameters of a statement, which may name one several times.
func parameters(query string) int {
	most := 0
	for _, p := range placeholder.FindAllString(query, -1) {
		n, _ := strconv.Atoi(p[1:])
		most = max(most, n)
	}
	return most
}
