package storetest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

func testRejected(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	r, foreign := b.release(s, "1", l), b.release(other, "1", l)
	x, y, z, none := digestOf("x"), digestOf("y"), digestOf("z"), surface.Hash{}
	reject := func(r *review.Release, from, to surface.Hash) review.Verdict {
		v := b.verdict(r, "ada", from, to)
		v.Kind = review.Reject
		return v
	}
	changed, gone, revoked, elsewhere := reject(r, x, y), reject(r, x, none), reject(r, x, z), reject(foreign, y, z)
	b.update(func(tx review.Tx) error {
		if err := tx.InsertVerdicts(b.ctx, []review.Verdict{changed, gone, revoked, elsewhere, b.verdict(r, "ada", none, z)}); err != nil {
			return err
		}
		return tx.RevokeVerdicts(b.ctx, []string{revoked.ID}, b.now(), "no")
	})
	rejected := read(b, func(tx review.Tx) ([]surface.Hash, error) {
		return tx.Rejected(b.ctx, []review.ProfileKey{{ServerID: s.ID, Profile: "default"}})
	})
	text := func(h surface.Hash) string { return h.String() }
	b.equal(sorted(rejected, text), sorted([]surface.Hash{x, y}, text))
	b.equal(read(b, func(tx review.Tx) ([]surface.Hash, error) { return tx.Rejected(b.ctx, nil) }), []surface.Hash{})
}

func testOverrides(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	r, foreign := b.release(s, "1", l), b.release(other, "1", l)
	ada := b.user("ada@example.com", "Ada")
	at := b.now()
	make := func(r *review.Release, digest surface.Hash) review.Override {
		return review.Override{ID: newID(), ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ID, Digest: digest, Policy: 3,
			Requirements: []string{"approval:a", "thread:1"}, Reason: "it burns 🙂", UserID: ada.ID, UserLabel: "Ada", At: b.now(), Until: b.now()}
	}
	x, y := digestOf("x"), digestOf("y")
	first, second, elsewhere := make(r, x), make(r, y), make(foreign, x)
	b.update(func(tx review.Tx) error {
		for _, o := range []review.Override{first, second, elsewhere} {
			if err := tx.InsertOverride(b.ctx, &o); err != nil {
				return err
			}
		}
		return nil
	})
	on := func(ids []review.ProfileKey, digests ...surface.Hash) []review.Override {
		return read(b, func(tx review.Tx) ([]review.Override, error) { return tx.OverridesOn(b.ctx, ids, digests) })
	}
	shop := []review.ProfileKey{{ServerID: s.ID, Profile: "default"}}
	b.equal(on(shop, x), []review.Override{first})
	b.equal(on(shop, y, x), []review.Override{first, second})
	b.equal(on(nil, x), []review.Override{})

	end := b.now()
	b.update(func(tx review.Tx) error { return tx.EndOverrides(b.ctx, []string{first.ID}, end, "Ben") })
	b.update(func(tx review.Tx) error { return tx.EndOverrides(b.ctx, []string{first.ID}, b.now(), "Zoe") }) // stays as it ended
	first.EndedAt, first.EndedBy = end, "Ben"
	b.equal(on(shop, x), []review.Override{first})
	of := func(since time.Time) []review.Override {
		return read(b, func(tx review.Tx) ([]review.Override, error) { return tx.OverridesOfUser(b.ctx, ada.ID, since) })
	}
	b.equal(of(at), []review.Override{first, second, elsewhere})
	b.equal(of(second.At), []review.Override{second, elsewhere})
}

func testGrants(b *bench) {
	s := b.server("shop")
	ada := b.user("ada@example.com", "Ada")
	g := review.Grant{UserID: ada.ID, ServerID: s.ID, Permission: review.MayOverride, GrantedBy: "Ben", At: b.now()}
	grants := func() []review.Grant {
		return read(b, func(tx review.Tx) ([]review.Grant, error) { return tx.Grants(b.ctx, s.ID) })
	}
	b.update(func(tx review.Tx) error { return tx.PutGrant(b.ctx, &g) })
	again := g
	again.GrantedBy = "Zoe"
	b.update(func(tx review.Tx) error { return tx.PutGrant(b.ctx, &again) })
	b.equal(grants(), []review.Grant{g})
	b.update(func(tx review.Tx) error { return tx.DeleteGrant(b.ctx, &g) })
	b.equal(grants(), []review.Grant{})
}

func testAlarms(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	a := review.Alarm{ID: newID(), ServerID: s.ID, ReleaseID: r.ID, Why: "revoked", At: b.now()}
	alarms := func(ids ...string) []review.Alarm {
		return read(b, func(tx review.Tx) ([]review.Alarm, error) { return tx.Alarms(b.ctx, ids) })
	}
	b.update(func(tx review.Tx) error { return tx.InsertAlarms(b.ctx, []review.Alarm{a}) })
	b.equal(alarms(r.ID), []review.Alarm{a})
	b.equal(alarms(), []review.Alarm{})
	of := func(ids ...string) []review.Alarm {
		return read(b, func(tx review.Tx) ([]review.Alarm, error) { return tx.AlarmsOf(b.ctx, ids) })
	}
	b.equal(of(b.server("other").ID, s.ID), []review.Alarm{a})
	b.equal(of(), []review.Alarm{})
	b.update(func(tx review.Tx) error { return tx.ClearAlarms(b.ctx, r.ID, b.now(), "Ben") })
	b.equal(alarms(r.ID), []review.Alarm{})
	b.equal(of(s.ID), []review.Alarm{})
}

func testVerdictsOfUser(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	x, none := digestOf("x"), surface.Hash{}
	old, mine, revoked, other := b.verdict(r, "ada", none, x), b.verdict(r, "ada", none, x), b.verdict(r, "ada", none, x), b.verdict(r, "zoe", none, x)
	b.update(func(tx review.Tx) error {
		if err := tx.InsertVerdicts(b.ctx, []review.Verdict{other, revoked, mine, old}); err != nil {
			return err
		}
		return tx.RevokeVerdicts(b.ctx, []string{revoked.ID}, b.now(), "no")
	})
	got := read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOfUser(b.ctx, "ada", mine.At) })
	b.equal(got, []review.Verdict{mine})
}
