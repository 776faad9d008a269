package server

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errSessionEnded is why the calls of a session are cancelled.
var errSessionEnded = errors.New("the client has ended the session")

// calls are the requests that are being answered: they end with their session, which the
// library would otherwise keep open until they are done.
type calls struct {
	mu      sync.Mutex
	running map[string]map[*context.CancelCauseFunc]bool // by session
	slots   chan struct{}
}

func newCalls() calls {
	return calls{running: map[string]map[*context.CancelCauseFunc]bool{}, slots: make(chan struct{}, maxCalls)}
}

// enter reports whether another call of a tool may run now; leave ends it.
func (c *calls) enter() bool {
	select {
	case c.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (c *calls) leave() { <-c.slots }

// start returns the context of a request, which ends with its session.
func (c *calls) start(ctx context.Context, req mcp.Request) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := ""
	if session, ok := req.GetSession().(*mcp.ServerSession); ok && session != nil {
		id = session.ID()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[id] == nil {
		c.running[id] = map[*context.CancelCauseFunc]bool{}
	}
	c.running[id][&cancel] = true
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		cancel(nil)
		delete(c.running[id], &cancel)
		if len(c.running[id]) == 0 {
			delete(c.running, id)
		}
	}
}

// cancel ends the requests of a session.
func (c *calls) cancel(id string, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cancel := range c.running[id] {
		(*cancel)(why)
	}
}

// cancelAll ends the requests of all sessions.
func (c *calls) cancelAll(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, requests := range c.running {
		for cancel := range requests {
			(*cancel)(why)
		}
	}
}
