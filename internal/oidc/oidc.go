// Package oidc asks one OpenID Connect provider who somebody is: by authorization
// code, with PKCE (S256), state and nonce. It knows nothing of accounts.
//
// The provider is whom the operator named, so its addresses are believed, also on
// a private network. But it may be slow, broken or away: what it answers is bounded
// in time and size, no redirect is followed, no proxy is taken from the
// environment, and it is first asked for its endpoints when somebody signs in.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	coreos "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// ErrUnreachable says that the provider did not answer, or not in a way that makes
// sense: nobody did anything wrong, and another time it may work.
var ErrUnreachable = errors.New("the identity provider can't be reached")

// ErrRefused says that what came back proves nothing about anybody.
var ErrRefused = errors.New("the answer of the identity provider is not accepted")

const (
	answerTime  = 10 * time.Second // how long one answer may take
	answerBytes = 1 << 20          // how long it may be
	retryAfter  = 5 * time.Second  // how long a provider that is away is left alone
)

// Config names the provider and who we are to it.
type Config struct {
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string
	RedirectURL  string           // where the provider sends browsers back to
	Now          func() time.Time // nil is time.Now
}

// Provider is an identity provider. It is safe for concurrent use.
type Provider struct {
	cfg    Config
	host   string
	client *http.Client

	mu      sync.Mutex // held while the provider is asked for its endpoints
	found   *endpoints
	failure error
	failed  time.Time
}

type endpoints struct {
	oauth    *oauth2.Config
	verifier *coreos.IDTokenVerifier
}

// New returns a Provider. Nothing is asked yet.
func New(cfg Config) (*Provider, error) {
	u, err := url.Parse(cfg.Issuer)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("oidc: the issuer %q is no address", cfg.Issuer)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	transport := &http.Transport{
		TLSHandshakeTimeout: answerTime, ResponseHeaderTimeout: answerTime, IdleConnTimeout: time.Minute,
		MaxIdleConnsPerHost: 4, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
	}
	return &Provider{cfg: cfg, host: u.Host, client: &http.Client{
		Transport: bounded{transport}, Timeout: answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Host is how people know the provider.
func (p *Provider) Host() string { return p.host }

// Issuer is the provider's name in identities.
func (p *Provider) Issuer() string { return p.cfg.Issuer }

// bounded cuts answers off.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{&limited{r: resp.Body, left: answerBytes}, resp.Body}
	}
	return resp, err
}

// limited fails where io.LimitReader would end: a part is never taken for the whole.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b[:min(len(b), l.left+1)])
	if l.left -= n; l.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", answerBytes)
	}
	return n, err
}

// discover returns the provider's endpoints and asks for them the first time. A
// failure is remembered for a moment, so that many who wait don't ask one after
// the other.
func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failure != nil && p.cfg.Now().Sub(p.failed).Abs() < retryAfter {
		return nil, p.failure
	}
	// Whoever asked first may leave: the answer is for all.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	found, err := p.ask(ctx)
	if err != nil {
		p.failure, p.failed = fmt.Errorf("%w: %w", ErrUnreachable, err), p.cfg.Now()
		return nil, p.failure
	}
	p.found = found
	return found, nil
}

