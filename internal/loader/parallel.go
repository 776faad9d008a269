package loader

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxWorkers bounds the goroutines of one call: more make no disk faster.
const maxWorkers = 8

// Any reports whether has is true of one of 0 to n-1, which are checked in parallel; after the
// first that is, no more are checked. A cancelled context is the error.
func Any(ctx context.Context, n int, has func(i int) bool) (bool, error) {
	var found atomic.Bool
	err := Parallel(ctx, n, func(i int) {
		if !found.Load() && has(i) {
			found.Store(true)
		}
	})
	return found.Load(), err
}

// Parallel calls do for 0 to n-1, in parallel, and returns when all calls
// are done. A cancelled context skips calls and is the error.
func Parallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWorkers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
