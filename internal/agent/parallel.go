package agent

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// maxParallel is how many calls of a turn may be started and not settled.
const maxParallel = 8

// queue is the place of a concurrent call behind those before it in its turn:
// approvals are asked, and tools that are [Tool.Ordered] run, in the order of
// the calls. A nil queue waits for nothing.
type queue struct {
	before <-chan struct{} // closed when all calls before this one have passed
	passed chan struct{}
	once   sync.Once
}

// wait returns when it is this call's turn, or with the context's error.
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

// pass lets the next call go on, once it is this call's turn.
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

// parallelCalls are the calls of one turn that run concurrently. Events and results are
// passed on in the order of the calls, so that equal runs look equal.
type parallelCalls struct {
	run    *run
	calls  []*parallelCall
	slots  chan struct{} // one for each call that is started and not settled
	failed atomic.Bool   // no further call is run
}

type parallelCall struct {
	inv  *Invocation
	done chan struct{}
	out  outcome

	mu     sync.Mutex
	events []Event     // until it is the call's turn
	sink   func(Event) // nil until then
}

// startParallel starts every call, some at a time.
func (r *run) startParallel(ctx context.Context, invocations []*Invocation) *parallelCalls {
	p := &parallelCalls{run: r, slots: make(chan struct{}, maxParallel)}
	before := make(chan struct{})
	close(before)
	for _, inv := range invocations {
		c := &parallelCall{inv: inv, done: make(chan struct{})}
		inv.Messages, inv.Emit = slices.Clip(r.messages), c.emit
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

// settled makes room for another call; nothing more is run after an error.
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

// wait returns the outcome of a call, and passes its events on: those so far at
// once, later ones as they come, until its end.
func (p *parallelCalls) wait(i int) outcome {
	c := p.calls[i]
	c.setSink(p.run.emit)
	<-c.done
	c.setSink(func(Event) {}) // an abandoned call may go on
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
