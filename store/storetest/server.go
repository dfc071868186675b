package storetest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

func testServers(b *bench) {
	none := read(b, func(tx review.Tx) ([]review.Server, error) { return tx.Servers(b.ctx) })
	b.equal(none, []review.Server{})
	shop, billing := b.server("shop"), b.server("billing")
	shop.CreatedBy = "" // from the shell

	byID := read(b, func(tx review.Tx) (*review.Server, error) { return tx.ServerByID(b.ctx, shop.ID) })
	bySlug := read(b, func(tx review.Tx) (*review.Server, error) { return tx.ServerBySlug(b.ctx, "billing") })
	b.equal(byID, shop)
	b.equal(bySlug, billing)
	missing(b, func(tx review.Tx) (*review.Server, error) { return tx.ServerByID(b.ctx, newID()) })
	missing(b, func(tx review.Tx) (*review.Server, error) { return tx.ServerBySlug(b.ctx, "Shop") })

	b.refuses(review.Conflict, func(tx review.Tx) error {
		return tx.InsertServer(b.ctx, &review.Server{ID: newID(), Slug: "shop"})
	})
	shop.Name, shop.Policy = "The shop", gate.Policy{Preset: gate.NotOurServer, Version: 2}
	b.update(func(tx review.Tx) error { return tx.UpdateServer(b.ctx, shop) })
	all := read(b, func(tx review.Tx) ([]review.Server, error) { return tx.Servers(b.ctx) })
	b.equal(all, []review.Server{*billing, *shop})
	b.refuses(review.NotFound, func(tx review.Tx) error {
		return tx.UpdateServer(b.ctx, &review.Server{ID: newID(), Slug: "nobody"})
	})
	b.refuses(review.Conflict, func(tx review.Tx) error {
		return tx.UpdateServer(b.ctx, &review.Server{ID: shop.ID, Slug: "billing"})
	})
}

func testSecrets(b *bench) {
	s, other := b.server("shop"), b.server("other")
	secret := func(expires time.Time) *review.ServerSecret {
		return &review.ServerSecret{ID: newID(), ServerID: s.ID, Sealed: []byte{0, 1, 0xff}, ExpiresAt: expires, CreatedAt: b.now()}
	}
	now := b.now()
	ended, ending, current := secret(now.Add(-time.Second)), secret(now.Add(time.Hour)), secret(time.Time{})
	foreign := secret(time.Time{})
	foreign.ServerID = other.ID
	b.update(func(tx review.Tx) error {
		for _, x := range []*review.ServerSecret{ended, ending, current, foreign} {
			if err := tx.InsertSecret(b.ctx, x); err != nil {
				return err
			}
		}
		return nil
	})
	accepted := func(at time.Time) []review.ServerSecret {
		return read(b, func(tx review.Tx) ([]review.ServerSecret, error) { return tx.Secrets(b.ctx, s.ID, at) })
	}
	b.equal(accepted(now), []review.ServerSecret{*current, *ending})

	end := now.Add(time.Minute) // sooner than ending's
	b.update(func(tx review.Tx) error { return tx.ExpireSecrets(b.ctx, s.ID, end) })
	current.ExpiresAt, ending.ExpiresAt = end, end
	b.equal(accepted(now), []review.ServerSecret{*current, *ending})
	b.equal(accepted(end), []review.ServerSecret{})
	b.update(func(tx review.Tx) error { return tx.ExpireSecrets(b.ctx, s.ID, end.Add(time.Hour)) })
	b.equal(accepted(end), []review.ServerSecret{}) // a later end revives nothing
	left := read(b, func(tx review.Tx) ([]review.ServerSecret, error) { return tx.Secrets(b.ctx, other.ID, end) })
	b.equal(left, []review.ServerSecret{*foreign})
}

