package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type draftRow struct {
	UserID    string `db:"user_id"`
	ReleaseID string `db:"release_id"`
	Target    string `db:"target"`
	UpdatedAt micros `db:"updated_at"`
	Body      blob   `db:"body"`
}

// draftBody is a draft as kept: names that may not be Unicode stand as exact.
type draftBody struct {
	Item     *review.VerdictItem  `json:"item,omitempty"` // of drafts from when they had one only
	Items    []review.VerdictItem `json:"items,omitempty"`
	Comment  *draftComment        `json:"comment,omitempty"`
	Texts    []string             `json:"texts,omitempty"`
	Revision int64                `json:"revision,omitempty"`
	CopyOf   string               `json:"copy_of,omitempty"`
	Place    string               `json:"place,omitempty"`
	Writer   string               `json:"writer,omitempty"`
	Count    int64                `json:"count,omitempty"`
}

type draftComment struct {
	ThreadID string      `json:"thread,omitempty"`
	Tool     exact       `json:"tool,omitempty"`
	Pointer  exact       `json:"pointer,omitempty"`
	Side     review.Side `json:"side,omitempty"`
	Quote    exact       `json:"quote,omitempty"`
	Lead     exact       `json:"lead,omitempty"`
	Tail     exact       `json:"tail,omitempty"`
	Body     string      `json:"body"`
	Blocks   bool        `json:"blocks,omitempty"`
	Suggest  *string     `json:"suggest,omitempty"`
	Rule     string      `json:"rule,omitempty"`
	Digest   string      `json:"digest,omitempty"` // of the tool that its author read
}

// serverDraftRow is a draft of a server's settings.
type serverDraftRow struct {
	UserID    string `db:"user_id"`
	ServerID  string `db:"server_id"`
	Target    string `db:"target"`
	UpdatedAt micros `db:"updated_at"`
	Body      blob   `db:"body"`
}

func (r serverDraftRow) draft() (review.Draft, error) {
	d, err := draftRow{UserID: r.UserID, Target: r.Target, UpdatedAt: r.UpdatedAt, Body: r.Body}.draft()
	d.ServerID = r.ServerID
	return d, err
}

func keepDraft(d *review.Draft) ([]byte, error) {
	body := draftBody{Items: d.Items, Texts: d.Texts, Revision: d.Revision, CopyOf: d.CopyOf, Place: d.Place, Writer: d.Writer, Count: d.Count}
	if c := d.Comment; c != nil {
		at := c.Anchor
		body.Comment = &draftComment{c.ThreadID, exact(at.Tool), exact(at.Pointer), at.Side, exact(at.Quote), exact(at.Lead), exact(at.Tail),
			c.Body, c.Blocks, c.Suggest, at.Rule, ""}
		if !at.Digest.IsZero() {
			body.Comment.Digest = at.Digest.String()
		}
	}
	return json.Marshal(body)
}

func (r draftRow) draft() (review.Draft, error) {
	d := review.Draft{UserID: r.UserID, ReleaseID: r.ReleaseID, Target: r.Target, UpdatedAt: time.Time(r.UpdatedAt)}
	var body draftBody
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return d, fmt.Errorf("kept draft: %w", err)
	}
	if body.Item != nil {
		body.Items = []review.VerdictItem{*body.Item}
	}
	d.Items, d.Texts, d.Revision, d.CopyOf, d.Place = body.Items, body.Texts, body.Revision, body.CopyOf, body.Place
	d.Writer, d.Count = body.Writer, body.Count
	if c := body.Comment; c != nil {
		d.Comment = &review.NewComment{ThreadID: c.ThreadID, Body: c.Body, Blocks: c.Blocks, Suggest: c.Suggest, Anchor: review.Anchor{
			Tool: string(c.Tool), Pointer: string(c.Pointer), Side: c.Side, Quote: string(c.Quote), Lead: string(c.Lead), Tail: string(c.Tail), Rule: c.Rule}}
		if c.Digest != "" {
			var err error
			if d.Comment.Anchor.Digest, err = surface.ParseHash(c.Digest); err != nil {
				return d, fmt.Errorf("kept draft: %w", err)
			}
		}
	}
	return d, nil
}

