package review

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/countersign/countersign/review/proof"
)

const (
	sealBatch       = 500              // acts that one transaction seals, links that one reads
	checkpointEvery = 100              // links
	checkpointAfter = 10 * time.Minute // when there is anything new
	maxCheckpoints  = 10_000           // that stand behind one batch of links
)

// Sealing says what one run of [Service.SealAudit] did.
type Sealing struct {
	Links      int
	Checkpoint *KeptCheckpoint // signed in this run
	Unsigned   error           // why a checkpoint that was due could not be signed
}

// SealAudit puts the acts that wait into the chain and signs a checkpoint when one
// is due: every 100 acts and after 10 minutes, or with now as soon as there is
// anything new. Any number of processes may call it on one database.
func (s *Service) SealAudit(ctx context.Context, now bool) (Sealing, error) {
	var total Sealing
	for {
		idle, unsigned, err := s.sealed(ctx, now)
		if err != nil || idle || total.Checkpoint != nil {
			total.Unsigned = unsigned
			return total, err
		}
		var done Sealing
		ran, err := s.store.Seal(ctx, func(tx Tx) (err error) {
			done, err = s.seal(ctx, tx, now)
			return err
		})
		if err != nil || !ran {
			return total, err
		}
		total.Links += done.Links
		total.Checkpoint = done.Checkpoint
	}
}

// sealed reports whether there is nothing to do, without writing. unsigned says why
// a checkpoint is due and can't be signed.
func (s *Service) sealed(ctx context.Context, now bool) (idle bool, unsigned, err error) {
	err = s.store.View(ctx, func(tx Tx) error {
		waiting, err := tx.CountPendingAudit(ctx)
		if err != nil || waiting > 0 {
			return err
		}
		head, err := tx.ChainHead(ctx)
		if err != nil {
			return err
		}
		due, err := s.checkpointDue(ctx, tx, head, now)
		if err != nil || !due {
			idle = true
			return err
		}
		if _, unsigned = s.signer(ctx, tx); KindOf(unsigned) != Unavailable {
			err, unsigned = unsigned, nil
		}
		idle = unsigned != nil
		return err
	})
	return idle, unsigned, err
}

func (s *Service) checkpointDue(ctx context.Context, tx Tx, head proof.Head, now bool) (bool, error) {
	last, err := tx.LastCheckpoint(ctx)
	switch {
	case head.Seq == 0:
		return false, nil
	case err != nil && KindOf(err) == NotFound:
		return true, nil
	case err != nil:
		return false, err
	}
	fresh := head.Seq - last.Seq
	return fresh >= checkpointEvery || fresh > 0 && (now || s.now().Sub(last.At) >= checkpointAfter), nil
}

func (s *Service) seal(ctx context.Context, tx Tx, now bool) (Sealing, error) {
	instance, err := s.instanceID(ctx, tx)
	if err != nil {
		return Sealing{}, err
	}
	head, err := tx.ChainHead(ctx)
	if err != nil {
		return Sealing{}, err
	}
	if head.Seq == 0 {
		head = proof.Genesis(instance)
	}
	waiting, err := tx.PendingAudit(ctx, sealBatch)
	if err != nil {
		return Sealing{}, err
	}
	done := Sealing{Links: len(waiting)}
	if head, err = appendActs(ctx, tx, head, waiting); err != nil || len(waiting) == sealBatch {
		return done, err // more may wait: the checkpoint comes behind them
	}
	due, err := s.checkpointDue(ctx, tx, head, now)
	if err != nil || !due {
		return done, err
	}
	signer, err := s.signer(ctx, tx)
	if KindOf(err) == Unavailable {
		return done, nil // what waited is sealed all the same
	}
	if err == nil {
		done.Checkpoint, err = s.checkpoint(ctx, tx, instance, head, signer)
	}
	return done, err
}

// appendActs links acts behind the head and returns the new one.
func appendActs(ctx context.Context, tx Tx, head proof.Head, acts []AuditEntry) (proof.Head, error) {
	if len(acts) == 0 {
		return head, nil
	}
	links, ids := make([]proof.Link, len(acts)), make([]string, len(acts))
	for i := range acts {
		row, err := acts[i].proof().Digest()
		if err != nil {
			return head, fmt.Errorf("audit %s: %w", acts[i].ID, err)
		}
		links[i], ids[i] = head.Next(row), acts[i].ID
		head = links[i].Head()
	}
	return head, tx.AppendChain(ctx, links, ids)
}