func testProfiles(b *bench) {
	s, other := b.server("shop"), b.server("other")
	ada := b.user("ada@example.com", "Ada")
	l := b.push(s, payload(definition("a", "one")))
	b.update(func(tx review.Tx) error {
		for _, name := range []string{"readonly", "admin", "readonly"} {
			if err := tx.EnsureProfile(b.ctx, s.ID, name, b.now()); err != nil {
				return err
			}
		}
		return nil
	})
	base := &review.Baseline{ServerID: s.ID, Profile: "readonly", ListingID: l.ID, Digest: l.Surface.Digest, By: ada.ID,
		ByLabel: "Ada", At: b.now(), Acknowledged: []review.Acknowledgement{{Position: 1, Note: "known \u0000 odd"}}}
	b.update(func(tx review.Tx) error { return tx.InsertBaseline(b.ctx, base) })
	profiles := func(serverID string) []review.Profile {
		return read(b, func(tx review.Tx) ([]review.Profile, error) { return tx.Profiles(b.ctx, serverID) })
	}
	want := []review.Profile{{ServerID: s.ID, Name: "admin"}, {ServerID: s.ID, Name: "default"},
		{ServerID: s.ID, Name: "readonly", Baseline: base}}
	b.equal(profiles(s.ID), want)
	b.equal(profiles(other.ID), []review.Profile{{ServerID: other.ID, Name: "default"}})
	b.equal(len(profiles("")), 4)
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertBaseline(b.ctx, base) })
	b.refuses(review.Invalid, func(tx review.Tx) error { return tx.EnsureProfile(b.ctx, newID(), "x", b.now()) })

	nobody := *base
	nobody.Profile, nobody.By = "admin", "gone"
	b.update(func(tx review.Tx) error { return tx.InsertBaseline(b.ctx, &nobody) })
	b.equal(profiles(s.ID)[0].Baseline.ByLabel, "")
}

func testUsers(b *bench) {
	count := func() int {
		return read(b, func(tx review.Tx) (int, error) { return tx.CountUsers(b.ctx) })
	}
	b.equal(count(), 0)
	s := b.server("shop")
	zoe := &people.User{ID: newID(), Email: "zoe@example.com", Name: "Zoë", PasswordHash: "$argon2id$…", InvitedBy: "", CreatedAt: b.now(),
		Memberships: []people.Membership{{ServerID: s.ID, Role: people.Viewer}, {ServerID: "", Role: people.Reviewer}}}
	ada := &people.User{ID: newID(), Email: "Ada@Example.com", CreatedAt: b.now(), InvitedBy: zoe.ID}
	b.update(func(tx review.Tx) error {
		if err := tx.InsertUser(b.ctx, zoe); err != nil {
			return err
		}
		return tx.InsertUser(b.ctx, ada)
	})
	b.equal(count(), 2)
	all := func() []people.User {
		return read(b, func(tx review.Tx) ([]people.User, error) { return tx.Users(b.ctx) })
	}
	b.equal(all(), []people.User{*ada, *zoe})
	byEmail := read(b, func(tx review.Tx) (*people.User, error) { return tx.UserByEmail(b.ctx, "ADA@example.COM") })
	b.equal(byEmail, ada)
	missing(b, func(tx review.Tx) (*people.User, error) { return tx.UserByEmail(b.ctx, "ada") })
	missing(b, func(tx review.Tx) (*people.User, error) { return tx.UserByID(b.ctx, "ada") })
	b.refuses(review.Conflict, func(tx review.Tx) error {
		return tx.InsertUser(b.ctx, &people.User{ID: newID(), Email: "ADA@example.com"})
	})

	zoe.Memberships = []people.Membership{{ServerID: s.ID, Role: people.Admin}}
	zoe.Name, zoe.Email, zoe.DisabledAt, zoe.PasswordHash = "", "z@example.com", b.now(), "other"
	zoe.JoinedAt, zoe.InvitedBy, zoe.SecondFactorAt = b.now(), ada.ID, b.now()
	b.update(func(tx review.Tx) error { return tx.UpdateUser(b.ctx, zoe) })
	byID := read(b, func(tx review.Tx) (*people.User, error) { return tx.UserByID(b.ctx, zoe.ID) })
	b.equal(byID, zoe)
	b.equal(all(), []people.User{*ada, *zoe})
	b.refuses(review.NotFound, func(tx review.Tx) error {
		return tx.UpdateUser(b.ctx, &people.User{ID: newID(), Email: "x"})
	})
	taken := *zoe
	taken.Email = "ada@EXAMPLE.com"
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.UpdateUser(b.ctx, &taken) })
}

