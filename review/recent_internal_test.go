package review

import "testing"

func TestRecentKeepsWhatWasAskedFor(t *testing.T) {
	r := newRecent[string, int](2)
	r.put("a", 1)
	r.put("b", 2)
	if v, ok := r.get("a"); v != 1 || !ok {
		t.Errorf("a is %d, %t", v, ok)
	}
	r.put("c", 3) // b was asked for longest ago
	r.put("c", 4)
	for key, want := range map[string]int{"a": 1, "b": 0, "c": 4} {
		if v, ok := r.get(key); v != want || ok != (want > 0) {
			t.Errorf("%s is %d, %t, want %d", key, v, ok, want)
		}
	}
}
