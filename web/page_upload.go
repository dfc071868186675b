package web

import (
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// uploadPage pushes a listing by hand: the same push as CI's.
func (s *Server) uploadPage(c echo.Context) error {
	view, err := s.svc.Server(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	if !view.Role.AtLeast(people.Reviewer) {
		return review.Errorf(review.Forbidden, "A reviewer of this server can upload a listing; you are %s here.", view.Role)
	}
	return s.renderUpload(c, http.StatusOK, &view.Server, views.UploadPage{})
}

func (s *Server) renderUpload(c echo.Context, status int, srv *review.Server, p views.UploadPage) error {
	p.Page = s.page(c, "Upload a listing", "servers", serversCrumb, serverCrumb(srv))
	p.Width = narrow
	p.URL = serverPath(srv.Slug) + "/push"
	p.Limit = byteSize(s.opt.ListingBytes)
	return s.render(c, status, views.Upload(p))
}

func (s *Server) uploadForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	body, pasted, err := uploaded(c, form)
	if err != nil {
		return err
	}
	slug := c.Param("server")
	params := review.PushParams{
		Profile: form.Get("profile"), Version: form.Get("version"), Ref: form.Get("ref"), Predecessor: form.Get("predecessor"),
		Complete: form.Get("complete") == "true",
	}
	pushed, err := s.svc.Upload(c.Request().Context(), s.actor(c), slug, params, body, "")
	if err == nil {
		s.flash(c, flashDone, pushedSentence(pushed))
		return c.Redirect(http.StatusSeeOther, releasePath(pushed.Answer.Release.ID))
	}
	fault, ok := sentenceOf(err)
	if !ok {
		return err
	}
	view, failed := s.svc.Server(c.Request().Context(), s.actor(c), slug)
	if failed != nil {
		return failed
	}
	f := describe(err, "")
	return s.renderUpload(c, f.Status, &view.Server, views.UploadPage{
		Profile: params.Profile, Version: params.Version, Ref: params.Ref, Predecessor: params.Predecessor, Complete: params.Complete,
		Body: pasted, Fault: fault, Problems: problemsOf(err),
	})
}

// uploaded returns the listing of the form: the file, or what was pasted, which
// is shown again when it is refused.
func uploaded(c echo.Context, form url.Values) (body []byte, pasted string, err error) {
	pasted = form.Get("listing")
	file, err := c.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) || err == nil && file.Size == 0 {
		return []byte(pasted), pasted, nil
	}
	if err != nil {
		return nil, "", bodyError(err)
	}
	f, err := file.Open()
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	body, err = io.ReadAll(f)
	return body, pasted, err
}

func pushedSentence(p *review.Pushed) string {
	if p.Answer.Note != "" {
		return p.Answer.Note
	}
	return "The listing is kept: " + toolCount(p.Answer.Listing.Tools) + "."
}

func problemsOf(err error) []views.Problem {
	var e *review.Error
	if errors.As(err, &e) {
		return problems(e.Problems)
	}
	return nil
}

func toolNames(l *surface.Listing) []string {
	out := make([]string, len(l.Tools))
	for i := range l.Tools {
		out[i] = l.Tools[i].Name
	}
	return out
}
