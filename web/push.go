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
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
)

// drainFactor times the limit is what is still read of a body over the limit, so
// that its sender gets the answer instead of a broken connection.
const drainFactor = 4

const (
	// pushesAtOnce bounds the memory that bodies take, since anybody can send one.
	pushesAtOnce = 16
	// pushPatience is how long a push waits for its turn.
	pushPatience = 20 * time.Second
)

// pushListing takes a listing, signed or with a token. Every push that arrives is
// handed to the service whole, refused ones too: it keeps the record.
func (s *Server) pushListing(c echo.Context) error {
	done, err := s.turn(c.Request().Context())
	if err != nil {
		return err
	}
	defer done()
	in, err := s.incoming(c)
	if err != nil {
		return err
	}
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
		return nil, review.Errorf(review.Unavailable, "Too many pushes at once. Nothing was kept; push again in a minute.")
	}
}

// incoming collects what a push says of itself; it judges nothing but encoding.
func (s *Server) incoming(c echo.Context) (review.Incoming, error) {
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
		return in, ignoreEOF(err)
	}
	err = s.readPush(&in, r.Body, r.Header.Get(echo.HeaderContentEncoding))
	return in, err
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

// readPush fills in Wire and Body. Both are bounded by the limit for listings;
// going over it is noted, not an error, since the attempt has to be recorded.
func (s *Server) readPush(in *review.Incoming, body io.Reader, encoding string) error {
	var over bool
	var err error
	if in.Wire, over, err = readUpTo(body, s.opt.ListingBytes); err != nil {
		return bodyError(err)
	}
	if over {
		in.TooLarge = true
		_, _ = io.CopyN(io.Discard, body, drainFactor*s.opt.ListingBytes)
		return nil
	}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		in.Body = in.Wire
		return nil
	case "gzip", "x-gzip":
		s.unpack(in)
		return nil
	}
	in.Refused = review.Errorf(review.Unsupported, "The content encoding %.40q is not supported. Send the listing as it is, or with Content-Encoding: gzip.", encoding)
	return nil
}

// unpack undoes gzip up to the limit: a small body may stand for a huge one.
func (s *Server) unpack(in *review.Incoming) {
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
func pushParams(q url.Values) (review.PushParams, error) {
	for name, values := range q {
		if len(values) > 1 {
			return review.PushParams{}, review.Errorf(review.Invalid, "The parameter %.40q is given %d times. Give it once.", name, len(values))
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
