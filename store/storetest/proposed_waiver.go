package storetest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

func testProposedWaivers(b *bench) {
	s, other := b.server("shop"), b.server("other")
	ada := b.user("ada@example.com", "Ada")
	one, two := newID(), newID() // releases
	proposed := func(s *review.Server, release, key string) review.ProposedWaiver {
		return review.ProposedWaiver{ID: newID(), ServerID: s.ID, Profile: "default", ReleaseID: release, Key: digestOf(key),
			Fingerprint: "sha256:ab", Rule: "poison.conceal", Tool: "pay\x00\xed\xa0\x80", Pointer: "/inputSchema/\xff", Kind: lint.CouldNotTell,
			Reason: "known *since* May 🙂", Author: "ann", Expires: "2026-12-31", PushedBy: "webhook", At: b.now(), State: review.ProposedOpen}
	}
	a, c, twin, elsewhere := proposed(s, one, "a"), proposed(s, one, "c"), proposed(s, two, "a"), proposed(other, newID(), "a")
	b.update(func(tx review.Tx) error {
		return tx.InsertProposedWaivers(b.ctx, []review.ProposedWaiver{a, c, twin, elsewhere})
	})
	again := proposed(s, one, "a")
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertProposedWaivers(b.ctx, []review.ProposedWaiver{again}) })
	open := func(release string) []review.ProposedWaiver {
		return read(b, func(tx review.Tx) ([]review.ProposedWaiver, error) { return tx.OpenProposedWaivers(b.ctx, release) })
	}
	answered := func(keys ...surface.Hash) []review.ProposedWaiver {
		return read(b, func(tx review.Tx) ([]review.ProposedWaiver, error) {
			return tx.AnsweredWaivers(b.ctx, review.ProfileKey{ServerID: s.ID, Profile: "default"}, keys)
		})
	}
	b.equal(open(one), []review.ProposedWaiver{a, c})
	b.equal(answered(a.Key, c.Key), []review.ProposedWaiver{})

	// An answer ends the same question of every release of the profile, and stands.
	a.State, a.AnsweredBy, a.AnsweredByLabel, a.AnsweredAt, a.WaiverID, a.Until = review.ProposedAccepted, ada.ID, "Ada", b.now(), newID(), b.now().Add(time.Hour)
	b.update(func(tx review.Tx) error { return tx.AnswerProposedWaiver(b.ctx, &a) })
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.AnswerProposedWaiver(b.ctx, &a) })
	b.equal(open(one), []review.ProposedWaiver{c})
	b.equal(open(two), []review.ProposedWaiver{})
	b.equal(open(elsewhere.ReleaseID), []review.ProposedWaiver{elsewhere})
	b.equal(answered(a.Key, c.Key), []review.ProposedWaiver{a})
	b.equal(answered(), []review.ProposedWaiver{})
	b.equal(read(b, func(tx review.Tx) (*review.ProposedWaiver, error) { return tx.ProposedWaiverByID(b.ctx, a.ID) }), &a)
	missing(b, func(tx review.Tx) (*review.ProposedWaiver, error) { return tx.ProposedWaiverByID(b.ctx, twin.ID) })

	// Only what is open can be dropped.
	b.update(func(tx review.Tx) error { return tx.DropProposedWaivers(b.ctx, []string{a.ID, c.ID, "x"}) })
	b.equal(open(one), []review.ProposedWaiver{})
	list := func(before string) []review.ProposedWaiver {
		return read(b, func(tx review.Tx) ([]review.ProposedWaiver, error) {
			return tx.ProposedWaiversOf(b.ctx, s.ID, review.Page{Limit: 10, Before: before})
		})
	}
	b.equal(list(""), []review.ProposedWaiver{a})
	b.equal(list(a.ID), []review.ProposedWaiver{})
	b.update(func(tx review.Tx) error { return tx.InsertProposedWaivers(b.ctx, []review.ProposedWaiver{again}) }) // asked anew
	b.equal(open(one), []review.ProposedWaiver{again})
}
