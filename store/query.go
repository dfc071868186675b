package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"github.com/countersign/countersign/review"
)

// tx implements [review.Tx] on a transaction, or on a pool for single reads. All
// statements go through get, all, exec and insert.
type tx struct {
	db      sqlx.ExtContext
	store   *Store
	failed  error    // of the first statement that failed
	touched []string // ids of servers, see Listen
}

var _ review.Tx = (*tx)(nil)

// get reads the one row of a query into dest; a missing one is an error of kind
// NotFound.
func (t *tx) get(ctx context.Context, dest any, query string, args ...any) error {
	return t.run(ctx, query, args, func(query string) error { return sqlx.GetContext(ctx, t.db, dest, query, args...) })
}

// all reads the rows of a query into dest, a pointer to a slice.
func (t *tx) all(ctx context.Context, dest any, query string, args ...any) error {
	return t.run(ctx, query, args, func(query string) error { return sqlx.SelectContext(ctx, t.db, dest, query, args...) })
}

// exec runs a statement and returns how many rows it touched.
func (t *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	var rows int64
	err := t.run(ctx, query, args, func(query string) error {
		res, err := t.db.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		rows, err = res.RowsAffected()
		return err
	})
	return rows, err
}

// execOne is exec for a statement that must touch a row; else the error is of
// kind NotFound.
func (t *tx) execOne(ctx context.Context, query string, args ...any) error {
	rows, err := t.exec(ctx, query, args...)
	if err == nil && rows == 0 {
		return review.Errorf(review.NotFound, "There is no such row.")
	}
	return err
}

// run counts a statement, refuses text that only one of the engines would take,
// and remembers the first failure: after it PostgreSQL takes no statement, so
// SQLite gets none either.
func (t *tx) run(ctx context.Context, query string, args []any, statement func(query string) error) error {
	if t.failed != nil {
		return t.failed
	}
	if err := checkText(args); err != nil {
		return err
	}
	count(ctx)
	if t.store.watch != nil {
		t.store.watch(query)
	}
	if t.store.engine.anonymous && len(args) >= manyParams {
		query = anonymous(query)
	}
	err := statement(query)
	if errors.Is(err, sql.ErrNoRows) {
		return review.Errorf(review.NotFound, "There is no such row.")
	}
	t.failed = failure(ctx, err)
	return t.failed
}

// manyParams is how many make [anonymous] worth its while.
const manyParams = 30

// anonymous writes ? for $1, $2 and so on, provided that each stands once and in
// order, which makes it the same statement. SQLite looks a placeholder with a
// name up among all those before it, so that a statement with thousands would
// cost their square.
func anonymous(query string) string {
	var b strings.Builder
	rest := query
	for want := 1; ; want++ {
		before, after, found := strings.Cut(rest, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		number := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		if number != strconv.Itoa(want) {
			return query
		}
		b.WriteByte('?')
		rest = after[len(number):]
	}
}

func checkText(args []any) error {
	for _, arg := range args {
		s, ok := arg.(string)
		if !ok {
			if _, valuer := arg.(driver.Valuer); valuer {
				continue
			}
			v := reflect.ValueOf(arg)
			if v.Kind() != reflect.String {
				continue
			}
			s = v.String()
		}
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return review.Errorf(review.Invalid, sayText)
		}
	}
	return nil
}

// insertChunk bounds the rows of one INSERT, insertParams its parameters: SQLite
// takes 32,766, PostgreSQL 65,535.
const (
	insertChunk  = 500
	insertParams = 30_000
)

// insert adds rows, structs of one type with db tags, in few statements. suffix
// ends each statement, such as an ON CONFLICT clause. It returns how many rows
// were added.
func insert[R any](ctx context.Context, t *tx, table, suffix string, rows ...R) (int64, error) {
	var added int64
	fields := fieldsOf(reflect.TypeFor[R]())
	for chunk := range slices.Chunk(rows, min(insertChunk, insertParams/len(fields))) {
		var p params
		tuples := p.tuples(len(chunk), func(i int) []any { return values(chunk[i], fields) })
		n, err := t.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES %s %s",
			table, columns[R](""), tuples, suffix), p.args...)
		if err != nil {
			return added, err
		}
		added += n
	}
	return added, nil
}

// values returns the values of a row's columns.
func values(row any, fields []field) []any {
	v := reflect.ValueOf(row)
	list := make([]any, len(fields))
	for i, f := range fields {
		list[i] = v.FieldByIndex(f.index).Interface()
	}
	return list
}

// insertOne is insert of one row, without interest in the count.
func insertOne[R any](ctx context.Context, t *tx, table string, row R) error {
	_, err := insert(ctx, t, table, "", row)
	return err
}

// columns lists the columns of a row type, each behind alias ("r.") if given.
func columns[R any](alias string) string {
	fields := fieldsOf(reflect.TypeFor[R]())
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = alias + f.column
	}
	return strings.Join(names, ", ")
}

type field struct {
	column string
	index  []int
}

