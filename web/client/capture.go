package client

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
)

// PushCapture hands in what a host sent of the server's tools, as package surface
// strips it, to be held against the listing with that digest. It needs a token with
// scope push, or one that acts for a reviewer. Called is how the host calls the server.
func (c *Client) PushCapture(ctx context.Context, capture []byte, digest, host, variant, called string) error {
	at := c.address(url.Values{"digest": {digest}, "host": {host}, "variant": {variant}, "called": {called}}, "captures")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(capture))
	if err != nil {
		return usage("%v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if err := c.authorize(req); err != nil {
		return err
	}
	_, _, err = c.do(req, http.StatusCreated)
	return err
}

// Doubts returns the profiles that captures of the server contradict, as "id version".
// It needs a token with scope read.
func (c *Client) Doubts(ctx context.Context) (map[string]bool, error) {
	body, err := c.get(ctx, c.address(nil, "hosts"))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Hosts []struct {
			ID       string `json:"id"`
			Version  string `json:"version"`
			Doubtful *bool  `json:"doubtful"`
		} `json:"hosts"`
	}
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	doubts := map[string]bool{}
	for _, h := range answer.Hosts {
		if h.Doubtful == nil {
			return nil, &Error{Kind: NotUnderstood, Sentence: "the answer does not say which profiles are doubtful"}
		}
		doubts[h.ID+" "+h.Version] = *h.Doubtful
	}
	return doubts, nil
}
