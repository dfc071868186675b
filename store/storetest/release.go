package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

func testReleases(b *bench) {
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	r := b.release(s, "1.0.0", l)
	get := func() *review.Release {
		return read(b, func(tx review.Tx) (*review.Release, error) { return tx.ReleaseByID(b.ctx, r.ID) })
	}
	b.equal(get(), r)

	r.Predecessor, r.PredecessorConfirmedBy = "0.9", "ada"
	r.ReleasedAt, r.ReleasedBy, r.ReleasedRevision, r.ReleasedBaseID = b.now(), "ada", 1, "base"
	r.WithdrawnAt, r.WithdrawnBy, r.WithdrawnReason, r.WithdrawnForCause = b.now(), "zoe", "it broke", true
	b.update(func(tx review.Tx) error { return tx.UpdateRelease(b.ctx, r) })
	b.equal(get(), r)

	second := b.revision(r, 2, l)
	b.update(func(tx review.Tx) error { return tx.InsertRevision(b.ctx, &second) })
	r.Head = second
	b.equal(get(), r)
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertRevision(b.ctx, &second) })

	missing(b, func(tx review.Tx) (*review.Release, error) { return tx.ReleaseByID(b.ctx, "x") })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.UpdateRelease(b.ctx, &review.Release{ID: "x"}) })
	b.refuses(review.Conflict, func(tx review.Tx) error {
		return tx.InsertRelease(b.ctx, &review.Release{ID: newID(), ServerID: s.ID, Profile: r.Profile, Version: "1.0.0"})
	})
	ref := &review.Release{ID: newID(), ServerID: s.ID, Profile: r.Profile, Ref: "pr-12", CreatedAt: b.now()}
	twin := &review.Release{ID: newID(), ServerID: s.ID, Profile: "admin", Version: "1.0.0", CreatedAt: b.now()}
	b.update(func(tx review.Tx) error {
		if err := tx.InsertRelease(b.ctx, ref); err != nil {
			return err
		}
		return tx.InsertRelease(b.ctx, twin)
	})
	b.refuses(review.Conflict, func(tx review.Tx) error {
		return tx.InsertRelease(b.ctx, &review.Release{ID: newID(), ServerID: s.ID, Profile: r.Profile, Ref: "pr-12"})
	})
	byRef := read(b, func(tx review.Tx) (*review.Release, error) { return tx.ReleaseByRef(b.ctx, s.ID, r.Profile, "pr-12") })
	b.equal(byRef, ref)
	for _, name := range []string{"", "1.0.0"} {
		missing(b, func(tx review.Tx) (*review.Release, error) { return tx.ReleaseByRef(b.ctx, s.ID, r.Profile, name) })
	}
	ref.Version = "1.0.0"
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.UpdateRelease(b.ctx, ref) })
}

func testReleaseLists(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	var all []review.Release
	for i := range 4 {
		r := b.release(s, fmt.Sprintf("1.%d.0", i), l)
		all = append([]review.Release{*r}, all...)
	}
	foreign := b.release(other, "1.0.0", l)
	admin := &review.Release{ID: newID(), ServerID: s.ID, Profile: "admin", Version: "9", CreatedAt: b.now()}
	b.update(func(tx review.Tx) error { return tx.InsertRelease(b.ctx, admin) })
	list := func(profile string, p review.Page) []review.Release {
		return read(b, func(tx review.Tx) ([]review.Release, error) { return tx.Releases(b.ctx, s.ID, profile, p) })
	}
	b.equal(list("default", review.Page{Limit: 9}), all)
	b.equal(list("", review.Page{Limit: 9}), append([]review.Release{*admin}, all...))
	b.equal(list("default", review.Page{Limit: 2, Before: all[0].ID}), all[1:3])
	b.equal(len(list("", review.Page{})), 1) // no limit is the least

	byID := func(r review.Release) string { return r.ID }
	some := read(b, func(tx review.Tx) ([]review.Release, error) {
		return tx.ReleasesByID(b.ctx, []string{all[2].ID, "x", foreign.ID})
	})
	b.equal(sorted(some, byID), sorted([]review.Release{all[2], *foreign}, byID))
	key := func(server *review.Server, profile, version string) review.VersionKey {
		return review.VersionKey{ProfileKey: review.ProfileKey{ServerID: server.ID, Profile: profile}, Version: version}
	}
	some = read(b, func(tx review.Tx) ([]review.Release, error) {
		return tx.ReleasesByVersion(b.ctx, []review.VersionKey{key(s, "default", "1.1.0"), key(other, "default", "1.0.0"),
			key(other, "default", "1.1.0"), key(s, "admin", "1.1.0"), key(s, "default", "")})
	})
	b.equal(sorted(some, byID), sorted([]review.Release{all[2], *foreign}, byID))
	digest := read(b, func(tx review.Tx) ([]review.Release, error) {
		return tx.ReleasesByDigest(b.ctx, s.ID, "default", l.Surface.Digest)
	})
	b.equal(digest, all)
	digest = read(b, func(tx review.Tx) ([]review.Release, error) {
		return tx.ReleasesByDigest(b.ctx, s.ID, "default", digestOf("unknown"))
	})
	b.equal(digest, []review.Release{})

	all[1].ReleasedAt, all[2].WithdrawnAt = b.now(), b.now()
	b.update(func(tx review.Tx) error {
		if err := tx.UpdateRelease(b.ctx, &all[1]); err != nil {
			return err
		}
		return tx.UpdateRelease(b.ctx, &all[2])
	})
}

