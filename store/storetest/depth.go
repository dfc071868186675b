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
	b.update(func(tx review.Tx) error { return tx.SetViewed(b.ctx, zoe.ID, k, []string{"ch_2"}, b.now()) })
	any := func(k review.ProfileKey) map[string]bool {
		return read(b, func(tx review.Tx) (map[string]bool, error) {
			return tx.ViewedByAny(b.ctx, k, []string{"ch_2", "ch_3", "ch_4"})
		})
	}
	b.equal(any(k), map[string]bool{"ch_2": true, "ch_3": true})
	b.equal(any(review.ProfileKey{ServerID: s.ID, Profile: "admin"}), map[string]bool{})
	b.update(func(tx review.Tx) error { return tx.ClearViewed(b.ctx, ada.ID, k, []string{"ch_1", "ch_9"}) })
	b.equal(seen(ada.ID, k, "ch_1", "ch_2"), map[string]bool{"ch_2": true})

	look := func(l *review.Listing) *review.Look {
		return &review.Look{UserID: ada.ID, ServerID: s.ID, Profile: "default", ListingID: l.ID, ReleaseID: r.ID, At: b.now()}
	}
	found := func(ask func(tx review.Tx) (*review.Look, error)) (got *review.Look, err error) {
		err = b.store.View(b.ctx, func(tx review.Tx) (err error) {
			got, err = ask(tx)
			return err
		})
		return got, err
	}
	last := func(tx review.Tx) (*review.Look, error) { return tx.LastLook(b.ctx, ada.ID, k) }
	before := func(head review.Revision) func(tx review.Tx) (*review.Look, error) {
		return func(tx review.Tx) (*review.Look, error) { return tx.LookBefore(b.ctx, ada.ID, k, &head) }
	}
	if _, err := found(last); review.KindOf(err) != review.NotFound {
		b.Errorf("a look before any: %v", err)
	}
	pushed := func(r *review.Release, n int, l *review.Listing) review.Revision {
		v := b.revision(r, n, l)
		b.update(func(tx review.Tx) error { return tx.InsertRevision(b.ctx, &v) })
		return v
	}
	other := b.release(s, "2", b.push(s, payload(definition("a", "of another"))))
	head := pushed(r, 2, second)
	later := b.release(s, "3", b.push(s, payload(definition("a", "later"))))
	one, two := look(first), look(second)
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, one) })
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, two) })
	got, _ := found(last)
	b.equal(got, two)
	got, _ = found(before(head)) // not the head itself
	b.equal(got, one)
	got, _ = found(before(later.Head))
	b.equal(got, two)
	if got, err := found(before(r.Head)); review.KindOf(err) != review.NotFound {
		b.Errorf("before the first push: %v, %v", got, err)
	}
	elsewhere := &review.Look{UserID: ada.ID, ServerID: s.ID, Profile: "default", ListingID: other.Head.ListingID, ReleaseID: other.ID, At: b.now()}
	after := &review.Look{UserID: ada.ID, ServerID: s.ID, Profile: "default", ListingID: later.Head.ListingID, ReleaseID: later.ID, At: b.now()}
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, elsewhere) })
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, after) })
	got, _ = found(before(head)) // of the release itself rather than newer of another, and nothing later
	b.equal(got, one)
	got, _ = found(before(later.Head))
	b.equal(got, elsewhere)
	again := look(first)
	b.update(func(tx review.Tx) error { return tx.PutLook(b.ctx, again) })
	got, _ = found(last)
	b.equal(got, again)
}

