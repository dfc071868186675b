package store

import "testing"

func TestCache(t *testing.T) {
	c := newCache[int](10)
	has := func(key string, want bool) {
		t.Helper()
		if _, ok := c.get(key); ok != want {
			t.Errorf("%s is kept: %t, want %t", key, ok, want)
		}
	}
	c.put("a", 1, 4)
	c.put("b", 2, 4)
	has("a", true) // used last, so b goes first
	c.put("c", 3, 4)
	has("a", true)
	has("b", false)
	has("c", true)
	c.put("heavy", 4, 11)
	has("heavy", false)
	has("a", true)
	c.put("a", 9, 4)
	if v, _ := c.get("a"); v != 1 {
		t.Errorf("a kept value changed to %d", v)
	}
	if c.weight != 8 || c.used.Len() != len(c.entries) {
		t.Errorf("weight %d, %d in order, %d by key", c.weight, c.used.Len(), len(c.entries))
	}
}
