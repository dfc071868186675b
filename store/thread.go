package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type threadRow struct {
	ID         string      `db:"id"`
	ServerID   string      `db:"server_id"`
	Profile    string      `db:"profile"`
	ReleaseID  string      `db:"release_id"`
	Revision   int         `db:"revision"`
	Tool       octets      `db:"tool"`
	Digest     hash        `db:"digest"`
	Pointer    octets      `db:"pointer"`
	Side       review.Side `db:"side"`
	Quote      octets      `db:"quote"`
	Lead       octets      `db:"lead"`
	Tail       octets      `db:"tail"`
	Snippet    octets      `db:"snippet"`
	Rule       string      `db:"rule"`
	Blocks     bool        `db:"blocks"`
	OpenedBy   string      `db:"opened_by"`
	OpenedAt   micros      `db:"opened_at"`
	ResolvedBy string      `db:"resolved_by"`
	ResolvedAt micros      `db:"resolved_at"`
}

func (r threadRow) thread() review.Thread {
	return review.Thread{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ReleaseID, Revision: r.Revision,
		Anchor: review.Anchor{Tool: string(r.Tool), Digest: surface.Hash(r.Digest), Pointer: string(r.Pointer), Side: r.Side, Quote: string(r.Quote),
			Lead: string(r.Lead), Tail: string(r.Tail), Snippet: string(r.Snippet), Rule: r.Rule},
		Blocks: r.Blocks, OpenedBy: r.OpenedBy, OpenedAt: time.Time(r.OpenedAt),
		ResolvedBy: r.ResolvedBy, ResolvedAt: time.Time(r.ResolvedAt)}
}

// threadView is a thread with whom its people are called.
type threadView struct {
	threadRow
	OpenerName    string `db:"opener_name"`
	OpenerEmail   string `db:"opener_email"`
	ResolverName  string `db:"resolver_name"`
	ResolverEmail string `db:"resolver_email"`
}

const threadLabelColumns = `COALESCE(o.name, '') AS opener_name, COALESCE(o.email, '') AS opener_email,
	COALESCE(r.name, '') AS resolver_name, COALESCE(r.email, '') AS resolver_email`

func (r threadView) thread() review.Thread {
	th := r.threadRow.thread()
	th.OpenedByLabel = userLabel{r.OpenerName, r.OpenerEmail}.label()
	th.ResolvedByLabel = userLabel{r.ResolverName, r.ResolverEmail}.label()
	return th
}

type commentRow struct {
	ID       string `db:"id"`
	ThreadID string `db:"thread_id"`
	UserID   string `db:"user_id"`
	At       micros `db:"at"`
	Body     string `db:"body"`
}

type commentView struct {
	commentRow
	userLabel
	EditedAt micros         `db:"edited_at"`
	Old      octets         `db:"old_text"`
	New      sql.NullString `db:"new_text"`
}

type suggestionRow struct {
	CommentID string `db:"comment_id"`
	Old       octets `db:"old_text"`
	New       string `db:"new_text"`
}

func commentRowOf(c review.Comment) commentRow {
	return commentRow{ID: c.ID, ThreadID: c.ThreadID, UserID: c.UserID, At: micros(c.At), Body: c.Body}
}

func (r commentView) comment() review.Comment {
	c := review.Comment{ID: r.ID, ThreadID: r.ThreadID, UserID: r.UserID, UserLabel: r.label(), Body: r.Body, At: time.Time(r.At),
		EditedAt: time.Time(r.EditedAt)}
	if r.New.Valid {
		c.Suggests = &review.Suggestion{Old: string(r.Old), New: r.New.String}
	}
	return c
}

func (t *tx) InsertThread(ctx context.Context, th *review.Thread) error {
	a := th.Anchor
	if err := insertOne(ctx, t, "threads", threadRow{ID: th.ID, ServerID: th.ServerID, Profile: th.Profile,
		ReleaseID: th.ReleaseID, Revision: th.Revision,
		Tool: octets(a.Tool), Digest: hash(a.Digest), Pointer: octets(a.Pointer), Side: a.Side, Quote: octets(a.Quote),
		Lead: octets(a.Lead), Tail: octets(a.Tail), Snippet: octets(a.Snippet), Rule: a.Rule,
		Blocks: th.Blocks, OpenedBy: th.OpenedBy, OpenedAt: micros(th.OpenedAt),
		ResolvedBy: th.ResolvedBy, ResolvedAt: micros(th.ResolvedAt)}); err != nil {
		return err
	}
	if _, err := insert(ctx, t, "comments", "", mapped(th.Comments, commentRowOf)...); err != nil {
		return err
	}
	return t.insertSuggestions(ctx, th.Comments...)
}

func (t *tx) insertSuggestions(ctx context.Context, cs ...review.Comment) error {
	var rows []suggestionRow
	for _, c := range cs {
		if s := c.Suggests; s != nil {
			rows = append(rows, suggestionRow{c.ID, octets(s.Old), s.New})
		}
	}
	_, err := insert(ctx, t, "suggestions", "", rows...)
	return err
}

