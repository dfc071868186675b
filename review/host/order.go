package host

import (
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// order puts the items into the order in which the host sends them.
func (r *renderer) order() {
	switch r.p.Order {
	case "collated":
		c := newCollator()
		slices.SortStableFunc(r.items, func(a, b *item) int { return c.compare(a.name, b.name) })
	case "server-collated":
		c := newCollator()
		slices.SortStableFunc(r.items, func(a, b *item) int { return c.compare(a.tool.server.name, b.tool.server.name) })
	case "server-bytes":
		slices.SortStableFunc(r.items, func(a, b *item) int {
			if c := compareBytes(a.tool.server.name, b.tool.server.name); c != 0 {
				return c
			}
			return compareBytes(a.name, b.name)
		})
	case "bytes":
		slices.SortStableFunc(r.items, func(a, b *item) int { return compareBytes(a.name, b.name) })
	case "keys": // the keys of an object of JavaScript
		slices.SortStableFunc(r.items, func(a, b *item) int { return compareIndexes(a.name, b.name) })
	}
}

// collator compares as String.localeCompare does where nobody set a locale: by the
// Unicode collation order of the root locale.
type collator struct {
	c    *collate.Collator
	buf  collate.Buffer
	keys map[string][]byte
}

func newCollator() *collator {
	return &collator{c: collate.New(language.Und), keys: map[string][]byte{}}
}

func (c *collator) compare(a, b string) int {
	return compareBytes(string(c.key(a)), string(c.key(b)))
}

func (c *collator) key(s string) []byte {
	k, ok := c.keys[s]
	if !ok {
		k = slices.Clone(c.c.KeyFromString(&c.buf, cutUTF16(s, longestName)))
		c.buf.Reset()
		c.keys[s] = k
	}
	return k
}
