package storetest

import (
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

func testPolicies(b *bench) {
	s, other := b.server("shop"), b.server("other")
	first := review.PolicyVersion{ServerID: s.ID, Policy: gate.Policy{Preset: gate.Team, Version: 1}, State: review.PolicyInForce, ByID: "ada", By: "Ada", At: b.now(), DecidedAt: b.now()}
	second := review.PolicyVersion{ServerID: s.ID, State: review.PolicyProposed, ByID: "ada", By: "Ada", At: b.now(), Loosens: []string{"order: not asked for."}, Policy: gate.Policy{
		Preset: gate.JustMe, Version: 2, LoosenedAt: b.now(), Lines: map[gate.Row]gate.Line{gate.RowHidden: {Approvals: 2, Block: true}},
		Owners: []gate.OwnerRule{{Teams: []string{"pay 🙂"}}}, Teams: map[string][]string{"pay 🙂": {"a@b"}},
	}}
	elsewhere := first
	elsewhere.ServerID = other.ID
	b.update(func(tx review.Tx) error {
		for _, v := range []review.PolicyVersion{first, second, elsewhere} {
			if err := tx.InsertPolicy(b.ctx, &v); err != nil {
				return err
			}
		}
		return nil
	})
	of := func(ids ...string) []review.PolicyVersion {
		return read(b, func(tx review.Tx) ([]review.PolicyVersion, error) { return tx.Policies(b.ctx, ids) })
	}
	b.equal(of(s.ID), []review.PolicyVersion{second, first})
	b.equal(len(of(s.ID, other.ID)), 3)
	b.equal(of(), []review.PolicyVersion{})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertPolicy(b.ctx, &first) })

	second.State, second.SecondID, second.Second, second.DecidedAt = review.PolicyInForce, "ben", "Ben", b.now()
	b.update(func(tx review.Tx) error { return tx.UpdatePolicy(b.ctx, &second) })
	b.equal(of(s.ID), []review.PolicyVersion{second, first})
	unknown := second
	unknown.Policy.Version = 9
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.UpdatePolicy(b.ctx, &unknown) })
}
