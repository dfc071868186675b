package store_test

import (
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		storetest.Exercise(t, func(t testing.TB) review.Store { return open(t) })
	})
}
