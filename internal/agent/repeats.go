package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// repeatWindow is how far back a repeated call is looked for, in calls. A
// higher limit looks back twice its own number.
const repeatWindow = 10

// LimitCalls returns the middleware that ends a run at its limit of tool
// calls: the first one beyond most is not run, and answered with the reason.
// Calls of unknown tools and denied ones count, too.
func LimitCalls(most int) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			if inv.number < most {
				return next(ctx, inv)
			}
			limit := &LimitError{Limit: LimitToolCalls, Max: int64(most)}
			inv.Stop(limit)
			return ToolResult{Text: fmt.Sprintf("Skipped: the limit of tool calls (%d) is reached.", most), Failed: true}, nil
		}
	}
}

// LimitRepeats returns the middleware that brakes a model which makes the same
// call, with the same arguments and the same result, again and again. From
// half of most on, the result says so to the model; at most the run ends. Calls
// in between do not reset the count, for loops often have more than one step.
//
// Concurrent calls are compared with those of the turns before, so
// that the same run always ends in the same way.
func LimitRepeats(most int) Middleware {
	d := &detector{most: most, window: max(repeatWindow, 2*most)}
	return d.middleware
}

// detector is one LimitRepeats.
type detector struct{ most, window int }

// seen are a run's calls so far, by their numbers.
type seen struct {
	mu    sync.Mutex
	calls map[int]*seenCall
}

// seenCall is what was called and what came of it.
type seenCall struct {
	name, arguments string
	fault           bool // whether the arguments are not readable
	result          [sha256.Size]byte
	sorted          string // the arguments with their keys in order, once it is needed
}

// same reports whether two calls are the same: tool, result, and arguments,
// whatever the order of their keys.
func (c *seenCall) same(other *seenCall) bool {
	switch {
	case c.result != other.result || c.name != other.name || c.fault != other.fault:
		return false
	case c.arguments == other.arguments:
		return true
	}
	return !c.fault && c.canonical() == other.canonical()
}

func (c *seenCall) canonical() string {
	if c.sorted != "" {
		return c.sorted
	}
	c.sorted = c.arguments
	d := json.NewDecoder(strings.NewReader(c.arguments))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		if sorted, err := json.Marshal(v); err == nil {
			c.sorted = string(sorted)
		}
	}
	return c.sorted
}

func (d *detector) middleware(next Handler) Handler {
	return func(ctx context.Context, inv *Invocation) (ToolResult, error) {
		this := &seenCall{name: inv.Call.Name, arguments: inv.Call.Arguments, fault: inv.Fault != ""}
		if !this.fault {
			this.arguments = string(inv.Arguments)
		}
		result, err := next(ctx, inv)
		if err != nil && ctx.Err() != nil {
			return result, err
		}
		text := result.Text
		if err != nil {
			text = err.Error()
		}
		this.result = sha256.Sum256([]byte(text))
		same := d.count(inv, this)
		switch {
		case same >= d.most:
			inv.Stop(&LimitError{
				Limit: LimitRepeated, Max: int64(d.most),
				What: fmt.Sprintf("%.64q was called with the same arguments and had the same result each time", inv.Call.Name),
			})
		case same < max(2, (d.most+1)/2):
			return result, err
		}
		if err != nil {
			result, err = Refuse(failure(inv.Call.Name)+err.Error()), nil
			result.Broken = true
		}
		result.Text += fmt.Sprintf("\n\nNote: this call was made %d times with the same arguments and had the same result each time. Do not repeat it: do something else, or answer.", same)
		return result, err
	}
}

// count notes a call and returns how many there were like it, itself included.
func (d *detector) count(inv *Invocation, this *seenCall) int {
	s := local(inv, d, func() *seen { return &seen{calls: map[int]*seenCall{}} })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[inv.number] = this
	delete(s.calls, inv.number-2*d.window) // nobody looks at it any more
	n := 1
	for i := max(0, inv.number-d.window+1); i < inv.settled; i++ {
		if earlier := s.calls[i]; earlier != nil && earlier.same(this) {
			n++
		}
	}
	return n
}

// digest identifies a call.
func digest(name string, arguments []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q ", name)
	h.Write(arguments)
	return [sha256.Size]byte(h.Sum(nil))
}