func (p *Provider) ask(ctx context.Context) (*endpoints, error) {
	provider, err := coreos.NewProvider(coreos.ClientContext(ctx, p.client), p.cfg.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		KeysURL     string   `json:"jwks_uri"`
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
		PKCE        []string `json:"code_challenge_methods_supported"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	for name, address := range map[string]string{"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL, "jwks_uri": more.KeysURL} {
		if !p.asSafe(address) {
			return nil, fmt.Errorf("its %s %.200q is no address that may be used", name, address)
		}
	}
	if len(more.PKCE) > 0 && !slices.Contains(more.PKCE, "S256") {
		return nil, errors.New("it does not support PKCE with S256")
	}
	endpoint.AuthStyle = authStyle(more.AuthMethods)
	return &endpoints{
		oauth: &oauth2.Config{ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, RedirectURL: p.cfg.RedirectURL, Endpoint: endpoint,
			Scopes: []string{coreos.ScopeOpenID, "email", "profile"}},
		verifier: provider.Verifier(&coreos.Config{ClientID: p.cfg.ClientID, Now: p.cfg.Now}),
	}, nil
}

// asSafe reports whether an address is as safe as the issuer's: https, unless the
// issuer itself is a test on this machine.
func (p *Provider) asSafe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(p.cfg.Issuer, "http://")
}

// authStyle is how we show the provider who we are. The form is preferred: how a
// secret is escaped in the header differs between providers. It is never tried out,
// since a code may be worth nothing after the first try.
func authStyle(methods []string) oauth2.AuthStyle {
	if slices.Contains(methods, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// Flow is what has to be remembered, where nobody else can read it, between the
// moment a browser is sent to the provider and the moment it comes back.
type Flow struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
}

// Begin returns where to send a browser, and what to remember. With fresh the
// provider is told to ask the person anew, however they are signed in there.
func (p *Provider) Begin(ctx context.Context, fresh bool) (string, Flow, error) {
	e, err := p.discover(ctx)
	if err != nil {
		return "", Flow{}, err
	}
	f := Flow{State: random(), Nonce: random(), Verifier: oauth2.GenerateVerifier()}
	options := []oauth2.AuthCodeOption{coreos.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)}
	if fresh {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return e.oauth.AuthCodeURL(f.State, options...), f, nil
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails: the program ends where the system has no randomness
	return base64.RawURLEncoding.EncodeToString(b)
}

// Came reports whether a browser that came back with a state is the one that was
// sent away with the flow.
func (f Flow) Came(state string) bool {
	return f.State != "" && subtle.ConstantTimeCompare([]byte(f.State), []byte(state)) == 1
}

// Claims is what the provider says of a person.
type Claims struct {
	Subject       string
	Email         string
	EmailVerified bool
	Name          string
	AuthAt        time.Time // zero when it does not say
}

// Finish turns the code that a browser brought back into what the provider says of
// the person. Its error is ErrUnreachable or ErrRefused, with what happened.
func (p *Provider) Finish(ctx context.Context, f Flow, code string) (*Claims, error) {
	e, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(coreos.ClientContext(ctx, p.client), 2*answerTime)
	defer cancel()
	token, err := e.oauth.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return nil, exchangeError(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, fmt.Errorf("%w: it holds no id_token", ErrRefused)
	}
	id, err := e.verifier.Verify(ctx, raw)
	if network := (*url.Error)(nil); errors.As(err, &network) { // its keys could not be read
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if f.Nonce == "" || subtle.ConstantTimeCompare([]byte(f.Nonce), []byte(id.Nonce)) != 1 {
		return nil, fmt.Errorf("%w: it has another nonce", ErrRefused)
	}
	return p.claims(id)
}

// exchangeError tells a provider that refuses the code from one that is in trouble.
func exchangeError(err error) error {
	var answered *oauth2.RetrieveError
	if errors.As(err, &answered) && answered.Response.StatusCode >= 400 && answered.Response.StatusCode < 500 {
		// Its text holds what the provider sent, which may be the code.
		return fmt.Errorf("%w: status %d, %.60q", ErrRefused, answered.Response.StatusCode, answered.ErrorCode)
	}
	if answered != nil {
		return fmt.Errorf("%w: status %d", ErrUnreachable, answered.Response.StatusCode)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

func (p *Provider) claims(id *coreos.IDToken) (*Claims, error) {
	var c struct {
		Party    string `json:"azp"`
		Email    string `json:"email"`
		Verified flag   `json:"email_verified"`
		Name     string `json:"name"`
		AuthTime int64  `json:"auth_time"`
	}
	if err := id.Claims(&c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if c.Party != "" && c.Party != p.cfg.ClientID || c.Party == "" && len(id.Audience) > 1 {
		return nil, fmt.Errorf("%w: it was made for somebody else", ErrRefused)
	}
	claims := &Claims{Subject: id.Subject, Email: c.Email, EmailVerified: bool(c.Verified), Name: c.Name}
	if c.AuthTime > 0 {
		claims.AuthAt = time.Unix(c.AuthTime, 0)
	}
	return claims, nil
}

// flag reads true, and "true", which some providers write. All else is false.
type flag bool

// UnmarshalJSON never fails: what is not true is not vouched for.
func (f *flag) UnmarshalJSON(b []byte) error {
	*f = string(b) == "true" || string(b) == `"true"`
	return nil
}
