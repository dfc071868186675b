package review

import (
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/review/surface"
)

// Kind says how a request failed, so that a caller can act without reading the
// sentence. Every transport maps kinds, never texts.
type Kind string

// The kinds of errors.
const (
	Invalid         Kind = "invalid"
	NotFound        Kind = "not found"
	Unauthenticated Kind = "unauthenticated"
	Forbidden       Kind = "forbidden"
	Conflict        Kind = "conflict"
	Stale           Kind = "stale" // what was decided on has moved; nothing was stored
	TooLarge        Kind = "too large"
	Unsupported     Kind = "unsupported" // looks like another format
	Unprocessable   Kind = "unprocessable"
	RateLimited     Kind = "rate limited"
	Unavailable     Kind = "unavailable"
	Internal        Kind = "internal"
)

// VersionReused is the code of a push of other bytes under a version that was
// released or withdrawn.
const VersionReused = "version_reused"

// Error is a failure with a sentence for the user: what, where, what to do.
type Error struct {
	Kind     Kind
	Code     string // of an error that programs tell from others of its kind, "" for most
	Sentence string
	Problems []surface.Problem // of a payload, with pointer, line and column
	Current  any               // for Stale: what is true now, []change.Change
	Err      error             // for the log, never for the user

	RetryAfter time.Duration // for RateLimited: when to try again
	Done, Of   int           // of StillComparing: how much of the work is done, Of is 0 when nobody knows
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Kind, e.Sentence, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Sentence)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrQuote is what an Error about the words that a thread quotes holds, so that a form can
// say it beside them.
var ErrQuote = errors.New("the quote can't be taken")

// misquoted makes an Error about the words that a thread quotes.
func misquoted(kind Kind, format string, args ...any) *Error {
	e := Errorf(kind, format, args...)
	e.Err = ErrQuote
	return e
}

// Errorf makes an Error of a kind with a formatted sentence.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Sentence: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of an error; whatever is not ours is Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

var statuses = map[Kind]int{
	Invalid: 400, Unauthenticated: 401, Forbidden: 403, NotFound: 404, Conflict: 409, Stale: 409, TooLarge: 413,
	Unsupported: 415, Unprocessable: 422, RateLimited: 429, Internal: 500, Unavailable: 503,
}

// Status is the HTTP status of the kind, as the contract has it.
func (k Kind) Status() int {
	if n, ok := statuses[k]; ok {
		return n
	}
	return 500
}
