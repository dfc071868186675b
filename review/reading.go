package review

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// LiveState is what an endpoint runs, held against what is released in its profile.
type LiveState string

// The states.
const (
	LiveSame       LiveState = "same"       // what was released last
	LiveOlder      LiveState = "older"      // an earlier release that stands
	LiveDiffers    LiveState = "differs"    // something that is not released: a drift
	LiveUnknown    LiveState = "unknown"    // a part, or no tools where there were some: somebody has to look
	LiveUnreleased LiveState = "unreleased" // nothing is released to hold it against
	LiveUnread     LiveState = "unread"     // it did not answer with a listing, which is no drift
)

// Reading is what an endpoint answered over the time in which it answered the same.
type Reading struct {
	ID         string
	EndpointID string
	ServerID   string
	State      LiveState
	Digest     surface.Hash // zero when it was not read
	Set, Order surface.Hash // of its tools whatever their order, and of their names in order
	Tools      int
	Complete   bool
	Unstable   bool   // the same tools stood in another order before, or in the release
	ReleaseID  string // that it is, or was compared with; "" for none
	DriftID    string // "" for none
	Why        string // one sentence; may quote the server
	FirstAt    time.Time
	LastAt     time.Time
	Times      int // readings that it stands for
}

// ReadingStore keeps what endpoints answered.
type ReadingStore interface {
	InsertReading(ctx context.Context, r *Reading) error
	// ExtendReading counts one more reading of the same: Why, LastAt and Times change.
	ExtendReading(ctx context.Context, r *Reading) error
	// LastReadings returns the newest of each endpoint, by endpoint id.
	LastReadings(ctx context.Context, endpointIDs []string) (map[string]Reading, error)
	// Readings returns those of an endpoint, newest first.
	Readings(ctx context.Context, endpointID string) ([]Reading, error)
	// TrimReadings keeps so many of the newest of an endpoint.
	TrimReadings(ctx context.Context, endpointID string, keep int) error
	// ForgetLive removes the oldest listings that were read at endpoints before a time and
	// that nothing refers to any more, at most so many, and returns how many.
	ForgetLive(ctx context.Context, before time.Time, most int) (int, error)
}

const (
	keptReadings = 50 // of an endpoint: changes of state, not readings
	keptDrifts   = 8  // of an endpoint, each with at most one listing

	readingTime = 45 * time.Second // for one reading, whatever the server does
	// claimTime is how long an instance that died holds up the reading of an endpoint.
	claimTime = 2 * time.Minute
	// readAgain is how long somebody who asks for a reading waits after the last one.
	readAgain = 20 * time.Second
	// mostBackOff bounds how rarely an endpoint that does not answer is tried, unless it
	// is read more rarely anyway.
	mostBackOff = 4 * time.Hour
)

// claimed is an endpoint that this process reads now.
type claimed struct {
	endpoint Endpoint
	claim    string
	turn     Turn
}

// ReadDue reads the endpoint whose turn came first. It reports false when it is
// nobody's turn, or this instance reads none.
func (s *Service) ReadDue(ctx context.Context) (bool, error) {
	if s.cfg.Reader == nil {
		return false, nil
	}
	var c *claimed
	err := s.store.Update(ctx, func(tx Tx) error {
		c = &claimed{claim: newID()}
		id, err := tx.ClaimEndpoint(ctx, c.claim, s.now(), s.now().Add(claimTime))
		if err != nil {
			return err
		}
		return c.load(ctx, tx, id)
	})
	if KindOf(err) == NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, s.readClaimed(ctx, c)
}

// ReadEndpoint reads an endpoint at once, but not again and again. Whoever reads the
// server may ask for it, and a token that asks the gate: whoever deploys wants to know
// what runs now.
func (s *Service) ReadEndpoint(ctx context.Context, a Actor, slug, id string) (*EndpointLog, error) {
	if s.cfg.Reader == nil {
		return nil, Errorf(Unavailable, "This instance reads no live servers.")
	}
	c := &claimed{claim: newID()}
	err := s.store.Update(ctx, func(tx Tx) error {
		_, e, err := endpointFor(ctx, tx, a, slug, id, people.Viewer, people.ScopeGate, people.ScopeReview)
		if err != nil {
			return err
		}
		if err := a.reaches(e.Profile); err != nil {
			return err
		}
		now := s.now()
		err = tx.ClaimOne(ctx, id, c.claim, now, now.Add(claimTime), now.Add(-readAgain))
		if KindOf(err) == Conflict {
			return &Error{Kind: RateLimited, RetryAfter: readAgain, Sentence: "It is being read, or was read a moment ago. Try again in a little while.", Err: err}
		}
		if err != nil {
			return err
		}
		return c.load(ctx, tx, id)
	})
	if err != nil {
		return nil, err
	}
	// Whoever hangs up leaves a reading that is worth keeping.
	if err := s.readClaimed(context.WithoutCancel(ctx), c); err != nil {
		return nil, err
	}
	var l *EndpointLog
	err = s.store.View(ctx, func(tx Tx) error {
		srv, err := tx.ServerByID(ctx, c.endpoint.ServerID)
		if err == nil {
			l, err = s.endpointLog(ctx, tx, a, srv, id)
		}
		return err
	})
	return l, err
}

// load reads what the reader has to know of a claimed endpoint.
func (c *claimed) load(ctx context.Context, tx Tx, id string) error {
	e, err := tx.EndpointByID(ctx, id)
	if err != nil {
		return err
	}
	turns, err := tx.Turns(ctx, []string{id})
	c.endpoint, c.turn = *e, turns[id]
	return err
}

