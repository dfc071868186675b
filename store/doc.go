// Package store keeps what the workflow knows, in SQLite or in PostgreSQL.
//
// # One dialect
//
// Every statement runs unchanged on both engines (docs/adr/0003-one-dialect-storage.md):
// $1 placeholders, TEXT ids made in Go, times as BIGINT microseconds, JSON as
// TEXT, and BYTEA for hashes and for every string that a stranger may have
// written, since such a string can hold NUL or halves of surrogate pairs. The
// engines differ only in how a transaction begins and in their error codes:
// engine.go and errors.go.
//
// # Transactions
//
// [Store.Update] is one write transaction. SQLite has one writer at a time;
// PostgreSQL runs them serializable, and one that lost a race is run again. The
// first failed statement spoils the whole transaction on both engines, so that
// code which works on one can't misbehave on the other. [Store.View] reads one
// snapshot. Neither nests.
//
// # Listings
//
// A raw definition is kept once by its raw hash, in table slices, under a short
// number. A listing is the bytes around its definitions and the packed list of
// those numbers, so that a push which changes three tools of three hundred costs
// three definitions and a few hundred bytes. It gives back the exact bytes, and
// their hash is checked whenever they are put together.
//
// # Reports
//
// What was computed from listings is kept packed, and where another report of its
// kind resembles it as what differs from that one: report_pack.go.
//
// # Queries
//
// No method asks once per row: each has a fixed number of statements, however
// many rows come in or out (long lists go in chunks of hundreds). [CountQueries]
// lets a test of a page see that, and plan_test.go that no table is read whole that
// grows with the history.
package store
