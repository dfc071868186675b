package web

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/web/api"
)

// showPolicy answers a server's policy with its history, as YAML in full.
func (s *Server) showPolicy(c echo.Context) error {
	v, err := s.svc.Policy(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	text, err := v.Server.Policy.YAML()
	if err != nil {
		return err
	}
	out := api.PolicyDetail{Version: v.Server.Policy.Version, YAML: string(text), Versions: []api.PolicyVersion{}, WhoCan: v.Who}
	for i := range v.Versions {
		row, err := presentPolicyVersion(&v.Versions[i])
		if err != nil {
			return err
		}
		out.Versions = append(out.Versions, row)
	}
	return writeJSON(c, http.StatusOK, out)
}

func presentPolicyVersion(v *review.PolicyVersion) (api.PolicyVersion, error) {
	text, err := v.Policy.YAML()
	loosens := v.Loosens
	if loosens == nil {
		loosens = []string{}
	}
	return api.PolicyVersion{
		Version: v.Policy.Version, State: string(v.State), By: v.By, At: v.At.UTC(), Second: v.Second,
		DecidedAt: orNil(v.DecidedAt), Loosens: loosens, Unchanged: v.Unchanged, YAML: string(text),
	}, err
}

// setPolicy makes a new version. 202 says that it waits for a second person.
func (s *Server) setPolicy(c echo.Context) error {
	var in api.PolicyRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	p, err := parsePolicy(in.YAML)
	if err != nil {
		return err
	}
	v, err := s.svc.SetPolicy(c.Request().Context(), s.actor(c), c.Param("server"), p, in.Version)
	return policyAnswer(c, v, err)
}

func policyAnswer(c echo.Context, v *review.PolicyVersion, err error) error {
	if err != nil {
		return err
	}
	row, err := presentPolicyVersion(v)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if v.State == review.PolicyProposed {
		status = http.StatusAccepted
	}
	return writeJSON(c, status, row)
}

// parsePolicy reads YAML that a caller sent.
func parsePolicy(text string) (gate.Policy, error) {
	p, err := gate.ParseYAML([]byte(text))
	if err != nil {
		return p, review.Errorf(review.Invalid, "The policy can't be read: %.600s.", err)
	}
	return p, nil
}

// tryPolicy says what the gate would answer under a policy. Nothing is saved.
func (s *Server) tryPolicy(c echo.Context) error {
	var in api.PolicyRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	p, err := parsePolicy(in.YAML)
	if err != nil {
		return err
	}
	ctx, actor, slug := c.Request().Context(), s.actor(c), c.Param("server")
	tried, err := s.svc.TryPolicy(ctx, actor, slug, p)
	if err != nil {
		return err
	}
	v, err := s.svc.Policy(ctx, actor, slug)
	if err != nil {
		return err
	}
	out := api.PolicyTried{Loosens: p.Loosens(v.Server.Policy), Unsatisfiable: p.Unsatisfiable(v.Present), Releases: []api.TriedRelease{}}
	if out.Loosens == nil {
		out.Loosens = []string{}
	}
	for _, t := range tried {
		differs := t.Differs()
		line := api.TriedRelease{
			ID: t.Release.ID, Version: t.Release.Title(), Now: string(t.Now.Result), Then: gateResult(t.Then), Differs: len(differs), Differences: []api.TriedDifference{},
		}
		for _, d := range differs[:min(len(differs), triedShown)] {
			line.Differences = append(line.Differences, api.TriedDifference{ID: d.ID, Now: d.Now, Then: d.Then})
		}
		out.Releases = append(out.Releases, line)
	}
	return writeJSON(c, http.StatusOK, out)
}

// decidePolicy agrees to the version that waits, or refuses it.
func (s *Server) decidePolicy(c echo.Context) error {
	var in api.PolicyDecision
	if err := readJSON(c, &in); err != nil {
		return err
	}
	v, err := s.svc.DecidePolicy(c.Request().Context(), s.actor(c), c.Param("server"), in.Version, in.Agree)
	return policyAnswer(c, v, err)
}

// policySaved says what became of an edit.
func policySaved(last *review.PolicyVersion) string {
	switch {
	case last.Unchanged:
		return fmt.Sprintf("Nothing changed: version %d asks the same and stays in force.", last.Policy.Version)
	case last.State == review.PolicyProposed:
		return fmt.Sprintf("Version %d is saved. It asks for less, so another maintainer must agree before it applies.", last.Policy.Version)
	case len(last.Loosens) > 0:
		return "The policy is saved. Where it asks for less, it applies to releases that are opened from now on."
	}
	return "The policy is saved and applies at once."
}
