package model

import (
	"fmt"
	"strings"
)

// finish is what a server's reason for the end of a reply says about it.
type finish int

const (
	finishComplete  finish = iota // the model had said what it wanted
	finishTruncated               // the reply is not whole, and another attempt would not make it so
	finishFailed                  // the server failed, and may do better the next time
)

// classifyFinish reads a reason. The protocol has five; servers send those of
// the models behind them too. An unknown reason counts as truncated: an answer
// that is not whole must not look like one.
func classifyFinish(reason string, calls int) finish {
	switch strings.ToLower(reason) {
	case "", "stop", "end_turn", "stop_sequence", "stop_token", "eos", "eos_token", "end", "done", "complete", "completed", "finished":
		return finishComplete
	case "tool_calls", "tool_call", "tool_use", "function_call":
		if calls > 0 {
			return finishComplete
		}
	case "error", "failed", "abort", "aborted", "cancelled", "canceled", "timeout", "overloaded",
		"insufficient_system_resource", "malformed_function_call", "unexpected_tool_call":
		return finishFailed
	}
	return finishTruncated
}

// Truncated reports whether the server ended the reply before it was whole.
func (r Reply) Truncated() bool { return classifyFinish(r.Finish, len(r.Calls)) == finishTruncated }

// FinishReason explains in a few words, after a colon, why a reply was
// truncated; "" where it was not.
func (r Reply) FinishReason() string {
	if classifyFinish(r.Finish, len(r.Calls)) == finishComplete {
		return ""
	}
	switch strings.ToLower(r.Finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return ": the server's limit on its length was reached"
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal":
		return ": the server's content filter stopped it"
	case "tool_calls", "tool_call", "tool_use", "function_call":
		return ": it announces tool calls but contains none"
	}
	return fmt.Sprintf(": the server gives the reason %q", r.Finish)
}
