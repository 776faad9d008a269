package agent

import (
	"cmp"
	"context"
	"slices"

	"skills/internal/agent/model"
)

// A request that fills more than compactAbove of the context window is
// compacted until it fills compactTo. The gap between the two is wide because
// the server can use its cache only up to the first replaced message.
const (
	compactAbove = 0.8
	compactTo    = 0.5
)

// CompactionEvent reports that old parts of the conversation were replaced in all further
// requests. The conversation itself keeps them.
type CompactionEvent struct {
	Turn         int        `json:"turn"`          // the requested turn, from 1
	BeforeTokens int64      `json:"before_tokens"` // of the request, estimated
	AfterTokens  int64      `json:"after_tokens"`
	Exchanges    int        `json:"exchanges,omitempty"` // removed prompts, with all that followed from them
	Steps        int        `json:"steps,omitempty"`     // removed replies after the last prompt, with their results
	Replaced     []Replaced `json:"replaced,omitempty"`  // first,
	Removed      []Removed  `json:"removed,omitempty"`   // then these, one after the other
}

// Replaced is the text that requests contain in place of the result of a call.
type Replaced struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// EventType returns "compaction".
func (CompactionEvent) EventType() string { return "compaction" }

// compact shortens the conversation in requests, if the request is too large, and reports
// whether it did. Results of the last turn are kept unless full is the server's error for
// the request.
//
// First the oldest results are replaced that the model can get back. If that is not
// enough, the oldest exchanges are removed, and then the oldest steps of the current one.
func (r *run) compact(ctx context.Context, turn int, request Request, full *Error) bool {
	w := &r.window
	if r.agent.config.NoCompaction || w.size == 0 && full == nil {
		return false
	}
	before, enough := w.tokens(request), compactAbove
	if full != nil {
		// The request is too large whatever the estimate is.
		w.size, enough = min(before, cmp.Or(full.Window, before), cmp.Or(w.size, before)), compactTo
	} else if !w.above(compactAbove, before) {
		return false
	}
	c := &compactor{run: r, sent: slices.Clone(r.sent)} // calls may still read the old slice
	c.event = CompactionEvent{Turn: turn, BeforeTokens: before, AfterTokens: before}
	c.replaceResults(full != nil)
	if w.above(enough, c.event.AfterTokens) {
		c.removeExchanges()
		c.removeSteps()
	}
	// A request that still fits is not worth a new start of the server's cache
	// unless enough is gained.
	fits := full == nil && before <= w.size
	nothing := len(c.event.Replaced)+len(c.removed) == 0
	if nothing || fits && w.above(compactAbove, c.event.AfterTokens) {
		return false
	}
	c.finish(ctx)
	r.sent = c.sent
	r.log.forget(c.forgotten)
	r.emit(c.event)
	return true
}

// contextWindow is what is known about the size of the model's context.
type contextWindow struct {
	size      int64 // in tokens; 0 if unknown
	uncounted int64 // difference of the server's token count to the estimate
	exchanges int   // removed so far
	steps     int   // removed so far of the current exchange
	truncation
}

// above reports whether n tokens are more than a part of the context window.
func (w *contextWindow) above(part float64, n int64) bool { return float64(n) > part*float64(w.size) }

// tokens estimates the tokens of a request: what has changed since the last
// one is added to the server's count.
func (w *contextWindow) tokens(request Request) int64 {
	return max(0, int64(requestTokens(request))+w.uncounted)
}

// learn compares the server's token count with a request. It returns a warning if the
// server shortens requests; then they are kept as short as that, unless all is sent.
func (w *contextWindow) learn(request Request, reply Reply, kind model.Kind, all bool) (warning string) {
	warning, size := w.check(request, reply, kind)
	switch {
	case all:
	case size > 0:
		w.size, w.uncounted = size, 0
	case reply.Usage != nil:
		w.calibrate(request, reply.Usage)
	}
	return warning
}

// calibrate compares the server's token count of a request with the estimate.
// Counts that cannot be right are ignored: of a small part of the request, or
// of more than the context window.
func (w *contextWindow) calibrate(request Request, usage *Usage) {
	w.uncounted = 0
	estimate := int64(requestTokens(request))
	if n := usage.InputTokens; n >= estimate/2 && (w.size == 0 || n <= w.size) {
		w.uncounted = n - estimate
	}
}
