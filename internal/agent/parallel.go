package agent

import (
	"context"
	"sync"
)

// maxParallel is how many calls of a turn may be in progress.
const maxParallel = 8

// queue is the position of a concurrent call in its turn: approvals, and tools
// that are [Tool.Ordered], run in the order of the calls. A nil queue does not
// wait.
type queue struct {
	before <-chan struct{} // closed when all earlier calls have passed
	passed chan struct{}
	once   sync.Once
}

// wait waits until all earlier calls have passed, or returns the context's
// error.
func (q *queue) wait(ctx context.Context) error {
	if q == nil {
		return nil
	}
	select {
	case <-q.before:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// pass lets the next call continue, once all earlier calls have passed.
func (q *queue) pass() {
	if q == nil {
		return
	}
	q.once.Do(func() {
		go func() {
			<-q.before
			close(q.passed)
		}()
	})
}

// turnCall is a call of a turn that is started. Its events are forwarded once the earlier
// calls are done, so that output is deterministic.
type turnCall struct {
	inv  *Invocation
	done chan struct{}
	out  outcome

	mu     sync.Mutex
	events []Event     // held back until the earlier calls are done
	sink   func(Event) // nil until then
}

// do runs the call, or skips it for a reason.
func (c *turnCall) do(ctx context.Context, skip string) {
	defer close(c.done)
	defer c.inv.queue.pass()
	if skip != "" {
		c.out.result = skipped(skip)
	} else {
		c.out = c.inv.run.invoke(ctx, c.inv)
	}
}

// wait returns the outcome of the call and forwards its events: the held-back
// ones immediately, later ones as they occur.
func (c *turnCall) wait() outcome {
	c.setSink(c.inv.run.emit)
	<-c.done
	c.setSink(func(Event) {}) // an abandoned call may continue
	return c.out
}

func (c *turnCall) setSink(sink func(Event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		sink(e)
	}
	c.events, c.sink = nil, sink
}

func (c *turnCall) emit(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sink != nil {
		c.sink(e)
	} else {
		c.events = append(c.events, e)
	}
}
