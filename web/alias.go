package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) listAliases(c echo.Context) error {
	return s.answerAliases(c, http.StatusOK)
}

func (s *Server) answerAliases(c echo.Context, status int) error {
	all, err := s.svc.Namings(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	answer := api.Aliases{Aliases: []api.Alias{}, Pairings: []api.Alias{}, Merges: []api.Alias{}}
	now := s.opt.Now()
	for _, n := range all {
		a := api.Alias{
			ID: n.ID, Profile: n.Profile, Old: n.Old, New: n.New, Note: n.Note, By: n.ByLabel,
			Since: n.At.UTC(), Until: orNil(n.Until), EndedAt: orNil(n.EndedAt), Holds: n.Holds(now),
		}
		switch n.Kind {
		case review.Alias:
			answer.Aliases = append(answer.Aliases, a)
		case review.Merge:
			answer.Merges = append(answer.Merges, a)
		default:
			answer.Pairings = append(answer.Pairings, a)
		}
	}
	return writeJSON(c, status, answer)
}

func (s *Server) addAlias(c echo.Context) error {
	var in api.AliasRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	until, _, err := moment("/until", in.Until)
	if err != nil {
		return err
	}
	n := review.NewAlias{Profile: in.Profile, Old: in.Old, New: in.New, Note: in.Note, Until: until}
	made, err := s.svc.AddAlias(c.Request().Context(), s.actor(c), c.Param("server"), n)
	if err != nil {
		return err
	}
	if made.Waits {
		return s.answerAliases(c, http.StatusAccepted)
	}
	return s.answerAliases(c, http.StatusCreated)
}

func (s *Server) endAlias(c echo.Context) error {
	var in api.IDRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := s.svc.EndAlias(c.Request().Context(), s.actor(c), c.Param("server"), in.ID); err != nil {
		return err
	}
	return s.answerAliases(c, http.StatusOK)
}

func (s *Server) pair(c echo.Context) error {
	var in api.PairingRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	var view *review.ReleaseView
	var err error
	switch {
	case len(in.Olds) == 0:
		view, err = s.svc.Pair(ctx, a, id, in.Old, in.New)
	case in.Old == "":
		view, err = s.svc.Merge(ctx, a, id, in.Olds, in.New)
	default:
		err = review.Errorf(review.Invalid, "Give old for a rename, or olds for tools that were merged into one.")
	}
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

func (s *Server) unpair(c echo.Context) error {
	var in api.IDRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.Unpair(c.Request().Context(), s.actor(c), c.Param("id"), in.ID)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.presentRelease(view))
}

func (s *Server) releaseChangelog(c echo.Context) error {
	log, err := s.svc.Changelog(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, api.Changelog{Markdown: log.Markdown, Migration: log.Migration})
}

func (s *Server) markViewed(c echo.Context) error {
	var in api.ViewedRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	viewed := in.Viewed == nil || *in.Viewed
	if err := s.svc.MarkViewed(c.Request().Context(), s.actor(c), c.Param("id"), in.Changes, viewed); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
