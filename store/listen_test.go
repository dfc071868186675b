package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

// listen returns what a store tells, once it listens.
func listen(t *testing.T, s *store.Store) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := make(chan string, 100), make(chan error, 1)
	go func() { ended <- s.Listen(ctx, func(id string) { told <- id }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("listening ended with %v", err)
		}
	})
	return told
}

// next returns the next id that was told, without the calls to look at everything.
func next(t *testing.T, told <-chan string) string {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case id := <-told:
			if id != "" {
				return id
			}
		case <-limit:
			t.Fatal("nothing was told")
		}
	}
}

func act(s *store.Store, serverIDs ...string) error {
	return s.Update(context.Background(), func(tx review.Tx) error {
		for _, id := range serverIDs {
			e := &review.AuditEntry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), Act: "thread.open", ServerID: id}
			if err := tx.AppendAudit(context.Background(), e); err != nil {
				return err
			}
		}
		return nil
	})
}

// begin acts until the listener hears it: when it starts to listen is its own affair.
func begin(t *testing.T, s *store.Store, told <-chan string) {
	t.Helper()
	for n := 0; ; n++ {
		if err := act(s, fmt.Sprintf("begin-%d", n)); err != nil {
			t.Fatal(err)
		}
		select {
		case id := <-told:
			if id != "" {
				return
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// heard returns the ids up to the last one, without those of begin.
func heard(t *testing.T, told <-chan string, last string) []string {
	t.Helper()
	var got []string
	for {
		id := next(t, told)
		if len(id) > 6 && id[:6] == "begin-" {
			continue
		}
		if got = append(got, id); id == last {
			return got
		}
	}
}

func TestListenHearsWhatWasCommitted(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		s := open(t)
		told := listen(t, s)
		begin(t, s, told)
		if err := act(s, "git", "git", "shop", ""); err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		err := s.Update(t.Context(), func(tx review.Tx) error {
			e := &review.AuditEntry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), Act: "thread.open", ServerID: "undone"}
			if err := tx.AppendAudit(t.Context(), e); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
		if err := act(s, "last"); err != nil {
			t.Fatal(err)
		}
		if got := heard(t, told, "last"); fmt.Sprint(got) != "[git shop last]" {
			t.Errorf("heard %v: each touched server once for a transaction, and nothing that was undone", got)
		}
	})
}

// TestListenAcrossPrograms: on PostgreSQL one program hears what another commits.
func TestListenAcrossPrograms(t *testing.T) {
	address := testkit.Postgres(t)
	here, there := storetest.OpenAt(t, address), storetest.OpenAt(t, address)
	told := listen(t, here)
	begin(t, there, told)
	if err := act(there, "git"); err != nil {
		t.Fatal(err)
	}
	if got := heard(t, told, "git"); len(got) != 1 {
		t.Errorf("heard %v", got)
	}
}

func TestListenEnds(t *testing.T) {
	s := storetest.OpenAt(t, filepath.Join(t.TempDir(), "x.db"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Listen(ctx, func(id string) { t.Errorf("told %q", id) }); err != nil {
		t.Error(err)
	}
	if err := act(s, "git"); err != nil {
		t.Fatal(err)
	}
}
