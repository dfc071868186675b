package storetest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

func testEndpoints(b *bench) {
	s, other := b.server("shop"), b.server("other")
	made := func(s *review.Server, name string) *review.Endpoint {
		return &review.Endpoint{ID: newID(), ServerID: s.ID, Profile: "default", Name: name, URL: "https://" + name + ".example/mcp", Every: time.Hour, At: b.now()}
	}
	start := b.now()
	eu, us, far := made(s, "eu"), made(s, "us"), made(other, "eu")
	us.Headers, us.Sealed, us.By = []string{"Authorization", "X-Ключ"}, []byte{0, 1, 255}, newID()
	b.update(func(tx review.Tx) error {
		for i, e := range []*review.Endpoint{us, eu, far} {
			if err := tx.InsertEndpoint(b.ctx, e, start.Add(time.Duration(i)*time.Minute)); err != nil {
				return err
			}
		}
		return nil
	})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertEndpoint(b.ctx, made(s, "eu"), start) })
	list := func(ids []string) []review.Endpoint {
		return read(b, func(tx review.Tx) ([]review.Endpoint, error) { return tx.Endpoints(b.ctx, ids) })
	}
	b.equal(list([]string{s.ID}), []review.Endpoint{*eu, *us})
	b.equal(list([]string{}), []review.Endpoint{})
	b.equal(len(list(nil)), 3)
	b.equal(read(b, func(tx review.Tx) (*review.Endpoint, error) { return tx.EndpointByID(b.ctx, us.ID) }), us)
	missing(b, func(tx review.Tx) (*review.Endpoint, error) { return tx.EndpointByID(b.ctx, "x") })
	b.equal(read(b, func(tx review.Tx) ([]review.Sealed, error) { return tx.SealedHeaders(b.ctx) }), []review.Sealed{{ID: us.ID, Owner: us.ID, Sealed: us.Sealed}})
	b.update(func(tx review.Tx) error { return tx.ResealHeaders(b.ctx, us.ID, []byte{7}) })
	us.Sealed = []byte{7}
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.ResealHeaders(b.ctx, "x", []byte{7}) })

	// Whose turn came first is read first, by one reader.
	claim := func(name string, at time.Time) string {
		id := ""
		err := b.try(func(tx review.Tx) (err error) {
			id, err = tx.ClaimEndpoint(b.ctx, name, at, at.Add(time.Minute))
			return err
		})
		if err != nil {
			b.wantKind(err, review.NotFound)
			return ""
		}
		return id
	}
	b.equal(claim("a", start), us.ID)
	b.equal(claim("b", start), "")
	b.equal(claim("b", start.Add(59*time.Second)), "")
	b.equal(claim("c", start.Add(time.Minute)), us.ID) // the claim ran out
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.EndTurn(b.ctx, us.ID, "a", review.Turn{Next: start}) })
	turn := review.Turn{Next: start.Add(time.Hour), Tried: start.Add(time.Minute), Failures: 3}
	b.update(func(tx review.Tx) error { return tx.EndTurn(b.ctx, us.ID, "c", turn) })
	b.equal(claim("d", start.Add(90*time.Second)), eu.ID)
	turns := read(b, func(tx review.Tx) (map[string]review.Turn, error) { return tx.Turns(b.ctx, []string{us.ID, "x"}) })
	b.equal(turns, map[string]review.Turn{us.ID: turn})

	// One is taken out of its turn, but not while it is read or just was.
	take := func(id string, at, since time.Time) error {
		return b.try(func(tx review.Tx) error { return tx.ClaimOne(b.ctx, id, "me", at, at.Add(time.Minute), since) })
	}
	later := start.Add(2 * time.Minute)
	b.wantKind(take(us.ID, later, start), review.Conflict)
	b.wantKind(take("x", later, later), review.Conflict)
	b.equal(take(us.ID, later, later), nil)
	b.wantKind(take(us.ID, later, later), review.Conflict)

	// What it becomes ends the reading of what it was.
	us.Name, us.URL, us.Profile, us.Every, us.Headers, us.Sealed = "US 2", "https://us2.example", "lite", 5*time.Minute, nil, nil
	b.update(func(tx review.Tx) error { return tx.UpdateEndpoint(b.ctx, us, later) })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.EndTurn(b.ctx, us.ID, "me", turn) })
	b.equal(list([]string{s.ID}), []review.Endpoint{*us, *eu})
	taken := *us
	taken.Name = "eu"
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.UpdateEndpoint(b.ctx, &taken, later) })
	gone := *us
	gone.ID = "x"
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.UpdateEndpoint(b.ctx, &gone, later) })
	b.equal(read(b, func(tx review.Tx) ([]review.Sealed, error) { return tx.SealedHeaders(b.ctx) }), []review.Sealed{})

	b.update(func(tx review.Tx) error { return tx.DeleteEndpoint(b.ctx, eu.ID) })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.DeleteEndpoint(b.ctx, eu.ID) })
	b.equal(len(list(nil)), 2)
}

