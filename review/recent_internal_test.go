package review

import "testing"

func TestRecentKeepsWhatWasAskedFor(t *testing.T) {
	r := newRecent[string, int](20)
	r.put("a", 1, 10)
	r.put("b", 2, 10)
	if v, ok := r.get("a"); v != 1 || !ok {
		t.Errorf("a is %d, %t", v, ok)
	}
	r.put("c", 3, 5) // b was asked for longest ago
	r.put("c", 4, 10)
	r.put("heavy", 5, 21)
	for key, want := range map[string]int{"a": 1, "b": 0, "c": 4, "heavy": 0} {
		if v, ok := r.get(key); v != want || ok != (want > 0) {
			t.Errorf("%s is %d, %t, want %d", key, v, ok, want)
		}
	}
	if r.weight != 20 || len(r.keys) != 2 {
		t.Errorf("%d keys weigh %d", len(r.keys), r.weight)
	}
}
