package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/countersign/countersign/review"
)

func TestPostgresErrors(t *testing.T) {
	tests := map[string]review.Kind{
		"23505": review.Conflict, "23503": review.Invalid, "23502": review.Internal,
		"25006": review.Internal, "40001": review.Unavailable, "40P01": review.Unavailable, "55P03": review.Unavailable,
		"22021": review.Invalid, "54000": review.Invalid, "53100": review.Unavailable, "53300": review.Unavailable,
		"08006": review.Unavailable, "57P01": review.Unavailable, "57014": review.Unavailable, "28P01": review.Unavailable,
		"3D000": review.Unavailable, "XX001": review.Internal, "42601": review.Internal, "": review.Internal,
	}
	for code, want := range tests {
		err := failure(t.Context(), fmt.Errorf("wrapped: %w", &pq.Error{Code: pqerror.Code(code), Message: "some text"}))
		if got := review.KindOf(err); got != want {
			t.Errorf("%s is %q, want %q", code, got, want)
		}
		if retry := lostRace(err); retry != (code == "40001" || code == "40P01") {
			t.Errorf("%s is retried: %v", code, retry)
		}
	}
}

func TestSQLiteErrors(t *testing.T) {
	tests := map[int]review.Kind{
		2067: review.Conflict, 1555: review.Conflict, 787: review.Invalid, 1299: review.Internal, // unique, primary key, foreign key, not null
		5: review.Unavailable, 517: review.Unavailable, 6: review.Unavailable, // busy, busy snapshot, locked
		8: review.Internal, 13: review.Unavailable, 10: review.Unavailable, 2570: review.Unavailable, // read-only, full, IO, IO of a lock
		14: review.Unavailable, 11: review.Internal, 26: review.Internal, 1: review.Internal, // can't open, corrupt, no database, error
	}
	for code, want := range tests {
		if got := sqliteReason(code); got.kind != want || got.sentence == "" {
			t.Errorf("%d is %+v, want %q", code, got, want)
		}
	}
}

func TestOtherErrors(t *testing.T) {
	ours := review.Errorf(review.Stale, "It moved.")
	tests := []struct {
		err  error
		want review.Kind
	}{
		{ours, review.Stale},
		{fmt.Errorf("wrapped: %w", ours), review.Stale},
		{driver.ErrBadConn, review.Unavailable},
		{io.ErrUnexpectedEOF, review.Unavailable},
		{sql.ErrConnDone, review.Unavailable},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, review.Unavailable},
		{errors.New("unknown"), review.Internal},
		{errLostRace, review.Unavailable},
	}
	for _, tt := range tests {
		err := failure(t.Context(), tt.err)
		if review.KindOf(err) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%v became %v, want kind %q", tt.err, err, tt.want)
		}
	}
	if failure(t.Context(), nil) != nil {
		t.Error("no error became one")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := failure(ended, &pq.Error{Code: "57014"})
	if review.KindOf(err) != review.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled statement became %v", err)
	}
}

func TestNamed(t *testing.T) {
	cause := errors.New("cause")
	taken := &review.Error{Kind: review.Conflict, Sentence: sayTaken, Err: cause}
	err := named(taken, review.Conflict, "The slug %q is taken.", "shop")
	if e := (*review.Error)(nil); !errors.As(err, &e) || e.Sentence != `The slug "shop" is taken.` || !errors.Is(err, cause) {
		t.Errorf("named gave %v", err)
	}
	if err := named(taken, review.NotFound, "x"); err != taken {
		t.Errorf("an error of another kind became %v", err)
	}
	if named(nil, review.Conflict, "x") != nil {
		t.Error("no error became one")
	}
}