func (e *AuditEntry) proof() *proof.Act {
	return &proof.Act{ID: e.ID, At: e.At, ActorID: e.ActorID, Actor: e.Actor, Via: e.Via, Addr: e.Addr, Act: e.Act,
		Server: e.ServerID, Subject: proof.Text(e.Subject), Before: e.Before, After: e.After}
}

func (s *Service) checkpoint(ctx context.Context, tx Tx, instance string, head proof.Head, by *proof.Signer) (*KeptCheckpoint, error) {
	c := &KeptCheckpoint{Seq: head.Seq, Hash: head.Hash, At: s.now(), KeyID: by.Key().ID}
	var err error
	if c.Envelope, err = proof.SignCheckpoint(instance, head, c.At, by); err != nil {
		return nil, err
	}
	return c, tx.InsertCheckpoint(ctx, c)
}

// AuditVerification is what is known of the audit of this database.
type AuditVerification struct {
	proof.Verification
	Waiting int      `json:"waiting"` // acts that are not sealed yet
	Keys    []string `json:"keys"`    // that were trusted
}

// VerifyAudit reads the whole chain and says what does not fit first. pins are the
// keys to trust; without any it is the one of this process, if it has one. elsewhere
// are checkpoints that were kept outside of the database: what vanished together
// with the checkpoints of the database is found by them alone.
func (s *Service) VerifyAudit(ctx context.Context, a Actor, pins []proof.Key, elsewhere []proof.Envelope) (*AuditVerification, error) {
	if err := a.administrator(); err != nil {
		return nil, err
	}
	if signer, err := s.localSigner(); err == nil && len(pins) == 0 {
		pins = []proof.Key{signer.Key()}
	}
	ring, err := s.Ring(ctx)
	if err != nil {
		return nil, err
	}
	out := &AuditVerification{Keys: []string{}}
	var trusted []proof.Trusted
	if len(pins) > 0 {
		trusted = ring.Trusted(pins...)
	}
	for _, t := range trusted {
		out.Keys = append(out.Keys, t.ID)
	}
	w := walk{service: s, verifier: proof.NewVerifier(ring.Instance.ID, trusted)}
	if w.elsewhere, err = byPlace(elsewhere); err != nil {
		return nil, err
	}
	if err := w.chain(ctx); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx Tx) (err error) {
		out.Waiting, err = w.rest(ctx, tx)
		return err
	})
	out.Verification = w.verifier.End()
	return out, err
}

func byPlace(envelopes []proof.Envelope) (map[int64][]proof.Envelope, error) {
	places := map[int64][]proof.Envelope{}
	for _, e := range envelopes {
		c, err := proof.ReadCheckpoint(e)
		if err != nil {
			return nil, Errorf(Invalid, "The checkpoint can't be read: %v", err)
		}
		places[c.Seq] = append(places[c.Seq], e)
	}
	return places, nil
}

// walk gives a chain to a verifier, some links at a time: the chain only grows, so
// no transaction has to last as long as all of it.
type walk struct {
	service   *Service
	verifier  *proof.Verifier
	elsewhere map[int64][]proof.Envelope
	last      int64
}

func (w *walk) chain(ctx context.Context) error {
	for {
		links, checkpoints, err := w.service.links(ctx, w.last, sealBatch)
		if err != nil || len(links) == 0 {
			return err
		}
		for i := range links {
			if !w.link(&links[i]) {
				return nil
			}
			w.checkpoints(checkpoints[links[i].Seq])
		}
	}
}

func (w *walk) link(l *SealedAct) bool {
	w.last = l.Seq
	if l.Gone {
		w.verifier.Gone(l.Link, l.Entry.ID)
		return false
	}
	return w.verifier.Link(l.Link, l.Entry.proof())
}

func (w *walk) checkpoints(ofDatabase []proof.Envelope) {
	for _, e := range ofDatabase {
		w.verifier.Checkpoint(e)
	}
	for _, e := range w.elsewhere[w.last] {
		w.verifier.Checkpoint(e)
	}
	delete(w.elsewhere, w.last)
}

// rest looks at what should not be there: checkpoints behind the end of the chain,
// and rows that are in none.
func (w *walk) rest(ctx context.Context, tx Tx) (waiting int, err error) {
	beyond, err := tx.Checkpoints(ctx, w.last, math.MaxInt64, 1)
	if err != nil {
		return 0, err
	}
	head, err := tx.ChainHead(ctx)
	if err != nil {
		return 0, err
	}
	if head.Seq <= w.last { // else it grew since, and so may have the checkpoints
		for _, c := range beyond {
			w.verifier.Checkpoint(c.Envelope)
		}
		for _, es := range w.elsewhere {
			w.verifier.Checkpoint(es[0])
		}
	}
	stray, err := tx.StrayAudit(ctx)
	if err == nil && stray != "" {
		w.verifier.Extra(stray)
	}
	if err != nil {
		return 0, err
	}
	return tx.CountPendingAudit(ctx)
}

