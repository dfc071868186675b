package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) listDrafts(c echo.Context) error {
	drafts, err := s.svc.Drafts(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	answer := api.Drafts{Drafts: make([]api.Draft, 0, len(drafts))}
	for _, d := range drafts {
		answer.Drafts = append(answer.Drafts, presentDraft(d))
	}
	return writeJSON(c, http.StatusOK, answer)
}

func presentDraft(d review.Draft) api.Draft {
	out := api.Draft{Target: d.Target, UpdatedAt: orNil(d.UpdatedAt), Texts: d.Texts, Revision: d.Revision, CopyOf: d.CopyOf}
	if n := d.Comment; n != nil {
		out.Comment = &api.DraftComment{Thread: n.ThreadID, Anchor: presentAnchor(n.Anchor), Body: n.Body, Blocks: n.Blocks, Suggest: n.Suggest}
	}
	for _, it := range d.Items {
		out.Verdicts = append(out.Verdicts, api.VerdictItem{Change: it.Change, Edit: it.Edit, Changes: it.Changes, Verdict: string(it.Verdict), Note: it.Note, Evidence: presentTrials(it.Evidence)})
	}
	if len(out.Verdicts) > 0 {
		out.Verdict = &out.Verdicts[0]
	}
	return out
}

func (s *Server) saveDraft(c echo.Context) error {
	var in api.Draft
	if err := readJSON(c, &in); err != nil {
		return err
	}
	d := review.Draft{Target: in.Target, Texts: in.Texts}
	if n := in.Comment; n != nil {
		at, err := anchorOf(n.Anchor)
		if err != nil {
			return err
		}
		d.Comment = &review.NewComment{ThreadID: n.Thread, Anchor: at, Body: n.Body, Blocks: n.Blocks, Suggest: n.Suggest}
	}
	if in.Verdict != nil && len(in.Verdicts) == 0 {
		in.Verdicts = []api.VerdictItem{*in.Verdict}
	}
	for _, it := range in.Verdicts {
		d.Items = append(d.Items, itemOf(it))
	}
	kept, err := s.svc.SaveDraft(c.Request().Context(), s.actor(c), c.Param("id"), d)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, presentDraft(*kept))
}

func itemOf(it api.VerdictItem) review.VerdictItem {
	return review.VerdictItem{Change: it.Change, Edit: it.Edit, Changes: it.Changes, Verdict: review.VerdictKind(it.Verdict), Note: it.Note, Evidence: trials(it.Evidence)}
}

func (s *Server) publishDrafts(c echo.Context) error {
	var in api.PublishRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	view, err := s.svc.PublishDrafts(c.Request().Context(), s.actor(c), c.Param("id"), in.Targets)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, gateResult(view.Answer))
}

func (s *Server) editComment(c echo.Context) error {
	var in api.EditRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := s.threadOfRelease(c); err != nil {
		return err
	}
	t, err := s.svc.EditComment(c.Request().Context(), s.actor(c), c.Param("thread"), in.Comment, in.Body)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, presentThread(*t))
}

func (s *Server) threadEdits(c echo.Context) error {
	if err := s.threadOfRelease(c); err != nil {
		return err
	}
	edits, err := s.svc.ThreadEdits(c.Request().Context(), s.actor(c), c.Param("thread"))
	if err != nil {
		return err
	}
	answer := api.CommentEdits{Edits: make([]api.CommentEdit, 0, len(edits))}
	for _, e := range edits {
		answer.Edits = append(answer.Edits, api.CommentEdit{Comment: e.CommentID, Body: e.Body, ReplacedAt: e.At.UTC()})
	}
	return writeJSON(c, http.StatusOK, answer)
}
