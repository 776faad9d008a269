package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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
	window := max(repeatWindow, 2*most)
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			arguments := inv.Call.Arguments
			if inv.Fault == "" {
				arguments = canonical(inv.Arguments)
			}
			result, err := next(ctx, inv)
			if err != nil && ctx.Err() != nil || inv.run == nil {
				return result, err
			}
			text := result.Text
			if err != nil {
				text = err.Error()
			}
			same := inv.run.repeats(inv, window, digest(inv.Call.Name+"\n"+arguments, []byte(text)))
			switch {
			case same >= most:
				inv.Stop(&LimitError{
					Limit: LimitRepeated, Max: int64(most),
					What: fmt.Sprintf("%.64q was called with the same arguments and had the same result each time", inv.Call.Name),
				})
			case same < max(2, (most+1)/2):
				return result, err
			}
			if err != nil {
				result, err = Broken(inv.Call.Name, err), nil
			}
			result.Text += fmt.Sprintf("\n\nNote: this call was made %d times with the same arguments and had the same result each time. Do not repeat it: do something else, or answer.", same)
			return result, err
		}
	}
}

// canonical returns the JSON of arguments with their keys in order.
func canonical(arguments json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		if sorted, err := json.Marshal(v); err == nil {
			return string(sorted)
		}
	}
	return string(arguments)
}

// callLog are the digests of a run's calls with their results, by number.
type callLog struct {
	mu    sync.Mutex
	calls map[int][sha256.Size]byte
}

// repeats notes a call and returns how many of the window were like it, itself
// included.
func (r *run) repeats(inv *Invocation, window int, this [sha256.Size]byte) int {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.log.calls[inv.number] = this
	n := 1
	for i := max(0, inv.number-window+1); i < inv.settled; i++ {
		if r.log.calls[i] == this {
			n++
		}
	}
	return n
}

// digest identifies a call.
func digest(name string, arguments []byte) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %s", name, arguments))
}
