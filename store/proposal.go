package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type proposalRow struct {
	ID        string                         `db:"id"`
	ServerID  string                         `db:"server_id"`
	Kind      review.ProposalKind            `db:"kind"`
	State     review.ProposalState           `db:"state"`
	ByID      string                         `db:"by_id"`
	By        string                         `db:"by_label"`
	At        micros                         `db:"at"`
	SecondID  string                         `db:"second_id"`
	Second    string                         `db:"second"`
	DecidedAt micros                         `db:"decided_at"`
	Body      jsonOf[review.ProposalDetails] `db:"body"`
}

func proposalRowOf(p *review.Proposal) proposalRow {
	return proposalRow{p.ID, p.ServerID, p.Kind, p.State, p.ByID, p.By, micros(p.At), p.SecondID, p.Second, micros(p.DecidedAt), jsonOf[review.ProposalDetails]{p.ProposalDetails}}
}

func (r proposalRow) proposal() review.Proposal {
	return review.Proposal{ID: r.ID, ServerID: r.ServerID, Kind: r.Kind, State: r.State, ByID: r.ByID, By: r.By, At: time.Time(r.At),
		SecondID: r.SecondID, Second: r.Second, DecidedAt: time.Time(r.DecidedAt), ProposalDetails: r.Body.V}
}

func (t *tx) InsertProposal(ctx context.Context, p *review.Proposal) error {
	return insertOne(ctx, t, "proposals", proposalRowOf(p))
}

func (t *tx) UpdateProposal(ctx context.Context, p *review.Proposal) error {
	row := proposalRowOf(p)
	err := t.execOne(ctx, "UPDATE proposals SET state = $2, second_id = $3, second = $4, decided_at = $5 WHERE id = $1 AND state = 'waits'",
		row.ID, string(row.State), row.SecondID, row.Second, row.DecidedAt)
	if review.KindOf(err) == review.NotFound {
		return review.Errorf(review.Conflict, "This does not wait for anybody any more.")
	}
	return err
}

func (t *tx) ProposalByID(ctx context.Context, id string) (*review.Proposal, error) {
	var row proposalRow
	if err := t.get(ctx, &row, "SELECT "+columns[proposalRow]("")+" FROM proposals WHERE id = $1", id); err != nil {
		return nil, named(err, review.NotFound, "There is no such proposal.")
	}
	p := row.proposal()
	return &p, nil
}

func (t *tx) WaitingProposals(ctx context.Context, serverIDs []string) ([]review.Proposal, error) {
	rows, err := allIn[proposalRow](ctx, t, "SELECT "+columns[proposalRow]("")+" FROM proposals WHERE state = 'waits' AND server_id IN (%s) ORDER BY at, id", nil, serverIDs)
	return mapped(rows, proposalRow.proposal), err
}
