package store

import (
	"context"
	"strconv"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type overrideRow struct {
	ID            string           `db:"id"`
	ServerID      string           `db:"server_id"`
	Profile       string           `db:"profile"`
	ReleaseID     string           `db:"release_id"`
	Digest        hash             `db:"digest"`
	PolicyVersion int              `db:"policy_version"`
	UserID        string           `db:"user_id"`
	At            micros           `db:"at"`
	ExpiresAt     micros           `db:"expires_at"`
	EndedAt       micros           `db:"ended_at"`
	EndedBy       string           `db:"ended_by"`
	Requirements  jsonOf[[]string] `db:"requirements"`
	Reason        string           `db:"reason"`
}

type overrideView struct {
	overrideRow
	userLabel
}

func (r overrideView) override() review.Override {
	return review.Override{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ReleaseID, Digest: surface.Hash(r.Digest),
		Policy: r.PolicyVersion, Requirements: r.Requirements.V, Reason: r.Reason, UserID: r.UserID, UserLabel: r.label(),
		At: time.Time(r.At), Until: time.Time(r.ExpiresAt), EndedAt: time.Time(r.EndedAt), EndedBy: r.EndedBy}
}

func (t *tx) InsertOverride(ctx context.Context, o *review.Override) error {
	return insertOne(ctx, t, "overrides", overrideRow{ID: o.ID, ServerID: o.ServerID, Profile: o.Profile, ReleaseID: o.ReleaseID,
		Digest: hash(o.Digest), PolicyVersion: o.Policy, UserID: o.UserID, At: micros(o.At), ExpiresAt: micros(o.Until),
		EndedAt: micros(o.EndedAt), EndedBy: o.EndedBy, Requirements: jsonOf[[]string]{o.Requirements}, Reason: o.Reason})
}

func selectOverrides() string {
	return "SELECT " + columns[overrideRow]("o.") + ", " + userLabelColumns + " FROM overrides o LEFT JOIN users u ON u.id = o.user_id "
}

func (t *tx) OverridesOn(ctx context.Context, profiles []review.ProfileKey, digests []surface.Hash) ([]review.Override, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	var p params
	query := selectOverrides() + "WHERE " + p.ofProfiles("o.", profiles) + " AND o.digest IN (%s) ORDER BY o.at, o.id"
	rows, err := allIn[overrideView](ctx, t, query, p.args, distinct(mapped(digests, func(h surface.Hash) hash { return hash(h) })))
	return mapped(rows, overrideView.override), err
}

func (t *tx) OverridesOfUser(ctx context.Context, userID string, since time.Time) ([]review.Override, error) {
	var rows []overrideView
	err := t.all(ctx, &rows, selectOverrides()+"WHERE o.user_id = $1 AND o.at >= $2 ORDER BY o.at, o.id", userID, micros(since))
	return mapped(rows, overrideView.override), err
}

func (t *tx) EndOverrides(ctx context.Context, ids []string, at time.Time, by string) error {
	_, err := execIn(ctx, t, "UPDATE overrides SET ended_at = $1, ended_by = $2 WHERE ended_at = 0 AND id IN (%s)", []any{micros(at), by}, ids)
	return err
}

type grantRow struct {
	UserID     string            `db:"user_id"`
	ServerID   string            `db:"server_id"`
	Permission review.Permission `db:"permission"`
	GrantedBy  string            `db:"granted_by"`
	At         micros            `db:"at"`
}

func (t *tx) PutGrant(ctx context.Context, g *review.Grant) error {
	_, err := insert(ctx, t, "grants", "ON CONFLICT DO NOTHING", grantRow{g.UserID, g.ServerID, g.Permission, g.GrantedBy, micros(g.At)})
	return err
}

func (t *tx) DeleteGrant(ctx context.Context, g *review.Grant) error {
	_, err := t.exec(ctx, "DELETE FROM grants WHERE user_id = $1 AND server_id = $2 AND permission = $3", g.UserID, g.ServerID, string(g.Permission))
	return err
}

func (t *tx) Grants(ctx context.Context, serverID string) ([]review.Grant, error) {
	var rows []grantRow
	var p params
	err := t.all(ctx, &rows, "SELECT "+columns[grantRow]("")+" FROM grants WHERE "+p.ofServers("server_id", oneOrAll(serverID))+" ORDER BY user_id, server_id, permission", p.args...)
	return mapped(rows, grantRow.grant), err
}

func (r grantRow) grant() review.Grant {
	return review.Grant{UserID: r.UserID, ServerID: r.ServerID, Permission: r.Permission, GrantedBy: r.GrantedBy, At: time.Time(r.At)}
}

func (t *tx) VerdictsOfUser(ctx context.Context, userID string, since time.Time) ([]review.Verdict, error) {
	var rows []verdictView
	err := t.all(ctx, &rows, selectVerdicts()+"WHERE v.user_id = $1 AND v.at >= $2 AND v.revoked_at = 0 ORDER BY v.at, v.id", userID, micros(since))
	return mapped(rows, verdictView.verdict), err
}

type alarmRow struct {
	ID        string `db:"id"`
	ServerID  string `db:"server_id"`
	ReleaseID string `db:"release_id"`
	At        micros `db:"at"`
	ClearedAt micros `db:"cleared_at"`
	ClearedBy string `db:"cleared_by"`
	Why       string `db:"why"`
}

func (t *tx) InsertAlarms(ctx context.Context, as []review.Alarm) error {
	_, err := insert(ctx, t, "alarms", "", mapped(as, func(a review.Alarm) alarmRow {
		return alarmRow{a.ID, a.ServerID, a.ReleaseID, micros(a.At), micros(a.ClearedAt), a.ClearedBy, a.Why}
	})...)
	return err
}

func (r alarmRow) alarm() review.Alarm {
	return review.Alarm{ID: r.ID, ServerID: r.ServerID, ReleaseID: r.ReleaseID, Why: r.Why, At: time.Time(r.At), ClearedAt: time.Time(r.ClearedAt), ClearedBy: r.ClearedBy}
}

func (t *tx) Alarms(ctx context.Context, releaseIDs []string) ([]review.Alarm, error) {
	rows, err := allIn[alarmRow](ctx, t, "SELECT "+columns[alarmRow]("")+" FROM alarms WHERE cleared_at = 0 AND release_id IN (%s) ORDER BY at, id", nil, releaseIDs)
	return mapped(rows, alarmRow.alarm), err
}

func (t *tx) AlarmsOf(ctx context.Context, serverIDs []string) ([]review.Alarm, error) {
	query := "SELECT " + columns[alarmRow]("") + " FROM alarms WHERE cleared_at = 0 AND server_id IN (%s) ORDER BY at DESC, id DESC LIMIT " + strconv.Itoa(review.MaxAlarms)
	rows, err := allIn[alarmRow](ctx, t, query, nil, serverIDs)
	return mapped(rows, alarmRow.alarm), err
}

func (t *tx) ClearAlarms(ctx context.Context, releaseID string, at time.Time, by string) error {
	_, err := t.exec(ctx, "UPDATE alarms SET cleared_at = $2, cleared_by = $3 WHERE release_id = $1 AND cleared_at = 0", releaseID, micros(at), by)
	return err
}