var fieldCache sync.Map // reflect.Type to []field

// fieldsOf returns the columns of a row type in order: its fields with a db tag,
// those of embedded rows included.
func fieldsOf(row reflect.Type) []field {
	if known, ok := fieldCache.Load(row); ok {
		return known.([]field)
	}
	var fields []field
	for _, f := range reflect.VisibleFields(row) {
		if column := f.Tag.Get("db"); column != "" {
			fields = append(fields, field{column, f.Index})
		}
	}
	fieldCache.Store(row, fields)
	return fields
}

// params collects the arguments of a statement while it is written.
type params struct{ args []any }

// add adds an argument and returns its placeholder.
func (p *params) add(arg any) string {
	p.args = append(p.args, arg)
	return "$" + strconv.Itoa(len(p.args))
}

// list adds n arguments and returns their placeholders, for IN (…).
func (p *params) list(n int, arg func(i int) any) string {
	marks := make([]string, n)
	for i := range marks {
		marks[i] = p.add(arg(i))
	}
	return strings.Join(marks, ", ")
}

// tuples adds n rows of arguments and returns their placeholders in brackets,
// for VALUES.
func (p *params) tuples(n int, args func(i int) []any) string {
	rows := make([]string, n)
	for i := range rows {
		row := args(i)
		rows[i] = "(" + p.list(len(row), func(j int) any { return row[j] }) + ")"
	}
	return strings.Join(rows, ", ")
}

// ofServers restricts a column to servers; nil is all of them, an empty list none.
func (p *params) ofServers(column string, serverIDs []string) string {
	switch {
	case serverIDs == nil:
		return "1 = 1"
	case len(serverIDs) == 0:
		return "1 = 0"
	}
	return column + " IN (" + p.list(len(serverIDs), func(i int) any { return serverIDs[i] }) + ")"
}

// oneOrAll makes a list for ofServers of an id that is "" for all.
func oneOrAll(serverID string) []string {
	if serverID == "" {
		return nil
	}
	return []string{serverID}
}

// ofProfiles restricts rows to profiles, at least one.
func (p *params) ofProfiles(alias string, profiles []review.ProfileKey) string {
	return "(" + alias + "server_id, " + alias + "profile) IN (VALUES " + p.tuples(len(profiles), func(i int) []any {
		return []any{profiles[i].ServerID, profiles[i].Profile}
	}) + ")"
}

// inChunk bounds the values of one IN list. It is far above the tools of a
// usual listing, so that a listing takes one statement.
const inChunk = 5_000

// allIn reads the rows of query, in which %s stands for the placeholders of
// values; head are its first arguments. Long lists take several statements.
func allIn[R, V any](ctx context.Context, t *tx, query string, head []any, values []V) ([]R, error) {
	var rows []R
	for chunk := range slices.Chunk(values, inChunk) {
		p := params{args: slices.Clone(head)}
		marks := p.list(len(chunk), func(i int) any { return chunk[i] })
		var some []R
		if err := t.all(ctx, &some, strings.ReplaceAll(query, "%s", marks), p.args...); err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// execIn is allIn for a statement that returns nothing; it returns how many rows
// were touched.
func execIn[V any](ctx context.Context, t *tx, query string, head []any, values []V) (int64, error) {
	var touched int64
	for chunk := range slices.Chunk(values, inChunk) {
		p := params{args: slices.Clone(head)}
		marks := p.list(len(chunk), func(i int) any { return chunk[i] })
		n, err := t.exec(ctx, strings.ReplaceAll(query, "%s", marks), p.args...)
		if err != nil {
			return touched, err
		}
		touched += n
	}
	return touched, nil
}

// page writes the end of a query over rows that are newest first by the columns
// at and id: what WHERE still needs (begun by the caller), order and limit.
func (p *params) page(table, alias, at string, pg review.Page) string {
	var end strings.Builder
	if pg.Before != "" {
		fmt.Fprintf(&end, " AND (%[1]s%[2]s, %[1]sid) < (SELECT %[2]s, id FROM %[3]s WHERE id = %[4]s)", alias, at, table, p.add(pg.Before))
	}
	fmt.Fprintf(&end, " ORDER BY %[1]s%[2]s DESC, %[1]sid DESC LIMIT %[3]s", alias, at, p.add(min(max(pg.Limit, 1), maxPage)))
	return end.String()
}

const maxPage = 500

// Queries counts the statements of calls whose context carries it.
type Queries struct{ n atomic.Int64 }

// Count returns how many statements ran so far, begin and commit left out.
func (q *Queries) Count() int { return int(q.n.Load()) }

type queriesKey struct{}

// CountQueries returns a context under which every statement is counted, so that
// a test can see that a page asks no more for more rows.
func CountQueries(ctx context.Context) (context.Context, *Queries) {
	q := new(Queries)
	return context.WithValue(ctx, queriesKey{}, q), q
}

func count(ctx context.Context) {
	if q, ok := ctx.Value(queriesKey{}).(*Queries); ok {
		q.n.Add(1)
	}
}