func testTokens(b *bench) {
	token := func(hash, user string) *people.Token {
		return &people.Token{ID: newID(), Hash: []byte(hash), Hint: "wxyz", Name: "CI", ServerID: "s", Profile: "ro", UserID: user, MadeBy: "mia",
			Scopes: []people.Scope{people.ScopePush, people.ScopeGate}, FromShell: true, CreatedAt: b.now(), ExpiresAt: b.now()}
	}
	first, second, mine := token("\x00\xff1", ""), token("\x00\xff2", "ada"), token("\x00\xff3", "ada")
	second.Scopes = nil
	b.update(func(tx review.Tx) error {
		for _, k := range []*people.Token{first, second, mine} {
			if err := tx.InsertToken(b.ctx, k); err != nil {
				return err
			}
		}
		return nil
	})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertToken(b.ctx, token("\x00\xff1", "")) })
	byHash := read(b, func(tx review.Tx) (*people.Token, error) { return tx.TokenByHash(b.ctx, first.Hash) })
	byID := read(b, func(tx review.Tx) (*people.Token, error) { return tx.TokenByID(b.ctx, second.ID) })
	b.equal(byHash, first)
	b.equal(byID, second)
	missing(b, func(tx review.Tx) (*people.Token, error) { return tx.TokenByHash(b.ctx, []byte("\x00\xff")) })
	missing(b, func(tx review.Tx) (*people.Token, error) { return tx.TokenByID(b.ctx, "x") })

	used, revoked := b.now(), b.now()
	b.update(func(tx review.Tx) error {
		if err := tx.TouchToken(b.ctx, first.ID, used); err != nil {
			return err
		}
		return tx.RevokeToken(b.ctx, second.ID, revoked)
	})
	b.update(func(tx review.Tx) error { return tx.RevokeTokensOfUser(b.ctx, "ada", b.now()) })
	first.LastUsed, second.RevokedAt, mine.RevokedAt = used, revoked, b.clock
	all := read(b, func(tx review.Tx) ([]people.Token, error) { return tx.Tokens(b.ctx) })
	b.equal(all, []people.Token{*mine, *second, *first})
	b.update(func(tx review.Tx) error { return tx.RevokeToken(b.ctx, second.ID, b.now()) })
	again := read(b, func(tx review.Tx) (*people.Token, error) { return tx.TokenByID(b.ctx, second.ID) })
	b.equal(again, second) // the first time stays
	b.update(func(tx review.Tx) error {
		n, err := tx.RevokeAllTokens(b.ctx, b.now())
		b.equal(n, 1)
		return err
	})
	first.RevokedAt = b.clock
	all = read(b, func(tx review.Tx) ([]people.Token, error) { return tx.Tokens(b.ctx) })
	b.equal(all, []people.Token{*mine, *second, *first})
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.TouchToken(b.ctx, "x", used) })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.RevokeToken(b.ctx, "x", used) })
}

func testLinks(b *bench) {
	l := &review.Link{Hash: []byte{0, 0xed, 0xa0, 0x80}, Kind: review.LinkReset, UserID: "ada", ExpiresAt: b.now()}
	b.update(func(tx review.Tx) error { return tx.InsertLink(b.ctx, l) })
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertLink(b.ctx, l) })
	get := func() *review.Link {
		return read(b, func(tx review.Tx) (*review.Link, error) { return tx.LinkByHash(b.ctx, l.Hash) })
	}
	b.equal(get(), l)
	at := b.now()
	b.update(func(tx review.Tx) error { return tx.UseLink(b.ctx, l.Hash, at) })
	l.UsedAt = at
	b.equal(get(), l)
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.UseLink(b.ctx, l.Hash, b.now()) })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.UseLink(b.ctx, []byte("x"), at) })
	missing(b, func(tx review.Tx) (*review.Link, error) { return tx.LinkByHash(b.ctx, []byte("x")) })
	b.equal(get(), l)
}

func testUnusedLinks(b *bench) {
	link := func(hash, user string, kind review.LinkKind) review.Link {
		return review.Link{Hash: []byte(hash), Kind: kind, UserID: user, ExpiresAt: b.now(), MadeBy: "ana", MadeAt: b.clock}
	}
	first, second := link("1", "zoe", review.LinkInvite), link("2", "rob", review.LinkInvite)
	other, third := link("3", "zoe", review.LinkReset), link("4", "zoe", review.LinkInvite)
	b.update(func(tx review.Tx) error {
		for _, l := range []review.Link{first, second, other, third} {
			if err := tx.InsertLink(b.ctx, &l); err != nil {
				return err
			}
		}
		return nil
	})
	unused := func(kind review.LinkKind) []review.Link {
		return read(b, func(tx review.Tx) ([]review.Link, error) { return tx.UnusedLinks(b.ctx, kind) })
	}
	b.equal(unused(review.LinkInvite), []review.Link{third, second, first})
	b.update(func(tx review.Tx) error {
		return tx.EndLinksOfUser(b.ctx, "zoe", []review.LinkKind{review.LinkInvite}, b.now())
	})
	b.equal(unused(review.LinkInvite), []review.Link{second})
	b.equal(unused(review.LinkReset), []review.Link{other})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.UseLink(b.ctx, first.Hash, b.now()) })
}

