package agent

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
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

// parallelCalls are the concurrent calls of one turn. Events and results are
// forwarded in the order of the calls, so that output is deterministic.
type parallelCalls struct {
	run    *run
	calls  []*parallelCall
	slots  chan struct{} // one per call in progress
	failed atomic.Bool   // no further call is run
}

type parallelCall struct {
	inv  *Invocation
	done chan struct{}
	out  outcome

	mu     sync.Mutex
	events []Event     // held back until the earlier calls are done
	sink   func(Event) // nil until then
}

// startParallel starts all calls, maxParallel at a time.
func (r *run) startParallel(ctx context.Context, invocations []*Invocation) *parallelCalls {
	p := &parallelCalls{run: r, slots: make(chan struct{}, maxParallel)}
	before := make(chan struct{})
	close(before)
	for _, inv := range invocations {
		c := &parallelCall{inv: inv, done: make(chan struct{})}
		inv.Messages, inv.Emit = slices.Clip(r.sent), c.emit
		inv.queue = &queue{before: before, passed: make(chan struct{})}
		before = inv.queue.passed
		p.calls = append(p.calls, c)
	}
	go func() {
		for _, c := range p.calls {
			p.slots <- struct{}{}
			go p.do(ctx, c)
		}
	}()
	return p
}

// settled frees the slot of a call; after an error no further call is run.
func (p *parallelCalls) settled(err error) {
	if err != nil {
		p.failed.Store(true)
	}
	<-p.slots
}

func (p *parallelCalls) do(ctx context.Context, c *parallelCall) {
	defer close(c.done)
	defer c.inv.queue.pass()
	switch {
	case ctx.Err() != nil:
		c.out.result = skipped("the run was stopped.")
	case p.failed.Load():
		c.out.result = skipped("the run failed before this call.")
	default:
		c.out = p.run.invoke(ctx, c.inv)
	}
}

// wait returns the outcome of a call and forwards its events: the held-back
// ones immediately, later ones as they occur.
func (p *parallelCalls) wait(i int) outcome {
	c := p.calls[i]
	c.setSink(p.run.emit)
	<-c.done
	c.setSink(func(Event) {}) // an abandoned call may continue
	return c.out
}

func (c *parallelCall) setSink(sink func(Event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		sink(e)
	}
	c.events, c.sink = nil, sink
}

func (c *parallelCall) emit(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sink != nil {
		c.sink(e)
	} else {
		c.events = append(c.events, e)
	}
}
