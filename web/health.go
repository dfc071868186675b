package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

// healthz says that the program runs, and which.
func (s *Server) healthz(c echo.Context) error {
	return writeJSON(c, http.StatusOK, api.Health{Status: "ok", Version: s.opt.Build.Version, Commit: s.opt.Build.Commit})
}

// readyz says whether the program can do its work.
func (s *Server) readyz(c echo.Context) error {
	if err := s.opt.Ready(c.Request().Context()); err != nil {
		return &review.Error{Kind: review.Unavailable, Sentence: "The database does not answer. Nothing was lost; try again in a moment.", Err: err}
	}
	return writeJSON(c, http.StatusOK, api.Health{Status: "ready", Version: s.opt.Build.Version, Commit: s.opt.Build.Commit})
}
