package store

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/countersign/countersign/migrations"
)

// table is a table of ours as the database describes it.
type table struct {
	Name    string   `json:"table"`
	Columns []column `json:"columns"` // in their order
	key     []string // columns of the primary key, in its order
}

// column is a column of one of the four types that migrations use: text, bigint,
// bytea and boolean.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// transient are the tables that no backup holds: who is signed in, and links that
// let somebody in, end with a restore, and what was seen of the clock was that of another
// time. Migrations are in a backup's header.
var transient = []string{"schema_migrations", "sessions", "links", "seen_clock"}

// catalogue returns the tables of ours that are there, each behind those it
// refers to. Other tables in the same database are nobody's business here.
func (s *Store) catalogue(ctx context.Context, db sqlx.QueryerContext) ([]table, error) {
	var rows []struct {
		Table  string `db:"table_name"`
		Column string `db:"column_name"`
		Type   string `db:"type"`
		Key    int    `db:"key_place"` // 0 for a column outside of the primary key
	}
	if err := sqlx.SelectContext(ctx, db, &rows, s.engine.catalogue); err != nil {
		return nil, err
	}
	ours, err := tablesOfMigrations()
	if err != nil {
		return nil, err
	}
	found := map[string]*table{}
	places := map[string][]string{}
	for _, r := range rows {
		t, ok := found[r.Table]
		if !ok {
			t = &table{Name: r.Table}
			found[r.Table] = t
		}
		t.Columns = append(t.Columns, column{r.Column, strings.ToLower(r.Type)})
		if r.Key > 0 {
			places[r.Table] = append(places[r.Table], fmt.Sprintf("%04d %s", r.Key, r.Column))
		}
	}
	var tables []table
	for _, name := range ours {
		if t, ok := found[name]; ok {
			for _, place := range slices.Sorted(slices.Values(places[name])) {
				t.key = append(t.key, place[len("0000 "):])
			}
			tables = append(tables, *t)
		}
	}
	return tables, nil
}

var createTable = regexp.MustCompile(`(?i)\bCREATE\s+TABLE\s+(\w+)`)

// tablesOfMigrations names every table that a migration ever made, in that order,
// so that one comes behind those it refers to.
func tablesOfMigrations() ([]string, error) {
	all, err := migrations.All()
	if err != nil {
		return nil, err
	}
	names := []string{"schema_migrations"}
	for _, m := range all {
		for _, made := range createTable.FindAllStringSubmatch(m.SQL, -1) {
			if !slices.Contains(names, made[1]) {
				names = append(names, made[1])
			}
		}
	}
	return names, nil
}

// kept are the tables that a backup holds.
func kept(tables []table) []table {
	return slices.DeleteFunc(slices.Clone(tables), func(t table) bool { return slices.Contains(transient, t.Name) })
}

// quoted writes a name as an identifier.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// columnList lists the columns for a statement.
func (t *table) columnList() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = quoted(c.Name)
	}
	return strings.Join(names, ", ")
}

// order lists the columns that put the rows in the same order on every engine:
// those of the primary key, by bytes.
func (t *table) order(e engine) string {
	by := t.key
	if len(by) == 0 {
		for _, c := range t.Columns {
			by = append(by, c.Name)
		}
	}
	terms := make([]string, len(by))
	for i, name := range by {
		terms[i] = quoted(name)
		if slices.Contains(t.Columns, column{name, "text"}) {
			terms[i] += e.byBytes
		}
	}
	return strings.Join(terms, ", ")
}
