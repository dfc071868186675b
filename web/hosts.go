package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
)

// listingCost answers what a listing costs, as countersign cost prints it.
func (s *Server) listingCost(c echo.Context) error {
	prices, err := pricesOf(c)
	if err != nil {
		return err
	}
	v, err := s.svc.Cost(c.Request().Context(), s.actor(c), review.CostQuestion{
		Listing: c.Param("id"), Base: c.QueryParam("base"), Host: c.QueryParam("host"), Prices: prices,
	})
	if err != nil {
		return err
	}
	body, err := v.JSON()
	if err != nil {
		return fmt.Errorf("cost of listing %s: %w", v.Listing.ID, err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// maxTurns bounds the turns of a session that somebody asks about.
const maxTurns = 1_000_000

// pricesOf reads what a session is worked out with; what is not said is as in the
// documentation. The amounts are checked where they are used.
func pricesOf(c echo.Context) (cost.Prices, error) {
	p := cost.DefaultPrices
	if text := strings.TrimSpace(c.QueryParam("turns")); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxTurns {
			return p, review.Errorf(review.Invalid, "turns is %.20q. Use a whole number from 1 to %d.", text, maxTurns)
		}
		p.Turns = n
	}
	p.PerMillion = cmpOr(strings.TrimSpace(c.QueryParam("price")), p.PerMillion)
	p.CacheRead = cmpOr(strings.TrimSpace(c.QueryParam("cache_read")), p.CacheRead)
	p.CacheWrite = cmpOr(strings.TrimSpace(c.QueryParam("cache_write")), p.CacheWrite)
	return p, nil
}

// listingRendering answers what one host sends of a listing, as countersign render
// prints it.
func (s *Server) listingRendering(c echo.Context) error {
	v, err := s.svc.Rendering(c.Request().Context(), s.actor(c), c.Param("id"), "", c.Param("host"))
	if err != nil {
		return err
	}
	body, err := report.Render(v.Rendering)
	if err != nil {
		return fmt.Errorf("rendering of listing %s: %w", v.Listing.ID, err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// listingPreflight answers how a listing fares in every host, as countersign
// preflight prints it.
func (s *Server) listingPreflight(c echo.Context) error {
	v, err := s.svc.Hosts(c.Request().Context(), s.actor(c), c.Param("id"), c.QueryParam("base"))
	if err != nil {
		return err
	}
	checks := make([]*host.Check, 0, len(v.Fits))
	for _, f := range v.Fits {
		checks = append(checks, f.Check)
	}
	body, err := report.Preflight(checks)
	if err != nil {
		return fmt.Errorf("preflight of listing %s: %w", v.Listing.ID, err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}
