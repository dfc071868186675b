package reviewtest

import (
	"context"
	"sync/atomic"

	"github.com/countersign/countersign/review"
)

// hooked is a store that calls back before each transaction that writes.
type hooked struct {
	review.Store
	beforeUpdate func(n int) // n counts from 1
	n            atomic.Int64
}

func (h *hooked) Update(ctx context.Context, f func(review.Tx) error) error {
	n := h.n.Add(1)
	// Another service over the same store may write in here.
	h.beforeUpdate(int(n))
	return h.Store.Update(ctx, f)
}
