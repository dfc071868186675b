package web

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/web/api"
)

// proposeWaivers takes the waivers of a file beside the code, signed or with a token,
// as a push is: who may not push proposes nothing.
func (s *Server) proposeWaivers(c echo.Context) error {
	in, giveBack, err := s.incoming(c)
	defer giveBack()
	if err != nil {
		return err
	}
	s.unpack(&in, c.Request().Header.Get(echo.HeaderContentEncoding))
	var file api.ProposeRequest
	if in.Refused == nil && in.Body != nil {
		if err := json.Unmarshal(in.Body, &file, json.RejectUnknownMembers(true)); err != nil {
			in.Refused = asRefusal(jsonError(in.Body, err))
		}
	}
	n := review.Proposed{Release: file.Release, Waivers: make([]lint.Waiver, len(file.Waivers))}
	for i, w := range file.Waivers {
		n.Waivers[i] = lint.Waiver{
			Fingerprint: w.Fingerprint, Rule: w.Rule, Tool: w.Tool, Pointer: w.Pointer, Reason: w.Reason, By: w.By,
			Kind: lint.WaiverKind(w.Kind), Expires: w.Expires,
		}
	}
	fates, err := s.svc.ProposeWaivers(c.Request().Context(), in, n)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, api.ProposedWaivers{Proposed: presentProposed(fates)})
}

func (s *Server) listProposedWaivers(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	found, err := s.svc.ProposedWaivers(c.Request().Context(), s.actor(c), c.Param("server"), page)
	if err != nil {
		return err
	}
	fates := make([]review.ProposedFate, len(found))
	for i := range found {
		fates[i].ProposedWaiver = found[i]
	}
	return writeJSON(c, http.StatusOK, api.ProposedWaivers{
		Proposed: presentProposed(fates), Next: nextPage(found, page, func(p review.ProposedWaiver) string { return p.ID }),
	})
}

func (s *Server) answerProposedWaiver(c echo.Context) error {
	var in api.AnswerProposedRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.AnswerProposedWaiver(c.Request().Context(), s.actor(c), c.Param("id"), review.ProposedAnswer{
		ID: in.ID, Answer: in.Answer, Why: in.Why, Days: in.Days,
	})
	if err != nil {
		return err
	}
	return s.writeFindings(c, view.Findings)
}

func presentProposed(fates []review.ProposedFate) []api.ProposedWaiver {
	out := make([]api.ProposedWaiver, len(fates))
	for i := range fates {
		p := &fates[i]
		out[i] = api.ProposedWaiver{
			ID: p.ID, Profile: p.Profile, Release: p.ReleaseID, Rule: p.Rule, Tool: p.Tool, Pointer: p.Pointer, Fingerprint: p.Fingerprint,
			Kind: string(p.Kind), Reason: p.Reason, By: p.Author, Expires: p.Expires, PushedBy: p.PushedBy, At: p.At.UTC(),
			State: string(p.State), Idle: p.Idle, AnsweredBy: p.AnsweredByLabel, AnsweredAt: orNil(p.AnsweredAt), Why: p.Why, Waiver: p.WaiverID,
		}
	}
	return out
}
