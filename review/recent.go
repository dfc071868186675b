package review

import (
	"slices"
	"sync"
)

// findingsKept is how many releases' findings are kept as they were read: those that
// people are looking at.
const findingsKept = 16

// recent keeps the few values that were asked for last. Values are shared: nobody may
// change one.
type recent[K comparable, V any] struct {
	mu     sync.Mutex
	most   int
	keys   []K // the one asked for last at the end
	values map[K]V
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, values: map[K]V{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.values[key]
	if i := slices.Index(r.keys, key); i >= 0 {
		r.keys = append(slices.Delete(r.keys, i, i+1), key)
	}
	return v, ok
}

func (r *recent[K, V]) put(key K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.values[key]; !known {
		r.keys = append(r.keys, key)
	}
	r.values[key] = v
	for len(r.keys) > r.most {
		delete(r.values, r.keys[0])
		r.keys = r.keys[1:]
	}
}