// testOpenReleases: of the servers that were asked about, what nothing superseded, and
// how many there are where not all are listed.
func testOpenReleases(b *bench) {
	s, other, foreign := b.server("shop"), b.server("other"), b.server("foreign")
	l := b.push(s, payload(definition("a", "one")))
	open := func(limit int, servers ...*review.Server) (ids []string, n int) {
		var of []string
		for _, s := range servers {
			of = append(of, s.ID)
		}
		rs := read(b, func(tx review.Tx) (rs []review.Release, err error) {
			rs, n, err = tx.OpenReleases(b.ctx, of, limit)
			return rs, err
		})
		for i := range rs {
			if rs[i].Head.PushedAt.IsZero() {
				b.Errorf("%s came without its head", rs[i].Title())
			}
			ids = append(ids, rs[i].ID)
		}
		return ids, n
	}
	equal := func(ids []string, n int, want int, list ...*review.Release) {
		b.Helper()
		b.equal(n, want)
		b.equal(ids, idsOfReleases(list))
	}
	old, released, aside := b.release(s, "1", l), b.release(s, "2", l), b.release(s, "1.1", l)
	gone, theirs := b.release(s, "3", l), b.release(other, "1", l)
	for i := range 4 {
		b.release(foreign, fmt.Sprint(i), l)
	}
	newest := b.release(s, "4", l)
	ids, n := open(9, s, other)
	equal(ids, n, 6, newest, theirs, gone, aside, released, old)
	b.markWithdrawn(gone)
	b.markReleased(released)
	ids, n = open(9, s, other)
	equal(ids, n, 3, newest, theirs, aside) // old is superseded
	ids, n = open(2, s, other)
	equal(ids, n, 3, newest, theirs)
	ids, n = open(3, s, other)
	equal(ids, n, 3, newest, theirs, aside)
	aside.ReleasedAside = true
	b.markReleased(aside) // supersedes nothing
	again := b.revision(old, 2, l)
	b.update(func(tx review.Tx) error { return tx.InsertRevision(b.ctx, &again) })
	ids, n = open(1, s)
	equal(ids, n, 2, newest) // old was pushed to since
	newest.ReleasedOverride = "o"
	b.markReleased(newest)
	ids, n = open(9, s, other)
	equal(ids, n, 2, theirs, old)
	ids, n = open(9)
	equal(ids, n, 0)
}

func idsOfReleases(list []*review.Release) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

// testManyOpenReleases: however many releases there are, none is left out.
func testManyOpenReleases(b *bench) {
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	first := b.release(s, "first", l)
	for i := range 510 {
		b.release(s, fmt.Sprint(i), l)
	}
	all := func(profile string) []review.Release {
		return read(b, func(tx review.Tx) ([]review.Release, error) { return tx.OpenReleasesOf(b.ctx, s.ID, profile) })
	}
	if got := all(""); len(got) != 511 || got[510].ID != first.ID {
		b.Errorf("%d releases are open", len(got))
	}
	b.markReleased(first)
	if got := all("default"); len(got) != 510 {
		b.Errorf("%d releases are open once one is released", len(got))
	}
	b.equal(len(all("admin")), 0)
}

