package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/web/api"
)

// Kind says how a request failed.
type Kind string

// The kinds. Only Unreachable may go away by asking again.
const (
	Usage         Kind = "usage"          // the request was never sent
	Unreachable   Kind = "unreachable"    // no answer, 429 or 503
	Refused       Kind = "refused"        // the server says no, and why
	NotUnderstood Kind = "not understood" // an answer, but not of the API or not to the question
)

// Error is a failed request. Its text is one line.
type Error struct {
	Kind       Kind
	Sentence   string
	Problem    *api.Problem  // what the server said, nil when it said nothing
	RetryAfter time.Duration // when it wants to be asked again, 0 when it didn't say
	Err        error
}

func (e *Error) Error() string {
	text := e.Sentence
	if e.Problem != nil {
		text = e.withPlaces()
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// withPlaces adds where the trouble is, at most three places.
func (e *Error) withPlaces() string {
	const shown = 3
	var b strings.Builder
	fmt.Fprintf(&b, "the server answered %d: %s", e.Problem.Status, e.Sentence)
	for i, p := range e.Problem.Problems {
		if i == shown {
			fmt.Fprintf(&b, " (and %d more)", len(e.Problem.Problems)-shown)
			break
		}
		if at := place(p, strings.Contains(e.Sentence, p.Message)); at != "" {
			b.WriteString(" [" + at + "]")
		}
	}
	return b.String()
}

// place says where the trouble is, and what it is unless that was said already.
func place(p api.InputError, said bool) string {
	var parts []string
	switch {
	case p.Line > 0:
		parts = append(parts, fmt.Sprintf("line %d, column %d", p.Line, p.Column))
	case p.Pointer != "":
		parts = append(parts, p.Pointer)
	}
	if !said {
		parts = append(parts, p.Message)
	}
	return strings.Join(parts, ": ")
}

// KindOf returns the kind of an error of this package, "" for others.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func unreachable(base *url.URL, err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // the address is in the sentence, without the query
	}
	return &Error{Kind: Unreachable, Sentence: base.Host + " could not be reached", Err: err}
}

func notUnderstood(resp *http.Response, format string, args ...any) *Error {
	return &Error{Kind: NotUnderstood, Sentence: fmt.Sprintf("status %d of %s: ", resp.StatusCode, resp.Request.URL.Host) + fmt.Sprintf(format, args...)}
}

// retryAfter reads the number of seconds; a date is as good as nothing.
func retryAfter(resp *http.Response) time.Duration {
	n, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || n < 0 || n > 3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}
