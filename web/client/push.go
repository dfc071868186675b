package client

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/web/api"
)

// PushRequest is a listing with what is said about it.
type PushRequest struct {
	Body        []byte
	Profile     string
	Version     string // either Version or Ref
	Ref         string
	Predecessor string
	Commit      string
	Author      string
	RunURL      string
	Complete    bool
	Preview     bool
}

// PushResult is the answer to a push.
type PushResult struct {
	Status int // 201 new, 200 the same bytes, 202 kept but not whole
	Answer api.PushAnswer
	JSON   []byte // the answer as received
}

// Push sends a listing, signed when the client has a secret, else with its token.
func (c *Client) Push(ctx context.Context, p PushRequest) (*PushResult, error) {
	at := c.address(p.query(), "listings")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(p.Body))
	if err != nil {
		return nil, usage("%v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if err := c.credential(req, p.Body); err != nil {
		return nil, err
	}
	status, body, err := c.do(req, http.StatusOK, http.StatusCreated, http.StatusAccepted)
	if err != nil {
		return nil, err
	}
	r := &PushResult{Status: status, JSON: body}
	if err := decode(body, &r.Answer); err != nil {
		return nil, err
	}
	if a := r.Answer.Analysis; a != "done" && a != "pending" {
		return nil, &Error{Kind: NotUnderstood, Sentence: "the answer is not one to a push"}
	}
	return r, nil
}

func (c *Client) credential(req *http.Request, body []byte) error {
	if c.opt.Secret == "" {
		return c.authorize(req)
	}
	s, err := Sign(c.opt.Secret, NewID(), c.opt.Now(), body, req.URL.RequestURI())
	if err != nil {
		return err
	}
	req.Header.Set("Webhook-Id", s.ID)
	req.Header.Set("Webhook-Timestamp", s.Timestamp)
	req.Header.Set("Webhook-Signature", s.Value)
	return nil
}

func (p PushRequest) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"profile": p.Profile, "version": p.Version, "ref": p.Ref, "predecessor": p.Predecessor,
		"commit": p.Commit, "author": p.Author, "run_url": p.RunURL,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if p.Complete {
		q.Set("complete", "true")
	}
	if p.Preview {
		q.Set("preview", "true")
	}
	return q
}

// ProposeWaivers proposes the waivers of a file for a release, which the answer to a
// push names, and returns what became of each, in order. What is left out of ws is
// proposed no longer.
func (c *Client) ProposeWaivers(ctx context.Context, release string, ws []api.FileWaiver) ([]api.ProposedWaiver, error) {
	body, err := json.Marshal(api.ProposeRequest{Release: release, Waivers: append([]api.FileWaiver{}, ws...)}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, usage("%v", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address(nil, "waivers", "proposed").String(), bytes.NewReader(body))
	if err != nil {
		return nil, usage("%v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if err := c.credential(req, body); err != nil {
		return nil, err
	}
	_, answer, err := c.do(req, http.StatusOK)
	if err != nil {
		return nil, err
	}
	var out api.ProposedWaivers
	if err := decode(answer, &out); err != nil {
		return nil, err
	}
	if len(out.Proposed) != len(ws) {
		return nil, &Error{Kind: NotUnderstood, Sentence: "the answer is not one to proposed waivers"}
	}
	return out.Proposed, nil
}
