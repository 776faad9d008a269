package loader

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Cache asks a source once and keeps its answer. Callers that come while it is
// being asked wait for the same answer. A failure is not kept: it goes to
// those who waited, and the next call asks again. A caller whose context ends
// leaves; the source is cancelled when all have left.
func Cache(source Source) Source { return &cache{source: source} }

type cache struct {
	source Source

	mu     sync.Mutex
	done   bool
	skills []*Skill
	asking *question
}

// question is one call of the source that is under way.
type question struct {
	answered chan struct{} // closed when skills and err stand
	skills   []*Skill
	err      error
	waiting  int
	cancel   context.CancelFunc
}

func (c *cache) Skills(ctx context.Context) ([]*Skill, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	q, skills := c.join(ctx)
	if q == nil {
		return skills, nil
	}
	select {
	case <-q.answered:
		c.leave(q)
		return slices.Clone(q.skills), q.err
	case <-ctx.Done():
		c.leave(q)
		return nil, context.Cause(ctx)
	}
}

// join returns what is kept, or the question to wait for.
func (c *cache) join(ctx context.Context) (*question, []*Skill) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return nil, slices.Clone(c.skills)
	}
	if c.asking == nil {
		// The first caller's values are handed on, its cancellation is not:
		// others may be waiting.
		asked, cancel := context.WithCancel(context.WithoutCancel(ctx))
		c.asking = &question{answered: make(chan struct{}), cancel: cancel}
		go c.ask(asked, c.asking)
	}
	c.asking.waiting++
	return c.asking, nil
}

func (c *cache) leave(q *question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		q.cancel()
		if c.asking == q {
			c.asking = nil
		}
	}
}

func (c *cache) ask(ctx context.Context, q *question) {
	q.skills, q.err = safely(ctx, c.source)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking == q {
		c.asking = nil
		if q.err == nil {
			c.done, c.skills = true, q.skills
		}
	}
	close(q.answered)
}

// safely turns a panic of a source into an error: it happens on a goroutine
// where nobody could catch it.
func safely(ctx context.Context, source Source) (skills []*Skill, err error) {
	defer func() {
		if p := recover(); p != nil {
			skills, err = nil, fmt.Errorf("loading skills: source panicked: %v", p)
		}
	}()
	return source.Skills(ctx)
}