func testNewestReleases(b *bench) {
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	key := review.ProfileKey{ServerID: s.ID, Profile: "default"}
	newest := func() map[review.ProfileKey]review.Release {
		return read(b, func(tx review.Tx) (map[review.ProfileKey]review.Release, error) {
			return tx.NewestReleases(b.ctx, []review.ProfileKey{key, {ServerID: s.ID, Profile: "admin"}})
		})
	}
	b.equal(newest(), map[review.ProfileKey]review.Release{})
	first, second := b.release(s, "1", l), b.release(s, "2", l)
	b.equal(newest(), map[review.ProfileKey]review.Release{key: *second})
	b.markWithdrawn(second)
	b.equal(newest(), map[review.ProfileKey]review.Release{key: *first})
	b.markWithdrawn(first)
	b.equal(newest(), map[review.ProfileKey]review.Release{key: *second})
}

// markReleased releases r without its subjects.
func (b *bench) markReleased(r *review.Release) {
	b.Helper()
	r.ReleasedAt, r.ReleasedRevision = b.now(), 1
	b.update(func(tx review.Tx) error { return tx.UpdateRelease(b.ctx, r) })
}

func (b *bench) markWithdrawn(r *review.Release) {
	b.Helper()
	r.WithdrawnAt = b.now()
	b.update(func(tx review.Tx) error { return tx.UpdateRelease(b.ctx, r) })
}

func testLastReleased(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	first, second, third := b.release(s, "1", l), b.release(s, "2", l), b.release(s, "3", l)
	foreign := b.release(other, "7", l)
	shop, else_ := review.ProfileKey{ServerID: s.ID, Profile: "default"}, review.ProfileKey{ServerID: other.ID, Profile: "default"}
	last := func() map[review.ProfileKey]review.Line {
		return read(b, func(tx review.Tx) (map[review.ProfileKey]review.Line, error) {
			return tx.LastReleased(b.ctx, []review.ProfileKey{shop, else_, {ServerID: s.ID, Profile: "admin"}})
		})
	}
	at := func(r *review.Release) review.Line { return review.Line{Base: r, Newest: r} }
	b.equal(last(), map[review.ProfileKey]review.Line{})
	b.markReleased(second)
	b.markReleased(first) // an older version, released later
	b.equal(last(), map[review.ProfileKey]review.Line{shop: at(first)})
	b.markReleased(foreign)
	b.equal(last(), map[review.ProfileKey]review.Line{shop: at(first), else_: at(foreign)})
	b.markWithdrawn(first)
	b.equal(last(), map[review.ProfileKey]review.Line{shop: at(second), else_: at(foreign)})
	b.markWithdrawn(third) // never released
	b.equal(last()[shop], at(second))
	forced, aside := b.release(s, "4", l), b.release(s, "1.1", l)
	forced.ReleasedOverride, aside.ReleasedAside = "o", true
	b.markReleased(forced)
	b.markReleased(aside) // moves nothing
	b.equal(last()[shop], review.Line{Base: second, Newest: forced})
	b.markWithdrawn(second)
	b.equal(last()[shop], review.Line{Newest: forced})
	fifth := b.release(s, "5", l)
	b.markReleased(fifth)
	b.equal(last()[shop], at(fifth))
	none := read(b, func(tx review.Tx) (map[review.ProfileKey]review.Line, error) { return tx.LastReleased(b.ctx, nil) })
	b.equal(none, map[review.ProfileKey]review.Line{})
}

func testCountOpenReleases(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	count := func() int {
		return read(b, func(tx review.Tx) (int, error) { return tx.CountOpenReleases(b.ctx, s.ID) })
	}
	b.equal(count(), 0)
	old, released := b.release(s, "1", l), b.release(s, "2", l)
	b.release(other, "1", l)
	b.equal(count(), 2)
	b.markReleased(released)
	b.equal(count(), 0) // old is superseded
	again := b.revision(old, 2, l)
	b.update(func(tx review.Tx) error { return tx.InsertRevision(b.ctx, &again) })
	b.equal(count(), 1) // pushed to since
	gone := b.release(s, "3", l)
	b.equal(count(), 2)
	b.markWithdrawn(gone)
	b.equal(count(), 1)
	b.markWithdrawn(released) // no longer the last released
	b.equal(count(), 1)
}

