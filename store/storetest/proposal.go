package storetest

import (
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

func testProposals(b *bench) {
	s := b.server("shop")
	role := review.Proposal{ID: newID(), ServerID: s.ID, Kind: review.ProposedRole, State: review.ProposalWaits, ByID: "ada", By: "Ada", At: b.now(),
		ProposalDetails: review.ProposalDetails{UserID: "vic", User: "Vic 🙂", Role: people.Reviewer}}
	alias := review.Proposal{ID: newID(), ServerID: s.ID, Kind: review.ProposedNaming, State: review.ProposalWaits, At: b.now(),
		ProposalDetails: review.ProposalDetails{Alias: &review.ProposedAlias{Profile: "default", Old: []byte("a\x00\xedb"), New: []byte("c"), Until: b.now().UTC()}}}
	everywhere := review.Proposal{ID: newID(), Kind: review.ProposedRole, State: review.ProposalWaits, At: b.now()}
	b.update(func(tx review.Tx) error {
		for _, p := range []review.Proposal{role, alias, everywhere} {
			if err := tx.InsertProposal(b.ctx, &p); err != nil {
				return err
			}
		}
		return nil
	})
	waiting := func(ids ...string) []review.Proposal {
		return read(b, func(tx review.Tx) ([]review.Proposal, error) { return tx.WaitingProposals(b.ctx, ids) })
	}
	b.equal(waiting(s.ID), []review.Proposal{role, alias})
	b.equal(waiting("", s.ID), []review.Proposal{role, alias, everywhere})
	b.equal(waiting(), []review.Proposal{})
	role.State, role.SecondID, role.Second, role.DecidedAt = review.ProposalAgreed, "ben", "Ben", b.now()
	b.update(func(tx review.Tx) error { return tx.UpdateProposal(b.ctx, &role) })
	b.equal(waiting(s.ID), []review.Proposal{alias})
	b.equal(*read(b, func(tx review.Tx) (*review.Proposal, error) { return tx.ProposalByID(b.ctx, role.ID) }), role)
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.UpdateProposal(b.ctx, &role) }) // once decided
	b.refuses(review.NotFound, func(tx review.Tx) error {
		_, err := tx.ProposalByID(b.ctx, "none")
		return err
	})
}
