package agent

import (
	"context"
	"slices"
	"sync"
)

// maxSide is how many calls of a turn run side by side.
const maxSide = 8

// side is the calls of one turn that run side by side. What can be seen of
// them is in the order of the calls: what stands around a tool, such as an
// approval, is asked about one call of that tool after the other, the calls of
// tools that are [Tool.Ordered] are run one after the other, and events wait
// for their turn. A question about one tool does not hold up the others.
type side struct {
	outcomes []outcome
	done     []chan struct{}
	before   []chan struct{} // closed when the call may begin, nil for at once
	events   []*held
}

// startAll starts every call, so many at a time, and returns a function that
// waits for one and tells its events.
func (r *run) startAll(ctx context.Context, invocations []*Invocation) func(i int) outcome {
	s := &side{outcomes: make([]outcome, len(invocations))}
	last := map[string]chan struct{}{}
	for _, inv := range invocations {
		inv.Messages = slices.Clip(r.messages)
		done, passed, events := make(chan struct{}), make(chan struct{}), &held{}
		inv.pass, inv.Emit = sync.OnceFunc(func() { close(passed) }), events.add
		queue := inv.Call.Name
		if tool := r.tool(queue); tool != nil && tool.Ordered {
			queue = ""
		}
		s.done, s.before, s.events = append(s.done, done), append(s.before, last[queue]), append(s.events, events)
		last[queue] = passed
	}
	var next sync.Mutex
	started := 0
	take := func() int {
		next.Lock()
		defer next.Unlock()
		started++
		return started - 1
	}
	for range min(maxSide, len(invocations)) {
		go func() {
			for i := take(); i < len(invocations); i = take() {
				s.outcomes[i] = r.oneOf(ctx, s, i, invocations[i])
				close(s.done[i])
			}
		}()
	}
	return func(i int) outcome {
		<-s.done[i]
		for _, e := range s.events[i].take() {
			r.emit(e)
		}
		return s.outcomes[i]
	}
}

// oneOf runs one of the calls when it is its turn.
func (r *run) oneOf(ctx context.Context, s *side, i int, inv *Invocation) outcome {
	defer inv.pass()
	if s.before[i] != nil {
		<-s.before[i] // every call passes, at the latest with its end
	}
	if ctx.Err() != nil {
		return outcome{result: skipped("the run was stopped.")}
	}
	return r.invoke(ctx, inv)
}

// held are the events of a call until it is their turn. What comes later is of
// a call that was given up, and nobody hears it.
type held struct {
	mu     sync.Mutex
	events []Event
	over   bool
}

func (h *held) add(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.events = append(h.events, e)
	}
}

func (h *held) take() []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	return h.events
}
