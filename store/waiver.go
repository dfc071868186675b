package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

type waiverRow struct {
	ID          string          `db:"id"`
	ServerID    string          `db:"server_id"`
	Profile     string          `db:"profile"`
	ReleaseID   string          `db:"release_id"`
	Rule        string          `db:"rule"`
	RuleVersion string          `db:"rule_version"`
	Severity    lint.Severity   `db:"severity"`
	Tool        octets          `db:"tool"`
	Pointer     octets          `db:"pointer"`
	Fingerprint string          `db:"fingerprint"`
	Bound       hash            `db:"bound"`
	Kind        lint.WaiverKind `db:"kind"`
	Reason      string          `db:"reason"`
	By          string          `db:"user_id"`
	At          micros          `db:"at"`
	Until       micros          `db:"until"`
	Policy      int             `db:"policy"`
	ConfirmedBy string          `db:"confirmed_by"`
	ConfirmedAt micros          `db:"confirmed_at"`
	EndedBy     string          `db:"ended_by"`
	EndedAt     micros          `db:"ended_at"`
	EndedWhy    string          `db:"ended_why"`
}

// waiverView adds the labels of the two people.
type waiverView struct {
	waiverRow
	userLabel
	SecondName  string `db:"second_name"`
	SecondEmail string `db:"second_email"`
}

func waiverRowOf(w review.Waiver) waiverRow {
	return waiverRow{ID: w.ID, ServerID: w.ServerID, Profile: w.Profile, ReleaseID: w.ReleaseID, Rule: w.Rule,
		RuleVersion: w.RuleVersion, Severity: w.Severity, Tool: octets(w.Tool), Pointer: octets(w.Pointer),
		Fingerprint: w.Fingerprint, Bound: hash(w.Bound), Kind: w.Kind, Reason: w.Reason, By: w.By, At: micros(w.At),
		Until: micros(w.Until), Policy: w.Policy, ConfirmedBy: w.ConfirmedBy, ConfirmedAt: micros(w.ConfirmedAt),
		EndedBy: w.EndedBy, EndedAt: micros(w.EndedAt), EndedWhy: w.EndedWhy}
}

func (r waiverView) waiver() review.Waiver {
	return review.Waiver{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ReleaseID, Rule: r.Rule,
		RuleVersion: r.RuleVersion, Severity: r.Severity, Tool: string(r.Tool), Pointer: string(r.Pointer),
		Fingerprint: r.Fingerprint, Bound: surface.Hash(r.Bound), Kind: r.Kind, Reason: r.Reason, By: r.By, ByLabel: r.label(),
		At: time.Time(r.At), Until: time.Time(r.Until), Policy: r.Policy, ConfirmedBy: r.ConfirmedBy,
		ConfirmedByLabel: userLabel{r.SecondName, r.SecondEmail}.label(), ConfirmedAt: time.Time(r.ConfirmedAt),
		EndedBy: r.EndedBy, EndedAt: time.Time(r.EndedAt), EndedWhy: r.EndedWhy}
}

func (t *tx) InsertWaivers(ctx context.Context, ws []review.Waiver) error {
	_, err := insert(ctx, t, "waivers", "", mapped(ws, waiverRowOf)...)
	return err
}

func (t *tx) WaiverByID(ctx context.Context, id string) (*review.Waiver, error) {
	found, err := t.waivers(ctx, "WHERE w.id = $1", id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, review.Errorf(review.NotFound, "There is no such waiver.")
	}
	return &found[0], nil
}

func (t *tx) Waivers(ctx context.Context, profiles []review.ProfileKey, after time.Time) ([]review.Waiver, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	var p params
	where := "WHERE w.ended_at = 0 AND w.until > " + p.add(micros(after)) + " AND " + p.ofProfiles("w.", profiles)
	return t.waivers(ctx, where+" ORDER BY w.at, w.id", p.args...)
}

func (t *tx) WaiversOf(ctx context.Context, serverID string, pg review.Page) ([]review.Waiver, error) {
	var p params
	where := "WHERE w.server_id = " + p.add(serverID)
	where += p.page("waivers", "w.", "at", pg)
	return t.waivers(ctx, where, p.args...)
}

func (t *tx) waivers(ctx context.Context, end string, args ...any) ([]review.Waiver, error) {
	var rows []waiverView
	err := t.all(ctx, &rows, "SELECT "+columns[waiverRow]("w.")+", "+userLabelColumns+
		", COALESCE(c.name, '') AS second_name, COALESCE(c.email, '') AS second_email FROM waivers w LEFT JOIN users u ON u.id = w.user_id"+
		" LEFT JOIN users c ON c.id = w.confirmed_by "+end, args...)
	return mapped(rows, waiverView.waiver), err
}

// ConfirmWaiver notes the second person; the first one that did stays.
func (t *tx) ConfirmWaiver(ctx context.Context, id, by string, at time.Time) error {
	return named(t.execOne(ctx, `UPDATE waivers SET
		confirmed_by = CASE WHEN confirmed_at = 0 THEN $2 ELSE confirmed_by END,
		confirmed_at = CASE WHEN confirmed_at = 0 THEN $3 ELSE confirmed_at END
		WHERE id = $1`, id, by, micros(at)), review.NotFound, "There is no such waiver.")
}

// EndWaiver ends a waiver; the first end stays.
func (t *tx) EndWaiver(ctx context.Context, id, by string, at time.Time, why string) error {
	return named(t.execOne(ctx, `UPDATE waivers SET
		ended_by = CASE WHEN ended_at = 0 THEN $2 ELSE ended_by END,
		ended_why = CASE WHEN ended_at = 0 THEN $4 ELSE ended_why END,
		ended_at = CASE WHEN ended_at = 0 THEN $3 ELSE ended_at END
		WHERE id = $1`, id, by, micros(at), why), review.NotFound, "There is no such waiver.")
}
