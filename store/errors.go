package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/lib/pq"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/countersign/countersign/review"
)

// The sentences of failures that say nothing about one thing.
const (
	sayTaken     = "Something with the same key is there already."
	sayAbsent    = "It refers to something that isn't there."
	sayReadOnly  = "Something was written where only reading is allowed."
	sayBusy      = "The database is busy; try again in a moment."
	saySilent    = "The database doesn't answer; try again in a moment."
	sayFull      = "The database can't write; its disk may be full or read-only."
	sayDamaged   = "The database is damaged; restore a backup."
	sayText      = "A text holds a NUL character or isn't UTF-8, and can't be kept."
	sayLong      = "A name is too long to be kept."
	sayEnded     = "The request ended before the database answered."
	sayUnplanned = "The database refused a statement."
)

type reason struct {
	kind     review.Kind
	sentence string
}

// failure makes an error of ours from a driver's. It goes by codes: texts depend
// on language and version.
func failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ours := (*review.Error)(nil); errors.As(err, &ours) {
		return err
	}
	r := reasonOf(err)
	if ctx.Err() != nil { // what a driver says to a cancelled statement differs
		r = reason{review.Unavailable, sayEnded}
		err = errors.Join(ctx.Err(), err)
	}
	return &review.Error{Kind: r.kind, Sentence: r.sentence, Err: err}
}

func reasonOf(err error) reason {
	var network net.Error
	if e := (*pq.Error)(nil); errors.As(err, &e) {
		return postgresReason(string(e.Code))
	}
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return sqliteReason(e.Code())
	}
	switch {
	case errors.Is(err, errLostRace):
		return reason{review.Unavailable, sayBusy}
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network):
		return reason{review.Unavailable, saySilent}
	}
	return reason{review.Internal, sayUnplanned}
}

// postgresReason goes by SQLSTATE, else by its class (the first two characters).
func postgresReason(code string) reason {
	switch code {
	case "23505":
		return reason{review.Conflict, sayTaken}
	case "23503":
		return reason{review.Invalid, sayAbsent}
	case "25006":
		return reason{review.Internal, sayReadOnly}
	case "40001", "40P01", "55P03":
		return reason{review.Unavailable, sayBusy}
	case "22021", "22P05":
		return reason{review.Invalid, sayText}
	case "54000":
		return reason{review.Invalid, sayLong}
	case "53100":
		return reason{review.Unavailable, sayFull}
	}
	switch code[:min(2, len(code))] {
	case "08", "28", "3D", "53", "57", "58": // connection, password, no such database, resources, shutdown, disk
		return reason{review.Unavailable, saySilent}
	case "XX":
		return reason{review.Internal, sayDamaged}
	}
	return reason{review.Internal, sayUnplanned}
}

// sqliteReason goes by extended result code, else by its primary code.
func sqliteReason(code int) reason {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return reason{review.Conflict, sayTaken}
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return reason{review.Invalid, sayAbsent}
	}
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return reason{review.Unavailable, sayBusy}
	case sqlite3.SQLITE_READONLY:
		return reason{review.Internal, sayReadOnly}
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return reason{review.Unavailable, sayFull}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return reason{review.Unavailable, saySilent}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return reason{review.Internal, sayDamaged}
	}
	return reason{review.Internal, sayUnplanned}
}

// errLostRace says that a row appeared which this transaction can't see.
var errLostRace = errors.New("another transaction wrote the same rows")

// lostRace reports whether a transaction failed only because of another one, so
// that running it again can succeed. Nothing of it was committed.
func lostRace(err error) bool {
	if e := (*pq.Error)(nil); errors.As(err, &e) {
		return e.Code == "40001" || e.Code == "40P01"
	}
	return errors.Is(err, errLostRace)
}

// named gives an error of a kind a sentence about the thing that was asked for;
// other errors stay as they are.
func named(err error, kind review.Kind, format string, args ...any) error {
	if err == nil || review.KindOf(err) != kind {
		return err
	}
	e := review.Errorf(kind, format, args...)
	e.Err = errors.Unwrap(err)
	return e
}
