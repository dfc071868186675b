package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/web/api"
)

// getLock gives the signed lock of a released version, as a file.
func (s *Server) getLock(c echo.Context) error {
	f, err := s.svc.Lock(c.Request().Context(), s.actor(c), c.Param("server"), c.QueryParam("profile"), c.QueryParam("version"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.lock.json"`, f.Lock.Server, f.Lock.Digest.Short()))
	return writeJSON(c, http.StatusOK, f.Envelope)
}

// verifyListing says whether a listing, as a gateway has it, is what was released.
func (s *Server) verifyListing(c echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return bodyError(err)
	}
	v, err := s.svc.Verify(c.Request().Context(), s.actor(c), c.Param("server"), c.QueryParam("profile"), body)
	if err != nil {
		return err
	}
	answer := api.Verified{State: string(v.State), Why: v.Why, Gate: string(v.Gate)}
	if v.Release != nil {
		answer.Release = &api.PushedRelease{ID: v.Release.ID, Version: v.Release.Title(), State: "released", URL: s.opt.BaseURL + releasePath(v.Release.ID)}
	}
	if v.Report != nil {
		diff, err := report.Diff(v.Report)
		if err != nil {
			return fmt.Errorf("compare with release %s: %w", v.Release.ID, err)
		}
		answer.Changes = json.RawMessage(diff)
	}
	return writeJSON(c, http.StatusOK, answer)
}
