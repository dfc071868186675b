package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

type verdictRow struct {
	ID         string             `db:"id"`
	ServerID   string             `db:"server_id"`
	Profile    string             `db:"profile"`
	ReleaseID  string             `db:"release_id"`
	Revision   int                `db:"revision"`
	ChangeID   string             `db:"change_id"`
	Edit       string             `db:"edit"`
	Subject    change.Subject     `db:"subject"`
	Name       octets             `db:"name"`
	From       hash               `db:"from_digest"`
	To         hash               `db:"to_digest"`
	Class      change.Class       `db:"class"`
	Kind       review.VerdictKind `db:"kind"`
	Note       string             `db:"note"`
	UserID     string             `db:"user_id"`
	TokenID    string             `db:"token_id"`
	OwnPush    bool               `db:"own_push"`
	At         micros             `db:"at"`
	UsedUp     bool               `db:"used_up"`
	RevokedAt  micros             `db:"revoked_at"`
	RevokedWhy string             `db:"revoked_why"`
	Evidence   evidence           `db:"evidence"`
	Ended      endings            `db:"ended"`
	LiftedBy   string             `db:"lifted_by"`
}

// endings are kept as JSON objects, one a line, so that one is added without a look at
// the others.
type endings []review.Ending

func (e endings) Value() (driver.Value, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	for i := range e {
		if err := enc.Encode(&e[i]); err != nil {
			return nil, err
		}
	}
	return text.String(), nil
}

