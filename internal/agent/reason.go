package agent

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// ending is what a server's reason for the end of a reply says of it.
type ending int

const (
	endWhole  ending = iota // the model had said what it wanted
	endCut                  // the reply is not whole, and asking again would not make it so
	endFailed               // the server failed, and may do better the next time
)

// endOf reads a reason. The protocol has five; servers send those of the
// models behind them too. A reason that nobody knows is told rather than passed
// over: an answer that is not whole must not look like one.
func endOf(finish string, calls int) ending {
	switch strings.ToLower(finish) {
	case "", "stop", "end_turn", "stop_sequence", "stop_token", "eos", "eos_token", "end", "done", "complete", "completed", "finished":
		return endWhole
	case "tool_calls", "tool_call", "tool_use", "function_call":
		if calls > 0 {
			return endWhole
		}
	case "error", "failed", "abort", "aborted", "cancelled", "canceled", "timeout", "overloaded",
		"insufficient_system_resource", "malformed_function_call", "unexpected_tool_call":
		return endFailed
	}
	return endCut
}

// reason reads the field of a reason: "" for none, also where a word says that,
// which some servers send with every chunk, and where it is no word.
func reason(v gjson.Result) string {
	switch strings.ToLower(v.Str) {
	case "null", "none":
		return ""
	}
	return v.Str
}

// because explains a reason in a few words, "" where it says nothing.
func because(finish string, calls int) string {
	if endOf(finish, calls) == endWhole {
		return ""
	}
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return ": the server's limit on its length was reached"
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal":
		return ": the server's content filter stopped it"
	case "tool_calls", "tool_call", "tool_use", "function_call":
		return ": it announces tool calls and holds none"
	}
	return fmt.Sprintf(": the server names the reason %q", clean(finish))
}

// sound returns a reply that is read, or the error of one that the server says
// failed.
func (r reply) sound() (reply, error) {
	if endOf(r.finish, len(r.calls)) == endFailed {
		return reply{}, &brokenError{what: fmt.Sprintf("the server ended the reply with the reason %q", clean(r.finish))}
	}
	return r, nil
}
