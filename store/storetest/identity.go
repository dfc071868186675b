package storetest

import "github.com/countersign/countersign/review"

func testIdentities(b *bench) {
	ann, bob := b.user("ann@example.com", "Ann"), b.user("bob@example.com", "Bob")
	link := func(issuer, subject, userID string) *review.IdentityLink {
		return &review.IdentityLink{Issuer: issuer, Subject: subject, UserID: userID, Email: subject + "@example.com", LinkedAt: b.now()}
	}
	first, second, third := link("https://a.example", "x", ann.ID), link("https://b.example", "x", ann.ID), link("https://a.example", "X", bob.ID)
	b.update(func(tx review.Tx) error {
		for _, l := range []*review.IdentityLink{first, second, third} {
			if err := tx.InsertIdentity(b.ctx, l); err != nil {
				return err
			}
		}
		return nil
	})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertIdentity(b.ctx, link("https://a.example", "x", bob.ID)) })
	b.equal(read(b, func(tx review.Tx) (*review.IdentityLink, error) { return tx.Identity(b.ctx, "https://a.example", "X") }), third)
	for _, other := range [][2]string{{"https://a.example", "y"}, {"https://A.example", "x"}, {"https://c.example", "x"}} {
		b.refuses(review.NotFound, func(tx review.Tx) error { _, err := tx.Identity(b.ctx, other[0], other[1]); return err })
	}
	of := func(userID string) []review.IdentityLink {
		return read(b, func(tx review.Tx) ([]review.IdentityLink, error) { return tx.IdentitiesOfUser(b.ctx, userID) })
	}
	b.equal(of(ann.ID), []review.IdentityLink{*first, *second})
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.DeleteIdentity(b.ctx, bob.ID, "https://b.example") })
	b.update(func(tx review.Tx) error { return tx.DeleteIdentity(b.ctx, ann.ID, "https://a.example") })
	b.equal(of(ann.ID), []review.IdentityLink{*second})
	b.equal(of(bob.ID), []review.IdentityLink{*third})
	b.update(func(tx review.Tx) error { return tx.DeleteIdentitiesOfUser(b.ctx, ann.ID) })
	if got := of(ann.ID); len(got) != 0 {
		b.Errorf("left: %+v", got)
	}
	b.equal(of(bob.ID), []review.IdentityLink{*third})
}