// testCountSuperseded: when it was pushed says what a release supersedes, not when it was
// released.
func testCountSuperseded(b *bench) {
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	count := func() int {
		return read(b, func(tx review.Tx) (int, error) { return tx.CountOpenReleases(b.ctx, s.ID) })
	}
	first, forced, aside := b.release(s, "1", l), b.release(s, "2", l), b.release(s, "1.1", l)
	b.release(s, "3", l)
	b.equal(count(), 4)
	b.markReleased(first) // after all the others were pushed
	b.equal(count(), 3)
	aside.ReleasedAside = true
	b.markReleased(aside) // supersedes nothing, and 2 was pushed before it
	b.equal(count(), 2)
	fourth := b.release(s, "4", l)
	b.release(s, "5", l)
	b.markReleased(fourth)
	b.equal(count(), 1)
	forced.ReleasedOverride = "o"
	b.markReleased(forced) // last, though 4 was pushed after it
	b.equal(count(), 1)
	sixth := b.release(s, "6", l)
	b.release(s, "7", l)
	sixth.ReleasedOverride = "o"
	b.markReleased(sixth) // is no base and went out
	b.equal(count(), 1)
}

func testRevisions(b *bench) {
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	r, other := b.release(s, "1", l), b.release(s, "2", l)
	second := b.revision(r, 2, l)
	b.update(func(tx review.Tx) error { return tx.InsertRevision(b.ctx, &second) })
	get := func(ids ...string) []review.Revision {
		return read(b, func(tx review.Tx) ([]review.Revision, error) { return tx.Revisions(b.ctx, ids) })
	}
	b.equal(get(r.ID), []review.Revision{second, r.Head})
	b.equal(get(other.ID, r.ID, "x"), []review.Revision{second, other.Head, r.Head})
	b.equal(get(), []review.Revision{})
	b.refuses(review.Invalid, func(tx review.Tx) error {
		return tx.InsertRevision(b.ctx, &review.Revision{N: 1, ReleaseID: "x", ListingID: l.ID})
	})
}

func toolKey(name, text string) review.SubjectKey {
	return review.SubjectKey{Subject: change.SubjectTool, Name: name, Digest: digestOf(text)}
}

// releaseWith makes, releases and records a release of the subjects.
func (b *bench) releaseWith(s *review.Server, version string, l *review.Listing, keys ...review.SubjectKey) *review.Release {
	b.Helper()
	r := b.release(s, version, l)
	b.markReleased(r)
	b.update(func(tx review.Tx) error { return tx.InsertReleased(b.ctx, s.ID, r.Profile, r.ID, keys) })
	return r
}

func (b *bench) released(profiles []review.ProfileKey, digests ...surface.Hash) []review.ReleasedSubject {
	b.Helper()
	found := read(b, func(tx review.Tx) ([]review.ReleasedSubject, error) { return tx.Released(b.ctx, profiles, digests) })
	holders := read(b, func(tx review.Tx) ([]string, error) { return tx.Holders(b.ctx, profiles, digests) })
	for _, f := range found {
		if !slices.Contains(holders, f.ReleaseID) {
			b.Errorf("%s is no holder, of %q", f.Title, holders)
		}
	}
	slices.SortFunc(found, func(x, y review.ReleasedSubject) int {
		return cmp.Or(cmp.Compare(x.ServerID, y.ServerID), cmp.Compare(x.Profile, y.Profile), cmp.Compare(x.Subject, y.Subject),
			cmp.Compare(x.Name, y.Name), cmp.Compare(x.Digest.String(), y.Digest.String()))
	})
	return found
}

