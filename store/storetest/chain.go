package storetest

import (
	"math"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
)

func testChain(b *bench) {
	var acts []review.AuditEntry
	for i := range 5 {
		e := review.AuditEntry{ID: newID(), At: b.now(), Actor: []string{"Ada", "Ben"}[i%2], Via: "browser", Act: []string{"verdict.approve", "verdicts.x"}[i/3],
			ServerID: "s", Subject: "pay\x00\xed\xa0\x80"}
		acts = append(acts, e)
		b.update(func(tx review.Tx) error { return tx.AppendAudit(b.ctx, &e) })
	}
	pending := func() []review.AuditEntry {
		return read(b, func(tx review.Tx) ([]review.AuditEntry, error) { return tx.PendingAudit(b.ctx, 3) })
	}
	head := func() proof.Head {
		return read(b, func(tx review.Tx) (proof.Head, error) { return tx.ChainHead(b.ctx) })
	}
	b.equal(pending(), acts[:3])
	b.equal(read(b, func(tx review.Tx) (int, error) { return tx.CountPendingAudit(b.ctx) }), 5)
	b.equal(head(), proof.Head{})

	at := proof.Genesis("i")
	var links []proof.Link
	for i := range 4 {
		row := digestOf(acts[i].ID)
		links = append(links, at.Next(row))
		at = links[i].Head()
	}
	ran, err := b.store.Seal(b.ctx, func(tx review.Tx) error {
		return tx.AppendChain(b.ctx, links, []string{acts[0].ID, acts[1].ID, acts[2].ID, acts[3].ID})
	})
	if !ran || err != nil {
		b.Fatalf("sealing ran %t: %v", ran, err)
	}
	b.equal(pending(), acts[4:])
	b.equal(head(), at)
	chain := func(after int64, limit int) []review.SealedAct {
		return read(b, func(tx review.Tx) ([]review.SealedAct, error) { return tx.Chain(b.ctx, after, limit) })
	}
	b.equal(chain(1, 2), []review.SealedAct{{Link: links[1], Entry: acts[1]}, {Link: links[2], Entry: acts[2]}})
	b.equal(chain(4, 2), []review.SealedAct{})
	b.equal(read(b, func(tx review.Tx) (proof.Link, error) { return tx.LinkAt(b.ctx, 2) }), links[1])
	missing(b, func(tx review.Tx) (proof.Link, error) { return tx.LinkAt(b.ctx, 5) })
	b.equal(read(b, func(tx review.Tx) (string, error) { return tx.StrayAudit(b.ctx) }), "")

	between := func(f review.AuditFilter) [2]int64 {
		return read(b, func(tx review.Tx) (places [2]int64, err error) {
			places[0], places[1], err = tx.ChainRange(b.ctx, f)
			return places, err
		})
	}
	b.equal(between(review.AuditFilter{}), [2]int64{1, 4})
	b.equal(between(review.AuditFilter{Actor: "Ben"}), [2]int64{2, 4})
	b.equal(between(review.AuditFilter{Act: "verdict"}), [2]int64{1, 3})
	b.equal(between(review.AuditFilter{Act: "verdicts.x"}), [2]int64{4, 4})
	b.equal(between(review.AuditFilter{Since: acts[1].At, Until: acts[2].At}), [2]int64{2, 2})
	b.equal(between(review.AuditFilter{ServerIDs: []string{"other"}}), [2]int64{})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.AppendChain(b.ctx, links[:1], []string{acts[4].ID}) })
}

