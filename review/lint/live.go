package lint

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// Live is what the rules say of two readings of one version: released is what was
// pushed, live is what a running server lists. r is their comparison; unstable says
// that an earlier reading had the same tools in another order.
//
// Every change of a definition is a drift but what stands in _meta alone, which hosts
// keep from the model.
func Live(released, live *surface.Listing, r *change.Report, unstable bool) []Finding {
	d := &delta{r: r}
	var names []string
	for i := range r.Changes {
		if c := &r.Changes[i]; !Plumbing(c) {
			names = append(names, c.Name())
		}
	}
	if len(names) > 0 {
		d.listing("diff.capture-vs-push", High, r.From.String()+" "+r.To.String(), driftMessage(names))
	}
	if unstable || reordered(released, live) {
		d.listing("surface.order-unstable", Info, r.From.String(), "The same tools came in another order, so the cached front of every request is lost again and again.")
	}
	return d.found
}

// Plumbing reports whether a change is nothing that a model or a caller meets: the
// order of the list, and what stands in _meta.
func Plumbing(c *change.Change) bool {
	if c.Subject == change.SubjectOrder {
		return true
	}
	if c.Kind != change.Changed || len(c.Details) == 0 || c.Hidden {
		return false
	}
	for i := range c.Details {
		if p := c.Details[i].Pointer; p != "/_meta" && !strings.HasPrefix(p, "/_meta/") {
			return false
		}
	}
	return true
}

// driftNames is how many changes the message names.
const driftNames = 3

func driftMessage(names []string) string {
	said := make([]string, 0, driftNames+1)
	for _, name := range names[:min(len(names), driftNames)] {
		said = append(said, fmt.Sprintf("%q", short(name, 80)))
	}
	if more := len(names) - driftNames; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	return "What runs is not what was pushed for this version: " + strings.Join(said, ", ") + "."
}

// reordered reports whether both list the same definitions in another order.
func reordered(a, b *surface.Listing) bool {
	if len(a.Tools) != len(b.Tools) {
		return false
	}
	count, moved := map[surface.Hash]int{}, false
	for i := range a.Tools {
		count[a.Tools[i].Digest]++
		count[b.Tools[i].Digest]--
		moved = moved || a.Tools[i].Digest != b.Tools[i].Digest
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return moved
}
