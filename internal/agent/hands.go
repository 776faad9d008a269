package agent

import "sync"

// hands are the goroutines in which a run calls its tools and providers. They
// are kept from one call to the next: a new one would have to grow its stack
// anew each time. One that is given up with its call is not waited for.
type hands struct {
	mu     sync.Mutex
	idle   []chan func()
	closed bool
}

// start calls f in a goroutine. Those of a nil hands are new ones.
func (h *hands) start(f func()) {
	if h == nil {
		go f()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.idle); n > 0 {
		h.idle[n-1] <- f // has room, for nobody else knows it
		h.idle = h.idle[:n-1]
		return
	}
	work := make(chan func(), 1)
	work <- f
	go func() {
		for f := range work {
			f()
			if !h.rest(work) {
				return
			}
		}
	}()
}

// rest has a goroutine wait for its next call, if there may be one.
func (h *hands) rest(work chan func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.idle = append(h.idle, work)
	}
	return !h.closed
}

// close ends the goroutines: those that wait now, the others after their call.
func (h *hands) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, work := range h.idle {
		close(work)
	}
	h.idle = nil
}
