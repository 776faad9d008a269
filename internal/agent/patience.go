package agent

import (
	"context"
	"io"
	"time"
)

// How much longer than [Limits.Idle] the server may take where less is heard of
// it: for a reply that is not streamed, which comes at once when it is whole,
// and for an event of a stream while comments or single bytes keep coming.
const patient = 5

const lateHint = "check whether the server is overloaded; --idle-timeout gives it longer"

// lateError says for what a server took too long.
type lateError struct {
	what  string // with %s for the host and for the limit
	limit time.Duration
	hint  string
	again bool // whether the same request may do better
}

func (e *lateError) Error() string { return "the server took too long" }

// errLingered ends a stream whose answer is whole and whose end does not come.
var errLingered = &lateError{what: "the stream of the server at %s does not end in %s", limit: lingering}

// patience ends an attempt whose reply does not come on, by cancelling its
// context. What is bounded: the time without any byte, the time without a part
// of the reply, and the time of the reply in all. A server that sends a byte a
// second, or comments for ever, is stopped by the second; one that sends a word
// a second for ever by the third.
type patience struct {
	cancel context.CancelCauseFunc
	idle   time.Duration // 0 for no limit
	timers []*time.Timer
	bytes  *time.Timer // nil for no limit, as parts
	parts  *time.Timer // nil until something came
	end    *time.Timer // nil until the answer is whole
}

// newPatience starts the clocks of an attempt.
func newPatience(l Limits, stream bool, cancel context.CancelCauseFunc) *patience {
	p := &patience{cancel: cancel, idle: max(0, l.Idle)}
	if p.idle > 0 {
		silent := p.idle
		if !stream {
			silent *= patient
		}
		p.bytes = p.after(silent, &lateError{"the server at %s sent nothing for %s", silent, lateHint, true})
	}
	if l.ReplyTime > 0 {
		p.after(l.ReplyTime, &lateError{"the reply of the server at %s did not come to its end in %s", l.ReplyTime, "ask for less at once, or name a faster model with -m", false})
	}
	return p
}

func (p *patience) after(d time.Duration, e *lateError) *time.Timer {
	t := time.AfterFunc(d, func() { p.cancel(e) })
	p.timers = append(p.timers, t)
	return t
}

// came notes that bytes came.
func (p *patience) came() {
	if p.idle == 0 || p.end != nil {
		return
	}
	p.bytes.Reset(p.idle)
	if p.parts == nil {
		limit := p.idle * patient
		p.parts = p.after(limit, &lateError{"the server at %s sent no part of a reply for %s", limit, lateHint, true})
	}
}

// part notes that a part of the reply came.
func (p *patience) part() {
	if p.parts != nil && p.idle > 0 {
		p.parts.Reset(p.idle * patient)
	}
}

// whole leaves a stream whose answer is whole a moment for its end.
func (p *patience) whole() {
	for _, t := range []*time.Timer{p.bytes, p.parts} {
		if t != nil {
			t.Stop()
		}
	}
	p.end = p.after(lingering, errLingered)
}

// more takes whole back, for a server that gives each part a reason for the end:
// its own end is waited for then.
func (p *patience) more() {
	if p.end != nil {
		p.end.Stop()
		p.end = nil
	}
	p.came()
	p.part()
}

// stop stops the clocks.
func (p *patience) stop() {
	for _, t := range p.timers {
		t.Stop()
	}
}

// heardReader tells a patience of what it reads.
type heardReader struct {
	io.Reader
	patience *patience
}

func (r heardReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n > 0 {
		r.patience.came()
	}
	return n, err
}