func (t *tx) PutDraft(ctx context.Context, d *review.Draft) error {
	body, err := keepDraft(d)
	if err != nil {
		return err
	}
	if d.ServerID != "" {
		_, err = insert(ctx, t, "server_drafts", `ON CONFLICT (user_id, server_id, target)
			DO UPDATE SET updated_at = excluded.updated_at, body = excluded.body`,
			serverDraftRow{d.UserID, d.ServerID, d.Target, micros(d.UpdatedAt), body})
		return err
	}
	_, err = insert(ctx, t, "drafts", `ON CONFLICT (user_id, release_id, target)
		DO UPDATE SET updated_at = excluded.updated_at, body = excluded.body`,
		draftRow{d.UserID, d.ReleaseID, d.Target, micros(d.UpdatedAt), body})
	return err
}

func (t *tx) Drafts(ctx context.Context, userID, releaseID string) ([]review.Draft, error) {
	var rows []draftRow
	err := t.all(ctx, &rows, "SELECT "+columns[draftRow]("")+` FROM drafts
		WHERE user_id = $1 AND release_id = $2 ORDER BY updated_at, target`, userID, releaseID)
	if err != nil {
		return nil, err
	}
	return eachDraft(rows, draftRow.draft)
}

func (t *tx) ServerDrafts(ctx context.Context, userID, serverID string) ([]review.Draft, error) {
	var rows []serverDraftRow
	err := t.all(ctx, &rows, "SELECT "+columns[serverDraftRow]("")+` FROM server_drafts
		WHERE user_id = $1 AND server_id = $2 ORDER BY updated_at, target`, userID, serverID)
	if err != nil {
		return nil, err
	}
	return eachDraft(rows, serverDraftRow.draft)
}

func eachDraft[R any](rows []R, draft func(R) (review.Draft, error)) ([]review.Draft, error) {
	var drafts []review.Draft
	for _, row := range rows {
		d, err := draft(row)
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, d)
	}
	return drafts, nil
}

func (t *tx) DeleteDrafts(ctx context.Context, userID, releaseID string, targets []string) error {
	_, err := execIn(ctx, t, "DELETE FROM drafts WHERE user_id = $1 AND release_id = $2 AND target IN (%s)", []any{userID, releaseID}, targets)
	return err
}

func (t *tx) DeleteServerDrafts(ctx context.Context, userID, serverID string, targets []string) error {
	_, err := execIn(ctx, t, "DELETE FROM server_drafts WHERE user_id = $1 AND server_id = $2 AND target IN (%s)", []any{userID, serverID}, targets)
	return err
}

type commentEditRow struct {
	ID        string `db:"id"`
	CommentID string `db:"comment_id"`
	At        micros `db:"at"`
	Body      string `db:"body"`
}

func (r commentEditRow) edit() review.CommentEdit {
	return review.CommentEdit{ID: r.ID, CommentID: r.CommentID, At: time.Time(r.At), Body: r.Body}
}

// EditComment replaces the text of a comment and keeps the earlier one.
func (t *tx) EditComment(ctx context.Context, e *review.CommentEdit, body string) error {
	if err := t.execOne(ctx, "UPDATE comments SET body = $2 WHERE id = $1", e.CommentID, body); err != nil {
		return named(err, review.NotFound, "There is no such comment.")
	}
	return insertOne(ctx, t, "comment_edits", commentEditRow{e.ID, e.CommentID, micros(e.At), e.Body})
}

func (t *tx) CommentEdits(ctx context.Context, threadID string) ([]review.CommentEdit, error) {
	var rows []commentEditRow
	err := t.all(ctx, &rows, "SELECT "+columns[commentEditRow]("e.")+` FROM comment_edits e
		JOIN comments c ON c.id = e.comment_id WHERE c.thread_id = $1 ORDER BY e.at, e.id`, threadID)
	return mapped(rows, commentEditRow.edit), err
}
