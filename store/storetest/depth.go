package storetest

import (
	"time"

	"github.com/countersign/countersign/review"
)

func testNamings(b *bench) {
	s, other := b.server("shop"), b.server("other")
	ada := b.user("ada@example.com", "Ada")
	naming := func(s *review.Server, kind review.NamingKind, old string) *review.Naming {
		return &review.Naming{ID: newID(), ServerID: s.ID, Profile: "default", Kind: kind, Old: old, New: "pay\x00\xed\xa0\x80",
			Note: "until *all* clients moved 🙂", By: ada.ID, ByLabel: "Ada", At: b.now(), Until: b.now()}
	}
	alias, pairing, elsewhere := naming(s, review.Alias, "\xff"), naming(s, review.Pairing, "old"), naming(other, review.Alias, "old")
	pairing.Until, pairing.By, pairing.ByLabel = time.Time{}, "", ""
	b.update(func(tx review.Tx) error {
		for _, n := range []*review.Naming{alias, pairing, elsewhere} {
			if err := tx.InsertNaming(b.ctx, n); err != nil {
				return err
			}
		}
		return nil
	})
	list := func(id string) []review.Naming {
		return read(b, func(tx review.Tx) ([]review.Naming, error) { return tx.Namings(b.ctx, id) })
	}
	b.equal(list(s.ID), []review.Naming{*alias, *pairing})
	b.equal(list(""), []review.Naming{*alias, *pairing, *elsewhere})
	b.equal(list("nothing"), []review.Naming{})
	at := b.now()
	b.update(func(tx review.Tx) error { return tx.EndNaming(b.ctx, alias.ID, "zoe", at) })
	b.update(func(tx review.Tx) error { return tx.EndNaming(b.ctx, alias.ID, ada.ID, b.now()) })
	alias.EndedBy, alias.EndedAt = "zoe", at // the first end stays
	got := read(b, func(tx review.Tx) (*review.Naming, error) { return tx.NamingByID(b.ctx, alias.ID) })
	b.equal(got, alias)
	missing(b, func(tx review.Tx) (*review.Naming, error) { return tx.NamingByID(b.ctx, "x") })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.EndNaming(b.ctx, "x", "", at) })
}

func testViewed(b *bench) {
	s := b.server("shop")
	ada, zoe := b.user("ada@example.com", "Ada"), b.user("zoe@example.com", "Zoe")
	first, second := b.push(s, payload(definition("a", "one"))), b.push(s, payload(definition("a", "two")))
	r := b.release(s, "1", first)
	k := review.ProfileKey{ServerID: s.ID, Profile: "default"}
	seen := func(user string, k review.ProfileKey, changes ...string) map[string]bool {
		return read(b, func(tx review.Tx) (map[string]bool, error) { return tx.Viewed(b.ctx, user, k, changes) })
	}
	b.update(func(tx review.Tx) error { return tx.SetViewed(b.ctx, ada.ID, k, []string{"ch_1", "ch_2"}, b.now()) })
	b.update(func(tx review.Tx) error { return tx.SetViewed(b.ctx, ada.ID, k, []string{"ch_2", "ch_3"}, b.now()) })
	b.equal(seen(ada.ID, k, "ch_1", "ch_3", "ch_4"), map[string]bool{"ch_1": true, "ch_3": true})
	b.equal(seen(zoe.ID, k, "ch_1"), map[string]bool{})
	b.equal(seen(ada.ID, review.ProfileKey{ServerID: s.ID, Profile: "admin"}, "ch_1"), map[string]bool{})
	b.update(func(tx review.Tx) error { return tx.ClearViewed(b.ctx, ada.ID, k, []string{"ch_1", "ch_9"}) })
	b.equal(seen(ada.ID, k, "ch_1", "ch_2"), map[string]bool{"ch_2": true})

	look := func(l *review.Listing) *review.Look {
		return &review.Look{UserID: ada.ID, ServerID: s.ID, Profile: "default", ListingID: l.ID, ReleaseID: r.ID, At: b.now()}
	}
	last := func(but string) (*review.Look, error) {
		var got *review.Look
		err := b.store.View(b.ctx, func(tx review.Tx) (err error) {
			got, err = tx.LastLook(b.ctx, ada.ID, k, but)
			return err
		})
		return got, err
	}
	if _, err := last(""); review.KindOf(err) != review.NotFound {
		b.Errorf("a look before any: %v", err)
	}
	one, two := look(first), look(second)
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, one) })
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, two) })
	got, _ := last("")
	b.equal(got, two)
	got, _ = last(second.ID)
	b.equal(got, one)
	again := look(first)
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, again) })
	got, _ = last("")
	b.equal(got, again)
}
