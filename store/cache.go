package store

import (
	"container/list"
	"sync"
)

// cache keeps what never changes once it is stored, the least used going first.
// It is bounded by the sum of the weights that its entries were put with. Values
// are shared: nobody may change one.
//
// What a transaction put there that was rolled back stays harmless: ids are never
// given out twice, so nobody asks for it again.
type cache[V any] struct {
	mu      sync.Mutex
	most    int // weight
	weight  int
	entries map[string]*list.Element // of *cached[V]
	used    list.List                // newest first
}

type cached[V any] struct {
	key    string
	value  V
	weight int
}

func newCache[V any](most int) *cache[V] {
	return &cache[V]{most: most, entries: map[string]*list.Element{}}
}

func (c *cache[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		var none V
		return none, false
	}
	c.used.MoveToFront(e)
	return e.Value.(*cached[V]).value, true
}

// put keeps a value, unless it alone is too heavy.
func (c *cache[V]) put(key string, v V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[key]; ok || weight > c.most {
		return
	}
	c.entries[key] = c.used.PushFront(&cached[V]{key, v, weight})
	for c.weight += weight; c.weight > c.most; {
		last := c.used.Remove(c.used.Back()).(*cached[V])
		delete(c.entries, last.key)
		c.weight -= last.weight
	}
}

// clear forgets everything.
func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	c.used.Init()
	c.weight = 0
}
