package review

import (
	"fmt"
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	th := newThrottle(3, time.Minute)
	for i := range 3 {
		if d := th.take("ana", now.Add(time.Duration(i)*time.Second)); d != 0 {
			t.Fatalf("event %d must wait %s", i, d)
		}
	}
	if d := th.take("ana", now.Add(10*time.Second)); d != 50*time.Second {
		t.Errorf("the fourth waits %s, want 50s", d)
	}
	if d := th.take("ben", now.Add(10*time.Second)); d != 0 {
		t.Errorf("another key waits %s", d)
	}
	if d := th.take("ana", now.Add(time.Minute)); d != 0 {
		t.Errorf("after the window it waits %s", d)
	}
	th.forget("ana")
	if d := th.wait("ana", now.Add(time.Minute)); d != 0 {
		t.Errorf("forgotten, it waits %s", d)
	}
}

func TestThrottleGivesBack(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	th := newThrottle(2, time.Minute)
	th.take("ana", now)
	th.take("ana", now.Add(time.Second))
	th.giveBack("ana", now)
	th.giveBack("ana", now.Add(time.Hour)) // nothing was counted then
	if d := th.take("ana", now.Add(2*time.Second)); d != 0 {
		t.Errorf("after one was given back it waits %s", d)
	}
	if d := th.take("ana", now.Add(2*time.Second)); d != 59*time.Second {
		t.Errorf("it waits %s, want 59s", d)
	}
}

func TestThrottleIsBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	th := newThrottle(3, time.Minute)
	for i := range 3 * throttleKeys {
		th.count(fmt.Sprint(i), now)
	}
	if len(th.keys) > throttleKeys {
		t.Errorf("remembers %d keys", len(th.keys))
	}
}