func (t *tx) InsertComment(ctx context.Context, c *review.Comment) error {
	err := named(insertOne(ctx, t, "comments", commentRowOf(*c)), review.Invalid, "The thread is not there, or the comment holds a NUL character or isn't UTF-8.")
	if err != nil {
		return err
	}
	return t.insertSuggestions(ctx, *c)
}

func (t *tx) ThreadByID(ctx context.Context, id string) (*review.Thread, error) {
	found, err := t.threads(ctx, "t.id = $1", id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, review.Errorf(review.NotFound, "There is no such thread.")
	}
	return &found[0], nil
}

func (t *tx) Threads(ctx context.Context, f review.ThreadFilter) ([]review.Thread, error) {
	var p params
	where := []string{"1 = 1"}
	for column, value := range map[string]string{"server_id": f.ServerID, "profile": f.Profile, "release_id": f.ReleaseID} {
		if value != "" {
			where = append(where, "t."+column+" = "+p.add(value))
		}
	}
	switch {
	case f.Open && !f.Since.IsZero():
		where = append(where, "(t.resolved_at = 0 OR t.resolved_at > "+p.add(micros(f.Since))+")")
	case f.Open:
		where = append(where, "t.resolved_at = 0")
	}
	if f.Blocking {
		where = append(where, "t.blocks = true")
	}
	return t.threads(ctx, strings.Join(where, " AND "), p.args...)
}

// threads reads threads and their comments, in one statement each.
func (t *tx) threads(ctx context.Context, where string, args ...any) ([]review.Thread, error) {
	var rows []threadView
	if err := t.all(ctx, &rows, "SELECT "+columns[threadRow]("t.")+", "+threadLabelColumns+`
		FROM threads t LEFT JOIN users o ON o.id = t.opened_by LEFT JOIN users r ON r.id = t.resolved_by
		WHERE `+where+" ORDER BY t.opened_at, t.id", args...); err != nil {
		return nil, err
	}
	var comments []commentView
	if err := t.all(ctx, &comments, "SELECT "+columns[commentRow]("c.")+", "+userLabelColumns+`,
		COALESCE((SELECT MAX(e.at) FROM comment_edits e WHERE e.comment_id = c.id), 0) AS edited_at, s.old_text, s.new_text
		FROM comments c JOIN threads t ON t.id = c.thread_id LEFT JOIN users u ON u.id = c.user_id
		LEFT JOIN suggestions s ON s.comment_id = c.id
		WHERE `+where+" ORDER BY c.at, c.id", args...); err != nil {
		return nil, err
	}
	byThread := make(map[string][]review.Comment, len(rows))
	for _, c := range comments {
		byThread[c.ThreadID] = append(byThread[c.ThreadID], c.comment())
	}
	return mapped(rows, func(row threadView) review.Thread {
		th := row.thread()
		th.Comments = byThread[th.ID]
		return th
	}), nil
}

// ResolveThread resolves a thread. Of one that is resolved already it changes
// nothing, so that who did it first stays.
func (t *tx) ResolveThread(ctx context.Context, id, by string, at time.Time) error {
	return named(t.execOne(ctx, `UPDATE threads SET
		resolved_by = CASE WHEN resolved_at = 0 THEN $2 ELSE resolved_by END,
		resolved_at = CASE WHEN resolved_at = 0 THEN $3 ELSE resolved_at END
		WHERE id = $1`, id, by, micros(at)), review.NotFound, "There is no such thread.")
}

func (t *tx) ReopenThread(ctx context.Context, id string) error {
	return named(t.execOne(ctx, "UPDATE threads SET resolved_by = '', resolved_at = 0 WHERE id = $1", id),
		review.NotFound, "There is no such thread.")
}

type commentTurnRow struct {
	ID     string `db:"id"`
	UserID string `db:"user_id"`
	At     micros `db:"at"`
}

func (t *tx) CommentTurns(ctx context.Context, userID string, since time.Time) (n int, first time.Time, err error) {
	var r struct {
		N     int    `db:"n"`
		First micros `db:"first"`
	}
	err = t.get(ctx, &r, "SELECT COUNT(*) AS n, COALESCE(MIN(at), 0) AS first FROM comment_turns WHERE user_id = $1 AND at > $2", userID, micros(since))
	return r.N, time.Time(r.First), err
}

func (t *tx) TakeCommentTurn(ctx context.Context, turn review.CommentTurn, since time.Time) error {
	if _, err := t.exec(ctx, "DELETE FROM comment_turns WHERE user_id = $1 AND at <= $2", turn.UserID, micros(since)); err != nil {
		return err
	}
	return insertOne(ctx, t, "comment_turns", commentTurnRow{turn.ID, turn.UserID, micros(turn.At)})
}
