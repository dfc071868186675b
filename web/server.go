package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) listServers(c echo.Context) error {
	views, err := s.svc.Servers(c.Request().Context(), s.actor(c))
	if err != nil {
		return err
	}
	answer := api.Servers{Servers: make([]api.Server, 0, len(views))}
	for _, v := range views {
		answer.Servers = append(answer.Servers, s.presentServer(v))
	}
	return writeJSON(c, http.StatusOK, answer)
}

func (s *Server) showServer(c echo.Context) error {
	view, err := s.svc.Server(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentServer(*view))
}

func (s *Server) presentServer(v review.ServerView) api.Server {
	profiles := make([]api.Profile, 0, len(v.Profiles))
	for _, p := range v.Profiles {
		profiles = append(profiles, api.Profile{Name: p.Name, Baseline: presentBaseline(p.Baseline)})
	}
	return api.Server{
		ID:        v.Server.ID,
		Slug:      v.Server.Slug,
		Name:      v.Server.Name,
		Policy:    api.Policy{Preset: string(v.Server.Policy.Preset), Version: v.Server.Policy.Version},
		Role:      string(v.Role),
		Gate:      string(v.Gate),
		Why:       v.Why,
		Profiles:  profiles,
		Releases:  presentReleases(v.Releases),
		CreatedAt: v.Server.CreatedAt.UTC(),
		URL:       s.link("/servers/" + v.Server.Slug),
	}
}

func presentBaseline(b *review.Baseline) *api.Baseline {
	if b == nil {
		return nil
	}
	acknowledged := make([]api.Acknowledgment, 0, len(b.Acknowledged))
	for _, a := range b.Acknowledged {
		acknowledged = append(acknowledged, api.Acknowledgment{Position: a.Position, Note: a.Note})
	}
	return &api.Baseline{
		Listing:      b.ListingID,
		Digest:       b.Digest.String(),
		By:           b.ByLabel,
		At:           b.At.UTC(),
		Acknowledged: acknowledged,
	}
}

// link is an absolute address of ours. It is made from BASE_URL, never from what
// the request calls us.
func (s *Server) link(path string) string {
	return s.base.Scheme + "://" + s.base.Host + path
}
