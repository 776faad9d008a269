package agent

import (
	"context"
	"sync"
)

// place is a place in a queue: those in it go through one after the other, in
// their order. Nil is the place of one that waits for nobody.
type place struct {
	before <-chan struct{} // closed when all before it have passed, nil for the first
	passed chan struct{}
	once   sync.Once
}

// behind returns the place behind p, the first where p is nil.
func behind(p *place) *place {
	next := &place{passed: make(chan struct{})}
	if p != nil {
		next.before = p.passed
	}
	return next
}

// wait returns when all before it have passed, with the context's error where
// that is over. At no place there is nothing to wait for.
func (p *place) wait(ctx context.Context) error {
	switch {
	case p == nil:
		return nil
	case p.before != nil:
		select {
		case <-p.before:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// pass lets the next one go on, once all before it have passed as well: one may
// leave the queue from its middle. Every place has to be passed; to pass it
// again does nothing.
func (p *place) pass() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		if p.before == nil {
			close(p.passed)
			return
		}
		select {
		case <-p.before:
			close(p.passed)
		default:
			go func() {
				<-p.before
				close(p.passed)
			}()
		}
	})
}
