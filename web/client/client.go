// Package client asks a Countersign server from the outside, as the command line
// does: it pushes listings, asks the gate and compares.
//
// # Trust
//
// What the gate says decides whether something is published, so an answer counts
// only when it is beyond doubt: over TLS (plain HTTP on loopback only), from the
// address that was given (redirects are refused), in the type and form of the API,
// about the server, the profile and the digest that were asked for. Everything
// else is an error of [NotUnderstood]: a login page of a proxy never passes for
// "pass".
//
// # Trying again
//
// Nothing is tried twice, but for [Client.WaitGate], which asks until the gate
// passes or the time is over.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/web/api"
)

const (
	// largestAnswer bounds what is read of an answer, in bytes.
	largestAnswer = 64 << 20
	// timeout is longer than a push waits for its analysis.
	timeout = 60 * time.Second
)

// Options say which server is asked, and as whom.
type Options struct {
	BaseURL string // such as https://countersign.example
	Server  string // slug
	Token   string // cs_…, sent as Bearer
	Secret  string // whsec_…, signs pushes; then the token isn't sent with them
	Agent   string // User-Agent

	Transport http.RoundTripper                          // nil is http.DefaultTransport
	Now       func() time.Time                           // nil is time.Now
	Sleep     func(context.Context, time.Duration) error // nil waits on the clock
}

// Client talks about one server of one instance. It is safe for concurrent use.
type Client struct {
	opt  Options
	base *url.URL
	http *http.Client
}

// New returns a Client. It refuses addresses that are neither HTTPS nor loopback.
func New(opt Options) (*Client, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, err
	}
	if opt.Server == "" {
		return nil, usage("no server is named: give its slug with --server")
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Sleep == nil {
		opt.Sleep = sleep
	}
	return &Client{opt: opt, base: base, http: &http.Client{
		Transport:     opt.Transport,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, usage("%.200q is not the address of a server, such as https://countersign.example", raw)
	}
	if u.User != nil {
		return nil, usage("the address of the server carries a name or a password: use --token")
	}
	if p := strings.TrimSuffix(u.Path, "/"); p != "" {
		return nil, usage("the address of the server ends in %.80q: give it without a path", p)
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return nil, usage("%s is not HTTPS: on the way, anyone could read the credential and answer for the server. Plain HTTP is allowed on loopback only", u.Redacted())
	}
	return u, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// address is an address below the server's part of the API, each element escaped.
func (c *Client) address(query url.Values, elements ...string) *url.URL {
	path := "/api/v1/servers/" + url.PathEscape(c.opt.Server)
	for _, e := range elements {
		path += "/" + url.PathEscape(e)
	}
	return &url.URL{Scheme: c.base.Scheme, Host: c.base.Host, Path: mustUnescape(path), RawPath: path, RawQuery: query.Encode()}
}

func mustUnescape(path string) string {
	p, err := url.PathUnescape(path)
	if err != nil {
		panic(err) // made by PathEscape
	}
	return p
}

// do sends a request and returns the body of an answer that is JSON and of one of
// the statuses that mean success.
func (c *Client) do(req *http.Request, statuses ...int) (int, []byte, error) {
	if c.opt.Agent != "" {
		req.Header.Set("User-Agent", c.opt.Agent)
	}
	req.Header.Set("Accept", "application/json, "+api.ProblemType)
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, unreachable(c.base, err)
	}
	defer resp.Body.Close()
	body, err := readAnswer(resp)
	if err != nil {
		return 0, nil, err
	}
	for _, status := range statuses {
		if resp.StatusCode == status {
			return status, body, wantType(resp, "application/json", body)
		}
	}
	return 0, nil, refusal(resp, body)
}

func readAnswer(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, largestAnswer+1))
	if err != nil {
		return nil, &Error{Kind: Unreachable, Sentence: "the answer broke off", Err: err}
	}
	if len(body) > largestAnswer {
		return nil, notUnderstood(resp, "the answer is larger than %d MiB", largestAnswer>>20)
	}
	return body, nil
}

func wantType(resp *http.Response, want string, body []byte) error {
	got, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || got != want {
		return notUnderstood(resp, "the answer is %s and not %s%s", orNone(got), want, hint(body))
	}
	return nil
}

func orNone(kind string) string {
	if kind == "" {
		return "of no type"
	}
	return kind
}

// hint names the usual reason for a page where JSON was expected.
func hint(body []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return ": it is a page, perhaps the sign-in of a proxy"
	}
	return ""
}

// refusal reads an answer that is no success.
func refusal(resp *http.Response, body []byte) error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return notUnderstood(resp, "the server redirects to %.200q: give the address that it answers at", resp.Header.Get("Location"))
	}
	if err := wantType(resp, api.ProblemType, body); err != nil {
		return err
	}
	var p api.Problem
	if err := json.Unmarshal(body, &p); err != nil || p.Status != resp.StatusCode {
		return notUnderstood(resp, "the answer is no problem report of the API")
	}
	kind := Refused
	if resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests {
		kind = Unreachable
	}
	return &Error{Kind: kind, Sentence: p.Detail, Problem: &p, RetryAfter: retryAfter(resp)}
}

// decode reads the body of a success. Names count letter by letter and once each;
// a tool's name may hold a lone surrogate, which is no reason to fail.
func decode(body []byte, v any) error {
	if err := json.Unmarshal(body, v, jsontext.AllowInvalidUTF8(true)); err != nil {
		return &Error{Kind: NotUnderstood, Sentence: "the answer is not of the form of the API", Err: err}
	}
	return nil
}

func (c *Client) authorize(req *http.Request) error {
	if c.opt.Token == "" {
		return usage("no credential: give a token with --token")
	}
	req.Header.Set("Authorization", "Bearer "+c.opt.Token)
	return nil
}

// get asks with the token and returns the JSON of a 200.
func (c *Client) get(ctx context.Context, at *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, usage("%v", err)
	}
	if err := c.authorize(req); err != nil {
		return nil, err
	}
	_, body, err := c.do(req, http.StatusOK)
	return body, err
}

// Compare returns the diff's JSON of two listings of the server, each named by id,
// digest or version.
func (c *Client) Compare(ctx context.Context, from, to string) ([]byte, error) {
	body, err := c.get(ctx, c.address(url.Values{"from": {from}, "to": {to}}, "compare"))
	if err != nil {
		return nil, err
	}
	var probe struct {
		Class   string           `json:"class"`
		Changes []jsontext.Value `json:"changes"`
	}
	if err := decode(body, &probe); err != nil {
		return nil, err
	}
	if probe.Class == "" || probe.Changes == nil {
		return nil, &Error{Kind: NotUnderstood, Sentence: "the answer is no comparison"}
	}
	return body, nil
}

func usage(format string, args ...any) *Error {
	return &Error{Kind: Usage, Sentence: fmt.Sprintf(format, args...)}
}
