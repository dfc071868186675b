package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

func (b *bench) verdict(r *review.Release, user string, from, to surface.Hash) review.Verdict {
	return review.Verdict{ID: newID(), ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ID, Revision: 1, ChangeID: "ch_1", Edit: "ed_1",
		Subject: change.SubjectTool, Name: "pay\x00\xed\xa0\x80", From: from, To: to, Class: change.Breaking,
		Kind: review.Approve, Note: "read *all* of it 🙂", UserID: user, TokenID: "t", OwnPush: true, At: b.now()}
}

func testVerdicts(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	r, foreign := b.release(s, "1", l), b.release(other, "1", l)
	ada, zoe := b.user("ada@example.com", "Ada"), b.user("zoe@example.com", "")
	x, y, z := digestOf("x"), digestOf("y"), digestOf("z")
	added := b.verdict(r, ada.ID, surface.Hash{}, x)
	changed := b.verdict(r, zoe.ID, x, y)
	removed := b.verdict(r, "gone", y, surface.Hash{})
	elsewhere := b.verdict(foreign, ada.ID, x, y)
	b.update(func(tx review.Tx) error {
		return tx.InsertVerdicts(b.ctx, []review.Verdict{changed, removed, added, elsewhere})
	})
	b.update(func(tx review.Tx) error { return tx.InsertVerdicts(b.ctx, nil) })
	added.UserLabel, changed.UserLabel, elsewhere.UserLabel = "Ada", "zoe@example.com", "Ada"

	shop, else_ := review.ProfileKey{ServerID: s.ID, Profile: "default"}, review.ProfileKey{ServerID: other.ID, Profile: "default"}
	on := func(profiles []review.ProfileKey, digests ...surface.Hash) []review.Verdict {
		return read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOn(b.ctx, profiles, digests) })
	}
	b.equal(on([]review.ProfileKey{shop}, x), []review.Verdict{added}) // what became of x is said of y
	b.equal(on([]review.ProfileKey{shop}, y), []review.Verdict{changed, removed})
	b.equal(on([]review.ProfileKey{shop}, x, y, y, z), []review.Verdict{added, changed, removed})
	b.equal(on([]review.ProfileKey{shop, else_}, y), []review.Verdict{changed, removed, elsewhere})
	b.equal(on([]review.ProfileKey{shop}, surface.Hash{}), []review.Verdict{}) // none is no digest
	b.equal(on([]review.ProfileKey{shop}, z), []review.Verdict{})
	b.equal(on(nil, x), []review.Verdict{})
	b.equal(on([]review.ProfileKey{{ServerID: s.ID, Profile: "admin"}}, x), []review.Verdict{})

	of := read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOfRelease(b.ctx, r.ID) })
	b.equal(of, []review.Verdict{added, changed, removed})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertVerdicts(b.ctx, []review.Verdict{added}) })

	var many []review.Verdict
	digests := []surface.Hash{}
	for i := range 1200 {
		many = append(many, b.verdict(r, ada.ID, digestOf(fmt.Sprint("from", i)), digestOf(fmt.Sprint("to", i))))
		many[i].UserLabel = "Ada"
		digests = append(digests, many[i].To)
	}
	b.update(func(tx review.Tx) error { return tx.InsertVerdicts(b.ctx, many) })
	b.equal(on([]review.ProfileKey{shop}, digests...), many)
}

// testEvidence keeps what was tried with a verdict, as it came.
func testEvidence(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	ada := b.user("ada@example.com", "Ada")
	tried, bare := b.verdict(r, ada.ID, digestOf("x"), digestOf("y")), b.verdict(r, ada.ID, digestOf("x"), digestOf("z"))
	tried.UserLabel, bare.UserLabel = "Ada", "Ada"
	tried.Evidence = []gate.Trial{{Prompt: `Say "<7>" \ 🙂`, Host: "claude-code 2.1", Outcome: "Called it\nonce"}, {Prompt: "Drop all", Outcome: "Refused"}}
	b.update(func(tx review.Tx) error { return tx.InsertVerdicts(b.ctx, []review.Verdict{tried, bare}) })
	b.equal(read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOfRelease(b.ctx, r.ID) }), []review.Verdict{tried, bare})
	shop := []review.ProfileKey{{ServerID: s.ID, Profile: "default"}}
	b.equal(read(b, func(tx review.Tx) ([]review.Verdict, error) {
		return tx.VerdictsOn(b.ctx, shop, []surface.Hash{digestOf("y")})
	}), []review.Verdict{tried})
}