func (e *endings) Scan(src any) error {
	*e = nil
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a text column holds %T", src)
	}
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var one review.Ending
		switch err := dec.Decode(&one); err {
		case nil:
			*e = append(*e, one)
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// evidence is a list of trials as JSON, empty text for none.
type evidence []gate.Trial

func (e evidence) Value() (driver.Value, error) {
	if len(e) == 0 {
		return "", nil
	}
	return jsonOf[[]gate.Trial]{e}.Value()
}

func (e *evidence) Scan(src any) error {
	*e = nil
	if s, ok := src.(string); ok && s == "" {
		return nil
	}
	var j jsonOf[[]gate.Trial]
	err := j.Scan(src)
	*e = j.V
	return err
}

type verdictView struct {
	verdictRow
	userLabel
	ShellToken bool `db:"shell_token"`
}

func verdictRowOf(v review.Verdict) verdictRow {
	return verdictRow{ID: v.ID, ServerID: v.ServerID, Profile: v.Profile, ReleaseID: v.ReleaseID, Revision: v.Revision,
		ChangeID: v.ChangeID, Edit: v.Edit, Subject: v.Subject, Name: octets(v.Name), From: hash(v.From), To: hash(v.To),
		Class: v.Class, Kind: v.Kind, Note: v.Note, UserID: v.UserID, TokenID: v.TokenID, OwnPush: v.OwnPush,
		At: micros(v.At), UsedUp: v.UsedUp, RevokedAt: micros(v.RevokedAt), RevokedWhy: v.RevokedWhy, Evidence: v.Evidence, Ended: v.Ended, LiftedBy: v.LiftedBy}
}

func (r verdictView) verdict() review.Verdict {
	return review.Verdict{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ReleaseID, Revision: r.Revision,
		ChangeID: r.ChangeID, Edit: r.Edit, Subject: r.Subject, Name: string(r.verdictRow.Name),
		From: surface.Hash(r.From), To: surface.Hash(r.To), Class: r.Class, Kind: r.Kind, Note: r.Note,
		UserID: r.UserID, UserLabel: r.label(), TokenID: r.TokenID, ShellToken: r.ShellToken, OwnPush: r.OwnPush, At: time.Time(r.At),
		UsedUp: r.UsedUp, RevokedAt: time.Time(r.RevokedAt), RevokedWhy: r.RevokedWhy, Evidence: r.Evidence, Ended: r.Ended, LiftedBy: r.LiftedBy}
}

const fromVerdicts = " FROM verdicts v LEFT JOIN users u ON u.id = v.user_id LEFT JOIN tokens k ON k.id = v.token_id "

func selectVerdicts() string {
	return "SELECT " + columns[verdictRow]("v.") + ", " + userLabelColumns + ", COALESCE(k.from_shell, false) AS shell_token" + fromVerdicts
}

func (t *tx) InsertVerdicts(ctx context.Context, vs []review.Verdict) error {
	_, err := insert(ctx, t, "verdicts", "", mapped(vs, verdictRowOf)...)
	return err
}

// VerdictsOn asks for bytes and for removals apart, so that each can use its index.
func (t *tx) VerdictsOn(ctx context.Context, profiles []review.ProfileKey, digests []surface.Hash) ([]review.Verdict, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	bytes := distinct(mapped(digests, func(h surface.Hash) hash { return hash(h) }))
	var p params
	where := "WHERE " + p.ofProfiles("v.", profiles)
	found, err := allIn[verdictView](ctx, t, selectVerdicts()+where+" AND v.to_digest IN (%s)", p.args, bytes)
	if err != nil {
		return nil, err
	}
	where += " AND v.to_digest = " + p.add(hash{})
	removals, err := allIn[verdictView](ctx, t, selectVerdicts()+where+" AND v.from_digest IN (%s)", p.args, bytes)
	if err != nil {
		return nil, err
	}
	vs := mapped(append(found, removals...), verdictView.verdict)
	slices.SortFunc(vs, func(a, b review.Verdict) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return vs, nil
}

// Rejected reads the few rows that the index on rejections has.
func (t *tx) Rejected(ctx context.Context, profiles []review.ProfileKey) ([]surface.Hash, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	var p params
	var rows []struct {
		From hash `db:"from_digest"`
		To   hash `db:"to_digest"`
	}
	err := t.all(ctx, &rows, "SELECT DISTINCT v.from_digest, v.to_digest FROM verdicts v WHERE v.kind = 'reject' AND v.revoked_at = 0 AND "+
		p.ofProfiles("v.", profiles), p.args...)
	hashes := make([]surface.Hash, len(rows))
	for i, row := range rows {
		hashes[i] = surface.Hash(row.To)
		if hashes[i].IsZero() {
			hashes[i] = surface.Hash(row.From)
		}
	}
	return hashes, err
}

// Removals returns them oldest first.
func (t *tx) Removals(ctx context.Context, serverID, profile string) ([]review.Verdict, error) {
	var rows []verdictView
	err := t.all(ctx, &rows, selectVerdicts()+`WHERE v.server_id = $1 AND v.profile = $2 AND v.to_digest = $3 AND v.kind = $4
		AND v.used_up = false AND v.revoked_at = 0 ORDER BY v.at, v.id`, serverID, profile, hash{}, review.Approve)
	return mapped(rows, verdictView.verdict), err
}

func (t *tx) VerdictsOfRelease(ctx context.Context, releaseID string) ([]review.Verdict, error) {
	var rows []verdictView
	err := t.all(ctx, &rows, selectVerdicts()+"WHERE v.release_id = $1 ORDER BY v.at, v.id", releaseID)
	return mapped(rows, verdictView.verdict), err
}

// EndRemovals notes an ending; a verdict that is missing is an error of kind NotFound.
func (t *tx) EndRemovals(ctx context.Context, ids []string, e review.Ending) error {
	return t.markVerdicts(ctx, "ended = ended || $1, used_up = CASE WHEN $2 THEN used_up ELSE true END",
		[]any{endings{e}, e.How == gate.EndedByPush}, ids)
}

// RevokeVerdicts marks verdicts as revoked; those that are revoked already keep
// their time and reason, but can't be restored any more. One that is missing is an
// error of kind NotFound.
func (t *tx) RevokeVerdicts(ctx context.Context, ids []string, at time.Time, why string) error {
	return t.markVerdicts(ctx, `revoked_why = CASE WHEN revoked_at = 0 THEN $2 ELSE revoked_why END,
		revoked_at = CASE WHEN revoked_at = 0 THEN $1 ELSE revoked_at END, lifted_by = ''`, []any{micros(at), why}, ids)
}

// LiftVerdicts leaves those that are revoked already as they are.
func (t *tx) LiftVerdicts(ctx context.Context, ids []string, at time.Time, by, why string) error {
	return t.markVerdicts(ctx, `revoked_why = CASE WHEN revoked_at = 0 THEN $2 ELSE revoked_why END,
		lifted_by = CASE WHEN revoked_at = 0 THEN $3 ELSE lifted_by END,
		revoked_at = CASE WHEN revoked_at = 0 THEN $1 ELSE revoked_at END`, []any{micros(at), why, by}, ids)
}

// LiftedBy names the condition of the index, so that it is used.
func (t *tx) LiftedBy(ctx context.Context, userID string, since time.Time) ([]review.Verdict, error) {
	var rows []verdictView
	err := t.all(ctx, &rows, selectVerdicts()+"WHERE v.lifted_by <> '' AND v.lifted_by = $1 AND v.revoked_at >= $2 ORDER BY v.at, v.id", userID, micros(since))
	return mapped(rows, verdictView.verdict), err
}

// RestoreVerdicts is the opposite of LiftVerdicts.
func (t *tx) RestoreVerdicts(ctx context.Context, ids []string) error {
	return t.markVerdicts(ctx, "revoked_at = 0, revoked_why = '', lifted_by = ''", nil, ids)
}

func (t *tx) markVerdicts(ctx context.Context, set string, args []any, ids []string) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	touched, err := execIn(ctx, t, "UPDATE verdicts SET "+set+" WHERE id IN (%s)", args, ids)
	if err == nil && touched != int64(len(ids)) {
		return review.Errorf(review.NotFound, "One of the verdicts is not there.")
	}
	return err
}
