package agent

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
)

// maxSide is how many calls of a turn run side by side.
const maxSide = 8

// side is the calls of one turn that run side by side. What can be seen of
// them is in the order of the calls: approvals are asked for about one call of
// a tool after the other, the calls of tools that are [Tool.Ordered] are run
// one after the other, and events wait for their turn. A question about one
// tool does not hold up the others, and neither does what else stands around a
// call.
//
// What can be lost is stored as soon as it is there: the watchers are told of
// each result when its call ends, together with the states as they were when
// that call had changed them, and not with what a later one has done since.
type side struct {
	run     *run
	calls   []*beside
	watched bool        // whether anybody stores results
	failed  atomic.Bool // whether one could not be stored

	mu    sync.Mutex                 // held while a result is stored
	saved map[string]json.RawMessage // the states that go with the results stored so far; nil where they cannot be told
}

// beside is one of the calls.
type beside struct {
	side   *side
	call   ToolCall
	inv    *Invocation
	turn   *place // to be asked about; for a tool that is Ordered, to be run, too
	stored *place // of tools that are Ordered: to be stored
	events held
	saved  map[string]json.RawMessage // the states as a tool that is Ordered left them
	done   chan struct{}
	out    outcome
}

// turn is the call's place among those of its tool.
func (inv *Invocation) turn() *place {
	if inv.beside == nil {
		return nil
	}
	return inv.beside.turn
}

// startAll starts every call, so many at a time, and returns a function that
// waits for one. Its events are told meanwhile.
func (r *run) startAll(ctx context.Context, invocations []*Invocation) func(i int) outcome {
	s := &side{run: r, watched: r.watched()}
	s.saved = s.states()
	turns := map[string]*place{}
	var stored *place
	for _, inv := range invocations {
		c := &beside{side: s, call: inv.Call, inv: inv, done: make(chan struct{})}
		inv.Messages, inv.beside, inv.Emit = slices.Clip(r.messages), c, c.events.add
		queue := inv.Call.Name
		if tool := r.tool(queue); tool != nil && tool.Ordered {
			queue, stored = "", behind(stored)
			c.stored = stored
		}
		c.turn = behind(turns[queue])
		turns[queue] = c.turn
		s.calls = append(s.calls, c)
	}
	var started atomic.Int64
	for range min(maxSide, len(s.calls)) {
		go func() {
			for i := started.Add(1) - 1; i < int64(len(s.calls)); i = started.Add(1) - 1 {
				s.do(ctx, s.calls[i])
			}
		}()
	}
	return func(i int) outcome {
		c := s.calls[i]
		c.events.open(r.emit)
		<-c.done
		c.events.close()
		return c.out
	}
}

// do runs one of the calls and stores its result.
func (s *side) do(ctx context.Context, c *beside) {
	defer close(c.done)
	c.out = s.invoke(ctx, c)
	c.out.result = whole(c.out.result)
	s.store(ctx, c)
}

func (s *side) invoke(ctx context.Context, c *beside) outcome {
	defer c.turn.pass()
	switch {
	case ctx.Err() != nil:
		return outcome{result: skipped("the run was stopped.")}
	case s.failed.Load():
		return outcome{result: skipped("the run failed before this call.")}
	}
	return s.run.invoke(ctx, c.inv)
}

// perform runs the call's tool when it is its turn, and lets the next one have
// its own: of a tool that is Ordered at its end, of others at once.
func (c *beside) perform(ctx context.Context, inv *Invocation) (ToolResult, error) {
	defer c.turn.pass()
	if !inv.Tool.Ordered {
		c.turn.pass()
		return inv.Tool.Call(ctx, inv)
	}
	if c.turn.wait(ctx) != nil {
		return ToolResult{}, errNotBegun
	}
	defer func() { c.saved = c.side.states() }()
	return inv.Tool.Call(ctx, inv)
}

// store tells the watchers of the call's result. One that goes with states is
// stored behind those that they hold as well.
func (s *side) store(ctx context.Context, c *beside) {
	defer c.stored.pass()
	c.out.stored = true
	if !s.watched {
		return
	}
	if c.out.saved != nil {
		_ = c.stored.wait(context.WithoutCancel(ctx)) // every call ends, and then is stored
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	session := s.run.session
	if c.out.saved != nil {
		s.saved = c.out.saved
	}
	if s.saved != nil {
		session = RestoreSession(s.saved)
	}
	if c.out.err = s.run.watch(ctx, session, []Message{answerTo(c.call, c.out.result)}); c.out.err != nil {
		s.failed.Store(true)
	}
}

// states returns the states as they are, nil where nobody stores them, and
// where that fails: who stores them next will say so.
func (s *side) states() map[string]json.RawMessage {
	if !s.watched {
		return nil
	}
	saved, err := s.run.session.Snapshot()
	if err != nil {
		return nil
	}
	return saved
}

// held are the events of a call until it is their turn. What comes after its
// end is of a call that was given up, and nobody hears it.
type held struct {
	mu     sync.Mutex
	events []Event
	tell   func(Event) // nil until it is their turn
	over   bool
}

func (h *held) add(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.over:
	case h.tell != nil:
		h.tell(e)
	default:
		h.events = append(h.events, e)
	}
}

// open tells of what there is, and from now on at once.
func (h *held) open(tell func(Event)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		tell(e)
	}
	h.events, h.tell = nil, tell
}

func (h *held) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}
