package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

func (b *bench) slugs() []string {
	b.Helper()
	all := read(b, func(tx review.Tx) ([]review.Server, error) { return tx.Servers(b.ctx) })
	return ids(all, func(s review.Server) string { return s.Slug })
}

func insertServer(ctx context.Context, tx review.Tx, slug string) error {
	return tx.InsertServer(ctx, &review.Server{ID: newID(), Slug: slug})
}

func testTransactions(b *bench) {
	if err := b.store.Ping(b.ctx); err != nil {
		b.Errorf("ping: %v", err)
	}
	ours := errors.New("changed our mind")
	err := b.try(func(tx review.Tx) error {
		if err := insertServer(b.ctx, tx, "undone"); err != nil {
			return err
		}
		return ours
	})
	if err != ours {
		b.Errorf("Update returned %v, want the error of its function as it is", err)
	}
	b.equal(b.slugs(), []string{})
	b.update(func(tx review.Tx) error {
		if err := insertServer(b.ctx, tx, "done"); err != nil {
			return err
		}
		if _, err := tx.ServerBySlug(b.ctx, "absent"); review.KindOf(err) != review.NotFound {
			return fmt.Errorf("asked for an absent server: %w", err)
		}
		s, err := tx.ServerBySlug(b.ctx, "done") // sees its own writes, and goes on after NotFound
		if err != nil {
			return err
		}
		s.Name = "renamed"
		return tx.UpdateServer(b.ctx, s)
	})
	b.equal(b.slugs(), []string{"done"})
}

// testFailedStatement goes on after a statement that failed: PostgreSQL would
// ignore the rest, SQLite would commit it.
func testFailedStatement(b *bench) {
	b.server("taken")
	err := b.try(func(tx review.Tx) error {
		if err := insertServer(b.ctx, tx, "before"); err != nil {
			return err
		}
		if err := insertServer(b.ctx, tx, "taken"); review.KindOf(err) != review.Conflict {
			return fmt.Errorf("a taken slug: %w", err)
		}
		if err := insertServer(b.ctx, tx, "after"); err == nil {
			return errors.New("a statement ran in a transaction that had failed")
		}
		return nil
	})
	b.wantKind(err, review.Conflict)
	b.equal(b.slugs(), []string{"taken"})
}

func testPanics(b *bench) {
	func() {
		defer func() {
			if p := recover(); p != "stop" {
				b.Errorf("recovered %v", p)
			}
		}()
		b.try(func(tx review.Tx) error {
			if err := insertServer(b.ctx, tx, "undone"); err != nil {
				return err
			}
			panic("stop")
		})
	}()
	b.server("next") // the writer is free again
	b.equal(b.slugs(), []string{"next"})
}

func testNesting(b *bench) {
	nothing := func(review.Tx) error { return nil }
	for name, outer := range map[string]func(context.Context, func(review.Tx) error) error{"Update": b.store.Update, "View": b.store.View} {
		for inner, begin := range map[string]func(context.Context, func(review.Tx) error) error{"Update": b.store.Update, "View": b.store.View} {
			err := outer(b.ctx, func(review.Tx) error { return begin(b.ctx, nothing) })
			if review.KindOf(err) != review.Internal || !strings.Contains(err.Error(), "inside another") {
				b.Errorf("%s inside %s: %v", inner, name, err)
			}
		}
	}
	b.update(nothing)
}

func testReadingOnly(b *bench) {
	err := b.store.View(b.ctx, func(tx review.Tx) error { return insertServer(b.ctx, tx, "sneaked in") })
	b.wantKind(err, review.Internal)
	b.server("next") // the reader is usable again
	b.equal(b.slugs(), []string{"next"})
}

func testCancelled(b *bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	err := b.store.Update(ctx, func(tx review.Tx) error {
		if err := insertServer(ctx, tx, "undone"); err != nil {
			return err
		}
		cancel()
		_, err := tx.Servers(ctx)
		return err
	})
	b.wantKind(err, review.Unavailable)
	if !errors.Is(err, context.Canceled) {
		b.Errorf("the error doesn't say that it was cancelled: %v", err)
	}
	b.wantKind(b.store.View(ctx, func(tx review.Tx) error { return nil }), review.Unavailable)
	b.equal(b.slugs(), []string{})
}

// testSnapshots writes while a view is open: the view goes on seeing what it saw.
func testSnapshots(b *bench) {
	b.server("first")
	b.view(func(tx review.Tx) error {
		before, err := tx.Servers(b.ctx)
		if err != nil {
			return err
		}
		done := make(chan error)
		go func() {
			done <- b.try(func(tx review.Tx) error { return insertServer(b.ctx, tx, "second") })
		}()
		if err := <-done; err != nil {
			return err
		}
		after, err := tx.Servers(b.ctx)
		b.equal(after, before)
		return err
	})
	b.equal(b.slugs(), []string{"first", "second"})
}