func testCheckpoints(b *bench) {
	missing(b, func(tx review.Tx) (*review.KeptCheckpoint, error) { return tx.LastCheckpoint(b.ctx) })
	signer := proof.NewSigner(make([]byte, proof.SeedSize))
	var kept []review.KeptCheckpoint
	for seq := int64(3); seq < 12; seq += 3 {
		c := review.KeptCheckpoint{Seq: seq, Hash: digestOf("x"), At: b.now(), KeyID: signer.Key().ID}
		var err error
		if c.Envelope, err = proof.SignCheckpoint("i", proof.Head{Seq: seq, Hash: c.Hash}, c.At, signer); err != nil {
			b.Fatal(err)
		}
		kept = append(kept, c)
		b.update(func(tx review.Tx) error { return tx.InsertCheckpoint(b.ctx, &c) })
	}
	list := func(after, upTo int64, limit int) []review.KeptCheckpoint {
		return read(b, func(tx review.Tx) ([]review.KeptCheckpoint, error) { return tx.Checkpoints(b.ctx, after, upTo, limit) })
	}
	b.equal(list(3, 9, 9), kept[1:])
	b.equal(list(2, math.MaxInt64, 1), kept[:1])
	b.equal(read(b, func(tx review.Tx) (*review.KeptCheckpoint, error) { return tx.LastCheckpoint(b.ctx) }), &kept[2])
}

func testKeys(b *bench) {
	b.equal(read(b, func(tx review.Tx) (string, error) { return tx.InstanceID(b.ctx) }), "")
	b.update(func(tx review.Tx) error { return tx.InsertInstance(b.ctx, "i", b.now()) })
	b.equal(read(b, func(tx review.Tx) (string, error) { return tx.InstanceID(b.ctx) }), "i")
	one, two := proof.NewSigner(make([]byte, proof.SeedSize)), proof.NewSigner([]byte("0123456789abcdef0123456789abcdef"))
	first := proof.Record{ID: one.Key().ID, Algorithm: proof.Algorithm, PublicKey: one.Key().PEM(), Since: b.now()}
	rotation, err := proof.Rotate("i", one.Key(), one, two, b.now())
	if err != nil {
		b.Fatal(err)
	}
	second := proof.Record{ID: two.Key().ID, Algorithm: proof.Algorithm, PublicKey: two.Key().PEM(), Since: b.now(), Rotation: &rotation}
	list := func() []proof.Record {
		return read(b, func(tx review.Tx) ([]proof.Record, error) { return tx.SigningKeys(b.ctx) })
	}
	b.equal(list(), []proof.Record{})
	until := time.Time{}
	b.update(func(tx review.Tx) error {
		until = b.now()
		if err := tx.InsertSigningKey(b.ctx, &first); err != nil {
			return err
		}
		if err := tx.InsertSigningKey(b.ctx, &second); err != nil {
			return err
		}
		return tx.RetireSigningKey(b.ctx, first.ID, until)
	})
	first.Until = &until
	b.equal(list(), []proof.Record{first, second})
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertSigningKey(b.ctx, &second) })
	b.refuses(review.NotFound, func(tx review.Tx) error { return tx.RetireSigningKey(b.ctx, "x", until) })
}

// testSealing checks that there is one sealer, whom those who append neither wait
// for nor hold up.
func testSealing(b *bench) {
	entry := func() *review.AuditEntry {
		return &review.AuditEntry{ID: newID(), At: b.now(), Actor: "Ada", Act: "x.y"}
	}
	first := entry()
	b.update(func(tx review.Tx) error { return tx.AppendAudit(b.ctx, first) })
	ran, err := b.store.Seal(b.ctx, func(tx review.Tx) error {
		_, err := tx.PendingAudit(b.ctx, 9)
		if err == nil {
			err = tx.AppendChain(b.ctx, []proof.Link{proof.Genesis("i").Next(digestOf("a"))}, []string{first.ID})
		}
		return err
	})
	if err != nil || !ran {
		b.Errorf("ran %t: %v", ran, err)
	}
	failed, err := b.store.Seal(b.ctx, func(tx review.Tx) error { return review.Errorf(review.Invalid, "No.") })
	b.wantKind(err, review.Invalid)
	b.equal(failed, true)
	b.equal(read(b, func(tx review.Tx) (int, error) { return tx.CountPendingAudit(b.ctx) }), 0)
}
