package storetest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
)

func testWaivers(b *bench) {
	s, other := b.server("shop"), b.server("other")
	ada, zoe := b.user("ada@example.com", "Ada"), b.user("zoe@example.com", "Zoe")
	waiver := func(s *review.Server, profile string, days int) review.Waiver {
		return review.Waiver{ID: newID(), ServerID: s.ID, Profile: profile, ReleaseID: newID(), Rule: "poison.conceal", RuleVersion: "1",
			Severity: lint.Critical, Tool: "pay\x00\xed\xa0\x80", Pointer: "/inputSchema/\xff", Fingerprint: "sha256:ab", Bound: digestOf(profile),
			Kind: lint.AcceptedRisk, Reason: "known *since* May 🙂", By: ada.ID, ByLabel: "Ada", At: b.now(), Until: b.now().AddDate(0, 0, days), Policy: 3}
	}
	long, short := waiver(s, "default", 30), waiver(s, "default", 10)
	eu, elsewhere := waiver(s, "eu", 30), waiver(other, "default", 30)
	b.update(func(tx review.Tx) error { return tx.InsertWaivers(b.ctx, []review.Waiver{long, short, eu, elsewhere}) })
	open := func(after time.Time, profiles ...review.ProfileKey) []review.Waiver {
		return read(b, func(tx review.Tx) ([]review.Waiver, error) { return tx.Waivers(b.ctx, profiles, after) })
	}
	here := review.ProfileKey{ServerID: s.ID, Profile: "default"}
	b.equal(open(b.now(), here), []review.Waiver{long, short})
	b.equal(open(short.Until, here), []review.Waiver{long}) // the end is the first moment without
	b.equal(open(b.now(), here, review.ProfileKey{ServerID: other.ID, Profile: "default"}), []review.Waiver{long, short, elsewhere})
	b.equal(open(b.now()), []review.Waiver{})

	at := b.now()
	b.update(func(tx review.Tx) error { return tx.ConfirmWaiver(b.ctx, long.ID, zoe.ID, at) })
	b.update(func(tx review.Tx) error { return tx.ConfirmWaiver(b.ctx, long.ID, ada.ID, b.now()) })
	long.ConfirmedBy, long.ConfirmedByLabel, long.ConfirmedAt = zoe.ID, "Zoe", at // the first one stays
	b.update(func(tx review.Tx) error { return tx.EndWaiver(b.ctx, short.ID, zoe.ID, at, "seen after all") })
	b.update(func(tx review.Tx) error { return tx.EndWaiver(b.ctx, short.ID, ada.ID, b.now(), "again") })
	short.EndedBy, short.EndedAt, short.EndedWhy = zoe.ID, at, "seen after all"
	b.equal(open(at, here), []review.Waiver{long})
	all := read(b, func(tx review.Tx) ([]review.Waiver, error) { return tx.WaiversOf(b.ctx, s.ID, review.Page{Limit: 10}) })
	b.equal(all, []review.Waiver{eu, short, long})
	page := read(b, func(tx review.Tx) ([]review.Waiver, error) {
		return tx.WaiversOf(b.ctx, s.ID, review.Page{Limit: 1, Before: eu.ID})
	})
	b.equal(page, []review.Waiver{short})
	b.equal(read(b, func(tx review.Tx) (*review.Waiver, error) { return tx.WaiverByID(b.ctx, long.ID) }), &long)
	missing(b, func(tx review.Tx) (*review.Waiver, error) { return tx.WaiverByID(b.ctx, "x") })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.EndWaiver(b.ctx, "x", "", at, "") })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.ConfirmWaiver(b.ctx, "x", "", at) })
}
