package worker_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/worker"
)

// reads hands out a number of endpoints, one of which fails.
type reads struct {
	mu      sync.Mutex
	left    int
	running atomic.Int32
	most    atomic.Int32
	done    chan struct{}
}

func (r *reads) ReadDue(ctx context.Context) (bool, error) {
	now := r.running.Add(1)
	defer r.running.Add(-1)
	for was := r.most.Load(); now > was && !r.most.CompareAndSwap(was, now); was = r.most.Load() {
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 {
		return false, nil
	}
	if r.left--; r.left == 0 {
		close(r.done)
	}
	if r.left == 5 {
		return false, errors.New("the database is away")
	}
	return true, nil
}

func TestRunReadsAllThatIsDueAndStops(t *testing.T) {
	r := &reads{left: 20, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	var failures atomic.Int32
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		worker.Reading{Reads: r, AtOnce: 3, Look: time.Millisecond, Failed: func(error) { failures.Add(1) }}.Run(ctx)
	}()
	<-r.done
	cancel()
	<-ended
	if failures.Load() != 1 {
		t.Errorf("%d failures were told", failures.Load())
	}
	if r.most.Load() > 3 {
		t.Errorf("%d were read at once", r.most.Load())
	}
	if r.running.Load() != 0 {
		t.Error("Run returned while something was read")
	}
}

func TestRunWithoutReaders(t *testing.T) {
	worker.Reading{Reads: &reads{left: 1, done: make(chan struct{})}}.Run(t.Context()) // returns
}
