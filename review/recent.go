package review

import (
	"slices"
	"sync"
)

// recent keeps the few values that were asked for last, as many as weigh no more than
// most together. Values are shared: nobody may change one.
type recent[K comparable, V any] struct {
	mu     sync.Mutex
	most   int
	weight int
	keys   []K // the one asked for last at the end
	values map[K]weighted[V]
}

type weighted[V any] struct {
	value  V
	weight int
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, values: map[K]weighted[V]{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.values[key]
	if i := slices.Index(r.keys, key); i >= 0 {
		r.keys = append(slices.Delete(r.keys, i, i+1), key)
	}
	return v.value, ok
}

// put keeps a value, and lets go of those that were asked for longest ago. What weighs
// too much by itself is not kept.
func (r *recent[K, V]) put(key K, v V, weight int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if weight > r.most {
		return
	}
	old, known := r.values[key]
	if !known {
		r.keys = append(r.keys, key)
	}
	r.values[key] = weighted[V]{v, weight}
	for r.weight += weight - old.weight; r.weight > r.most; r.keys = r.keys[1:] {
		r.weight -= r.values[r.keys[0]].weight
		delete(r.values, r.keys[0])
	}
}