func testDrafts(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	ada, zoe := b.user("ada@example.com", "Ada"), b.user("zoe@example.com", "Zoe")
	text := "better 🙂"
	comment := review.Draft{UserID: ada.ID, ReleaseID: r.ID, Target: "thread 1", UpdatedAt: b.now(), Comment: &review.NewComment{
		Anchor: review.Anchor{Tool: "pay\x00\xed\xa0\x80", Pointer: "/\xff", Side: review.OldSide, Quote: "q\x00", Lead: "l", Tail: "t", Rule: "desc.terse"}, Body: "why?", Blocks: true, Suggest: &text,
	}}
	verdict := review.Draft{UserID: ada.ID, ReleaseID: r.ID, Target: "verdict", UpdatedAt: b.now(), Items: []review.VerdictItem{{
		Edit: "ed_1", Changes: []string{"ch_1", "ch_2"}, Verdict: review.Reject, Note: "no",
	}}}
	b.update(func(tx review.Tx) error { return tx.PutDraft(b.ctx, &comment) })
	b.update(func(tx review.Tx) error { return tx.PutDraft(b.ctx, &verdict) })
	list := func(user string) []review.Draft {
		return read(b, func(tx review.Tx) ([]review.Draft, error) { return tx.Drafts(b.ctx, user, r.ID) })
	}
	b.equal(list(ada.ID), []review.Draft{comment, verdict})
	b.equal(list(zoe.ID), []review.Draft{})
	comment.Comment.Body, comment.UpdatedAt = "how?", b.now()
	b.update(func(tx review.Tx) error { return tx.PutDraft(b.ctx, &comment) })
	b.equal(list(ada.ID), []review.Draft{verdict, comment})
	b.update(func(tx review.Tx) error { return tx.DeleteDrafts(b.ctx, zoe.ID, r.ID, []string{"verdict"}) })
	b.update(func(tx review.Tx) error { return tx.DeleteDrafts(b.ctx, ada.ID, r.ID, []string{"verdict", "nothing"}) })
	b.equal(list(ada.ID), []review.Draft{comment})

	settings := review.Draft{UserID: ada.ID, ServerID: s.ID, Target: "form policy", UpdatedAt: b.now(), Texts: []string{"days=90"}, Revision: 7}
	b.update(func(tx review.Tx) error { return tx.PutDraft(b.ctx, &settings) })
	of := func(user, server string) []review.Draft {
		return read(b, func(tx review.Tx) ([]review.Draft, error) { return tx.ServerDrafts(b.ctx, user, server) })
	}
	b.equal(of(ada.ID, s.ID), []review.Draft{settings})
	b.equal(of(zoe.ID, s.ID), []review.Draft{})
	b.equal(of(ada.ID, b.server("other").ID), []review.Draft{})
	settings.Texts, settings.Revision, settings.UpdatedAt = []string{"days=91"}, 8, b.now()
	b.update(func(tx review.Tx) error { return tx.PutDraft(b.ctx, &settings) })
	b.equal(of(ada.ID, s.ID), []review.Draft{settings})
	b.equal(list(ada.ID), []review.Draft{comment})
	b.update(func(tx review.Tx) error { return tx.DeleteServerDrafts(b.ctx, ada.ID, s.ID, []string{"thread 1"}) })
	b.update(func(tx review.Tx) error { return tx.DeleteServerDrafts(b.ctx, zoe.ID, s.ID, []string{"form policy"}) })
	b.equal(of(ada.ID, s.ID), []review.Draft{settings})
	b.update(func(tx review.Tx) error { return tx.DeleteServerDrafts(b.ctx, ada.ID, s.ID, []string{"form policy"}) })
	b.equal(of(ada.ID, s.ID), []review.Draft{})
	b.equal(list(ada.ID), []review.Draft{comment})
}

