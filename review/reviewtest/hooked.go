package reviewtest

import (
	"context"
	"sync/atomic"

	"github.com/countersign/countersign/review"
)

// hooked is a store that calls back before each transaction that writes, and counts
// those that read.
type hooked struct {
	review.Store
	beforeUpdate func(n int) // n counts from 1
	n, views     atomic.Int64
}

func (h *hooked) View(ctx context.Context, f func(review.Tx) error) error {
	defer h.views.Add(1)
	return h.Store.View(ctx, f)
}

func (h *hooked) Update(ctx context.Context, f func(review.Tx) error) error {
	n := h.n.Add(1)
	// Another service over the same store may write in here.
	h.beforeUpdate(int(n))
	return h.Store.Update(ctx, f)
}
