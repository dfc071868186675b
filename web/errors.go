package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/api"
)

// failure is an error as the outside sees it.
type failure struct {
	Status   int
	Kind     review.Kind
	Sentence string
	Request  string // id to quote when asking for help
	Err      *review.Error
}

// stillComparing reports whether it is no failure at all, but work that goes on.
func (f failure) stillComparing() bool { return f.Err != nil && f.Err.Code == review.StillComparing }

// describe finds out what the outside may know of an error.
func describe(err error, request string) failure {
	f := failure{Request: request}
	var known *review.Error
	var fromEcho *echo.HTTPError
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		f.Err = tooLarge(over.Limit)
	case errors.As(err, &known):
		f.Err = known
	case errors.As(err, &fromEcho):
		return describeEcho(fromEcho, request)
	default:
		f.Err = &review.Error{Kind: review.Internal, Err: err}
	}
	f.Kind, f.Sentence, f.Status = f.Err.Kind, f.Err.Sentence, f.Err.Kind.Status()
	if f.Status == http.StatusInternalServerError {
		f.Kind = review.Internal
		f.Sentence = "This failed on our side. Nothing that you can see was done by half. Request " + request + "."
	}
	return f
}

// describeEcho covers what the router itself refuses.
func describeEcho(err *echo.HTTPError, request string) failure {
	f := failure{Request: request, Status: err.Code, Kind: review.Invalid, Sentence: http.StatusText(err.Code) + "."}
	switch err.Code {
	case http.StatusNotFound:
		f.Kind, f.Sentence = review.NotFound, "There is nothing at this address."
	case http.StatusMethodNotAllowed:
		f.Sentence = "This address does not answer that method."
	}
	f.Err = &review.Error{Kind: f.Kind, Sentence: f.Sentence, Err: err}
	return f
}

// answerErrors renders the error of a handler while the answer is still inside
// the log and the compression.
func (s *Server) answerErrors(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := next(c); err != nil {
			s.handleError(err, c)
		}
		return nil
	}
}

// handleError answers an error: problem+json for machines, a page for people.
func (s *Server) handleError(err error, c echo.Context) {
	f := describe(err, requestIDOf(c))
	if f.Status >= http.StatusInternalServerError && !f.stillComparing() {
		s.log.ErrorContext(c.Request().Context(), "request failed",
			slog.String("request", f.Request), slog.String("path", loggedPath(c)), slog.Any("error", err))
	}
	if c.Response().Committed {
		return // half an answer is out already: the log has the rest
	}
	failureHeaders(c, f)
	var failed error
	if isAPI(c) {
		failed = writeProblem(c, f)
	} else {
		failed = s.renderError(c, f)
	}
	if failed != nil {
		s.log.ErrorContext(c.Request().Context(), "error not rendered", slog.String("request", f.Request), slog.Any("error", failed))
	}
}

func failureHeaders(c echo.Context, f failure) {
	h := c.Response().Header()
	switch f.Status {
	case http.StatusUnauthorized:
		if isAPI(c) {
			h.Set(echo.HeaderWWWAuthenticate, `Bearer realm="countersign"`)
		}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set(echo.HeaderRetryAfter, strconv.Itoa(retrySeconds(f.Err)))
	}
}

// retrySeconds is when to try again, rounded up; a minute when nobody knows.
func retrySeconds(err *review.Error) int {
	if err == nil || err.RetryAfter <= 0 {
		return 60
	}
	return int((err.RetryAfter + time.Second - 1) / time.Second)
}

func writeProblem(c echo.Context, f failure) error {
	p := api.Problem{
		Type:    "about:blank",
		Title:   http.StatusText(f.Status),
		Status:  f.Status,
		Detail:  prose.Show(f.Sentence).String(), // it may quote a listing, and people read it in logs
		Kind:    string(f.Kind),
		Request: f.Request,
	}
	if f.Err != nil {
		p.Code, p.Problems = f.Err.Code, inputErrors(f.Err.Problems)
		p.Current = current(f.Err.Current)
	}
	b, err := json.Marshal(p, jsonOut)
	if err != nil {
		return err
	}
	return c.Blob(f.Status, api.ProblemType, append(escapeHidden(b), '\n'))
}

// escapeHidden writes the characters of a JSON text that can't be seen, or turn what
// is around them, as escapes: pointers quote a listing, and logs print them.
func escapeHidden(b []byte) []byte {
	var out []byte
	for _, r := range string(b) {
		switch {
		case !unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func inputErrors(problems []surface.Problem) []api.InputError {
	var out []api.InputError
	for _, p := range problems {
		out = append(out, api.InputError{
			Code: p.Code, Level: string(p.Level), Tool: p.Tool, Position: p.Position,
			Pointer: p.Pointer, Line: p.Line, Column: p.Column, Message: prose.Show(p.Message).String(),
		})
	}
	return out
}

// current is the JSON of what a stale request should have known.
func current(v any) any {
	changes, ok := v.([]change.Change)
	if !ok {
		return nil
	}
	out := make([]report.Change, len(changes))
	for i, c := range changes {
		out[i] = report.NewChange(c)
	}
	return out
}
