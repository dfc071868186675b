// Package worker does what is due at times, for as long as an instance runs. Whose turn
// it is stands in the database, so that several instances share the work and none of it
// is done twice; what is read, and how, is injected.
package worker

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Reads reads the endpoint that is due first, and reports false when none is.
type Reads interface {
	ReadDue(ctx context.Context) (bool, error)
}

// Reading says how due endpoints are read.
type Reading struct {
	Reads  Reads
	AtOnce int           // readers; none reads nothing
	Look   time.Duration // how often a reader with nothing to do looks again, about
	Failed func(error)   // is told what went wrong on our side
}

// Run reads until ctx ends, and returns when the last reading has ended. A failure of
// ours is told and tried again later.
func (r Reading) Run(ctx context.Context) {
	var readers sync.WaitGroup
	for range r.AtOnce {
		readers.Go(func() {
			for ctx.Err() == nil {
				more, err := r.Reads.ReadDue(ctx)
				if err != nil && ctx.Err() == nil {
					r.Failed(err)
				}
				if err != nil || !more {
					pause(ctx, r.Look)
				}
			}
		})
	}
	readers.Wait()
}

// pause waits about so long: instances that were started together must not look at the
// same moments for ever.
func pause(ctx context.Context, about time.Duration) {
	wait := time.NewTimer(about/2 + rand.N(about+1))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}
