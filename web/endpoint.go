package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

// listEndpoints says where a server runs, and what was read there last.
func (s *Server) listEndpoints(c echo.Context) error {
	v, err := s.svc.Endpoints(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	out := api.Endpoints{Endpoints: []api.Endpoint{}}
	for i := range v.Endpoints {
		out.Endpoints = append(out.Endpoints, s.presentEndpoint(v.Server.Slug, &v.Endpoints[i]))
	}
	return writeJSON(c, http.StatusOK, out)
}

// readEndpoint reads one now, and answers with what came of it.
func (s *Server) readEndpoint(c echo.Context) error {
	l, err := s.svc.ReadEndpoint(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("id"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentEndpoint(l.Server.Slug, &l.Endpoints[0]))
}

func (s *Server) presentEndpoint(slug string, e *review.EndpointView) api.Endpoint {
	out := api.Endpoint{
		ID: e.ID, Name: e.Name, Profile: e.Profile, URL: e.URL, Every: int(e.Every / time.Second), PageURL: s.opt.BaseURL + endpointPath(slug, e.ID),
	}
	if r := e.Release; r != nil {
		out.Release = &api.PushedRelease{ID: r.ID, Version: r.Title(), State: string(review.StateReleased), URL: s.opt.BaseURL + releasePath(r.ID)}
	}
	if d := e.Drift; d != nil {
		out.Drift = presentDrift(d)
	}
	if now := e.Now; now != nil {
		since, read := now.FirstAt.UTC(), now.LastAt.UTC()
		out.State, out.Why, out.Tools, out.Complete, out.Since, out.ReadAt = string(now.State), now.Why, now.Tools, now.Complete, &since, &read
		if !now.Digest.IsZero() {
			out.Digest = now.Digest.String()
		}
	}
	return out
}

func presentDrift(d *review.DriftView) *api.Drift {
	out := &api.Drift{
		ID: d.ID, Level: string(d.Level), Why: d.Why, Since: d.Since.UTC(), Readings: d.Times, Variants: d.Variants, Listing: d.ListingID, Findings: []api.DriftFinding{},
	}
	for _, f := range d.Findings {
		out.Findings = append(out.Findings, api.DriftFinding{Rule: f.Rule, Severity: string(f.Severity), Tool: f.Tool, Message: f.Message})
	}
	if k := d.Known; k != nil {
		out.Known = &api.KnownDrift{By: k.ByLabel, Reason: k.Reason, Until: k.Until.UTC()}
	}
	return out
}
