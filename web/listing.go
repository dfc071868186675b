package web

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) listListings(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	infos, err := s.svc.Listings(c.Request().Context(), s.actor(c), c.Param("server"), page)
	if err != nil {
		return err
	}
	answer := api.Listings{
		Listings: make([]api.ListingInfo, 0, len(infos)),
		Next:     nextPage(infos, page, func(l review.ListingInfo) string { return l.ID }),
	}
	for _, l := range infos {
		answer.Listings = append(answer.Listings, presentListing(l))
	}
	return writeJSON(c, http.StatusOK, answer)
}

func (s *Server) showListing(c echo.Context) error {
	l, server, err := s.svc.Listing(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	inspection, err := report.Inspect(l.Surface)
	if err != nil {
		return fmt.Errorf("inspect listing %s: %w", l.ID, err)
	}
	return writeJSON(c, http.StatusOK, api.Listing{
		ID:         l.ID,
		Server:     server.Slug,
		Profile:    l.Profile,
		RawHash:    l.Surface.RawHash.String(),
		Bytes:      len(l.Surface.Raw),
		ReceivedAt: l.ReceivedAt.UTC(),
		Inspection: inspection,
	})
}

// rawListing gives a listing back byte for byte. Every byte is the pusher's, so
// it is a file to save under a policy that runs nothing, never a page.
func (s *Server) rawListing(c echo.Context) error {
	l, server, err := s.svc.Listing(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.json"`, server.Slug, l.Surface.RawHash.Short()))
	h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; sandbox; frame-ancestors 'none'")
	return c.Blob(http.StatusOK, echo.MIMEOctetStream, l.Surface.Raw)
}

func (s *Server) listingFamilies(c echo.Context) error {
	l, srv, err := s.svc.Listing(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	names := make([]string, len(l.Surface.Tools))
	for i, t := range l.Surface.Tools {
		names[i] = t.Name
	}
	body, err := report.Families(srv.Families(names))
	if err != nil {
		return fmt.Errorf("families of listing %s: %w", l.ID, err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

func presentListing(l review.ListingInfo) api.ListingInfo {
	problems := inputErrors(l.Problems)
	if problems == nil {
		problems = []api.InputError{}
	}
	return api.ListingInfo{
		ID:         l.ID,
		Profile:    l.Profile,
		Digest:     l.Digest.String(),
		RawHash:    l.RawHash.String(),
		Shape:      string(l.Shape),
		Kind:       string(l.Kind),
		Complete:   l.Complete,
		Tools:      l.ToolCount,
		Bytes:      l.Bytes,
		Problems:   problems,
		ReceivedAt: l.ReceivedAt.UTC(),
	}
}
