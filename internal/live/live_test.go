package live_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/live"
)

func subscribe(t *testing.T, h *live.Hub, topic, reader string) *live.Subscription {
	t.Helper()
	s, err := h.Subscribe(topic, reader)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// woken reports whether a subscription was woken, and takes it.
func woken(s *live.Subscription) bool {
	select {
	case <-s.Woken():
		return true
	default:
		return false
	}
}

func done(s *live.Subscription) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

func TestTellWakesItsTopicOnly(t *testing.T) {
	h := live.NewHub()
	a, b, other := subscribe(t, h, "git", "ana"), subscribe(t, h, "git", "ben"), subscribe(t, h, "shop", "ana")
	h.Tell("git")
	if !woken(a) || !woken(b) || woken(other) {
		t.Error("one topic wakes those who wait for it, and nobody else")
	}
	h.Tell("none")
	if woken(a) || woken(b) || woken(other) {
		t.Error("an unknown topic woke somebody")
	}
	h.Tell(live.Everything)
	if !woken(a) || !woken(b) || !woken(other) {
		t.Error("everything wakes all")
	}
}

func TestTouchesBeforeALookAreOne(t *testing.T) {
	h := live.NewHub()
	s := subscribe(t, h, "git", "ana")
	for range 1000 {
		h.Tell("git") // nobody reads: it must not block
	}
	if !woken(s) || woken(s) {
		t.Error("a thousand touches are one")
	}
	h.Tell("git")
	if !woken(s) {
		t.Error("a touch after the look is another")
	}
}

func TestSubscriptionsPerReader(t *testing.T) {
	h := live.NewHub()
	var held []*live.Subscription
	for range live.PerReader {
		held = append(held, subscribe(t, h, "git", "ana"))
	}
	if _, err := h.Subscribe("shop", "ana"); !errors.Is(err, live.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	subscribe(t, h, "git", "ben")
	held[0].Close()
	held[0].Close() // makes room once
	subscribe(t, h, "git", "ana")
	if _, err := h.Subscribe("git", "ana"); !errors.Is(err, live.ErrTooMany) {
		t.Errorf("a second close made room for another: %v", err)
	}
	h.Tell("git")
	if woken(held[0]) || !woken(held[1]) {
		t.Error("a closed subscription is not woken, an open one is")
	}
}

func TestCloseEndsAll(t *testing.T) {
	h := live.NewHub()
	s := subscribe(t, h, "git", "ana")
	if done(s) {
		t.Fatal("done before the end")
	}
	h.Close()
	h.Close()
	if !done(s) {
		t.Error("not done after the end")
	}
	s.Close()
	for range live.PerReader + 1 {
		if late := subscribe(t, h, "git", "ana"); !done(late) {
			t.Error("a late one waits")
		}
	}
	h.Tell("git")
}

func TestManyAtOnce(t *testing.T) {
	h := live.NewHub()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 100 {
				s, err := h.Subscribe("git", "ana")
				if errors.Is(err, live.ErrTooMany) {
					continue
				}
				h.Tell("git")
				if !woken(s) {
					t.Error("its own touch did not wake it")
				}
				s.Close()
			}
		})
	}
	wg.Wait()
	for range live.PerReader {
		subscribe(t, h, "git", "ana")
	}
}
