package agent

import (
	"context"
	"encoding/json"
)

// Tool is something the model can call.
type Tool struct {
	Name        string
	Description string         // what the model reads
	Schema      map[string]any // JSON Schema of the arguments, of type object
	// Call runs the tool. An error is told to the model as text
	// ("Error: Failed to execute …") and the run goes on; only the context's
	// own end stops it.
	Call Handler
}

// Handler answers one tool call.
type Handler func(ctx context.Context, inv *Invocation) (ToolResult, error)

// Middleware wraps the handling of every tool call. It may look at and change
// the arguments, answer without calling next, change the result, or set
// Invocation.End (framework document on the interception of function calls).
type Middleware func(next Handler) Handler

// Invocation is one tool call on its way through the middlewares, with what
// surrounds it.
type Invocation struct {
	Tool *Tool
	Call ToolCall
	// Arguments is what the tool receives: a JSON object, "{}" where the model
	// sent nothing. Middlewares may replace it.
	Arguments json.RawMessage
	Messages  []Message // the conversation so far; not to be changed
	Session   *Session
	Turn      int  // which answer of the model made the call, from 1
	Index     int  // position of the call within its turn, from 0
	Count     int  // calls in this turn
	Streaming bool // whether the turn was streamed
	// End, when set by a middleware, ends the run after this call; the turn's
	// remaining calls are answered as skipped.
	End bool
	// Emit sends an event to the run's sink; never nil.
	Emit func(Event)
}

// ToolResult is what a tool answers. Text goes to the model.
type ToolResult struct {
	Text      string
	Failed    bool     // the call did not do what was asked; Text says why
	Truncated bool     // Text is a part of what there was
	Process   *Process // set where the tool ran a program
}

// Process tells of the program that a tool ran.
type Process struct {
	ExitCode int
	TimedOut bool
	Sandbox  string // the confinement in force, "none" for none
}

// Refuse returns the result for a call that cannot be done: text with the
// framework's "Error: " in front.
func Refuse(text string) ToolResult {
	return ToolResult{Text: "Error: " + text, Failed: true}
}
