package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/countersign/countersign/review"
)

// TestSameSliceIDs makes two processes give out the same numbers, as two clocks
// could: the later transaction runs again with others.
func TestSameSliceIDs(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		now := func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }
		first, second := openMigrated(t, address), open(t, address)
		first.now, second.now = now, now
		a, b := newListing("s", readTools(t, tools(3, 200, "a", 0, 1, 2))), newListing("s", readTools(t, tools(3, 200, "b", 0, 1, 2)))
		push(t, first, a)
		push(t, second, b)
		for _, want := range []*review.Listing{a, b} {
			if err := first.View(t.Context(), func(tx review.Tx) error {
				got, err := tx.ListingByID(t.Context(), want.ID)
				if err == nil {
					if diff := cmp.Diff(want.Surface, got.Surface, cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("-want +got:\n%s", diff)
					}
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestSliceIDsAreConsecutive(t *testing.T) {
	var ids sliceIDs
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	first := ids.take(at, 5000)
	if next := ids.take(at, 1); next != first+5000 {
		t.Errorf("%d after %d of 5,000", next, first)
	}
	if next := ids.take(at.Add(-time.Hour), 1); next != first+5001 {
		t.Errorf("%d after the clock went back", next)
	}
	if next := ids.take(at.Add(time.Hour), 1); next <= first+5002 {
		t.Errorf("%d an hour later", next)
	}
	taken := make([]int64, 200)
	var wg sync.WaitGroup
	for i := range taken {
		wg.Go(func() { taken[i] = ids.take(at, 1) })
	}
	wg.Wait()
	seen := map[int64]bool{}
	for _, id := range taken {
		if seen[id] || id <= first {
			t.Errorf("%d was given out twice", id)
		}
		seen[id] = true
	}
}

func TestRetries(t *testing.T) {
	s := openMigrated(t, filepath.Join(t.TempDir(), "x.db"))
	s.retries = 3
	lose := func(ctx context.Context, r review.Tx) error {
		t := r.(*tx)
		t.failed = failure(ctx, errLostRace)
		return t.failed
	}
	attempts := 0
	err := s.Update(t.Context(), func(tx review.Tx) error {
		attempts++
		if err := tx.InsertServer(t.Context(), &review.Server{ID: "x", Slug: fmt.Sprint("attempt ", attempts)}); err != nil {
			return err
		}
		if attempts < 3 {
			return errors.Join(errors.New("wrapped"), lose(t.Context(), tx))
		}
		return nil
	})
	if err != nil || attempts != 3 {
		t.Errorf("%d attempts, error %v", attempts, err)
	}
	if err := s.View(t.Context(), func(tx review.Tx) error {
		_, err := tx.ServerBySlug(t.Context(), "attempt 3")
		return err
	}); err != nil {
		t.Error(err)
	}

	attempts = 0
	err = s.Update(t.Context(), func(tx review.Tx) error {
		attempts++
		lose(t.Context(), tx) // ignored by f
		return nil
	})
	if attempts != 4 || review.KindOf(err) != review.Unavailable {
		t.Errorf("%d attempts, error %v", attempts, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	attempts = 0
	err = s.Update(ctx, func(tx review.Tx) error {
		attempts++
		cancel()
		return lose(ctx, tx)
	})
	if attempts != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %d attempts, error %v", attempts, err)
	}
}

// TestDamage changes what is stored: it is noticed, and said so.
func TestDamage(t *testing.T) {
	for name, statement := range map[string]string{
		"other bytes":       "UPDATE slices SET raw = CAST('{}' AS BLOB) WHERE id = (SELECT min(id) FROM slices)",
		"a missing slice":   "DELETE FROM slices WHERE id = (SELECT max(id) FROM slices)",
		"cut references":    "UPDATE listings SET refs = substr(refs, 1, octet_length(refs) - 1)",
		"no references":     "UPDATE listings SET refs = CAST('' AS BLOB)",
		"another envelope":  "UPDATE listings SET envelope = CAST('[]' AS BLOB)",
		"another last byte": "UPDATE listings SET envelope = CAST(replace(CAST(envelope AS TEXT), ']}}', ']} ') AS BLOB)",
	} {
		t.Run(name, func(t *testing.T) {
			s := openMigrated(t, filepath.Join(t.TempDir(), "x.db"))
			l := newListing("s", readTools(t, tools(5, 200, "")))
			push(t, s, l)
			if _, err := s.write.Exec(statement); err != nil {
				t.Fatal(err)
			}
			err := s.View(t.Context(), func(tx review.Tx) error {
				_, err := tx.ListingByID(t.Context(), l.ID)
				return err
			})
			if e := (*review.Error)(nil); !errors.As(err, &e) || e.Kind != review.Internal || e.Sentence != sayDamaged {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestStarving runs a long transaction among many short ones that write what it
// reads. Where it would lose for ever it runs alone, and wins.
func TestStarving(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		act := func(tx review.Tx, read time.Duration) error {
			srv, err := tx.ServerBySlug(t.Context(), "s")
			if err != nil {
				return err
			}
			time.Sleep(read)
			srv.Name += "."
			if err := tx.UpdateServer(t.Context(), srv); err != nil {
				return err
			}
			return tx.AppendAudit(t.Context(), &review.AuditEntry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), Act: "server.set"})
		}
		done := make(chan struct{})
		var short sync.WaitGroup
		for range 6 {
			short.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if err := s.Update(t.Context(), func(tx review.Tx) error { return act(tx, 0) }); err != nil {
						t.Errorf("short: %v", err)
						return
					}
				}
			})
		}
		attempts := 0
		err := s.Update(t.Context(), func(tx review.Tx) error {
			attempts++
			return act(tx, 100*time.Millisecond)
		})
		close(done)
		short.Wait()
		if err != nil || attempts > patience+1 {
			t.Errorf("the long one took %d attempts: %v", attempts, err)
		}
	})
}
