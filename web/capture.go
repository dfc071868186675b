package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/web/api"
)

// addCapture takes a request that a host sent to its provider. Only the tools in
// it are read; the body is kept nowhere.
func (s *Server) addCapture(c echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return bodyError(err)
	}
	v, err := s.svc.AddCapture(c.Request().Context(), s.actor(c), c.Param("id"), capturedIn(c, body))
	return answerCapture(c, v, err)
}

// pushCapture is addCapture for a machine, which knows the digest of what it listed.
func (s *Server) pushCapture(c echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return bodyError(err)
	}
	v, err := s.svc.PushCapture(c.Request().Context(), s.actor(c), c.Param("server"), c.QueryParam("digest"), capturedIn(c, body))
	return answerCapture(c, v, err)
}

func capturedIn(c echo.Context, body []byte) review.NewCapture {
	return review.NewCapture{Body: body, Host: c.QueryParam("host"), Variant: c.QueryParam("variant"), Called: c.QueryParam("called")}
}

func answerCapture(c echo.Context, v *review.CaptureView, err error) error {
	if err != nil {
		return err
	}
	answer, err := presentCapture(*v)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusCreated, answer)
}

// captureFixture gives a capture as a file that a profile can be tested with. It
// holds a pusher's bytes, so it is an attachment.
func (s *Server) captureFixture(c echo.Context) error {
	f, of, err := s.svc.CaptureFixture(c.Request().Context(), s.actor(c), c.Param("id"), c.Param("capture"))
	if err != nil {
		return err
	}
	if slug := c.Param("server"); slug != "" && slug != of {
		return review.Errorf(review.NotFound, "This capture is not of that server.")
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.json"`, f.Host, f.Recorded))
	h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; sandbox; frame-ancestors 'none'")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, f.JSON())
}

// listHosts answers what is known of which hosts, and which profiles a capture of
// the server contradicts.
func (s *Server) listHosts(c echo.Context) error {
	doubts, err := s.svc.Doubts(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	body, err := report.Hosts(host.Profiles(), doubts)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// listCaptures answers what hosts were seen to send of a listing.
func (s *Server) listCaptures(c echo.Context) error {
	found, err := s.svc.Captures(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	answer := api.Captures{Captures: make([]api.Capture, 0, len(found))}
	for _, v := range found {
		one, err := presentCapture(v)
		if err != nil {
			return err
		}
		answer.Captures = append(answer.Captures, one)
	}
	return writeJSON(c, http.StatusOK, answer)
}

func presentCapture(v review.CaptureView) (api.Capture, error) {
	body, err := report.Captured(v.Compared)
	if err != nil {
		return api.Capture{}, fmt.Errorf("capture %s: %w", v.ID, err)
	}
	return api.Capture{
		ID: v.ID, Host: v.Host, Version: v.Version, Variant: v.Variant, Called: v.Compared.Server, Doubtful: v.Doubt, By: v.ByLabel, At: v.At.UTC(), Comparison: body,
	}, nil
}

// captureForm is addCapture in the browser. What was pasted is not shown again
// when it is refused: it is a conversation.
func (s *Server) captureForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	body, _, err := uploaded(c, form)
	if err != nil {
		return err
	}
	slug, id := c.Param("server"), c.Param("id")
	hostID, variant, _ := strings.Cut(form.Get("host"), "+")
	v, err := s.svc.AddCapture(c.Request().Context(), s.actor(c), id, review.NewCapture{Body: body, Host: hostID, Variant: variant, Called: strings.TrimSpace(form.Get("called"))})
	if fault, ok := sentenceOf(err); ok {
		s.flash(c, flashProblem, fault.String())
		return c.Redirect(http.StatusSeeOther, hostsPath(slug, id)+"#captures")
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, capturedSentence(v))
	return c.Redirect(http.StatusSeeOther, hostsPath(slug, id)+"#captures")
}

func capturedSentence(v *review.CaptureView) string {
	say := host.NameOf(v.Host) + " sent " + toolCount(len(v.Compared.Tools)) + " of this server. "
	if v.Doubt {
		return say + "It differs from what we predicted of every configuration that we know, so the profile is marked as doubtful."
	}
	return say + "It is what we predicted of it, " + modeName(v.Host, v.Variant) + "."
}

// limitsForm sets which hosts have to take the listings of a server, and what they
// may cost.
func (s *Server) limitsForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	slug := c.Param("server")
	back := backTo(form.Get("back"), serverPath(slug))
	l := gate.Limits{Hosts: form["gate_host"]}
	for field, into := range map[string]*int{"ceiling": &l.Ceiling, "growth": &l.Growth} {
		if text := strings.TrimSpace(form.Get(field)); text != "" {
			if *into, err = strconv.Atoi(text); err != nil {
				*into = -1 // refused in the words of the service
			}
		}
	}
	err = s.svc.SetLimits(c.Request().Context(), s.actor(c), slug, l)
	if fault, ok := sentenceOf(err); ok {
		s.flash(c, flashProblem, fault.String())
		return c.Redirect(http.StatusSeeOther, back)
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, "The limits are saved. What is stricter applies at once; what allows more may take a second person.")
	return c.Redirect(http.StatusSeeOther, back)
}
