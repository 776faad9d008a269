package agent

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"skills/internal/agent/model"
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

// limitOf returns the limit in err, nil for none.
func limitOf(err error) *LimitError {
	var limit *LimitError
	if errors.As(err, &limit) {
		return limit
	}
	return nil
}