func testLiveReadings(b *bench) {
	s := b.server("shop")
	one, two := b.endpoint(s, "eu"), b.endpoint(s, "us")
	reading := func(e *review.Endpoint, state review.LiveState) review.Reading {
		at := b.now()
		return review.Reading{ID: newID(), EndpointID: e.ID, ServerID: s.ID, State: state, Digest: digestOf("d"), Set: digestOf("s"), Order: digestOf("o"),
			Tools: 7, Complete: true, Unstable: true, ReleaseID: "r", DriftID: "", Why: "It runs `1`. 🙂", FirstAt: at, LastAt: at, Times: 1}
	}
	first, second, third, other := reading(one, review.LiveSame), reading(one, review.LiveUnread), reading(one, review.LiveSame), reading(two, review.LiveOlder)
	second.Digest, second.Set, second.Order, second.Complete = surface.Hash{}, surface.Hash{}, surface.Hash{}, false
	b.update(func(tx review.Tx) error {
		for _, r := range []*review.Reading{&first, &second, &other, &third} {
			if err := tx.InsertReading(b.ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	third.Why, third.LastAt, third.Times = "Again.", b.now(), 2
	b.update(func(tx review.Tx) error { return tx.ExtendReading(b.ctx, &third) })
	last := read(b, func(tx review.Tx) (map[string]review.Reading, error) {
		return tx.LastReadings(b.ctx, []string{one.ID, two.ID, "x"})
	})
	b.equal(last, map[string]review.Reading{one.ID: third, two.ID: other})
	list := func() []review.Reading {
		return read(b, func(tx review.Tx) ([]review.Reading, error) { return tx.Readings(b.ctx, one.ID) })
	}
	b.equal(list(), []review.Reading{third, second, first})
	b.update(func(tx review.Tx) error { return tx.TrimReadings(b.ctx, one.ID, 2) })
	b.equal(list(), []review.Reading{third, second})
	b.update(func(tx review.Tx) error { return tx.ForgetReadings(b.ctx, one.ID) })
	b.equal(list(), []review.Reading{})
	b.equal(len(read(b, func(tx review.Tx) (map[string]review.Reading, error) { return tx.LastReadings(b.ctx, []string{two.ID}) })), 1)
}

func testDrifts(b *bench) {
	s, other := b.server("shop"), b.server("other")
	ada := b.user("ada@example.com", "Ada")
	eu, us, far := b.endpoint(s, "eu"), b.endpoint(s, "us"), b.endpoint(other, "eu")
	drift := func(e *review.Endpoint, weight string) review.Drift {
		at := b.now()
		return review.Drift{ID: newID(), EndpointID: e.ID, ServerID: e.ServerID, Profile: "default", Weight: digestOf(weight), Level: review.DriftHigh, State: review.LiveDiffers,
			Digest: digestOf("d"), ListingID: "l", ReleaseID: "r", Why: "`x` was never released.", Since: at, LastAt: at, Times: 1, Variants: 1,
			Findings: []review.DriftFinding{{Rule: "poison.conceal", Severity: lint.High, Tool: "x", Message: "It hides."}}}
	}
	a, c, d, e := drift(eu, "a"), drift(eu, "c"), drift(us, "a"), drift(far, "a")
	put := func(ds ...*review.Drift) {
		b.update(func(tx review.Tx) error {
			for _, d := range ds {
				if err := tx.PutDrift(b.ctx, d); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(&a, &c, &d, &e)
	again := drift(eu, "a")
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.PutDrift(b.ctx, &again) })
	list := func(f review.DriftFilter) []review.Drift {
		return read(b, func(tx review.Tx) ([]review.Drift, error) { return tx.Drifts(b.ctx, f) })
	}
	b.equal(list(review.DriftFilter{ServerIDs: []string{s.ID}}), []review.Drift{d, c, a})
	b.equal(list(review.DriftFilter{EndpointID: eu.ID}), []review.Drift{c, a})
	b.equal(list(review.DriftFilter{ServerIDs: []string{}}), []review.Drift{})
	b.equal(len(list(review.DriftFilter{Open: true})), 4)
	a.EndedAt, a.EndedWhy, a.Times, a.Variants, a.Why, a.Digest, a.Findings = b.now(), "It runs `1`.", 5, 2, "Other.", digestOf("e"), nil
	put(&a)
	b.equal(list(review.DriftFilter{EndpointID: eu.ID, Open: true}), []review.Drift{c})
	b.equal(read(b, func(tx review.Tx) (*review.Drift, error) { return tx.DriftByID(b.ctx, a.ID) }), &a)
	missing(b, func(tx review.Tx) (*review.Drift, error) { return tx.DriftByID(b.ctx, "x") })
	b.update(func(tx review.Tx) error { return tx.TrimDrifts(b.ctx, eu.ID, 0) }) // what goes on stays
	b.equal(list(review.DriftFilter{EndpointID: eu.ID}), []review.Drift{c})

	known := review.KnownDrift{ID: newID(), ServerID: s.ID, EndpointID: eu.ID, Digest: digestOf("d"), By: ada.ID, ByLabel: "Ada", Reason: "The beta.", At: b.now(), Until: b.now().Add(time.Hour)}
	b.update(func(tx review.Tx) error { return tx.InsertKnownDrift(b.ctx, &known) })
	holds := func(ids []string, at time.Time) []review.KnownDrift {
		return read(b, func(tx review.Tx) ([]review.KnownDrift, error) { return tx.KnownDrifts(b.ctx, ids, at) })
	}
	b.equal(holds([]string{s.ID}, b.now()), []review.KnownDrift{known})
	b.equal(holds(nil, b.now()), []review.KnownDrift{known})
	b.equal(holds([]string{other.ID}, b.now()), []review.KnownDrift{})
	b.equal(holds(nil, known.Until), []review.KnownDrift{})
	b.update(func(tx review.Tx) error { return tx.EndKnownDrift(b.ctx, known.ID, ada.ID, b.now()) })
	b.equal(holds(nil, b.now()), []review.KnownDrift{})
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.EndKnownDrift(b.ctx, known.ID, ada.ID, b.now()) })

	// Unread notices go with their endpoint; those that were read stay.
	notice := func(endpointID string) review.Notice {
		return review.Notice{ID: newID(), UserID: ada.ID, ServerID: s.ID, EndpointID: endpointID, Kind: review.NoticeDrift, Actor: "eu", Text: "runs something", At: b.now()}
	}
	n1, n2, n3, n4 := notice(eu.ID), notice(eu.ID), notice(us.ID), notice("")
	b.update(func(tx review.Tx) error { return tx.InsertNotices(b.ctx, []review.Notice{n1, n2, n3, n4}) })
	unread := func(id string) []review.Notice {
		return read(b, func(tx review.Tx) ([]review.Notice, error) { return tx.UnreadOfEndpoint(b.ctx, id) })
	}
	b.equal(unread(eu.ID), []review.Notice{n1, n2})
	b.equal(unread(""), []review.Notice{})
	b.update(func(tx review.Tx) error { return tx.ReadNotices(b.ctx, ada.ID, []string{n1.ID}, b.now()) })
	b.equal(unread(eu.ID), []review.Notice{n2})
	b.update(func(tx review.Tx) error { return tx.DeleteNotices(b.ctx, []string{n3.ID}) })
	b.equal(unread(us.ID), []review.Notice{})
	b.update(func(tx review.Tx) error { return tx.DeleteEndpoint(b.ctx, eu.ID) })
	b.equal(unread(eu.ID), []review.Notice{})
	b.equal(len(read(b, func(tx review.Tx) ([]review.Notice, error) {
		return tx.Notices(b.ctx, ada.ID, false, review.Page{Limit: 10})
	})), 2)
}

// endpoint inserts one.
func (b *bench) endpoint(s *review.Server, name string) *review.Endpoint {
	b.Helper()
	e := &review.Endpoint{ID: newID(), ServerID: s.ID, Profile: "default", Name: name, URL: "https://x.example", Every: time.Hour, At: b.now()}
	b.update(func(tx review.Tx) error { return tx.InsertEndpoint(b.ctx, e, b.now()) })
	return e
}
