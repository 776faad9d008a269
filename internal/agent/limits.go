package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// Defaults of Limits.
const (
	DefaultTurns    = 40
	DefaultFailures = 3

	DefaultRetries = model.DefaultRetries
	DefaultIdle    = model.DefaultIdle
)

// Limits are the limits of a run that do not concern single calls; those are
// middlewares, see [LimitCalls] and [LimitRepeats]. Zero means the default
// named at each field, except for Tokens, where it means none.
type Limits struct {
	Turns  int   // requests to the model, default 40 (the framework's MaximumIterationsPerRequest)
	Tokens int64 // input and output tokens of all turns together, as the server counts them; estimated where it does not
	Reply  int64 // bytes of one reply of the server, default 32 MiB
	// Idle is the most time without a byte from the server, default 2 minutes;
	// negative means none. Five times of it may pass for a reply that is not
	// streamed, and without an event of a stream of which only comments or single
	// bytes come.
	Idle time.Duration
	// Failures is how many turns in a row may fail: a turn does where every
	// call in it is [ToolResult.Broken]. One more ends the run with the last
	// error. Default 3; negative: the first one ends it (the framework's
	// MaximumConsecutiveErrorsPerRequest, where that is 0).
	Failures int
}

// The names of limits, as results have them.
const (
	LimitTurns     = "turns"
	LimitTime      = "time" // of the run's context
	LimitTokens    = "tokens"
	LimitToolCalls = "tool_calls"
	LimitRepeated  = "repeats"
)

// LimitError says which limit ended a run. As a reason of [Invocation.Stop] it
// ends the run like the limit of turns does: the model is asked once more,
// without tools, for a closing answer.
type LimitError struct {
	Limit string // one of the names above
	Max   int64  // the limit
	Used  int64  // what was used of it; 0 where that is the limit itself
	// What says more, such as the call that was repeated; may be empty.
	What string
	// Estimated says that Used is not the server's count but an estimate.
	Estimated bool
}

// Error names the limit and its value: "turn limit reached (40)".
func (e *LimitError) Error() string {
	name := strings.TrimSuffix(e.Limit, "s")
	switch e.Limit {
	case LimitToolCalls:
		name = "tool call"
	case LimitRepeated:
		name = "repeated call"
	}
	value := fmt.Sprint(e.Max)
	if e.Used > 0 {
		value = fmt.Sprintf("%d of %d", e.Used, e.Max)
		if e.Estimated {
			value = "about " + value
		}
	}
	text := fmt.Sprintf("%s limit reached (%s)", name, value)
	if e.What != "" {
		text += ": " + e.What
	}
	return text
}

// closing is the message to the model in the last request.
func (e *LimitError) closing() string {
	why := "The limit of " + e.Limit + " is reached"
	switch e.Limit {
	case LimitToolCalls:
		why = "The limit of tool calls is reached"
	case LimitRepeated:
		why = "The same call was made again and again with the same result"
	}
	return why + " and no more tools can be called. Answer now with what you have, and say what is left undone."
}

// FailuresError ends a run in which turn after turn failed.
type FailuresError struct {
	Turns int    // how many in a row
	Last  string // what the last call of them was answered
}

func (e *FailuresError) Error() string {
	if e.Turns == 1 {
		return "every call of a turn failed: " + e.Last
	}
	return fmt.Sprintf("every call of %d turns in a row failed; the last: %s", e.Turns, e.Last)
}

// bytesPerToken is the estimated size of a token: right for English and code, and too
// small for most else, so that a limit is reached rather too early.
const bytesPerToken = 4

// addEstimate estimates a turn without usage, if a limit depends on it.
func (r *run) addEstimate(request Request, reply model.Reply) {
	if reply.Usage != nil || r.agent.config.Limits.Tokens == 0 {
		return
	}
	if r.estimated == 0 {
		r.warn("the server reports no token usage; estimating %d bytes per token", bytesPerToken)
	}
	bytes := len(request.Instructions) + messageBytes(Message{Text: reply.Text, Calls: reply.Calls})
	for _, m := range request.Messages {
		bytes += messageBytes(m)
	}
	for _, tool := range request.Tools {
		schema, _ := json.Marshal(tool.Schema) // one that cannot be sent has failed the request
		bytes += len(tool.Name) + len(tool.Description) + len(schema)
	}
	r.estimated += int64(bytes/bytesPerToken + 1)
}

func messageBytes(m Message) int {
	n := len(m.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	for _, p := range m.Parts {
		if p.Type == model.PlainText {
			n += p.Size
		}
	}
	return n
}

// tokenLimit is the limit of tokens, if it is reached.
func (r *run) tokenLimit() *LimitError {
	most, used := r.agent.config.Limits.Tokens, r.estimated
	if u := r.result.Usage; u != nil {
		used += u.InputTokens + u.OutputTokens
	}
	if most > 0 && used >= most {
		return &LimitError{Limit: LimitTokens, Max: most, Used: used, Estimated: r.estimated > 0}
	}
	return nil
}

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
	_ = d.Decode(&v) // they are a JSON object
	return printable.JSONText(v)
}

// callLog are the digests of a run's calls with their results, by number.
type callLog struct {
	mu    sync.Mutex
	calls map[int][sha256.Size]byte
}

// repeats notes a call and counts those of the window like it, with itself.
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

func digest(name string, arguments []byte) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %s", name, arguments))
}
