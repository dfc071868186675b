package storetest

import (
	"github.com/countersign/countersign/review"
)

func testCaptures(b *bench) {
	s, other := b.server("shop"), b.server("other")
	ada := b.user("ada@example.com", "Ada")
	capture := func(s *review.Server, doubt bool) review.Capture {
		l := b.push(s, []byte(`{"tools":[]}`))
		return review.Capture{ID: newID(), ServerID: s.ID, ListingID: l.ID, Host: "codex", Version: "0.1", Variant: "plain", Doubt: doubt,
			Body: []byte("a\x00\xff"), By: ada.ID, ByLabel: "Ada", At: b.now()}
	}
	one, two, elsewhere := capture(s, false), capture(s, true), capture(other, false)
	two.By, two.ByLabel = "", "nightly CI" // a machine
	for _, c := range []review.Capture{one, two, elsewhere} {
		b.update(func(tx review.Tx) error { return tx.InsertCapture(b.ctx, &c) })
	}
	list := func(p review.Page) []review.Capture {
		return read(b, func(tx review.Tx) ([]review.Capture, error) { return tx.Captures(b.ctx, s.ID, p) })
	}
	b.equal(list(review.Page{Limit: 10}), []review.Capture{two, one})
	b.equal(list(review.Page{Limit: 10, Before: two.ID}), []review.Capture{one})
}