// readClaimed reads an endpoint outside of any transaction, and keeps what came of
// it.
func (s *Service) readClaimed(ctx context.Context, c *claimed) error {
	l, failure := s.readLive(ctx, &c.endpoint)
	if ctx.Err() != nil {
		return ctx.Err() // we stop, which says nothing of the server
	}
	for try := 1; ; try++ {
		f, err := s.hold(ctx, c, l, failure)
		if err != nil {
			return err
		}
		err = s.store.Update(ctx, func(tx Tx) error { return s.keepReading(ctx, tx, c, f) })
		switch {
		case errors.Is(err, errTaken) && try < maxAnalyses:
			continue // something was released meanwhile
		case KindOf(err) == NotFound:
			return nil // removed meanwhile, or another reader was quicker
		case err == nil:
			s.cfg.Observer.Read(f.state)
		}
		return err
	}
}

// readLive asks the server. What it answers that is no listing is an error of kind
// Invalid with a sentence, like whatever kept it from answering.
func (s *Service) readLive(ctx context.Context, e *Endpoint) (*surface.Listing, error) {
	header, err := s.openHeaders(e)
	if err != nil {
		return nil, &Error{Kind: Invalid, Sentence: "Its headers were sealed under another SECRET: give them anew.", Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	body, err := s.cfg.Reader.Read(ctx, e.URL, header)
	if err != nil {
		return nil, &Error{Kind: Invalid, Sentence: unread(err, header), Err: err}
	}
	l, err := surface.Read(body, s.cfg.Limits.Surface)
	if err != nil {
		return nil, &Error{Kind: Invalid, Sentence: clipText("It answered, but not with a listing: "+err.Error(), maxWhy), Err: err}
	}
	return l, nil
}

const maxWhy = 1000 // bytes of a sentence about a reading

// unread says why a server was not read, without what we sent it in secret: some
// repeat the key that they refuse.
func unread(err error, header http.Header) string {
	why := err.Error()
	for _, values := range header {
		for _, v := range values {
			for _, part := range append(strings.Fields(v), v) {
				if len(part) >= 6 {
					why = strings.ReplaceAll(why, part, "…")
				}
			}
		}
	}
	return clipText(why, maxWhy)
}

// clipText makes a text keepable and bounds it at a rune.
func clipText(s string, most int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// setOf is a digest of a listing's tools, whatever their order.
func setOf(l *surface.Listing) surface.Hash {
	all := make([]string, len(l.Tools))
	for i := range l.Tools {
		all[i] = l.Tools[i].Digest.String()
	}
	slices.Sort(all)
	return surface.HashOf([]byte(strings.Join(all, " ")))
}

// next is when an endpoint is read again: at its interval, a little off so that they
// don't all come at once, and more rarely while it does not answer.
func (c *claimed) next(now time.Time, read bool) Turn {
	t := Turn{Tried: now}
	wait := c.endpoint.Every
	if !read {
		t.Failures = c.turn.Failures + 1
		wait = min(wait<<min(t.Failures-1, 10), max(mostBackOff, c.endpoint.Every))
	}
	off := time.Duration((rand.Float64() - 0.5) * 0.2 * float64(wait))
	t.Next = now.Add(wait + off).Truncate(time.Microsecond)
	return t
}

// keepReading stores what came of a reading, in one transaction.
func (s *Service) keepReading(ctx context.Context, tx Tx, c *claimed, f *held) error {
	now := s.now()
	if err := tx.EndTurn(ctx, c.endpoint.ID, c.claim, c.next(now, f.state != LiveUnread)); err != nil {
		return err
	}
	if err := f.stillCurrent(ctx, tx, c); err != nil {
		return err
	}
	srv, err := tx.ServerByID(ctx, c.endpoint.ServerID)
	if err != nil {
		return err
	}
	driftID, err := s.noteDrift(ctx, tx, srv, &c.endpoint, f)
	if err != nil {
		return err
	}
	return s.noteReading(ctx, tx, c, f, driftID)
}

// noteReading lengthens the last reading when it says the same, and begins another
// one when not.
func (s *Service) noteReading(ctx context.Context, tx Tx, c *claimed, f *held, driftID string) error {
	last, err := tx.LastReadings(ctx, []string{c.endpoint.ID})
	if err != nil {
		return err
	}
	r := Reading{
		ID: newID(), EndpointID: c.endpoint.ID, ServerID: c.endpoint.ServerID, State: f.state, ReleaseID: f.releaseID(), DriftID: driftID,
		Why: f.why, FirstAt: s.now(), LastAt: s.now(), Times: 1, Unstable: f.unstable,
	}
	if f.live != nil {
		r.Digest, r.Set, r.Order = f.live.Digest, setOf(f.live), f.live.OrderDigest()
		r.Tools, r.Complete = len(f.live.Tools), f.live.Complete
	}
	if was, ok := last[c.endpoint.ID]; ok && was.says(&r) {
		was.Why, was.LastAt = r.Why, r.LastAt
		was.Times++
		return tx.ExtendReading(ctx, &was)
	}
	if err := tx.InsertReading(ctx, &r); err != nil {
		return err
	}
	return tx.TrimReadings(ctx, c.endpoint.ID, keptReadings)
}

// says reports whether two readings say the same. What one drift folds is one.
func (r *Reading) says(o *Reading) bool {
	return r.State == o.State && r.ReleaseID == o.ReleaseID && r.DriftID == o.DriftID && r.Unstable == o.Unstable &&
		(r.Digest == o.Digest || r.DriftID != "")
}

// releaseName names a release in a sentence.
func releaseName(r *Release) string { return fmt.Sprintf("`%s`", visible(r.Title())) }
