package agent

// The limits of a run, and the middlewares for those of single calls. A limit that the
// model can be told about asks it for a closing answer; a call is compared with earlier
// ones by its tool, arguments and result.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"skills/internal/agent/model"
	"skills/internal/printable"
	"skills/internal/spec/tokens"
)

// Usual values of [Limits] and of [Server].
const (
	DefaultTurns    = 40
	DefaultFailures = 3
	DefaultRetries  = 2
	DefaultIdle     = model.DefaultIdle
)

// Limits are the limits of a run. Those of single calls are middlewares, see
// [LimitCalls] and [LimitRepeats].
type Limits struct {
	Turns  int     // requests to the model; 0 for 40 (the framework's MaximumIterationsPerRequest)
	Tokens int64   // input and output tokens of all turns together, as reported by the server or estimated; 0 for no limit
	Cost   float64 // of these tokens by Price; 0 for no limit
	Price  Price
	Reply  int64 // size of a reply in bytes; 0 for 32 MiB
	// Idle is the maximum time without a byte from the server; 0 means none, and
	// DefaultIdle depends on whether replies are streamed. The limit is five times as
	// long while there are only comments or single bytes.
	Idle time.Duration
	// Failures is how many consecutive turns may fail, which means that every
	// call is [ToolResult.Broken]. One more ends the run with the last error (the
	// framework's MaximumConsecutiveErrorsPerRequest).
	Failures int
}

// The names of limits in results.
const (
	LimitTurns     = "turns"
	LimitTime      = "time" // of the run's context
	LimitTokens    = "tokens"
	LimitCost      = "cost"
	LimitToolCalls = "tool_calls"
	LimitRepeated  = "repeats"
	LimitReply     = "reply" // the length of one reply
)

// LimitError is returned when a limit ends a run. As a reason for
// [Invocation.Stop] it works like the limit of turns: one more request without
// tools asks the model for a final answer.
type LimitError struct {
	Limit string // one of the names above
	Max   int64  // the limit
	Used  int64  // the amount used; 0 if it equals the limit
	Value string // the amount used and the limit in words, instead of Used and Max
	// What holds details, such as the repeated call; may be empty.
	What string
	// Estimated is true if Used is an estimate, not the server's count. Nearly is true
	// if the rest was kept for the answer.
	Estimated, Nearly bool
}

// Error returns the limit and its value: "turn limit reached (40)".
func (e *LimitError) Error() string {
	name := strings.TrimSuffix(e.Limit, "s")
	switch e.Limit {
	case LimitToolCalls:
		name = "tool call"
	case LimitRepeated:
		name = "repeated call"
	case LimitReply:
		return "reply limit reached: " + e.What
	case LimitLoops:
		return "the loop ended " + e.Value + ": " + e.What
	}
	value := fmt.Sprint(e.Max)
	if e.Used > 0 {
		value = fmt.Sprintf("%d of %d", e.Used, e.Max)
	}
	value = cmp.Or(e.Value, value)
	if e.Estimated {
		value = "about " + value
	}
	reached := "reached"
	if e.Nearly {
		reached = "nearly reached"
	}
	text := fmt.Sprintf("%s limit %s (%s)", name, reached, value)
	if e.What != "" {
		text += ": " + e.What
	}
	return text
}

// closing returns the message to the model in the last request.
func (e *LimitError) closing() string {
	why := "The limit of " + e.Limit + " is reached"
	if e.Nearly {
		why = "The limit of " + e.Limit + " is nearly reached"
	}
	switch e.Limit {
	case LimitToolCalls:
		why = "The limit of tool calls is reached"
	case LimitRepeated:
		why = "The same call was made again and again with the same result"
	}
	return why + " and no more tools can be called. Answer now with what you have, and say what is left undone."
}

// FailuresError is returned after too many consecutive turns in which no call could be run.
type FailuresError struct {
	Turns int    // number of consecutive turns
	Last  string // result of the last call
	// Outside means that the calls were constrained ones of unknown tools: the server does
	// not hold replies to the schema.
	Outside bool
}

// Error returns the number of turns and the result of the last call.
func (e *FailuresError) Error() string {
	if e.Turns == 1 {
		return "no tool call could be run: " + e.Last
	}
	return fmt.Sprintf("no tool call could be run in %d consecutive turns; the last: %s", e.Turns, e.Last)
}

// requestTokens returns the estimated tokens of all texts of a request.
func requestTokens(request Request) int {
	n := tokens.Estimate(request.Instructions)
	for _, m := range request.Messages {
		n += messageTokens(m)
	}
	for _, tool := range request.Tools {
		schema, _ := json.Marshal(tool.Schema) // an invalid schema fails the request
		n += tokens.Estimate(tool.Name) + tokens.Estimate(tool.Description) + tokens.Estimate(string(schema))
	}
	return n
}

func messageTokens(m Message) int {
	n := tokens.Estimate(m.Text) + tokens.Estimate(m.Reasoning)
	for _, c := range m.Calls {
		n += tokens.Estimate(c.Name) + tokens.Estimate(c.Arguments)
	}
	for _, p := range m.Parts {
		if p.Type == model.PlainText {
			n += tokens.Estimate(string(p.Data))
		}
		if p.IsImage() {
			n += model.ImageTokens
		}
	}
	return n
}

// repeatWindow is how many previous calls are searched for a repeated one. A
// higher limit searches twice its own number.
const repeatWindow = 10

// LimitCalls returns a middleware that ends a run at its limit of tool calls:
// the first call beyond most is not run and gets the reason as its result.
// Calls of unknown tools and denied calls count too.
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

// RepeatNote begins the warning that [LimitRepeats] appends to a result.
const RepeatNote = "\n\nNote: this call was made "

// LimitRepeats returns a middleware that stops a model which repeats a call
// with the same arguments and the same result. From half of most on, the result
// contains a warning; at most, the run ends. Other calls in between do not
// reset the count, because loops often have more than one step.
//
// Concurrent calls are compared only with those of earlier turns, so that the
// outcome is deterministic.
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
			same := inv.run.log.repeats(inv, window, digest(inv.Call.Name+"\n"+arguments, []byte(text)))
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
			note := fmt.Sprintf(RepeatNote+"%d times with the same arguments and had the same result each time. Do not repeat it: do something else, or answer.", same)
			result.Text += note
			if result.Shown != "" {
				result.Shown += note
			}
			return result, err
		}
	}
}

// canonical returns arguments as JSON with sorted keys.
func canonical(arguments json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // a JSON object
	return printable.JSONText(v)
}

// callLog holds a run's calls by number.
type callLog struct {
	mu    sync.Mutex
	calls map[int]loggedCall
}

// loggedCall is the id of a call, and the digest of the call and its result.
type loggedCall struct {
	id     string
	digest [sha256.Size]byte
}

// forget removes the calls whose results the model no longer has: it may make them
// again.
func (l *callLog) forget(removed []Replaced) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.calls, func(_ int, c loggedCall) bool {
		return slices.ContainsFunc(removed, func(r Replaced) bool { return r.ID == c.id })
	})
}

// repeats records a call and returns the number of equal calls in the window,
// including itself.
func (l *callLog) repeats(inv *Invocation, window int, this [sha256.Size]byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[inv.number] = loggedCall{inv.Call.ID, this}
	n := 1
	for i := max(0, inv.number-window+1); i < inv.settled; i++ {
		if l.calls[i].digest == this {
			n++
		}
	}
	return n
}

func digest(name string, arguments []byte) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %s", name, arguments))
}
