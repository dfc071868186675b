package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/oidc"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// ProviderBack is the path that the identity provider sends browsers back to.
const ProviderBack = "/sign-in/oidc/callback"

// What a browser is sent to the identity provider for.
const (
	flowSignIn = "sign-in"
	flowLink   = "link"
	flowProof  = "proof"
)

// flowLasts is how long somebody may take at the provider.
const flowLasts = 10 * time.Minute

// flow is kept in the session of a browser that is sent to the provider, and used
// up when it comes back.
type flow struct {
	oidc.Flow
	For  string `json:"for"`
	Next string `json:"next,omitempty"` // path of ours to go on to
	User string `json:"user,omitempty"` // whose account it is about; "" for signing in
	At   int64  `json:"at"`             // Unix seconds
}

// providerPage sends somebody to the identity provider. It is reached by a link: a
// browser would not follow a form to another site.
func (s *Server) providerPage(c echo.Context) error {
	next := backTo(c.QueryParam("next"), "/")
	if s.opt.Provider == nil {
		return errNoProvider
	}
	if s.actor(c).User != nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	f := flow{For: flowSignIn, Next: next}
	to, err := s.beginFlow(c, f)
	if err != nil {
		return s.flowFailed(c, f, err)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

var errNoProvider = review.Errorf(review.NotFound, "There is no identity provider here: sign in with your password.")

// beginFlow returns where to send the browser, and remembers why in its session.
func (s *Server) beginFlow(c echo.Context, f flow) (string, error) {
	ctx := c.Request().Context()
	if err := s.svc.BeginIdentity(c.RealIP()); err != nil {
		return "", err
	}
	to, asked, err := s.opt.Provider.Begin(ctx, f.For == flowProof)
	if err != nil {
		return "", s.providerError(c, err)
	}
	f.Flow, f.At = asked, s.opt.Now().Unix()
	if u := s.actor(c).User; u != nil {
		f.User = u.ID
	} else {
		s.sessions.SetDeadline(ctx, s.opt.Now().Add(flowLasts))
	}
	b, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("remember a sign-in: %w", err)
	}
	s.sessions.Put(ctx, sessionFlow, string(b))
	return to, nil
}

// providerError says what a person can do about a provider that does not answer or
// whose answer proves nothing. Why goes to the log.
func (s *Server) providerError(c echo.Context, err error) error {
	s.log.WarnContext(c.Request().Context(), "identity provider", "request", requestIDOf(c), "error", err)
	host := s.opt.Provider.Host()
	if errors.Is(err, oidc.ErrUnreachable) {
		return &review.Error{Kind: review.Unavailable, Err: err, RetryAfter: 30 * time.Second,
			Sentence: host + " can't be reached just now. Try again in a minute; signing in with a password works meanwhile."}
	}
	return &review.Error{Kind: review.Invalid, Err: err, Sentence: "What " + host + " answered was not accepted, so nothing was done. Begin again."}
}

// providerBackPage is where the provider sends browsers back to.
func (s *Server) providerBackPage(c echo.Context) error {
	if s.opt.Provider == nil {
		return errNoProvider
	}
	f, err := s.takeFlow(c)
	if err != nil {
		return s.flowFailed(c, flow{For: flowSignIn, Next: "/"}, err)
	}
	id, err := s.askIdentity(c, f)
	if err != nil {
		return s.flowFailed(c, f, err)
	}
	switch f.For {
	case flowLink:
		return s.linkIdentity(c, f, id)
	case flowProof:
		return s.proveIdentity(c, f, id)
	}
	u, err := s.svc.SignInIdentity(c.Request().Context(), id, c.RealIP())
	if err != nil {
		return s.flowFailed(c, f, err)
	}
	return s.enter(c, u, backTo(f.Next, "/"))
}

var errFlow = review.Errorf(review.Invalid, "This sign-in was not begun in this browser, or took too long. Begin again.")

// takeFlow returns what this browser was sent away for, once. A state that is not
// its own leaves it waiting: somebody else may have made the browser come here.
func (s *Server) takeFlow(c echo.Context) (flow, error) {
	ctx := c.Request().Context()
	var f flow
	if err := json.Unmarshal([]byte(s.sessions.GetString(ctx, sessionFlow)), &f); err != nil || !f.Came(c.QueryParam("state")) {
		return flow{}, errFlow
	}
	s.sessions.Remove(ctx, sessionFlow)
	// Used up before the provider is asked: a copy that comes meanwhile finds nothing.
	if _, _, err := s.sessions.Commit(ctx); err != nil {
		return flow{}, fmt.Errorf("keep session: %w", err)
	}
	if s.opt.Now().Sub(time.Unix(f.At, 0)) > flowLasts {
		return flow{}, errFlow
	}
	if u := s.actor(c).User; f.User != "" && (u == nil || u.ID != f.User) {
		return flow{}, errFlow
	}
	return f, nil
}

// askIdentity turns the code that the browser brought into who the provider says
// that it is.
func (s *Server) askIdentity(c echo.Context, f flow) (review.Identity, error) {
	p := s.opt.Provider
	code := c.QueryParam("code")
	if code == "" { // refused there, or given up
		return review.Identity{}, review.Errorf(review.Invalid, "%s did not say who you are, so nothing was done. Begin again, or sign in with your password.", p.Host())
	}
	claims, err := p.Finish(c.Request().Context(), f.Flow, code)
	if err != nil {
		return review.Identity{}, s.providerError(c, err)
	}
	return review.Identity{Issuer: p.Issuer(), Subject: claims.Subject, Email: claims.Email, EmailVerified: claims.EmailVerified,
		Name: claims.Name, AuthAt: claims.AuthAt}, nil
}

// flowFailed says on the page where it began why nothing came of it.
func (s *Server) flowFailed(c echo.Context, f flow, err error) error {
	if review.KindOf(err) == review.Internal {
		return err
	}
	said := describe(err, "")
	if f.For != flowSignIn {
		s.flash(c, flashProblem, said.Sentence)
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	failureHeaders(c, said)
	p := s.signInModel(c, f.Next)
	p.Fault = views.Say(said.Sentence)
	return s.render(c, said.Status, views.SignIn(p))
}

// linkIdentityForm begins to link an identity. Only this form does, which comes from
// our own page: a link could be followed in a browser that somebody else signed in
// at the provider, and would let them in.
func (s *Server) linkIdentityForm(c echo.Context) error {
	f := flow{For: flowLink}
	if s.opt.Provider == nil {
		return s.flowFailed(c, f, errNoProvider)
	}
	to, err := s.beginFlow(c, f)
	if err != nil {
		return s.flowFailed(c, f, err)
	}
	host := s.opt.Provider.Host()
	p := views.LinkIdentityPage{Page: s.page(c, "Link "+host, "account"), Host: host, URL: to}
	p.Width = slim
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return s.render(c, http.StatusOK, views.LinkIdentity(p))
}

func (s *Server) linkIdentity(c echo.Context, f flow, id review.Identity) error {
	if err := s.svc.LinkIdentity(c.Request().Context(), s.actor(c), id); err != nil {
		return s.flowFailed(c, f, err)
	}
	return s.toAccount(c, "Linked: "+s.opt.Provider.Host()+" signs you in from now on.")
}

func (s *Server) unlinkIdentityForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	err = s.svc.UnlinkIdentity(c.Request().Context(), s.actor(c), form.Get("issuer"))
	if fault, ok := sentenceOf(err); ok {
		return s.renderAccount(c, describe(err, "").Status, views.AccountPage{Fault: fault})
	}
	if err != nil {
		return err
	}
	return s.toAccount(c, "Unlinked: "+hostOf(form.Get("issuer"))+" does not sign you in any more.")
}

// proveWithProviderPage sends whoever is signed in to the provider, to prove anew
// who they are.
func (s *Server) proveWithProviderPage(c echo.Context) error {
	f := flow{For: flowProof}
	if s.opt.Provider == nil {
		return s.flowFailed(c, f, errNoProvider)
	}
	to, err := s.beginFlow(c, f)
	if err != nil {
		return s.flowFailed(c, f, err)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

func (s *Server) proveIdentity(c echo.Context, f flow, id review.Identity) error {
	ctx := c.Request().Context()
	if err := s.svc.ProveIdentity(ctx, s.actor(c), id, time.Unix(f.At, 0)); err != nil {
		return s.flowFailed(c, f, err)
	}
	s.sessions.Put(ctx, sessionProof, s.opt.Now().Unix())
	return s.toAccount(c, "You have proved who you are. Go back to the page that asked, and go on there.")
}

// provesWith is the host of the provider by which the actor may prove who they are;
// "" when they may not.
func (s *Server) provesWith(c echo.Context, a review.Actor) (string, error) {
	if s.opt.Provider == nil || a.User.HasSecondFactor() {
		return "", nil
	}
	links, err := s.svc.Identities(c.Request().Context(), a)
	for _, l := range links {
		if l.Issuer == s.opt.Provider.Issuer() {
			return s.opt.Provider.Host(), nil
		}
	}
	return "", err
}

// providerCard shows what is linked. Each provider is linked once.
func (s *Server) providerCard(links []review.IdentityLink) views.ProviderCard {
	var card views.ProviderCard
	if s.opt.Provider != nil {
		card.Host = s.opt.Provider.Host()
	}
	for _, l := range links {
		if s.opt.Provider != nil && l.Issuer == s.opt.Provider.Issuer() {
			card.Host = ""
		}
		card.Linked = append(card.Linked, views.IdentityLine{Host: hostOf(l.Issuer), Issuer: l.Issuer, Email: prose.Show(l.Email), Since: s.when(l.LinkedAt)})
	}
	return card
}

// hostOf is how people know an issuer.
func hostOf(issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" {
		return "it"
	}
	return u.Host
}
