package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// Fields of the page that asks for a proof. They are taken out before the form
// reaches its handler.
const (
	proofPassword = "proof-password"
	proofCode     = "proof-code"
)

// askProof stands before what takes a fresh proof of who one is. Where it is
// missing, the answer is a page that asks for it and carries the form along as it
// was posted; it posts to the same address, so with the proof the form goes on as
// if nothing had been asked. Nothing of it is kept here, and no script is needed.
func (s *Server) askProof(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		a := s.actor(c)
		if a.User == nil || a.Token != nil || s.proofFresh(c) {
			return next(c)
		}
		if isAPI(c) {
			return review.Errorf(review.Forbidden, "This takes a fresh proof of who you are, and a session can't give one here. Do it on the page in the browser, which asks for your password; sign in anew and send this again; or, where the route takes tokens, send one with the scope review.")
		}
		form, err := s.form(c)
		if err != nil {
			return err
		}
		proof := review.Proof{Password: form.Get(proofPassword), Code: form.Get(proofCode)}
		asked := form.Has(proofPassword) || form.Has(proofCode)
		form.Del(proofPassword)
		form.Del(proofCode)
		if !asked {
			return s.renderProof(c, http.StatusForbidden, a, form, nil)
		}
		err = s.svc.Prove(c.Request().Context(), a, proof)
		if fault, status, ok := notProved(c, err); ok {
			return s.renderProof(c, status, a, form, fault)
		}
		if err != nil {
			return err
		}
		s.sessions.Put(c.Request().Context(), sessionProof, s.opt.Now().Unix())
		return next(c)
	}
}

// proofFresh reports whether whoever sits before this session proved lately who
// they are.
func (s *Server) proofFresh(c echo.Context) bool {
	at := time.Unix(s.sessions.GetInt64(c.Request().Context(), sessionProof), 0)
	return s.opt.Now().Sub(at) < s.opt.ProofLasts
}

// notProved returns what to say to somebody whose password or code is not taken.
func notProved(c echo.Context, err error) (views.Sentence, int, bool) {
	switch review.KindOf(err) {
	case review.Unauthenticated, review.Invalid, review.RateLimited:
		f := describe(err, "")
		failureHeaders(c, f)
		return views.Say(f.Sentence), f.Status, true
	}
	return nil, 0, false
}

func (s *Server) renderProof(c echo.Context, status int, a review.Actor, form url.Values, fault views.Sentence) error {
	provider, err := s.provesWith(c, a)
	if err != nil {
		return err
	}
	p := views.ProofPage{
		Page: s.page(c, "Is it you?", ""), URL: c.Request().URL.RequestURI(), Code: a.User.HasSecondFactor(), Fault: fault,
		Provider: provider, NoPassword: provider != "" && a.User.PasswordHash == "", Fields: hiddenFields(form),
	}
	p.Width = slim
	return s.render(c, status, views.AskProof(p))
}

// hiddenFields carries a form along.
func hiddenFields(form url.Values) []views.HiddenField {
	var out []views.HiddenField
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			out = append(out, views.HiddenField{Name: name, Value: value})
		}
	}
	return out
}
