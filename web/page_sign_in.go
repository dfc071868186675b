package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// signInPage asks who one is. Whoever is signed in goes on.
func (s *Server) signInPage(c echo.Context) error {
	next := backTo(c.QueryParam("next"), "/")
	if s.actor(c).User != nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	p := s.signInModel(c, next)
	needed, err := s.svc.SetUpNeeded(c.Request().Context())
	if err != nil {
		return err
	}
	if needed {
		p.Hint = views.Say("Nobody has an account yet. `countersign serve` printed a link when it started: open it to make the first one.")
		p.Provider = ""
	}
	return s.render(c, http.StatusOK, views.SignIn(p))
}

func (s *Server) signInModel(c echo.Context, next string) views.SignInPage {
	p := views.SignInPage{Page: s.page(c, "Sign in", ""), Next: next}
	p.Width = slim
	if s.opt.Provider != nil {
		p.Provider, p.ProviderURL = s.opt.Provider.Host(), path([]string{"sign-in", "oidc"}, "next", next)
	}
	return p
}

func (s *Server) signInForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	u, err := s.svc.SignIn(c.Request().Context(), form.Get("email"), form.Get("password"), c.RealIP())
	switch review.KindOf(err) {
	case review.Unauthenticated, review.Invalid, review.RateLimited:
		f := describe(err, "")
		failureHeaders(c, f)
		p := s.signInModel(c, backTo(form.Get("next"), "/"))
		p.Email, p.Fault = form.Get("email"), views.Say(f.Sentence)
		return s.render(c, f.Status, views.SignIn(p))
	}
	if err != nil {
		return err
	}
	return s.enter(c, u, backTo(form.Get("next"), "/"))
}

// enter signs somebody in and takes them on; where there is a second factor, to the
// page that asks for it.
func (s *Server) enter(c echo.Context, u *people.User, next string) error {
	if u.HasSecondFactor() {
		if err := s.holdHalf(c, u); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, path([]string{"sign-in", "code"}, "next", next))
	}
	if err := s.signIn(c, u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// codePage asks for the second half of a sign-in.
func (s *Server) codePage(c echo.Context) error {
	next := backTo(c.QueryParam("next"), "/")
	if s.sessions.GetString(c.Request().Context(), sessionHalf) == "" {
		return c.Redirect(http.StatusSeeOther, path([]string{"sign-in"}, "next", next))
	}
	return s.renderCode(c, http.StatusOK, next, nil)
}

func (s *Server) renderCode(c echo.Context, status int, next string, fault views.Sentence) error {
	p := views.CodePage{Page: s.page(c, "Your code", ""), Next: next, Fault: fault}
	p.Width = slim
	return s.render(c, status, views.SignInCode(p))
}

func (s *Server) codeForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	ctx, next := c.Request().Context(), backTo(form.Get("next"), "/")
	half := s.sessions.GetString(ctx, sessionHalf)
	if half == "" {
		s.flash(c, flashProblem, "Signing in took too long. Begin again.")
		return c.Redirect(http.StatusSeeOther, path([]string{"sign-in"}, "next", next))
	}
	u, err := s.svc.SignInCode(ctx, half, form.Get("code"), c.RealIP())
	if fault, status, ok := notProved(c, err); ok {
		return s.renderCode(c, status, next, fault)
	}
	if err != nil {
		return err
	}
	if err := s.signIn(c, u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// signOutForm ends the session as its owner would end any of theirs, so that the audit
// has it, and then whatever is left of it.
func (s *Server) signOutForm(c echo.Context) error {
	ctx := c.Request().Context()
	if a := s.actor(c); a.User != nil {
		if err := s.svc.EndSession(ctx, a, s.sessions.GetString(ctx, people.SessionID)); err != nil {
			return err
		}
	}
	if err := s.signOut(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/sign-in")
}

// linkPage shows what a single-use link does. Opening it changes nothing, so a
// scanner that follows links does no harm.
func (s *Server) linkPage(c echo.Context) error {
	p, err := s.describeLink(c)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.OneTimeLink(p))
}

func (s *Server) describeLink(c echo.Context) (views.LinkPage, error) {
	link, user, err := s.svc.Link(c.Request().Context(), c.Param("token"))
	if err != nil {
		return views.LinkPage{}, err
	}
	p := linkWords(link.Kind)
	p.Page = s.page(c, p.Heading, "")
	p.Width = slim
	p.URL = c.Request().URL.EscapedPath()
	if user != nil {
		p.For = prose.Show(user.Label())
	}
	return p, nil
}

func linkWords(kind review.LinkKind) views.LinkPage {
	switch kind {
	case review.LinkSetUp:
		return views.LinkPage{Heading: "Set up Countersign", Lead: "You become the administrator.", AskWho: true, AskPass: true, Button: "Create account"}
	case review.LinkInvite:
		return views.LinkPage{Heading: "Welcome to Countersign", Lead: "Choose a password for", AskPass: true, Button: "Set password and sign in"}
	case review.LinkReset:
		return views.LinkPage{Heading: "Set a password", Lead: "This ends every session and token of", AskPass: true, Button: "Set password and sign in"}
	default:
		return views.LinkPage{Heading: "Sign in", Lead: "This link works once, for", Button: "Sign in"}
	}
}

// linkForm uses the link up.
func (s *Server) linkForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	p, err := s.describeLink(c)
	if err != nil {
		return err
	}
	u, err := s.useLink(c, p, form.Get)
	if fault, ok := sentenceOf(err); ok {
		f := describe(err, "")
		p.Fault, p.Email, p.Name = fault, form.Get("email"), form.Get("name")
		return s.render(c, f.Status, views.OneTimeLink(p))
	}
	if err != nil {
		return err
	}
	return s.enter(c, u, "/")
}

func (s *Server) useLink(c echo.Context, p views.LinkPage, field func(string) string) (*people.User, error) {
	ctx, token, addr := c.Request().Context(), c.Param("token"), c.RealIP()
	switch {
	case p.AskWho:
		return s.svc.UseSetUp(ctx, token, field("email"), field("name"), field("password"), addr)
	case p.AskPass:
		return s.svc.UseReset(ctx, token, field("password"), addr)
	}
	return s.svc.UseSignInLink(ctx, token, addr)
}
