package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
)

// pushNames are the parameters of a push.
var pushNames = []string{"version", "ref", "profile", "predecessor", "commit", "author", "run_url", "complete", "preview"}

// drainFactor times the limit is what is still read of a body over the limit, so
// that its sender gets the answer instead of a broken connection.
const drainFactor = 4

const (
	// pushesAtOnce bounds the work and, times the limit of a listing, the memory
	// that bodies take, since anybody can send one.
	pushesAtOnce = 16
	// pushPatience is how long a push waits for its turn.
	pushPatience = 20 * time.Second
)

// pushListing takes a listing, signed or with a token. Every push that arrives is
// handed to the service whole, refused ones too: it keeps the record.
func (s *Server) pushListing(c echo.Context) error {
	in, giveBack, err := s.incoming(c)
	defer giveBack()
	if err != nil {
		return err
	}
	// Only now: a sender that dribbles must not stand in the way of the others.
	done, err := s.turn(c.Request().Context())
	if err != nil {
		return err
	}
	defer done()
	s.unpack(&in, c.Request().Header.Get(echo.HeaderContentEncoding))
	pushed, err := s.svc.Deliver(c.Request().Context(), in)
	if err != nil {
		return err
	}
	return c.Blob(int(pushed.Status), echo.MIMEApplicationJSON, pushed.Body)
}

// turn waits until there is room for another body; done makes room again.
func (s *Server) turn(ctx context.Context) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, pushPatience)
	defer cancel()
	select {
	case s.pushing <- struct{}{}:
		return func() { <-s.pushing }, nil
	case <-ctx.Done():
		return nil, errTooManyPushes()
	}
}

func errTooManyPushes() error {
	return review.Errorf(review.Unavailable, "Too many pushes at once. Nothing was kept; push again in a minute.")
}

// held reads a body into memory and counts what arrived against what all pushes
// may take together: bytes, not senders, so that whoever sends nothing takes nothing.
type held struct {
	body  io.Reader
	room  *atomic.Int64
	taken int64
}

func (h *held) Read(p []byte) (int, error) {
	n, err := h.body.Read(p)
	h.taken += int64(n)
	if h.room.Add(-int64(n)) < 0 {
		return n, errTooManyPushes()
	}
	return n, err
}

func (h *held) giveBack() { h.room.Add(h.taken) }

// incoming collects what a push says of itself and judges nothing. giveBack, never
// nil, is called when its body is no longer needed.
func (s *Server) incoming(c echo.Context) (_ review.Incoming, giveBack func(), _ error) {
	r := c.Request()
	in := review.Incoming{
		Slug:      c.Param("server"),
		PathQuery: pathQuery(r),
		WebhookID: r.Header.Get("Webhook-Id"),
		Timestamp: r.Header.Get("Webhook-Timestamp"),
		Signature: r.Header.Get("Webhook-Signature"),
		Addr:      c.RealIP(),
	}
	in.Bearer, _ = bearer(r.Header.Get(echo.HeaderAuthorization))
	var err error
	if in.Params, err = pushParams(r.URL.Query()); err != nil {
		in.Refused = asRefusal(err)
	}
	if in.Bearer == "" && in.Signature == "" {
		// It will be refused: a body that nobody vouches for isn't worth the memory.
		_, err = io.CopyN(io.Discard, r.Body, drainFactor*s.opt.ListingBytes)
		return in, func() {}, ignoreEOF(err)
	}
	body := &held{body: r.Body, room: &s.room}
	return in, body.giveBack, s.readPush(&in, body)
}

func ignoreEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return bodyError(err)
}

// pathQuery is the request's target as it stood on the wire, since a bound
// delivery id was made from that text.
func pathQuery(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	return r.URL.RequestURI() // the absolute form, as proxies send it
}

// readPush fills in Wire, bounded by the limit for listings; going over it is
// noted, not an error, since the attempt has to be recorded.
func (s *Server) readPush(in *review.Incoming, body *held) error {
	var err error
	in.Wire, in.TooLarge, err = readUpTo(body, s.opt.ListingBytes)
	switch {
	case review.KindOf(err) == review.Unavailable:
		return err
	case err != nil:
		return bodyError(err)
	case in.TooLarge:
		_, _ = io.CopyN(io.Discard, body.body, drainFactor*s.opt.ListingBytes)
	}
	return nil
}

// unpack fills in Body: Wire, with its encoding undone.
func (s *Server) unpack(in *review.Incoming, encoding string) {
	if in.TooLarge || in.Wire == nil {
		return
	}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		in.Body = in.Wire
	case "gzip", "x-gzip":
		s.gunzip(in)
	default:
		in.Refused = review.Errorf(review.Unsupported, "The content encoding %.40q is not supported. Send the listing as it is, or with Content-Encoding: gzip.", encoding)
	}
}

// gunzip undoes gzip up to the limit: a small body may stand for a huge one.
func (s *Server) gunzip(in *review.Incoming) {
	z, err := gzip.NewReader(bytes.NewReader(in.Wire))
	if err == nil {
		in.Body, in.TooLarge, err = readUpTo(z, s.opt.ListingBytes)
	}
	if err != nil {
		in.Body = nil
		in.Refused = review.Errorf(review.Invalid, "The body is not valid gzip, or was cut off. Send the listing again, packed whole or not packed.")
	}
}

// readUpTo reads at most limit bytes and reports whether there was more.
func readUpTo(r io.Reader, limit int64) (b []byte, over bool, err error) {
	b, err = io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], true, err
	}
	return b, false, err
}

// pushParams reads the query of a push.
// A misspelt name is refused: the push would be kept without what it was to say.
func pushParams(q url.Values) (review.PushParams, error) {
	for name, values := range q {
		if len(values) > 1 {
			return review.PushParams{}, review.Errorf(review.Invalid, "The parameter %.40q is given %d times. Give it once.", name, len(values))
		}
		if !slices.Contains(pushNames, name) {
			return review.PushParams{}, review.Errorf(review.Invalid, "There is no parameter %.40q. Nothing was kept; use %s.", name, strings.Join(pushNames, ", "))
		}
	}
	p := review.PushParams{
		Profile:     q.Get("profile"),
		Version:     q.Get("version"),
		Ref:         q.Get("ref"),
		Predecessor: q.Get("predecessor"),
		Commit:      q.Get("commit"),
		Author:      q.Get("author"),
		RunURL:      q.Get("run_url"),
	}
	var wrong [2]error
	p.Complete, wrong[0] = boolParam(q, "complete")
	p.Preview, wrong[1] = boolParam(q, "preview")
	return p, errors.Join(wrong[:]...)
}

// boolParam reads a switch; "?complete" and "?complete=" turn it on.
func boolParam(q url.Values, name string) (bool, error) {
	if !q.Has(name) {
		return false, nil
	}
	value := q.Get(name)
	if value == "" {
		return true, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, review.Errorf(review.Invalid, "The parameter %s is %.40q. Use true or false.", name, value)
	}
	return on, nil
}

func asRefusal(err error) *review.Error {
	var known *review.Error
	if errors.As(err, &known) {
		return known
	}
	return &review.Error{Kind: review.Internal, Err: fmt.Errorf("push: %w", err)}
}