// testGrounds keeps on what a release stood: once, and never over.
func testGrounds(b *bench) {
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	first, second := b.release(s, "1", l), b.release(s, "2", l)
	body := []byte(`{"approvals":[{"note":"read *all* of it 🙂"}]}`)
	b.update(func(tx review.Tx) error { return tx.InsertGrounds(b.ctx, first.ID, body, true) })
	b.equal(read(b, func(tx review.Tx) ([]byte, error) { return tx.Grounds(b.ctx, first.ID) }), body)
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertGrounds(b.ctx, first.ID, []byte("{}"), false) })
	b.equal(read(b, func(tx review.Tx) ([]byte, error) { return tx.Grounds(b.ctx, first.ID) }), body)
	b.refuses(review.NotFound, func(tx review.Tx) error { _, err := tx.Grounds(b.ctx, second.ID); return err })
	b.update(func(tx review.Tx) error { return tx.InsertGrounds(b.ctx, second.ID, []byte("{}"), false) })
	b.equal(read(b, func(tx review.Tx) (map[string][]byte, error) {
		return tx.GroundsAlone(b.ctx, []string{first.ID, second.ID})
	}), map[string][]byte{first.ID: body})
}

func testVerdictMarks(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	x, none := digestOf("x"), surface.Hash{}
	approved, rejected, added, second := b.verdict(r, "ada", x, none), b.verdict(r, "ada", x, none), b.verdict(r, "ada", none, x), b.verdict(r, "zoe", x, none)
	rejected.Kind = review.Reject
	b.update(func(tx review.Tx) error {
		return tx.InsertVerdicts(b.ctx, []review.Verdict{approved, rejected, added, second})
	})
	removals := func() []review.Verdict {
		return read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.Removals(b.ctx, s.ID, "default") })
	}
	b.equal(removals(), []review.Verdict{approved, second})
	end := func(how gate.EndingKind, title string, ids ...string) review.Ending {
		e := review.Ending{Ending: gate.Ending{How: how, Title: title, Revision: 2}, ReleaseID: r.ID, At: b.now().UTC()}
		b.update(func(tx review.Tx) error { return tx.EndRemovals(b.ctx, ids, e) })
		return e
	}
	approved.Ended = []review.Ending{end(gate.EndedByPush, `1 "é"`, approved.ID, approved.ID)}
	b.equal(removals(), []review.Verdict{approved, second}) // elsewhere it may count
	approved.Ended = append(approved.Ended, end(gate.EndedByRelease, "2", approved.ID))
	approved.UsedUp = true
	b.equal(removals(), []review.Verdict{second})
	at := b.now()
	b.update(func(tx review.Tx) error { return tx.RevokeVerdicts(b.ctx, []string{second.ID}, at, "phished") })
	second.RevokedAt, second.RevokedWhy = at, "phished"
	b.equal(removals(), []review.Verdict{})
	b.update(func(tx review.Tx) error {
		return tx.RevokeVerdicts(b.ctx, []string{second.ID, added.ID}, b.now(), "later")
	})
	added.RevokedAt, added.RevokedWhy = b.clock, "later"
	all := read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOfRelease(b.ctx, r.ID) })
	b.equal(all, []review.Verdict{approved, rejected, added, second})

	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.EndRemovals(b.ctx, []string{rejected.ID, "x"}, review.Ending{}) })
	b.update(func(tx review.Tx) error {
		return tx.LiftVerdicts(b.ctx, []string{rejected.ID, second.ID}, b.now(), "zoe", "left")
	})
	lifted := rejected
	lifted.RevokedAt, lifted.RevokedWhy, lifted.LiftedBy = b.clock, "left", "zoe"
	by := func(who string, since time.Time) []review.Verdict {
		return read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.LiftedBy(b.ctx, who, since) })
	}
	b.equal(by("zoe", b.clock), []review.Verdict{lifted}) // the other was revoked before
	b.equal(by("zoe", b.clock.Add(time.Second)), []review.Verdict{})
	b.equal(by("", at), []review.Verdict{})
	b.update(func(tx review.Tx) error { return tx.RestoreVerdicts(b.ctx, []string{rejected.ID}) })
	b.equal(read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOfRelease(b.ctx, r.ID) }), all)
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.RevokeVerdicts(b.ctx, []string{rejected.ID, "x"}, at, "") })
	b.update(func(tx review.Tx) error { return tx.EndRemovals(b.ctx, nil, review.Ending{}) })
	after := read(b, func(tx review.Tx) ([]review.Verdict, error) { return tx.VerdictsOfRelease(b.ctx, r.ID) })
	b.equal(after, all)
}