func testReleased(b *bench) {
	s, other := b.server("shop"), b.server("other")
	l := b.push(s, payload(definition("a", "one")))
	shop, else_ := review.ProfileKey{ServerID: s.ID, Profile: "default"}, review.ProfileKey{ServerID: other.ID, Profile: "default"}
	odd := toolKey("pay\x00\xed\xa0\x80", "text")
	same := toolKey("payx", "text") // another subject with the same digest
	text := review.SubjectKey{Subject: change.SubjectInstructions, Digest: digestOf("instructions")}
	kept := toolKey("kept", "kept")
	stands := func(p review.ProfileKey, k review.SubjectKey, r *review.Release) review.ReleasedSubject {
		return review.ReleasedSubject{ProfileKey: p, SubjectKey: k, ReleaseID: r.ID, Title: r.Version}
	}
	all := []surface.Hash{odd.Digest, text.Digest, kept.Digest, digestOf("unknown"), {}}
	b.equal(b.released([]review.ProfileKey{shop}, all...), []review.ReleasedSubject{})

	first := b.releaseWith(s, "1", l, odd, text, kept)
	b.equal(b.released([]review.ProfileKey{shop, else_}, all...), []review.ReleasedSubject{stands(shop, text, first), stands(shop, kept, first), stands(shop, odd, first)})
	second := b.releaseWith(s, "2", l, same, kept)
	foreign := b.releaseWith(other, "3", l, kept)
	b.equal(b.released([]review.ProfileKey{shop}, all...), []review.ReleasedSubject{
		stands(shop, text, first), stands(shop, kept, second), stands(shop, odd, first), stands(shop, same, second)})
	both := b.released([]review.ProfileKey{shop, else_}, kept.Digest)
	b.equal(sorted(both, func(r review.ReleasedSubject) string { return r.Title }),
		[]review.ReleasedSubject{stands(shop, kept, second), stands(else_, kept, foreign)})

	third := b.releaseWith(s, "3", l, odd, kept) // odd is back
	b.equal(b.released([]review.ProfileKey{shop}, odd.Digest), []review.ReleasedSubject{stands(shop, odd, third), stands(shop, same, second)})
	b.markWithdrawn(third)
	b.equal(b.released([]review.ProfileKey{shop}, odd.Digest, kept.Digest), []review.ReleasedSubject{
		stands(shop, kept, second), stands(shop, odd, first), stands(shop, same, second)})
	b.markWithdrawn(first)
	b.equal(b.released([]review.ProfileKey{shop}, all...), []review.ReleasedSubject{stands(shop, kept, second), stands(shop, same, second)})
	b.markWithdrawn(second)
	b.equal(b.released([]review.ProfileKey{shop}, all...), []review.ReleasedSubject{})
	b.equal(b.released(nil, all...), []review.ReleasedSubject{})
	b.equal(b.released([]review.ProfileKey{shop}), []review.ReleasedSubject{})
}

// testReleasedModel compares random histories with sets that are kept whole.
func testReleasedModel(b *bench) {
	random := rand.New(rand.NewPCG(1, 2))
	s := b.server("shop")
	l := b.push(s, payload(definition("a", "one")))
	shop := review.ProfileKey{ServerID: s.ID, Profile: "default"}
	var keys []review.SubjectKey
	for i := range 12 {
		keys = append(keys, toolKey(fmt.Sprint("t", i/2), fmt.Sprint(i)))
	}
	type past struct {
		release *review.Release
		holds   map[review.SubjectKey]bool
	}
	var history []past
	for i := range 25 {
		p := past{holds: map[review.SubjectKey]bool{}}
		var subjects []review.SubjectKey
		for _, k := range keys {
			if random.IntN(3) > 0 {
				p.holds[k] = true
				subjects = append(subjects, k)
			}
		}
		p.release = b.releaseWith(s, fmt.Sprint(i), l, subjects...)
		history = append(history, p)
		if old := history[random.IntN(len(history))].release; random.IntN(3) == 0 && old.WithdrawnAt.IsZero() {
			b.markWithdrawn(old)
		}
		want := map[review.SubjectKey]string{}
		for _, h := range history {
			for k := range h.holds {
				if h.release.WithdrawnAt.IsZero() {
					want[k] = h.release.Version
				}
			}
		}
		var digests []surface.Hash
		for _, k := range keys {
			digests = append(digests, k.Digest)
		}
		got := map[review.SubjectKey]string{}
		for _, r := range b.released([]review.ProfileKey{shop}, digests...) {
			got[r.SubjectKey] = r.Title
		}
		b.equal(got, want)
	}
}
