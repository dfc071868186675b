package client

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/countersign/countersign/web/api"
)

// Base is what the next release of a profile is compared with.
type Base struct {
	Version string
	Digest  string
	Raw     []byte // the listing, byte for byte as it was pushed
}

// GateBase returns the release of the profile ("" is the default one) that was
// released last, or nil while there is none. It needs a token with scope read.
func (c *Client) GateBase(ctx context.Context, profile string) (*Base, error) {
	if profile == "" {
		profile = "default"
	}
	last, err := c.lastReleased(ctx, profile)
	if err != nil || last == nil {
		return nil, err
	}
	raw, err := c.raw(ctx, last.Listing)
	if err != nil {
		return nil, err
	}
	return &Base{Version: last.Version, Digest: last.Listing.Digest, Raw: raw}, nil
}

// lastReleased walks the releases: they are listed by when they were pushed, which
// is not the order in which they were released.
func (c *Client) lastReleased(ctx context.Context, profile string) (*api.Release, error) {
	query := url.Values{"profile": {profile}, "limit": {"500"}}
	var last *api.Release
	var at time.Time
	for {
		body, err := c.get(ctx, c.address(query, "releases"))
		if err != nil {
			return nil, err
		}
		var page api.Releases
		if err := decode(body, &page); err != nil {
			return nil, err
		}
		for i := range page.Releases {
			r := &page.Releases[i]
			if r.ReleasedAt != nil && r.WithdrawnAt == nil && r.Profile == profile && r.ReleasedAt.After(at) {
				last, at = r, *r.ReleasedAt
			}
		}
		if page.Next == "" || page.Next == query.Get("before") {
			return last, nil
		}
		query.Set("before", page.Next)
	}
}

// raw fetches a listing's bytes and checks that they are the ones.
func (c *Client) raw(ctx context.Context, l api.ListingInfo) ([]byte, error) {
	at := &url.URL{Scheme: c.base.Scheme, Host: c.base.Host, Path: "/api/v1/listings/" + l.ID + "/raw"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, usage("%v", err)
	}
	if err := c.authorize(req); err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(c.base, err)
	}
	defer resp.Body.Close()
	body, err := readAnswer(resp)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refusal(resp, body)
	}
	if got := fmt.Sprintf("sha256:%x", sha256.Sum256(body)); got != l.RawHash {
		return nil, notUnderstood(resp, "the listing's bytes are not those that were kept: their hash is %s, not %s", got, l.RawHash)
	}
	return body, nil
}
