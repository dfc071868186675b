package storetest

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

func (b *bench) delivery(serverID, webhookID string, status int) *review.Delivery {
	return &review.Delivery{ID: newID(), ServerID: serverID, Slug: "shop", WebhookID: webhookID, BodyHash: digestOf("body"), BodyBytes: 4,
		Via: "webhook", By: "webhook", Verified: true, Status: status, Outcome: "It was kept.", Answer: []byte(`{"listing":{}}`),
		ListingID: "l", ReleaseID: "r", RemoteAddr: "127.0.0.1", ReceivedAt: b.now(),
		Params: review.PushParams{Profile: "default", Version: "1.0", Commit: "a41f", Complete: true}}
}

func testDeliveries(b *bench) {
	s := b.server("shop")
	kept := b.delivery(s.ID, "msg_1", 201)
	refused := b.delivery(s.ID, "\xff not text", 422)
	refused.Answer, refused.ListingID, refused.ReleaseID = nil, "", ""
	refused.Outcome = "The tool pay\x00x is odd."
	refused.Problems = []surface.Problem{
		{Code: "name-odd", Level: surface.LevelError, Tool: "pay\x00\xed\xa0\x80", Position: 3, Pointer: "/tools/\xed\xbf\xbf", Line: 7, Column: 9, Message: "the \xed\xa0\x80 name <b>"},
		{Code: "x", Level: surface.LevelInfo, Message: "plain"}}
	stranger := b.delivery("", "", 401)
	stranger.Slug, stranger.Verified, stranger.BodyHash = "a\x00\xff/../b", false, surface.Hash{}
	tooMany := b.delivery(s.ID, "", 429)
	order := []*review.Delivery{kept, refused, stranger, tooMany}
	b.update(func(tx review.Tx) error {
		for _, d := range order {
			if err := tx.InsertDelivery(b.ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
	list := func(servers []string, p review.Page) []review.Delivery {
		return read(b, func(tx review.Tx) ([]review.Delivery, error) {
			return tx.Deliveries(b.ctx, servers, review.DeliveryFilter{}, p)
		})
	}
	b.equal(list(nil, review.Page{Limit: 9}), []review.Delivery{*tooMany, *stranger, *refused, *kept})
	b.equal(list([]string{s.ID, "x"}, review.Page{Limit: 9}), []review.Delivery{*tooMany, *refused, *kept})
	b.equal(list([]string{s.ID}, review.Page{Limit: 1, Before: tooMany.ID}), []review.Delivery{*refused})
	b.equal(list([]string{""}, review.Page{Limit: 9}), []review.Delivery{*stranger})
	b.equal(list([]string{}, review.Page{Limit: 9}), []review.Delivery{})

	filtered := func(f review.DeliveryFilter) []review.Delivery {
		return read(b, func(tx review.Tx) ([]review.Delivery, error) {
			return tx.Deliveries(b.ctx, nil, f, review.Page{Limit: 9})
		})
	}
	b.equal(filtered(review.DeliveryFilter{Outcome: review.DeliveryAccepted}), []review.Delivery{*kept})
	b.equal(filtered(review.DeliveryFilter{Outcome: review.DeliveryRefused}), []review.Delivery{*tooMany, *refused})
	b.equal(filtered(review.DeliveryFilter{Outcome: review.DeliveryUnverified}), []review.Delivery{*stranger})
	b.equal(filtered(review.DeliveryFilter{Since: stranger.ReceivedAt}), []review.Delivery{*tooMany, *stranger})
	b.equal(filtered(review.DeliveryFilter{Outcome: review.DeliveryRefused, Since: stranger.ReceivedAt}), []review.Delivery{*tooMany})

	count := func(serverID string, d *review.Delivery) int {
		return read(b, func(tx review.Tx) (int, error) { return tx.CountDeliveries(b.ctx, serverID, d.ReceivedAt) })
	}
	b.equal(count(s.ID, kept), 2) // neither the one too many nor the stranger's
	b.equal(count(s.ID, refused), 1)
	b.equal(count(s.ID, tooMany), 0)
	b.equal(count("", kept), 0)
}

func testReplays(b *bench) {
	s, other := b.server("shop"), b.server("other")
	get := func(serverID, id string) (d *review.Delivery, err error) {
		err = b.store.View(b.ctx, func(tx review.Tx) (err error) {
			d, err = tx.DeliveryByWebhookID(b.ctx, serverID, id)
			return err
		})
		return d, err
	}
	put := func(d *review.Delivery) error {
		return b.try(func(tx review.Tx) error { return tx.InsertDelivery(b.ctx, d) })
	}
	refused, again := b.delivery(s.ID, "msg", 422), b.delivery(s.ID, "msg", 409)
	forged := b.delivery(s.ID, "msg", 200)
	forged.Verified = false
	for _, d := range []*review.Delivery{refused, again, forged} {
		if err := put(d); err != nil {
			b.Errorf("a delivery of status %d: %v", d.Status, err)
		}
	}
	_, err := get(s.ID, "msg")
	b.wantKind(err, review.NotFound)

	kept := b.delivery(s.ID, "msg", 202)
	if err := put(kept); err != nil {
		b.Fatal(err)
	}
	found, err := get(s.ID, "msg")
	if err != nil {
		b.Fatal(err)
	}
	b.equal(found, kept)
	b.wantKind(put(b.delivery(s.ID, "msg", 201)), review.Conflict)
	if err := put(b.delivery(s.ID, "msg", 422)); err != nil {
		b.Errorf("a refused delivery after the accepted one: %v", err)
	}
	if err := put(b.delivery(other.ID, "msg", 201)); err != nil {
		b.Errorf("the id of one server, used at another: %v", err)
	}
	for range 2 { // deliveries without an id are never replays
		if err := put(b.delivery(s.ID, "", 201)); err != nil {
			b.Errorf("a delivery without an id: %v", err)
		}
	}
	_, err = get(s.ID, "")
	b.wantKind(err, review.NotFound)
	long := strings.Repeat("m", 20_000)
	if err := put(b.delivery(s.ID, long, 201)); err != nil {
		b.Errorf("a long id: %v", err)
	}
	b.wantKind(put(b.delivery(s.ID, long, 201)), review.Conflict)
}

func testUnverified(b *bench) {
	add := func(serverID, day string) (n int) {
		b.update(func(tx review.Tx) (err error) {
			n, err = tx.AddUnverified(b.ctx, serverID, day)
			return err
		})
		return n
	}
	for i := range 3 {
		b.equal(add("", "2026-11-30"), i+1)
	}
	b.equal(add("s", "2026-11-30"), 1)
	b.equal(add("", "2026-12-01"), 1)
	b.equal(add("", "2026-11-30"), 4)
	add("s", "2026-11-30")

	many := func(servers []string, since string, most int) []review.TurnedAway {
		return read(b, func(tx review.Tx) ([]review.TurnedAway, error) { return tx.ManyUnverified(b.ctx, servers, since, most) })
	}
	b.equal(many(nil, "2026-11-30", 0), []review.TurnedAway{{Day: "2026-12-01", N: 1}, {Day: "2026-11-30", N: 6}})
	b.equal(many(nil, "2026-11-30", 2), []review.TurnedAway{{Day: "2026-11-30", N: 4}}) // each server is counted by itself
	b.equal(many([]string{"s"}, "2026-11-30", 1), []review.TurnedAway{{Day: "2026-11-30", N: 2}})
	b.equal(len(many([]string{"s"}, "2026-12-01", 0))+len(many([]string{}, "2026-11-30", 0)), 0)
}

func testReports(b *bench) {
	key := review.ReportKey{Kind: "change", From: digestOf("a"), To: digestOf("b"), Inputs: digestOf("c"), Engine: "1"}
	keys := []review.ReportKey{key}
	for i := range 5 { // each differs in one field
		k := key
		switch i {
		case 0:
			k.Kind = "finding"
		case 1:
			k.From = surface.Hash{}
		case 2:
			k.To = key.From
		case 3:
			k.Inputs = surface.Hash{}
		case 4:
			k.Engine = "2"
		}
		keys = append(keys, k)
	}
	get := func() map[review.ReportKey][]byte {
		return read(b, func(tx review.Tx) (map[review.ReportKey][]byte, error) { return tx.Reports(b.ctx, keys) })
	}
	b.equal(get(), map[review.ReportKey][]byte{})
	want := map[review.ReportKey][]byte{}
	for i, k := range keys {
		want[k] = []byte(fmt.Sprint("report \x00", i))
		b.update(func(tx review.Tx) error { return tx.PutReport(b.ctx, "near", k, want[k]) })
	}
	b.update(func(tx review.Tx) error { return tx.PutReport(b.ctx, "near", key, []byte("another")) })
	late := key
	late.Kind = "late"
	keys, want[late] = append(keys, late), []byte("late")
	b.update(func(tx review.Tx) error {
		return tx.PutReports(b.ctx, "near", map[review.ReportKey][]byte{key: []byte("a third"), late: want[late]})
	})
	b.update(func(tx review.Tx) error { return tx.PutReports(b.ctx, "near", nil) })
	b.equal(get(), want)
}

func testAudit(b *bench) {
	entry := func(serverID string) *review.AuditEntry {
		return &review.AuditEntry{ID: newID(), At: b.now(), ActorID: "u", Actor: "Ada", Via: "browser", Addr: "::1", Act: "verdict.approve",
			ServerID: serverID, Subject: "pay\x00\xed\xa0\x80", Before: `{"a":"\u0000"}`, After: ""}
	}
	first, global, second := entry("s"), entry(""), entry("s")
	b.update(func(tx review.Tx) error {
		for _, e := range []*review.AuditEntry{first, global, second} {
			if err := tx.AppendAudit(b.ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	list := func(servers []string, p review.Page) []review.AuditEntry {
		return read(b, func(tx review.Tx) ([]review.AuditEntry, error) {
			return tx.Audit(b.ctx, review.AuditFilter{ServerIDs: servers}, p)
		})
	}
	b.equal(list(nil, review.Page{Limit: 9}), []review.AuditEntry{*second, *global, *first})
	b.equal(list([]string{"s"}, review.Page{Limit: 9}), []review.AuditEntry{*second, *first})
	b.equal(list([]string{"s"}, review.Page{Limit: 9, Before: second.ID}), []review.AuditEntry{*first})
	b.equal(list([]string{}, review.Page{Limit: 9}), []review.AuditEntry{})
}

// testText writes what PostgreSQL can't keep as TEXT: both engines must refuse it
// alike.
func testText(b *bench) {
	for _, text := range []string{"a\x00b", "\xff", "\xed\xa0\x80"} {
		b.refuses(review.Invalid, func(tx review.Tx) error {
			return tx.InsertServer(b.ctx, &review.Server{ID: newID(), Slug: "s", Name: text})
		})
		err := b.store.View(b.ctx, func(tx review.Tx) error {
			_, err := tx.ServerBySlug(b.ctx, text)
			return err
		})
		b.wantKind(err, review.Invalid)
	}
	servers := read(b, func(tx review.Tx) ([]review.Server, error) { return tx.Servers(b.ctx) })
	b.equal(servers, []review.Server{})
}