func testThreads(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	r, foreign := b.release(s, "1", l), b.release(other, "1", l)
	ada := b.user("ada@example.com", "Ada")
	thread := func(r *review.Release, blocks bool) *review.Thread {
		th := &review.Thread{ID: newID(), ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ID, Revision: 1, Blocks: blocks, OpenedBy: ada.ID, OpenedByLabel: "Ada", OpenedAt: b.now(),
			Anchor: review.Anchor{Tool: "pay\x00\xed\xa0\x80", Digest: digestOf("x"), Pointer: "/a~1b/\xed\xbf\xbf", Side: review.NewSide, Quote: "the \x00 words"}}
		th.Comments = []review.Comment{{ID: newID(), ThreadID: th.ID, UserID: ada.ID, UserLabel: "Ada", Body: "why?", At: b.now()}}
		return th
	}
	first, second, elsewhere := thread(r, true), thread(r, false), thread(foreign, true)
	second.Anchor = review.Anchor{}
	b.update(func(tx review.Tx) error {
		for _, th := range []*review.Thread{first, second, elsewhere} {
			if err := tx.InsertThread(b.ctx, th); err != nil {
				return err
			}
		}
		return nil
	})
	reply := review.Comment{ID: newID(), ThreadID: first.ID, UserID: "gone", Body: "**because** 🙂\n", At: b.now()}
	b.update(func(tx review.Tx) error { return tx.InsertComment(b.ctx, &reply) })
	first.Comments = append(first.Comments, reply)
	get := func(id string) *review.Thread {
		return read(b, func(tx review.Tx) (*review.Thread, error) { return tx.ThreadByID(b.ctx, id) })
	}
	list := func(f review.ThreadFilter) []string {
		found := read(b, func(tx review.Tx) ([]review.Thread, error) { return tx.Threads(b.ctx, f) })
		return ids(found, func(t review.Thread) string { return t.ID })
	}
	b.equal(get(first.ID), first)
	b.equal(get(second.ID), second)
	missing(b, func(tx review.Tx) (*review.Thread, error) { return tx.ThreadByID(b.ctx, "x") })
	b.refuses(review.Invalid, func(tx review.Tx) error {
		return tx.InsertComment(b.ctx, &review.Comment{ID: newID(), ThreadID: "x"})
	})

	at := b.now()
	b.update(func(tx review.Tx) error { return tx.ResolveThread(b.ctx, first.ID, ada.ID, at) })
	b.update(func(tx review.Tx) error { return tx.ResolveThread(b.ctx, first.ID, "zoe", b.now()) })
	first.ResolvedBy, first.ResolvedByLabel, first.ResolvedAt = ada.ID, "Ada", at // who was first stays
	whole := read(b, func(tx review.Tx) ([]review.Thread, error) {
		return tx.Threads(b.ctx, review.ThreadFilter{ServerID: s.ID, Profile: "default"})
	})
	b.equal(whole, []review.Thread{*first, *second})
	b.equal(list(review.ThreadFilter{}), []string{first.ID, second.ID, elsewhere.ID})
	b.equal(list(review.ThreadFilter{Open: true}), []string{second.ID, elsewhere.ID})
	b.equal(list(review.ThreadFilter{Blocking: true}), []string{first.ID, elsewhere.ID})
	b.equal(list(review.ThreadFilter{Blocking: true, Open: true, ServerID: s.ID}), []string{})
	b.equal(list(review.ThreadFilter{ReleaseID: foreign.ID}), []string{elsewhere.ID})
	b.equal(list(review.ThreadFilter{Profile: "admin"}), []string{})
	b.update(func(tx review.Tx) error { return tx.ReopenThread(b.ctx, first.ID) })
	b.equal(slices.Contains(list(review.ThreadFilter{Open: true}), first.ID), true)
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.ResolveThread(b.ctx, "x", "", at) })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.ReopenThread(b.ctx, "x") })
}
