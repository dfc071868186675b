package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) listThreads(c echo.Context) error {
	threads, err := s.svc.Threads(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	answer := api.Threads{Threads: make([]api.Thread, 0, len(threads))}
	for _, t := range threads {
		answer.Threads = append(answer.Threads, presentThread(t))
	}
	return writeJSON(c, http.StatusOK, answer)
}

func (s *Server) openThread(c echo.Context) error {
	var in api.ThreadRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	anchor, err := anchorOf(in.Anchor)
	if err != nil {
		return err
	}
	t, err := s.svc.Comment(c.Request().Context(), s.actor(c), c.Param("id"), review.NewComment{
		Anchor: anchor, Body: in.Body, Blocks: in.Blocks, Suggest: in.Suggest,
	})
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusCreated, presentThread(*t))
}

func anchorOf(in api.Anchor) (review.Anchor, error) {
	a := review.Anchor{Tool: in.Tool, Pointer: in.Pointer, Side: review.Side(in.Side), Quote: in.Quote, Lead: in.Lead, Tail: in.Tail, Rule: in.Rule}
	if in.Digest == "" {
		return a, nil
	}
	digest, err := surface.ParseHash(in.Digest)
	if err != nil {
		return a, review.Errorf(review.Invalid, "/anchor/digest is not a digest: %.80q. Give the tool's digest, or leave it out.", in.Digest)
	}
	a.Digest = digest
	return a, nil
}

func (s *Server) addComment(c echo.Context) error {
	var in api.CommentRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := s.threadOfRelease(c); err != nil {
		return err
	}
	t, err := s.svc.Reply(c.Request().Context(), s.actor(c), c.Param("thread"), review.NewComment{Body: in.Body, Suggest: in.Suggest})
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusCreated, presentThread(*t))
}

func (s *Server) resolveThread(c echo.Context) error {
	return s.turnThread(c, s.svc.ResolveThread)
}

func (s *Server) reopenThread(c echo.Context) error {
	return s.turnThread(c, s.svc.ReopenThread)
}

func (s *Server) turnThread(c echo.Context, turn func(context.Context, review.Actor, string) (*review.Thread, error)) error {
	if err := s.threadOfRelease(c); err != nil {
		return err
	}
	t, err := turn(c.Request().Context(), s.actor(c), c.Param("thread"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, presentThread(*t))
}

// threadOfRelease checks that the two ids of the address belong together: the
// thread is one that the release shows, wherever it was opened.
func (s *Server) threadOfRelease(c echo.Context) error {
	threads, err := s.svc.Threads(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(threads, func(t review.Thread) bool { return t.ID == c.Param("thread") }) {
		return review.Errorf(review.NotFound, "This release shows no such thread.")
	}
	return nil
}

func presentThread(t review.Thread) api.Thread {
	state := "resolved"
	if t.Open() {
		state = "open"
	}
	comments := make([]api.Comment, 0, len(t.Comments))
	for i, m := range t.Comments {
		comments = append(comments, presentComment(t, i, m))
	}
	return api.Thread{
		ID:         t.ID,
		Release:    t.ReleaseID,
		Revision:   t.Revision,
		Anchor:     presentAnchor(t.Anchor),
		Blocks:     t.Blocks,
		State:      state,
		OpenedBy:   t.OpenedByLabel,
		OpenedAt:   t.OpenedAt.UTC(),
		ResolvedBy: t.ResolvedByLabel,
		ResolvedAt: orNil(t.ResolvedAt),
		Comments:   comments,
		Place:      api.Place{State: string(t.Place.State), Tool: t.Place.Tool},
	}
}

func presentAnchor(a review.Anchor) api.Anchor {
	out := api.Anchor{
		Tool: a.Tool, Digest: a.Digest.String(), Pointer: a.Pointer, Side: string(a.Side), Quote: a.Quote, Lead: a.Lead, Tail: a.Tail, Snippet: a.Snippet, Rule: a.Rule,
	}
	if a.Digest.IsZero() {
		out.Digest = ""
	}
	return out
}

// presentComment shows a comment; i is its place in the thread.
func presentComment(t review.Thread, i int, m review.Comment) api.Comment {
	c := api.Comment{ID: m.ID, By: m.UserLabel, Body: m.Body, At: m.At.UTC(), EditedAt: orNil(m.EditedAt)}
	if g := m.Suggests; g != nil {
		c.Suggestion = &api.Suggestion{
			Old: g.Old, New: g.New, Patch: g.Patch(t.Anchor.Tool, t.Anchor.Pointer), Taken: slices.Contains(t.Place.Taken, i),
			JSONPatch: t.JSONPatch(i),
		}
	}
	return c
}
