package review_test

import (
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

func TestService(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		reviewtest.Exercise(t, func(t testing.TB) review.Store { return open(t) })
	})
}