func testForgottenLinks(b *bench) {
	start := b.now()
	link := func(hash string, kind review.LinkKind, days int, used bool) *review.Link {
		l := &review.Link{Hash: []byte(hash), Kind: kind, UserID: "zoe", ExpiresAt: start.AddDate(0, 0, days)}
		if used {
			l.UsedAt = start
		}
		return l
	}
	reset, signIn, came := link("1", review.LinkReset, 1, false), link("2", review.LinkSignIn, 2, true), link("3", review.LinkInvite, 3, true)
	waits, young := link("4", review.LinkInvite, 1, false), link("5", review.LinkReset, 5, true)
	b.update(func(tx review.Tx) error {
		for _, l := range []*review.Link{young, came, waits, signIn, reset} {
			if err := tx.InsertLink(b.ctx, l); err != nil {
				return err
			}
		}
		return nil
	})
	forget := func(want int) {
		n := 0
		b.update(func(tx review.Tx) (err error) {
			n, err = tx.ForgetLinks(b.ctx, start.AddDate(0, 0, 4), 2)
			return err
		})
		b.equal(n, want)
	}
	get := func(l *review.Link) *review.Link {
		return read(b, func(tx review.Tx) (*review.Link, error) { return tx.LinkByHash(b.ctx, l.Hash) })
	}
	forget(2)
	b.equal(get(came), came) // the oldest go first
	forget(1)
	forget(0)
	for _, l := range []*review.Link{reset, signIn, came} {
		missing(b, func(tx review.Tx) (*review.Link, error) { return tx.LinkByHash(b.ctx, l.Hash) })
	}
	b.equal(get(waits), waits)
	b.equal(get(young), young)
}

func testSecondFactors(b *bench) {
	zoe := &people.User{ID: newID(), Email: "zoe@example.com", CreatedAt: b.now()}
	rob := &people.User{ID: newID(), Email: "rob@example.com", CreatedAt: b.now()}
	f := &review.SecondFactor{UserID: zoe.ID, Sealed: []byte{0, 0xff, 1}, CreatedAt: b.now()}
	b.update(func(tx review.Tx) error {
		if err := tx.InsertUser(b.ctx, zoe); err != nil {
			return err
		}
		if err := tx.InsertUser(b.ctx, rob); err != nil {
			return err
		}
		return tx.PutSecondFactor(b.ctx, f)
	})
	get := func(u *people.User) *review.SecondFactor {
		return read(b, func(tx review.Tx) (*review.SecondFactor, error) { return tx.SecondFactor(b.ctx, u.ID) })
	}
	b.equal(get(zoe), f)
	missing(b, func(tx review.Tx) (*review.SecondFactor, error) { return tx.SecondFactor(b.ctx, rob.ID) })
	f.Sealed, f.ConfirmedAt, f.LastStep = []byte("other"), b.now(), 60_000_000
	b.update(func(tx review.Tx) error { return tx.PutSecondFactor(b.ctx, f) })
	b.equal(get(zoe), f)
	use := func(step int64) func(review.Tx) error {
		return func(tx review.Tx) error { return tx.UseStep(b.ctx, zoe.ID, step) }
	}
	b.refuses(review.NotFound, use(60_000_000))
	b.update(use(60_000_001))
	b.refuses(review.NotFound, use(60_000_001))
	b.refuses(review.NotFound, use(59_999_999))

	left := func(u *people.User) int {
		return read(b, func(tx review.Tx) (int, error) { return tx.CountRecoveryCodes(b.ctx, u.ID) })
	}
	codes := [][]byte{[]byte("one"), []byte("two")}
	b.update(func(tx review.Tx) error {
		if err := tx.PutRecoveryCodes(b.ctx, rob.ID, codes[:1]); err != nil {
			return err
		}
		return tx.PutRecoveryCodes(b.ctx, zoe.ID, codes)
	})
	once := func(tx review.Tx) error { return tx.UseRecoveryCode(b.ctx, zoe.ID, codes[0], b.now()) }
	b.update(once)
	b.refuses(review.NotFound, once)
	b.equal([]int{left(zoe), left(rob)}, []int{1, 1})
	b.update(func(tx review.Tx) error { return tx.PutRecoveryCodes(b.ctx, zoe.ID, codes) }) // used ones are new again: they were made anew
	b.equal(left(zoe), 2)
	b.update(func(tx review.Tx) error { return tx.DeleteSecondFactor(b.ctx, zoe.ID) })
	missing(b, func(tx review.Tx) (*review.SecondFactor, error) { return tx.SecondFactor(b.ctx, zoe.ID) })
	b.equal([]int{left(zoe), left(rob)}, []int{0, 1})
}
