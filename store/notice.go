package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type noticeRow struct {
	ID        string            `db:"id"`
	UserID    string            `db:"user_id"`
	ServerID  string            `db:"server_id"`
	ReleaseID string            `db:"release_id"`
	ThreadID  string            `db:"thread_id"`
	Kind      review.NoticeKind `db:"kind"`
	Actor     string            `db:"actor"`
	Text      string            `db:"text"`
	At        micros            `db:"at"`
	ReadAt    micros            `db:"read_at"`

	EndpointID string `db:"endpoint_id"`
}

func noticeRowOf(n review.Notice) noticeRow {
	return noticeRow{n.ID, n.UserID, n.ServerID, n.ReleaseID, n.ThreadID, n.Kind, n.Actor, n.Text, micros(n.At), micros(n.ReadAt), n.EndpointID}
}

func (r noticeRow) notice() review.Notice {
	return review.Notice{ID: r.ID, UserID: r.UserID, ServerID: r.ServerID, ReleaseID: r.ReleaseID, ThreadID: r.ThreadID,
		Kind: r.Kind, Actor: r.Actor, Text: r.Text, At: time.Time(r.At), ReadAt: time.Time(r.ReadAt), EndpointID: r.EndpointID}
}

func (t *tx) InsertNotices(ctx context.Context, ns []review.Notice) error {
	_, err := insert(ctx, t, "notifications", "", mapped(ns, noticeRowOf)...)
	return err
}

func (t *tx) Notices(ctx context.Context, userID string, unread bool, pg review.Page) ([]review.Notice, error) {
	var p params
	query := "SELECT " + columns[noticeRow]("n.") + " FROM notifications n WHERE n.user_id = " + p.add(userID)
	if unread {
		query += " AND n.read_at = 0"
	}
	var rows []noticeRow
	err := t.all(ctx, &rows, query+p.page("notifications", "n.", "at", pg), p.args...)
	return mapped(rows, noticeRow.notice), err
}

func (t *tx) CountUnread(ctx context.Context, userID string) (int, error) {
	var n int
	err := t.get(ctx, &n, "SELECT COUNT(*) FROM notifications WHERE user_id = $1 AND read_at = 0", userID)
	return n, err
}

func (t *tx) ReadNotices(ctx context.Context, userID string, ids []string, at time.Time) error {
	const mark = "UPDATE notifications SET read_at = $1 WHERE user_id = $2 AND read_at = 0"
	if len(ids) == 0 {
		_, err := t.exec(ctx, mark, micros(at), userID)
		return err
	}
	_, err := execIn(ctx, t, mark+" AND id IN (%s)", []any{micros(at), userID}, ids)
	return err
}

func (t *tx) UnreadReview(ctx context.Context, userIDs []string, releaseID, actor string) (map[string]bool, error) {
	rows, err := allIn[struct {
		UserID string `db:"user_id"`
	}](ctx, t, `SELECT DISTINCT user_id FROM notifications
		WHERE release_id = $1 AND actor = $2 AND kind = $3 AND read_at = 0 AND user_id IN (%s)`,
		[]any{releaseID, actor, string(review.NoticeReview)}, userIDs)
	known := make(map[string]bool, len(rows))
	for _, row := range rows {
		known[row.UserID] = true
	}
	return known, err
}

func (t *tx) UnreadOfEndpoint(ctx context.Context, endpointID string) ([]review.Notice, error) {
	var rows []noticeRow
	err := t.all(ctx, &rows, "SELECT "+columns[noticeRow]("")+" FROM notifications WHERE endpoint_id = $1 AND endpoint_id <> '' AND read_at = 0 ORDER BY at, id", endpointID)
	return mapped(rows, noticeRow.notice), err
}

func (t *tx) DeleteNotices(ctx context.Context, ids []string) error {
	_, err := execIn(ctx, t, "DELETE FROM notifications WHERE id IN (%s)", nil, ids)
	return err
}

type subscriptionRow struct {
	UserID   string `db:"user_id"`
	ServerID string `db:"server_id"`
	Family   string `db:"family"`
	At       micros `db:"at"`
}

func (r subscriptionRow) subscription() review.Subscription {
	return review.Subscription{UserID: r.UserID, ServerID: r.ServerID, Family: r.Family, At: time.Time(r.At)}
}

// PutSubscription keeps the first time of one that is there already.
func (t *tx) PutSubscription(ctx context.Context, s *review.Subscription) error {
	_, err := insert(ctx, t, "subscriptions", "ON CONFLICT DO NOTHING", subscriptionRow{s.UserID, s.ServerID, s.Family, micros(s.At)})
	return err
}

func (t *tx) DeleteSubscription(ctx context.Context, userID, serverID, family string) error {
	_, err := t.exec(ctx, "DELETE FROM subscriptions WHERE user_id = $1 AND server_id = $2 AND family = $3", userID, serverID, family)
	return err
}

func (t *tx) SubscriptionsTo(ctx context.Context, serverID string) ([]review.Subscription, error) {
	return t.subscriptions(ctx, "server_id = $1", serverID)
}

func (t *tx) SubscriptionsOf(ctx context.Context, userID string) ([]review.Subscription, error) {
	return t.subscriptions(ctx, "user_id = $1", userID)
}

func (t *tx) subscriptions(ctx context.Context, where string, arg string) ([]review.Subscription, error) {
	var rows []subscriptionRow
	err := t.all(ctx, &rows, "SELECT "+columns[subscriptionRow]("")+" FROM subscriptions WHERE "+where+
		" ORDER BY at, user_id, server_id, family", arg)
	return mapped(rows, subscriptionRow.subscription), err
}
