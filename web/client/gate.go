package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/countersign/countersign/web/api"
)

// The words of the gate.
const (
	Pass      = "pass"
	Blocked   = "blocked"
	Undecided = "undecided"
	GateError = "error"
)

const (
	defaultProfile = "default"
	firstPause     = 2 * time.Second
	longestPause   = 15 * time.Second
)

// GateRequest asks about one listing, by digest or by version. With both, the version
// has to have that listing.
type GateRequest struct {
	Digest  string // sha256:…
	Version string
	Profile string // "" is "default"
}

func (g GateRequest) query() url.Values {
	v := url.Values{"profile": {g.Profile}}
	if g.Digest != "" {
		v.Set("digest", g.Digest)
	}
	if g.Version != "" {
		v.Set("version", g.Version)
	}
	return v
}

// GateResult is the gate's answer, checked to be one to the question.
type GateResult struct {
	Answer api.GateAnswer
	JSON   []byte // as received
}

// Gate asks once.
func (c *Client) Gate(ctx context.Context, g GateRequest) (*GateResult, error) {
	if g.Profile == "" {
		g.Profile = defaultProfile
	}
	body, err := c.get(ctx, c.address(g.query(), "gate"))
	if err != nil {
		return nil, err
	}
	r := &GateResult{JSON: body}
	if err := decode(body, &r.Answer); err != nil {
		return nil, err
	}
	if err := c.check(g, r.Answer); err != nil {
		return nil, err
	}
	return r, nil
}

// check makes sure that the answer is to this question, and that it agrees with
// itself.
func (c *Client) check(g GateRequest, a api.GateAnswer) error {
	for _, part := range []struct{ what, want, got string }{
		{"server", c.opt.Server, a.Server},
		{"profile", g.Profile, a.Profile},
		{"digest", g.Digest, a.Digest},
	} {
		if part.got != part.want && part.want != "" {
			return wrongAnswer("it is about %s %.100q and not %.100q", part.what, part.got, part.want)
		}
	}
	if r := a.Release; g.Version != "" && (r == nil || r.Version != g.Version) && a.Gate != Undecided {
		return wrongAnswer("it is not about version %.100q", g.Version)
	}
	switch a.Gate {
	case Blocked, Undecided, GateError:
		return nil
	case Pass:
		for _, r := range a.Requirements {
			if r.State == "open" {
				return wrongAnswer("it says pass with %.100q open", r.ID)
			}
		}
		return nil
	}
	return wrongAnswer("its word is %.40q", a.Gate)
}

func wrongAnswer(format string, args ...any) *Error {
	return &Error{Kind: NotUnderstood, Sentence: "the gate's answer can't be trusted: " + fmt.Sprintf(format, args...)}
}

// WaitGate asks until the gate passes, or the time is over; then it returns the
// last answer, whatever it is. While waiting, a server that is away is asked again.
func (c *Client) WaitGate(ctx context.Context, g GateRequest, wait time.Duration) (*GateResult, error) {
	end := c.opt.Now().Add(wait)
	pause := firstPause
	for {
		r, err := c.Gate(ctx, g)
		if done(r, err) || ctx.Err() != nil {
			return r, err
		}
		next := max(pause, retryOf(err))
		left := end.Sub(c.opt.Now())
		if left <= 0 {
			return r, err
		}
		if c.opt.Sleep(ctx, min(next, left)) != nil {
			return r, err
		}
		pause = min(pause*3/2, longestPause)
	}
}

// done reports whether waiting can't change the answer for the better.
func done(r *GateResult, err error) bool {
	if err != nil {
		return KindOf(err) != Unreachable
	}
	return r.Answer.Gate == Pass || r.Answer.Gate == GateError
}

func retryOf(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}