// links reads links behind a place with their acts, and the checkpoints that stand
// at them.
func (s *Service) links(ctx context.Context, after int64, limit int) ([]SealedAct, map[int64][]proof.Envelope, error) {
	var links []SealedAct
	checkpoints := map[int64][]proof.Envelope{}
	err := s.store.View(ctx, func(tx Tx) (err error) {
		if links, err = tx.Chain(ctx, after, limit); err != nil || len(links) == 0 {
			return err
		}
		kept, err := tx.Checkpoints(ctx, after, links[len(links)-1].Seq, maxCheckpoints)
		for _, c := range kept {
			checkpoints[c.Seq] = append(checkpoints[c.Seq], c.Envelope)
		}
		return err
	})
	return links, checkpoints, err
}

// ExportAudit writes the acts that the query chooses, in the order of the chain,
// with all links between the first and the last of them and up to a checkpoint
// behind it, so that the export can be checked by itself. Acts that were not chosen,
// or that the actor may not see, are left out of their links. What waits is sealed,
// and a checkpoint signed, before.
func (s *Service) ExportAudit(ctx context.Context, a Actor, q AuditQuery, x proof.Exporter) error {
	e := export{service: s, to: x}
	err := s.store.View(ctx, func(tx Tx) (err error) {
		e.filter, err = s.auditFilter(ctx, tx, a, q)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := s.SealAudit(ctx, true); err != nil {
		return err
	}
	if err := s.store.View(ctx, func(tx Tx) error { return e.plan(ctx, tx, q) }); err != nil {
		return err
	}
	if err := x.Begin(e.header); err != nil {
		return err
	}
	for e.at < e.last {
		if err := e.some(ctx); err != nil {
			return err
		}
	}
	return x.End(e.last)
}

// export is an export on its way.
type export struct {
	service  *Service
	to       proof.Exporter
	filter   AuditFilter
	header   proof.Header
	at, last int64 // places: written up to, and where it ends
}

// plan finds which links the export has.
func (e *export) plan(ctx context.Context, tx Tx, q AuditQuery) error {
	ring, err := e.service.ring(ctx, tx)
	if err != nil {
		return err
	}
	e.header = proof.Header{Instance: ring.Instance, Keys: ring.Keys, ExportedAt: e.service.now(), Only: q.words(), Servers: map[string]string{}}
	if err := e.servers(ctx, tx); err != nil {
		return err
	}
	first, last, err := tx.ChainRange(ctx, e.filter)
	if err != nil || last == 0 {
		return err
	}
	e.at, e.last = first-1, last
	if e.at > 0 {
		l, err := tx.LinkAt(ctx, e.at)
		if err != nil {
			return err
		}
		e.header.Start = proof.Start{Seq: l.Seq, Hash: l.Hash}
	}
	behind, err := tx.Checkpoints(ctx, last-1, math.MaxInt64, 1)
	for _, c := range behind {
		e.last = c.Seq
	}
	return err
}

// servers names the servers whose acts may be in the export.
func (e *export) servers(ctx context.Context, tx Tx) error {
	servers, err := tx.Servers(ctx)
	for _, srv := range servers {
		if e.filter.ServerIDs == nil || slices.Contains(e.filter.ServerIDs, srv.ID) {
			e.header.Servers[srv.ID] = srv.Slug
		}
	}
	return err
}

func (e *export) some(ctx context.Context) error {
	links, checkpoints, err := e.service.links(ctx, e.at, int(min(sealBatch, e.last-e.at)))
	if err != nil {
		return err
	}
	if len(links) == 0 {
		return Errorf(Conflict, "The chain of the audit ends after %d of %d places. Look at it: countersign audit verify.", e.at, e.last)
	}
	for i := range links {
		l := &links[i]
		e.at = l.Seq
		var shown *proof.Act
		if !l.Gone && e.filter.matches(&l.Entry) {
			shown = l.Entry.proof()
		}
		if err := e.to.Link(l.Link, shown); err != nil {
			return err
		}
		for _, c := range checkpoints[l.Seq] {
			if err := e.to.Checkpoint(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// words names what acts were chosen by.
func (q AuditQuery) words() map[string]string {
	words := map[string]string{}
	for name, v := range map[string]string{"server": q.Server, "who": q.Who, "act": q.Act, "since": moment(q.Since), "until": moment(q.Until)} {
		if v != "" {
			words[name] = v
		}
	}
	return words
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
