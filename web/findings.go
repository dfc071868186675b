package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/web/api"
)

// findingRoutes are what machines ask about findings.
func (s *Server) findingRoutes() []route {
	reads := person(people.Viewer).or(people.ScopeRead, people.ScopeReview)
	reviews := person(people.Reviewer).or(people.ScopeReview)
	maintains := person(people.Maintainer).or(people.ScopeReview)
	return []route{
		get("/api/v1/listings/:id/findings", reads, s.listingFindings),
		get("/api/v1/releases/:id/findings", reads, s.releaseFindings),
		get("/api/v1/servers/:server/waivers", reads, s.listWaivers).asks("limit", "before"),
		post("/api/v1/servers/:server/waivers/proposed", delivery, s.proposeWaivers),
		get("/api/v1/servers/:server/waivers/proposed", reads, s.listProposedWaivers).asks("limit", "before"),
		post("/api/v1/releases/:id/waivers/answer", reviews, s.answerProposedWaiver),
		post("/api/v1/releases/:id/waivers", reviews, s.waive),
		post("/api/v1/releases/:id/waivers/confirm", maintains, s.confirmWaiver),
		post("/api/v1/releases/:id/waivers/end", reviews, s.endWaiver),
	}
}

func (s *Server) listingFindings(c echo.Context) error {
	view, err := s.svc.Findings(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	return s.writeFindings(c, view.Findings)
}

func (s *Server) releaseFindings(c echo.Context) error {
	view, err := s.svc.Release(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	return s.writeFindings(c, view.Findings, view.Beside...)
}

func (s *Server) waive(c echo.Context) error {
	var in api.WaiverRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.Waive(c.Request().Context(), s.actor(c), c.Param("id"), review.NewWaiver{
		Fingerprint: in.Fingerprint, Kind: lint.WaiverKind(in.Kind), Reason: in.Reason, Days: in.Days,
	})
	if err != nil {
		return err
	}
	return s.writeFindings(c, view.Findings)
}

func (s *Server) confirmWaiver(c echo.Context) error {
	var in api.IDRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.ConfirmWaiver(c.Request().Context(), s.actor(c), c.Param("id"), in.ID)
	if err != nil {
		return err
	}
	return s.writeFindings(c, view.Findings)
}

func (s *Server) endWaiver(c echo.Context) error {
	var in api.EndWaiverRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.EndWaiver(c.Request().Context(), s.actor(c), c.Param("id"), in.ID, in.Reason)
	if err != nil {
		return err
	}
	return s.writeFindings(c, view.Findings)
}

func (s *Server) listWaivers(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	found, err := s.svc.Waivers(c.Request().Context(), s.actor(c), c.Param("server"), page)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, api.Waivers{
		Waivers: s.presentWaivers(found), Next: nextPage(found, page, func(w review.Waiver) string { return w.ID }),
	})
}

// writeFindings answers what countersign lint prints, the waivers, and what files beside
// the code propose.
// What is found beside other servers stands apart, since it counts nowhere.
func (s *Server) writeFindings(c echo.Context, found []review.Finding, beside ...lint.Finding) error {
	plain := make([]lint.Finding, len(found))
	waivers, proposed := []review.Waiver{}, []review.ProposedFate{}
	for i := range found {
		plain[i] = found[i].Finding
		if w := found[i].Holding(); w != nil {
			plain[i].Waiver = offlineWaiver(w)
		}
		waivers = append(waivers, found[i].Waivers...)
		for _, p := range found[i].Proposed {
			proposed = append(proposed, review.ProposedFate{ProposedWaiver: p})
		}
	}
	body, err := report.Findings(plain)
	if err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	var answer api.Findings
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	if body, err = report.Findings(beside); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	var apart api.Findings
	if err := json.Unmarshal(body, &apart); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	answer.Beside = apart.Findings
	answer.Waivers, answer.Proposed = s.presentWaivers(waivers), presentProposed(proposed)
	return writeJSON(c, http.StatusOK, answer)
}

// offlineWaiver is a waiver as a file beside the code would hold it.
func offlineWaiver(w *review.Waiver) *lint.Waiver {
	return &lint.Waiver{
		Fingerprint: w.Fingerprint, Rule: w.Rule, Tool: w.Tool, Pointer: w.Pointer, Reason: w.Reason, By: w.ByLabel,
		Expires: w.Until.UTC().Format(time.DateOnly), Kind: w.Kind,
	}
}

func (s *Server) presentWaivers(ws []review.Waiver) []api.Waiver {
	out := make([]api.Waiver, 0, len(ws))
	for i := range ws {
		w := &ws[i]
		out = append(out, api.Waiver{
			ID: w.ID, Profile: w.Profile, Release: w.ReleaseID, Rule: w.Rule, RuleVersion: w.RuleVersion, Severity: string(w.Severity),
			Tool: w.Tool, Pointer: w.Pointer, Fingerprint: w.Fingerprint, Kind: string(w.Kind), Reason: w.Reason,
			By: w.ByLabel, At: w.At.UTC(), Until: w.Until.UTC(), Policy: w.Policy,
			ConfirmedBy: w.ConfirmedByLabel, ConfirmedAt: orNil(w.ConfirmedAt),
			EndedAt: orNil(w.EndedAt), EndedWhy: w.EndedWhy, Holds: w.Open(s.opt.Now()) && !w.Pending(),
		})
	}
	return out
}

func presentFindingCounts(f *review.FindingCounts) *api.FindingCounts {
	if f == nil {
		return nil
	}
	counts := api.FindingCounts(*f)
	return &counts
}
