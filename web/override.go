package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

// overrideRelease lets a listing pass for a while. Digest and version of the policy
// say what the caller saw.
func (s *Server) overrideRelease(c echo.Context) error {
	var in api.OverrideRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	digest, err := digestOf("/digest", in.Digest)
	if err != nil {
		return err
	}
	view, err := s.svc.Override(c.Request().Context(), s.actor(c), c.Param("id"), review.NewOverride{
		Digest: digest, Policy: in.PolicyVersion, Requirements: in.Requirements, Reason: in.Reason, For: time.Duration(in.Hours) * time.Hour,
	})
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

func (s *Server) endOverride(c echo.Context) error {
	view, err := s.svc.EndOverride(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

func presentOverrides(os []review.OverrideInForce) []api.Override {
	out := make([]api.Override, 0, len(os))
	for _, o := range os {
		out = append(out, api.Override{By: o.By, Reason: o.Reason, At: o.At.UTC(), Until: o.Until.UTC(), PolicyVersion: o.Policy, Requirements: o.Requirements})
	}
	return out
}

func presentAlarms(as []review.Alarm) []api.Alarm {
	out := make([]api.Alarm, 0, len(as))
	for _, a := range as {
		out = append(out, api.Alarm{Why: a.Why, At: a.At.UTC()})
	}
	return out
}