func testNotices(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	ada, zoe := b.user("ada@example.com", "Ada"), b.user("zoe@example.com", "Zoe")
	notice := func(user string, kind review.NoticeKind) review.Notice {
		return review.Notice{ID: newID(), UserID: user, ServerID: s.ID, ReleaseID: r.ID, ThreadID: "t", Kind: kind, Actor: "Rita", Text: "2 comments 🙂", At: b.now()}
	}
	first, second, hers := notice(ada.ID, review.NoticeReview), notice(ada.ID, review.NoticeMention), notice(zoe.ID, review.NoticePush)
	b.update(func(tx review.Tx) error {
		return tx.InsertNotices(b.ctx, []review.Notice{first, second, hers})
	})
	list := func(unread bool, p review.Page) []review.Notice {
		return read(b, func(tx review.Tx) ([]review.Notice, error) { return tx.Notices(b.ctx, ada.ID, unread, p) })
	}
	count := func() int {
		return read(b, func(tx review.Tx) (int, error) { return tx.CountUnread(b.ctx, ada.ID) })
	}
	review_ := func(actor string) map[string]bool {
		return read(b, func(tx review.Tx) (map[string]bool, error) {
			return tx.UnreadReview(b.ctx, []string{ada.ID, zoe.ID}, r.ID, actor)
		})
	}
	b.equal(list(false, review.Page{Limit: 10}), []review.Notice{second, first})
	b.equal(list(false, review.Page{Limit: 10, Before: second.ID}), []review.Notice{first})
	b.equal(count(), 2)
	b.equal(review_("Rita"), map[string]bool{ada.ID: true})
	b.equal(review_("Rob"), map[string]bool{})
	at := b.now()
	b.update(func(tx review.Tx) error { return tx.ReadNotices(b.ctx, ada.ID, []string{first.ID, hers.ID}, at) })
	first.ReadAt = at
	b.equal(list(true, review.Page{Limit: 10}), []review.Notice{second})
	b.equal(review_("Rita"), map[string]bool{})
	b.update(func(tx review.Tx) error { return tx.ReadNotices(b.ctx, ada.ID, nil, b.now()) })
	b.equal(count(), 0)
	b.equal(read(b, func(tx review.Tx) (int, error) { return tx.CountUnread(b.ctx, zoe.ID) }), 1)

	sub := review.Subscription{UserID: ada.ID, ServerID: s.ID, Family: "entity", At: b.now()}
	whole := review.Subscription{UserID: zoe.ID, ServerID: s.ID, At: b.now()}
	later := sub
	later.At = b.now()
	for _, x := range []review.Subscription{sub, whole, later} {
		b.update(func(tx review.Tx) error { return tx.PutSubscription(b.ctx, &x) })
	}
	to := func() []review.Subscription {
		return read(b, func(tx review.Tx) ([]review.Subscription, error) { return tx.SubscriptionsTo(b.ctx, s.ID) })
	}
	b.equal(to(), []review.Subscription{sub, whole})
	b.equal(read(b, func(tx review.Tx) ([]review.Subscription, error) { return tx.SubscriptionsOf(b.ctx, zoe.ID) }), []review.Subscription{whole})
	b.update(func(tx review.Tx) error { return tx.DeleteSubscription(b.ctx, ada.ID, s.ID, "entity") })
	b.update(func(tx review.Tx) error { return tx.DeleteSubscription(b.ctx, ada.ID, s.ID, "") })
	b.equal(to(), []review.Subscription{whole})
}

func testSuggestions(b *bench) {
	s := b.server("shop")
	r := b.release(s, "1", b.push(s, payload(definition("a", "one"))))
	ada := b.user("ada@example.com", "Ada")
	th := &review.Thread{ID: newID(), ServerID: s.ID, Profile: "default", ReleaseID: r.ID, Revision: 1, OpenedBy: ada.ID, OpenedByLabel: "Ada", OpenedAt: b.now(),
		Anchor: review.Anchor{Tool: "a", Side: review.NewSide, Quote: "one", Lead: "\x00l", Tail: "\xed\xa0\x80", Snippet: "l one t", Rule: "desc.terse"}}
	th.Comments = []review.Comment{{ID: newID(), ThreadID: th.ID, UserID: ada.ID, UserLabel: "Ada", Body: "wich?", At: b.now(),
		Suggests: &review.Suggestion{Old: "\xed\xa0\x80", New: "two 🙂"}}}
	b.update(func(tx review.Tx) error { return tx.InsertThread(b.ctx, th) })
	reply := review.Comment{ID: newID(), ThreadID: th.ID, UserID: ada.ID, UserLabel: "Ada", Body: "or", At: b.now(), Suggests: &review.Suggestion{New: ""}}
	b.update(func(tx review.Tx) error { return tx.InsertComment(b.ctx, &reply) })
	th.Comments = append(th.Comments, reply)
	get := func() *review.Thread {
		return read(b, func(tx review.Tx) (*review.Thread, error) { return tx.ThreadByID(b.ctx, th.ID) })
	}
	b.equal(get(), th)
	first := th.Comments[0].ID
	edit := review.CommentEdit{ID: newID(), CommentID: first, At: b.now(), Body: "wich?"}
	b.update(func(tx review.Tx) error { return tx.EditComment(b.ctx, &edit, "which?") })
	th.Comments[0].Body, th.Comments[0].EditedAt = "which?", edit.At
	b.equal(get(), th)
	b.equal(read(b, func(tx review.Tx) ([]review.CommentEdit, error) { return tx.CommentEdits(b.ctx, th.ID) }), []review.CommentEdit{edit})
	b.refuses(review.NotFound, func(tx review.Tx) error {
		return tx.EditComment(b.ctx, &review.CommentEdit{ID: newID(), CommentID: "x"}, "")
	})
}
