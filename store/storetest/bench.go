package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// bench is one store with what a test needs to fill it.
type bench struct {
	*testing.T
	ctx   context.Context
	store review.Store
	clock time.Time
}

func newBench(t *testing.T, s review.Store) *bench {
	return &bench{T: t, ctx: t.Context(), store: s, clock: time.Date(2026, 11, 30, 9, 0, 0, 123_456_000, time.UTC)}
}

// now returns a later time at each call, in whole microseconds.
func (b *bench) now() time.Time {
	b.clock = b.clock.Add(time.Second + time.Microsecond)
	return b.clock
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (b *bench) try(f func(tx review.Tx) error) error { return b.store.Update(b.ctx, f) }

func (b *bench) update(f func(tx review.Tx) error) {
	b.Helper()
	if err := b.try(f); err != nil {
		b.Fatalf("update: %v", err)
	}
}

func (b *bench) view(f func(tx review.Tx) error) {
	b.Helper()
	if err := b.store.View(b.ctx, f); err != nil {
		b.Fatalf("view: %v", err)
	}
}

// read returns what a method gives in a view of its own.
func read[V any](b *bench, f func(tx review.Tx) (V, error)) V {
	b.Helper()
	var v V
	b.view(func(tx review.Tx) (err error) {
		v, err = f(tx)
		return err
	})
	return v
}

// wantKind checks the kind of an error, and that it has a sentence.
func (b *bench) wantKind(err error, kind review.Kind) {
	b.Helper()
	if err == nil {
		b.Errorf("no error, want one of kind %q", kind)
		return
	}
	if got := review.KindOf(err); got != kind {
		b.Errorf("error of kind %q, want %q: %v", got, kind, err)
	}
	if !strings.Contains(err.Error(), ".") {
		b.Errorf("the error has no sentence: %v", err)
	}
}

// refuses checks that an update fails with an error of a kind.
func (b *bench) refuses(kind review.Kind, f func(tx review.Tx) error) {
	b.Helper()
	b.wantKind(b.try(f), kind)
}

// missing checks that reading something fails as not found.
func missing[V any](b *bench, f func(tx review.Tx) (V, error)) {
	b.Helper()
	b.wantKind(b.store.View(b.ctx, func(tx review.Tx) error {
		_, err := f(tx)
		return err
	}), review.NotFound)
}

// equal compares deeply; an empty list is a list.
func (b *bench) equal(got, want any, opts ...gocmp.Option) {
	b.Helper()
	if diff := gocmp.Diff(want, got, append(opts, cmpopts.EquateEmpty())...); diff != "" {
		b.Errorf("-want +got:\n%s", diff)
	}
}

func sorted[V any, K cmp.Ordered](list []V, by func(V) K) []V {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b V) int { return cmp.Compare(by(a), by(b)) })
	return list
}

func ids[V any](list []V, of func(V) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = of(v)
	}
	return out
}

// server makes and stores a server.
func (b *bench) server(slug string) *review.Server {
	b.Helper()
	s := &review.Server{ID: newID(), Slug: slug, Name: strings.ToUpper(slug), Policy: gate.Policy{Preset: gate.Team, Version: 1}, CreatedAt: b.now()}
	b.update(func(tx review.Tx) error {
		if err := tx.InsertServer(b.ctx, s); err != nil {
			return err
		}
		return tx.EnsureProfile(b.ctx, s.ID, review.DefaultProfile, s.CreatedAt)
	})
	return s
}

// user makes and stores a user.
func (b *bench) user(email, name string) *people.User {
	b.Helper()
	u := &people.User{ID: newID(), Email: email, Name: name, CreatedAt: b.now()}
	b.update(func(tx review.Tx) error { return tx.InsertUser(b.ctx, u) })
	return u
}

// definition writes a tool in one line.
func definition(name, description string) string {
	return fmt.Sprintf(`{"name":%s,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`,
		surface.EncodeString(name), description)
}

// payload writes a listing as a server answers it.
func payload(definitions ...string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.Join(definitions, ",") + `]}}`)
}

// surfaceOf reads a payload.
func surfaceOf(t testing.TB, raw []byte) *surface.Listing {
	t.Helper()
	l, err := surface.Read(raw, surface.Options{})
	if err != nil {
		t.Fatalf("read %.200s: %v", raw, err)
	}
	return l
}

// listing makes a listing, not stored.
func (b *bench) listing(s *review.Server, raw []byte) *review.Listing {
	b.Helper()
	return &review.Listing{ID: newID(), ServerID: s.ID, Profile: review.DefaultProfile, Surface: surfaceOf(b, raw), ReceivedAt: b.now()}
}

// push makes and stores a listing.
func (b *bench) push(s *review.Server, raw []byte) *review.Listing {
	b.Helper()
	l := b.listing(s, raw)
	b.update(func(tx review.Tx) error { return tx.InsertListing(b.ctx, l) })
	return l
}

// release makes and stores a release with one revision.
func (b *bench) release(s *review.Server, version string, l *review.Listing) *review.Release {
	b.Helper()
	r := &review.Release{ID: newID(), ServerID: s.ID, Profile: l.Profile, Version: version, CreatedAt: b.now()}
	r.Head = b.revision(r, 1, l)
	b.update(func(tx review.Tx) error {
		if err := tx.InsertRelease(b.ctx, r); err != nil {
			return err
		}
		return tx.InsertRevision(b.ctx, &r.Head)
	})
	return r
}

// revision makes a revision, not stored.
func (b *bench) revision(r *review.Release, n int, l *review.Listing) review.Revision {
	return review.Revision{N: n, ReleaseID: r.ID, ListingID: l.ID, Digest: l.Surface.Digest, RawHash: l.Surface.RawHash,
		PushedAt: b.now(), PusherID: "u1", PushedBy: "webhook", TokenID: "t1", AuthorID: "u2", Author: "ada@example.com",
		Commit: "a41f", RunURL: "https://ci.example.com/7"}
}

func digestOf(text string) surface.Hash { return surface.HashOf([]byte(text)) }
