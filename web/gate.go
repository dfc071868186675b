package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/api"
)

// getGate answers whether a listing may be published. Pass, blocked and undecided
// are all answers, and 200.
func (s *Server) getGate(c echo.Context) error {
	q := review.Question{Profile: c.QueryParam("profile"), Version: c.QueryParam("version")}
	text := c.QueryParam("digest")
	switch q.NoBytes = surface.NoBytes(text); {
	case q.NoBytes:
	case text != "" || q.Version == "":
		var err error
		if q.Digest, err = digestOf("digest", text); err != nil {
			return err
		}
	}
	answer, err := s.svc.Gate(c.Request().Context(), s.actor(c), c.Param("server"), q)
	if err != nil {
		return err
	}
	if q.NoBytes {
		return writeJSON(c, http.StatusOK, struct {
			*review.GateAnswer
			Digest string `json:"digest"` // as it was asked for
		}{answer, text})
	}
	return writeJSON(c, http.StatusOK, answer)
}

func gateResult(a gate.Answer) api.GateResult {
	return api.GateResult{
		Gate:         string(a.Result),
		Why:          a.Why,
		Requirements: requirements(a.Requirements),
		Independent:  a.Independent,
	}
}

func requirements(rs []gate.Requirement) []api.Requirement {
	out := make([]api.Requirement, 0, len(rs))
	for _, r := range rs {
		out = append(out, api.Requirement{
			ID: r.ID, State: string(r.State), Why: r.Why, WhoCan: r.WhoCan,
			URL: r.URL, Change: r.Change, Class: string(r.Class),
		})
	}
	return out
}
