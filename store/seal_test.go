package store

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
)

var (
	auditSigner = proof.NewSigner(make([]byte, proof.SeedSize))
	shell       = review.Actor{Shell: true, Via: "shell"}
)

// auditing is a workflow over a store that signs.
func auditing(t *testing.T, s *Store) *review.Service {
	t.Helper()
	svc := review.NewService(s, review.Config{BaseURL: "https://review.example", Signer: func() (*proof.Signer, error) { return auditSigner, nil }})
	if err := svc.PublishKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	return svc
}

func appendActs(t *testing.T, s *Store, n int) {
	t.Helper()
	for i := range n {
		err := s.Update(t.Context(), func(tx review.Tx) error {
			return tx.AppendAudit(t.Context(), &review.AuditEntry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now().UTC().Truncate(time.Microsecond),
				Actor: "Ada", Via: "browser", Act: "thread.open", Subject: fmt.Sprint("t\x00\xed\xa0\x80", i), After: `{"n":1}`})
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func verified(t *testing.T, svc *review.Service, elsewhere ...proof.Envelope) *review.AuditVerification {
	t.Helper()
	v, err := svc.VerifyAudit(t.Context(), shell, nil, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func seal(t *testing.T, svc *review.Service, now bool) review.Sealing {
	t.Helper()
	done, err := svc.SealAudit(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestTamperingIsFound does to the database what somebody could who can write to
// it, but has no key.
func TestTamperingIsFound(t *testing.T) {
	cut := func(table, column string) string { return "DELETE FROM " + table + " WHERE " + column + " > 7" }
	const idAt = "(SELECT audit_id FROM audit_chain WHERE seq = 5)"
	for name, tt := range map[string]struct {
		sql  []string
		seq  int64
		what string
		both bool
	}{
		"changed":                    {[]string{"UPDATE audit SET actor = 'Eve' WHERE id = " + idAt}, 5, "changed", true},
		"time changed":               {[]string{"UPDATE audit SET at = at + 1 WHERE id = " + idAt}, 5, "changed", false},
		"deleted":                    {[]string{"DELETE FROM audit WHERE id = " + idAt}, 5, "removed", true},
		"deleted with its link":      {[]string{"DELETE FROM audit_chain WHERE seq = 5"}, 5, "removed", false},
		"deleted, and numbered anew": {[]string{"DELETE FROM audit_chain WHERE seq = 5", "UPDATE audit_chain SET seq = seq - 1 WHERE seq = 6"}, 5, "link", false},
		"inserted":                   {[]string{"INSERT INTO audit SELECT 'x', at, actor_id, actor, via, addr, act, server_id, subject, before, after FROM audit WHERE id = " + idAt}, 0, "put in", false},
		"inserted with a link": {[]string{
			"INSERT INTO audit SELECT 'x', at, actor_id, actor, via, addr, act, server_id, subject, before, after FROM audit WHERE id = " + idAt,
			"INSERT INTO audit_chain SELECT 13, 'x', row_digest, hash FROM audit_chain WHERE seq = 12"}, 13, "put in its place", false},
		"reordered": {[]string{
			"UPDATE audit_chain SET seq = -5 WHERE seq = 5", "UPDATE audit_chain SET seq = 5 WHERE seq = 6", "UPDATE audit_chain SET seq = 6 WHERE seq = -5"}, 5, "link", false},
		"truncated":            {[]string{cut("audit_chain", "seq")}, 8, "cut off", true},
		"a checkpoint changed": {[]string{"UPDATE audit_checkpoints SET envelope = replace(envelope, '\"sig\":\"', '\"sig\":\"AAAA')"}, 12, "not signed", false},
	} {
		t.Run(name, func(t *testing.T) {
			test := func(t *testing.T, address string) {
				s := openMigrated(t, address)
				svc := auditing(t, s)
				appendActs(t, s, 11) // after key.add
				if done := seal(t, svc, true); done.Links != 12 || done.Checkpoint == nil {
					t.Fatalf("sealed %+v", done)
				}
				if v := verified(t, svc); v.Fault != nil || v.Covered != 12 || v.Waiting != 0 {
					t.Fatalf("untouched: %+v %+v", v, v.Fault)
				}
				tamper(t, s, tt.sql...)
				v := verified(t, svc)
				if v.Fault == nil || v.Fault.Seq != tt.seq || !strings.Contains(v.Fault.What, tt.what) {
					t.Errorf("found %+v, want %q at place %d", v.Fault, tt.what, tt.seq)
				}
			}
			if tt.both {
				onBoth(t, test)
			} else {
				test(t, t.TempDir()+"/c.db")
			}
		})
	}
}

// TestTruncationWithItsCheckpoints takes what vouches for the end away as well: only
// a checkpoint that was kept elsewhere shows it.
func TestTruncationWithItsCheckpoints(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		svc := auditing(t, s)
		appendActs(t, s, 4)
		seal(t, svc, true)
		appendActs(t, s, 4)
		kept := seal(t, svc, true).Checkpoint
		tamper(t, s, "DELETE FROM audit_checkpoints WHERE seq > 5",
			"CREATE TABLE gone AS SELECT audit_id FROM audit_chain WHERE seq > 5",
			"DELETE FROM audit_chain WHERE seq > 5", "DELETE FROM audit WHERE id IN (SELECT audit_id FROM gone)")
		if v := verified(t, svc); v.Fault != nil {
			t.Fatalf("nothing is left to see it by, yet: %+v", v.Fault)
		}
		if v := verified(t, svc, kept.Envelope); v.Fault == nil || v.Fault.Seq != 6 {
			t.Errorf("with the checkpoint that was kept: %+v", v.Fault)
		}
		appendActs(t, s, 4) // the chain grows over the gap
		seal(t, svc, true)
		if v := verified(t, svc, kept.Envelope); v.Fault == nil || v.Fault.Seq != 9 {
			t.Errorf("grown over the gap: %+v", v.Fault)
		}
	})
}

func tamper(t *testing.T, s *Store, statements ...string) {
	t.Helper()
	if s.engine.name == "SQLite" {
		statements = append([]string{"PRAGMA foreign_keys = 0"}, statements...)
	} else {
		statements = append([]string{"ALTER TABLE audit_chain DROP CONSTRAINT audit_chain_audit_id_fkey"}, statements...)
	}
	for _, sql := range statements {
		if _, err := s.write.ExecContext(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// TestEarlierActsAreSealed migrates a database with acts from before the chain.
func TestEarlierActsAreSealed(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		appendActs(t, s, 3)
		tamper(t, s, "DELETE FROM audit_pending", "INSERT INTO audit_pending (id) SELECT id FROM audit") // what the migration runs
		svc := auditing(t, s)
		if done := seal(t, svc, false); done.Links != 4 {
			t.Errorf("sealed %+v", done)
		}
		if v := verified(t, svc); v.Fault != nil || v.Links != 4 {
			t.Errorf("%+v %+v", v, v.Fault)
		}
	})
}

// TestSealersAndWriters runs three instances that seal, while five write: no link is
// lost, none is there twice, and no writer fails.
func TestSealersAndWriters(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		svc := auditing(t, s)
		stop := make(chan struct{})
		var writers, sealers sync.WaitGroup
		for range 3 {
			other := open(t, address)
			own := auditing(t, other)
			sealers.Go(func() {
				for {
					if _, err := own.SealAudit(t.Context(), true); err != nil {
						t.Errorf("seal: %v", err)
						return
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		for range 5 {
			writers.Go(func() { appendActs(t, s, 20) })
		}
		writers.Wait()
		close(stop)
		sealers.Wait()
		seal(t, svc, true)
		if v := verified(t, svc); v.Fault != nil || v.Links != 101 || v.Covered != 101 || v.Waiting != 0 {
			t.Errorf("%+v %+v", v, v.Fault)
		}
	})
}

func TestCheckpointsAreDue(t *testing.T) {
	s := openMigrated(t, t.TempDir()+"/c.db")
	clock := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	signer, broken := auditSigner, error(nil)
	svc := review.NewService(s, review.Config{Now: func() time.Time { return clock }, Signer: func() (*proof.Signer, error) { return signer, broken }})
	if err := svc.PublishKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := func(what string, links int, signed bool) {
		t.Helper()
		if done := seal(t, svc, false); done.Links != links || (done.Checkpoint != nil) != signed {
			t.Errorf("%s: %+v", what, done)
		}
	}
	want("the first", 1, true)
	want("nothing new", 0, false)
	appendActs(t, s, 3)
	want("a few", 3, false)
	clock = clock.Add(10 * time.Minute)
	want("after a while", 0, true)
	clock = clock.Add(10 * time.Minute)
	want("nothing new after a while", 0, false)
	appendActs(t, s, 100)
	want("many", 100, true)
	appendActs(t, s, 600)
	want("more than one batch", 600, true)

	appendActs(t, s, 2)
	broken = fmt.Errorf("gone")
	if done := seal(t, svc, true); done.Links != 2 || done.Checkpoint != nil || review.KindOf(done.Unsigned) != review.Unavailable {
		t.Errorf("without a key: %+v", done)
	}
	broken, signer = nil, proof.NewSigner([]byte("0123456789abcdef0123456789abcdef"))
	if done := seal(t, svc, true); done.Checkpoint != nil || review.KindOf(done.Unsigned) != review.Unavailable {
		t.Errorf("with a key that nobody knows: %+v", done)
	}
	signer = auditSigner
	want("the key is back", 0, false) // not due yet
	if done := seal(t, svc, true); done.Checkpoint == nil {
		t.Errorf("the key is back: %+v", done)
	}
}
