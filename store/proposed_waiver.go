package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

type proposedWaiverRow struct {
	ID          string               `db:"id"`
	ServerID    string               `db:"server_id"`
	Profile     string               `db:"profile"`
	ReleaseID   string               `db:"release_id"`
	Key         hash                 `db:"question"`
	Fingerprint string               `db:"fingerprint"`
	Rule        string               `db:"rule"`
	Tool        octets               `db:"tool"`
	Pointer     octets               `db:"pointer"`
	Kind        lint.WaiverKind      `db:"kind"`
	Reason      string               `db:"reason"`
	Author      string               `db:"author"`
	Expires     string               `db:"expires"`
	PushedBy    string               `db:"pushed_by"`
	At          micros               `db:"at"`
	State       review.ProposedState `db:"state"`
	AnsweredBy  string               `db:"answered_by"`
	AnsweredAt  micros               `db:"answered_at"`
	Why         string               `db:"why"`
	WaiverID    string               `db:"waiver_id"`
	Until       micros               `db:"until"`
}

// proposedWaiverView adds the label of who answered.
type proposedWaiverView struct {
	proposedWaiverRow
	userLabel
}

func proposedWaiverRowOf(p review.ProposedWaiver) proposedWaiverRow {
	return proposedWaiverRow{ID: p.ID, ServerID: p.ServerID, Profile: p.Profile, ReleaseID: p.ReleaseID, Key: hash(p.Key),
		Fingerprint: p.Fingerprint, Rule: p.Rule, Tool: octets(p.Tool), Pointer: octets(p.Pointer), Kind: p.Kind, Reason: p.Reason,
		Author: p.Author, Expires: p.Expires, PushedBy: p.PushedBy, At: micros(p.At), State: p.State, AnsweredBy: p.AnsweredBy,
		AnsweredAt: micros(p.AnsweredAt), Why: p.Why, WaiverID: p.WaiverID, Until: micros(p.Until)}
}

func (r proposedWaiverView) proposed() review.ProposedWaiver {
	return review.ProposedWaiver{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ReleaseID, Key: surface.Hash(r.Key),
		Fingerprint: r.Fingerprint, Rule: r.Rule, Tool: string(r.Tool), Pointer: string(r.Pointer), Kind: r.Kind, Reason: r.Reason,
		Author: r.Author, Expires: r.Expires, PushedBy: r.PushedBy, At: time.Time(r.At), State: r.State, AnsweredBy: r.AnsweredBy,
		AnsweredByLabel: r.label(), AnsweredAt: time.Time(r.AnsweredAt), Why: r.Why, WaiverID: r.WaiverID, Until: time.Time(r.Until)}
}

func (t *tx) InsertProposedWaivers(ctx context.Context, ps []review.ProposedWaiver) error {
	_, err := insert(ctx, t, "proposed_waivers", "", mapped(ps, proposedWaiverRowOf)...)
	return err
}

func (t *tx) DropProposedWaivers(ctx context.Context, ids []string) error {
	_, err := execIn(ctx, t, "DELETE FROM proposed_waivers WHERE state = 'open' AND id IN (%s)", nil, ids)
	return err
}

const fromProposedWaivers = " FROM proposed_waivers p LEFT JOIN users u ON u.id = p.answered_by "

func selectProposedWaivers(end string) string {
	return "SELECT " + columns[proposedWaiverRow]("p.") + ", " + userLabelColumns + fromProposedWaivers + end
}

func (t *tx) OpenProposedWaivers(ctx context.Context, releaseID string) ([]review.ProposedWaiver, error) {
	var rows []proposedWaiverView
	err := t.all(ctx, &rows, selectProposedWaivers("WHERE p.release_id = $1 AND p.state = 'open' ORDER BY p.at, p.id"), releaseID)
	return mapped(rows, proposedWaiverView.proposed), err
}

func (t *tx) AnsweredWaivers(ctx context.Context, k review.ProfileKey, keys []surface.Hash) ([]review.ProposedWaiver, error) {
	rows, err := allIn[proposedWaiverView](ctx, t,
		selectProposedWaivers("WHERE p.server_id = $1 AND p.profile = $2 AND p.state <> 'open' AND p.question IN (%s) ORDER BY p.answered_at, p.id"),
		[]any{k.ServerID, k.Profile}, mapped(keys, func(h surface.Hash) hash { return hash(h) }))
	return mapped(rows, proposedWaiverView.proposed), err
}

func (t *tx) ProposedWaiverByID(ctx context.Context, id string) (*review.ProposedWaiver, error) {
	var row proposedWaiverView
	if err := t.get(ctx, &row, selectProposedWaivers("WHERE p.id = $1"), id); err != nil {
		return nil, named(err, review.NotFound, "There is no such proposed waiver.")
	}
	p := row.proposed()
	return &p, nil
}

func (t *tx) ProposedWaiversOf(ctx context.Context, serverID string, pg review.Page) ([]review.ProposedWaiver, error) {
	var p params
	where := "WHERE p.server_id = " + p.add(serverID)
	where += p.page("proposed_waivers", "p.", "at", pg)
	var rows []proposedWaiverView
	err := t.all(ctx, &rows, selectProposedWaivers(where), p.args...)
	return mapped(rows, proposedWaiverView.proposed), err
}

func (t *tx) AnswerProposedWaiver(ctx context.Context, p *review.ProposedWaiver) error {
	row := proposedWaiverRowOf(*p)
	err := t.execOne(ctx, `UPDATE proposed_waivers SET state = $2, answered_by = $3, answered_at = $4, why = $5, waiver_id = $6, until = $7
		WHERE id = $1 AND state = 'open'`, row.ID, string(row.State), row.AnsweredBy, row.AnsweredAt, row.Why, row.WaiverID, row.Until)
	if review.KindOf(err) == review.NotFound {
		return review.Errorf(review.Conflict, "This was answered already.")
	}
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "DELETE FROM proposed_waivers WHERE server_id = $1 AND profile = $2 AND question = $3 AND state = 'open'", row.ServerID, row.Profile, row.Key)
	return err
}
