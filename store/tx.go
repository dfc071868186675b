package store

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"reflect"
	"runtime"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/countersign/countersign/review"
)

// Update runs f in one write transaction and commits when f returns nil. When f
// returns an error or panics, nothing of it is kept. On PostgreSQL a transaction
// that lost a race against another is run again, after a growing pause, so f
// must not have effects of its own. One that keeps losing, as a long one does among
// many short ones, runs while no other acts; when it loses even so the error is of
// kind Unavailable.
//
// A statement that fails ends the transaction, even if f goes on and returns
// nil. An Update or View inside f is refused with an error of kind Internal.
func (s *Store) Update(ctx context.Context, f func(review.Tx) error) error {
	return s.transact(ctx, s.write, s.engine.update, f)
}

// View runs f on one consistent snapshot. Writing in f fails.
func (s *Store) View(ctx context.Context, f func(review.Tx) error) error {
	return s.transact(ctx, s.read, s.engine.view, f)
}

func (s *Store) transact(ctx context.Context, pool *sqlx.DB, opts *sql.TxOptions, f func(review.Tx) error) error {
	if inTransaction() {
		return review.Errorf(review.Internal, "A transaction was begun inside another one.")
	}
	for lost := 0; ; lost++ {
		again, err := s.once(ctx, pool, opts, s.opening(opts, lost), f)
		if !again || lost == s.retries {
			return err
		}
		if err := pause(ctx, lost); err != nil {
			return failure(ctx, err)
		}
	}
}

// opening is the statement with which a transaction begins that lost so many races.
func (s *Store) opening(opts *sql.TxOptions, lost int) string {
	switch {
	case opts != s.engine.update:
		return ""
	case lost >= patience:
		return s.engine.alone
	}
	return s.engine.among
}

// once runs one attempt; again says that it lost a race and may win the next.
func (s *Store) once(ctx context.Context, pool *sqlx.DB, opts *sql.TxOptions, opening string, f func(review.Tx) error) (again bool, err error) {
	begun, err := pool.BeginTxx(ctx, opts)
	if err != nil {
		return false, failure(ctx, err)
	}
	defer begun.Rollback() // no-op after Commit; else for errors and panics alike
	if opening != "" {
		if _, err := begun.ExecContext(ctx, opening); err != nil {
			return lostRace(err), failure(ctx, err)
		}
	}
	t := &tx{db: begun, store: s}
	err = f(t)
	if t.failed != nil && (err == nil || lostRace(t.failed)) {
		return lostRace(t.failed), t.failed
	}
	if err != nil {
		return false, err
	}
	if err := t.announce(ctx); err != nil {
		return lostRace(err), failure(ctx, err)
	}
	if err := begun.Commit(); err != nil {
		return lostRace(err), failure(ctx, err)
	}
	s.listeners.tell(t.touched)
	return false, nil
}

// pause waits a little longer after each lost race, by chance, so that the
// losers don't meet again.
func pause(ctx context.Context, lost int) error {
	most := time.Millisecond << min(lost, 6)
	wait := time.NewTimer(rand.N(most))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var onceName = runtime.FuncForPC(reflect.ValueOf((*Store).once).Pointer()).Name()

// inTransaction reports whether the caller runs inside Update or View. It looks
// at the stack, since nothing else passes from an outer call to an inner one
// that takes the request's context; without it a nested Update on SQLite would
// wait for the one connection that its own goroutine holds.
func inTransaction() bool {
	var pcs [128]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if frame.Function == onceName {
			return true
		}
		if !more {
			return false
		}
	}
}