// together runs n functions at once and reports their errors.
func (b *bench) together(n int, f func(i int) error) {
	b.Helper()
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		b.Error(err)
	}
}

// testSameContent lets eight writers push the same definitions in different
// orders, again and again.
func testSameContent(b *bench) {
	const writers, rounds, tools = 8, 4, 60
	s := b.server("shop")
	pushed := make([][]*review.Listing, writers)
	for w := range writers {
		for round := range rounds {
			random := rand.New(rand.NewPCG(uint64(w), uint64(round)))
			var definitions []string
			for i := range tools {
				definitions = append(definitions, definition(fmt.Sprintf("t%d", i), fmt.Sprint("round ", round)))
			}
			random.Shuffle(tools, func(i, j int) { definitions[i], definitions[j] = definitions[j], definitions[i] })
			pushed[w] = append(pushed[w], b.listing(s, payload(definitions...)))
		}
	}
	b.together(writers, func(w int) error {
		for _, l := range pushed[w] {
			if err := b.try(func(tx review.Tx) error { return tx.InsertListing(b.ctx, l) }); err != nil {
				return fmt.Errorf("writer %d: %w", w, err)
			}
		}
		return nil
	})
	for _, l := range slices.Concat(pushed...) {
		got := read(b, func(tx review.Tx) (*review.Listing, error) { return tx.ListingByID(b.ctx, l.ID) })
		b.equal(got, l)
	}
}

// testLostUpdates counts up by reading and writing: none may get lost.
func testLostUpdates(b *bench) {
	const writers, rounds = 6, 8
	s := b.server("counter")
	b.together(writers, func(int) error {
		for range rounds {
			err := b.try(func(tx review.Tx) error {
				now, err := tx.ServerByID(b.ctx, s.ID)
				if err != nil {
					return err
				}
				now.Policy = gate.Policy{Preset: gate.Team, Version: now.Policy.Version + 1}
				return tx.UpdateServer(b.ctx, now)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	got := read(b, func(tx review.Tx) (*review.Server, error) { return tx.ServerByID(b.ctx, s.ID) })
	b.equal(got.Policy.Version, 1+writers*rounds)
}

// testOneWins lets many do what only one may: use a link, take a webhook id after
// having looked that it is free, become the first user.
func testOneWins(b *bench) {
	const writers = 8
	s := b.server("shop")
	link := &review.Link{Hash: []byte("link"), Kind: review.LinkSetUp, ExpiresAt: b.now()}
	b.update(func(tx review.Tx) error { return tx.InsertLink(b.ctx, link) })
	deliveries := make([]*review.Delivery, writers)
	for i := range deliveries {
		deliveries[i] = b.delivery(s.ID, "msg", 201)
	}
	at := b.now()
	var mu sync.Mutex
	won := map[string]int{}
	try := func(what string, f func(tx review.Tx) error) error {
		err := b.try(f)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			won[what]++
		}
		if review.KindOf(err) == review.Conflict {
			err = nil
		}
		return err
	}
	b.together(writers, func(i int) error {
		return errors.Join(
			try("link", func(tx review.Tx) error { return tx.UseLink(b.ctx, link.Hash, at) }),
			try("delivery", func(tx review.Tx) error {
				if _, err := tx.DeliveryByWebhookID(b.ctx, s.ID, "msg"); review.KindOf(err) != review.NotFound {
					return review.Errorf(review.Conflict, "It was delivered before.")
				}
				return tx.InsertDelivery(b.ctx, deliveries[i])
			}),
			try("first release", func(tx review.Tx) error {
				open, err := tx.CountOpenReleases(b.ctx, s.ID)
				if err != nil || open > 0 {
					return errors.Join(err, review.Errorf(review.Conflict, "There is one."))
				}
				l := &review.Listing{ID: newID(), ServerID: s.ID, Profile: "default", Surface: surfaceOf(b, payload(definition("a", fmt.Sprint(i)))), ReceivedAt: at}
				if err := tx.InsertListing(b.ctx, l); err != nil {
					return err
				}
				r := &review.Release{ID: newID(), ServerID: s.ID, Profile: "default", Version: fmt.Sprint(i), CreatedAt: at}
				if err := tx.InsertRelease(b.ctx, r); err != nil {
					return err
				}
				return tx.InsertRevision(b.ctx, &review.Revision{N: 1, ReleaseID: r.ID, ListingID: l.ID, PushedAt: at})
			}),
		)
	})
	b.equal(won, map[string]int{"link": 1, "delivery": 1, "first release": 1})
}
