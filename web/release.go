package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) listReleases(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	summaries, err := s.svc.Releases(c.Request().Context(), s.actor(c), c.Param("server"), c.QueryParam("version"), c.QueryParam("profile"), page)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, api.Releases{
		Releases: presentReleases(summaries),
		Next:     nextPage(summaries, page, func(r review.ReleaseSummary) string { return r.Release.ID }),
	})
}

func (s *Server) showRelease(c echo.Context) error {
	view, err := s.svc.Release(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

// releaseRequirements answers what is still missing before the gate passes.
func (s *Server) releaseRequirements(c echo.Context) error {
	view, err := s.svc.Release(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, gateResult(view.Answer))
}

// markReleased records that a listing was published. The digest says which one
// the caller means, so that a push in between can't slip in.
func (s *Server) markReleased(c echo.Context) error {
	var in api.ReleaseRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	digest, err := digestOf("/digest", in.Digest)
	if err != nil {
		return err
	}
	view, err := s.svc.MarkReleased(c.Request().Context(), s.actor(c), c.Param("id"), digest)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

// confirmPredecessor lets the version that a push named be the gate base. The request
// names it too, so that a push in between can't name another.
func (s *Server) confirmPredecessor(c echo.Context) error {
	var in api.PredecessorRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if in.Predecessor == "" {
		return review.Errorf(review.Invalid, "Name the predecessor that you confirm.")
	}
	view, err := s.svc.ConfirmPredecessor(c.Request().Context(), s.actor(c), c.Param("id"), in.Predecessor)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

func (s *Server) withdrawRelease(c echo.Context) error {
	var in api.WithdrawRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.WithdrawRelease(c.Request().Context(), s.actor(c), c.Param("id"), in.Reason, in.ForCause)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

// acceptBaseline takes a profile's first listing as starting point.
func (s *Server) acceptBaseline(c echo.Context) error {
	var in api.BaselineRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	digest, err := digestOf("/digest", in.Digest)
	if err != nil {
		return err
	}
	var acknowledged []review.Acknowledgement
	for _, a := range in.Acknowledged {
		acknowledged = append(acknowledged, review.Acknowledgement{Position: a.Position, Note: a.Note})
	}
	view, err := s.svc.AcceptBaseline(c.Request().Context(), s.actor(c), c.Param("id"), digest, acknowledged)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

func presentReleases(summaries []review.ReleaseSummary) []api.Release {
	out := make([]api.Release, 0, len(summaries))
	for _, r := range summaries {
		out = append(out, presentSummary(r))
	}
	return out
}

func presentSummary(r review.ReleaseSummary) api.Release {
	return api.Release{
		ID:          r.Release.ID,
		Profile:     r.Release.Profile,
		Version:     r.Release.Version,
		Ref:         r.Release.Ref,
		State:       string(r.State),
		URL:         r.URL,
		Gate:        string(r.Gate),
		Why:         r.Why,
		Class:       string(r.Class),
		Counts:      presentCounts(r.Counts),
		Findings:    presentFindingCounts(r.Findings),
		Listing:     presentListing(r.Listing),
		Predecessor: r.Release.Predecessor,
		Revision:    presentRevision(r.Release.Head),
		CreatedAt:   r.Release.CreatedAt.UTC(),
		ReleasedAt:  orNil(r.Release.ReleasedAt),
		WithdrawnAt: orNil(r.Release.WithdrawnAt),
		WithdrawWhy: r.Release.WithdrawnReason,
	}
}

func presentCounts(counts map[change.Class]int) map[string]int {
	out := make(map[string]int, len(counts))
	for class, n := range counts {
		out[string(class)] = n
	}
	return out
}

func presentRevision(r review.Revision) api.Revision {
	return api.Revision{
		Number:   r.N,
		Listing:  r.ListingID,
		Digest:   r.Digest.String(),
		PushedAt: r.PushedAt.UTC(),
		PushedBy: r.PushedBy,
		Author:   r.Author,
		Commit:   r.Commit,
		RunURL:   r.RunURL,
	}
}

func (s *Server) presentRelease(v *review.ReleaseView) api.ReleaseDetail {
	revisions := make([]api.Revision, 0, len(v.Revisions))
	for _, r := range v.Revisions {
		revisions = append(revisions, presentRevision(r))
	}
	class, counts := summarise(v)
	found := review.CountFindings(v.Findings)
	return api.ReleaseDetail{
		Release: presentSummary(review.ReleaseSummary{
			Release:  v.Release,
			State:    v.State,
			Gate:     v.Answer.Result,
			Why:      v.Answer.Why,
			Listing:  v.Listing,
			Class:    class,
			Counts:   counts,
			Findings: &found,
			URL:      s.link("/releases/" + v.Release.ID),
		}),
		Server:    v.Server.Slug,
		Revisions: revisions,
		Base:      presentBase(v),
		BaseWhy:   v.BaseWhy,
		Baseline:  presentBaseline(v.Baseline),
		Answer:    gateResult(v.Answer),
		Policy:    v.Server.Policy.Version,
		Overrides: presentOverrides(v.Overrides),
		Alarms:    presentAlarms(v.Alarms),
	}
}

func summarise(v *review.ReleaseView) (change.Class, map[change.Class]int) {
	class, counts := change.None, map[change.Class]int{}
	for _, d := range v.Changes {
		counts[d.Class]++
		class = change.Max(class, d.Class)
	}
	return class, counts
}

func presentBase(v *review.ReleaseView) *api.Base {
	if v.Base == nil {
		return nil
	}
	base := &api.Base{ID: v.Base.ID, Version: v.Base.Version}
	if v.BaseListing != nil {
		base.Listing, base.Digest = v.BaseListing.ID, v.BaseListing.Digest.String()
	}
	return base
}
