package review

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestPasswordHashesAtOnce: each takes 19 MiB, so the fifth waits until one of four is
// made, and who hangs up does not wait.
func TestPasswordHashesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewService(nil, Config{})
		running, most, made := 0, 0, 0
		next := make(chan struct{})
		for range 10 {
			go func() {
				_ = s.hashing(t.Context(), func() {
					running++ // of one goroutine at a time: the others wait
					most = max(most, running)
					<-next
					running--
					made++
				})
			}()
			synctest.Wait()
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.hashing(gone, func() { t.Error("hashed for nobody") }); !errors.Is(err, context.Canceled) {
			t.Errorf("who hung up is told %v", err)
		}
		for range 10 {
			next <- struct{}{}
			synctest.Wait()
		}
		if most != 4 || made != 10 {
			t.Errorf("%d hashes at once, %d made; want 4 and 10", most, made)
		}
	})
}
