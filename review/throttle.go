package review

import (
	"slices"
	"sync"
	"time"
)

// throttle counts events by key in a sliding window, in bounded memory. It lives
// in one process: with several instances each counts for itself, so the bound is
// that many times higher. That is a price we pay for not writing to the database
// for every wrong password.
type throttle struct {
	limit  int
	window time.Duration

	mu   sync.Mutex
	keys map[string][]time.Time
}

// throttleKeys bounds what strangers can make a throttle remember.
const throttleKeys = 10_000

func newThrottle(limit int, window time.Duration) *throttle {
	return &throttle{limit: limit, window: window, keys: map[string][]time.Time{}}
}

// wait returns how long the key must wait; zero when it may go on.
func (t *throttle) wait(key string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left(key, now)
}

func (t *throttle) left(key string, now time.Time) time.Duration {
	times := t.live(key, now)
	if len(times) < t.limit {
		return 0
	}
	return times[len(times)-t.limit].Add(t.window).Sub(now)
}

// count remembers an event of the key.
func (t *throttle) count(key string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(key, now)
}

func (t *throttle) add(key string, now time.Time) {
	if len(t.keys) >= throttleKeys {
		t.sweep(now)
	}
	times := append(t.live(key, now), now)
	if len(times) > t.limit {
		times = times[len(times)-t.limit:]
	}
	t.keys[key] = times
}

// take counts an event when the key may go on, and returns how long to wait when
// it may not. Nobody comes between the question and the count.
func (t *throttle) take(key string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.left(key, now); d > 0 {
		return d
	}
	t.add(key, now)
	return 0
}

// giveBack forgets one event that take counted at a time.
func (t *throttle) giveBack(key string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	times := t.keys[key]
	for i := len(times) - 1; i >= 0; i-- {
		if times[i].Equal(at) {
			t.keys[key] = slices.Delete(times, i, i+1)
			return
		}
	}
}

// forget clears the key.
func (t *throttle) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.keys, key)
}

// live returns the key's events inside the window.
func (t *throttle) live(key string, now time.Time) []time.Time {
	times := t.keys[key]
	for len(times) > 0 && !times[0].Add(t.window).After(now) {
		times = times[1:]
	}
	return times
}

// sweep drops keys without events inside the window, and everything when that
// does not help: too lax for a moment is better than memory without end.
func (t *throttle) sweep(now time.Time) {
	for key := range t.keys {
		if len(t.live(key, now)) == 0 {
			delete(t.keys, key)
		}
	}
	if len(t.keys) >= throttleKeys {
		clear(t.keys)
	}
}
