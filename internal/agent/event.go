package agent

// Events report what happens in a run, for people and for programs. Their JSON fields are a
// format that other programs read: fields are added, not changed.

import (
	"encoding/json"

	"skills/internal/agent/model"
)

// Event is an event of a run. Other packages add their own types; a sink
// distinguishes them by type. The JSON fields of the concrete type are those of
// the JSON Lines format.
type Event interface {
	// EventType returns the "type" field, for example "tool.call".
	EventType() string
}

// ReadyEvent is the first event of a run: all providers have answered. Request
// is the first request without ephemeral messages. It has no line of its own in the JSON Lines format; a
// sink uses it for the fields of run.started.
type ReadyEvent struct {
	Request Request `json:"-"`
}

// ContextEvent precedes a request whose instructions or tools differ from those of
// the last one. Request has no messages.
type ContextEvent struct {
	Request Request `json:"-"`
}

// RequestEvent precedes each request for a turn. It holds the messages at the
// end that are not part of the conversation, which other events report. A retry
// repeats the same request without another event, unless the server rejected
// its form.
type RequestEvent struct {
	Turn    int       `json:"turn"`              // the requested turn, from 1
	Tail    []Message `json:"tail"`              // messages after the conversation, only in this request
	Closing bool      `json:"closing,omitempty"` // no tools are offered
	Stream  bool      `json:"stream,omitempty"`  // a stream is requested,
	Usage   bool      `json:"usage,omitempty"`   // including its usage
	API     string    `json:"api,omitempty"`     // "responses", or "" for chat completions
}

// MessageEvent is a complete message that was added to the conversation.
type MessageEvent struct {
	Role   Role   `json:"role"`
	Source Source `json:"source"`
	Text   string `json:"text"`
	// Provider is the context provider that added the message, or "".
	Provider string `json:"provider,omitempty"`
	// Attachments are the files with it, without their data.
	Attachments []Part `json:"attachments,omitempty"`

	Shown string `json:"-"` // Text for people, or ""
}

// MessageDelta is a piece of an assistant message's text, as received.
type MessageDelta struct {
	Text string `json:"text"`
}

// ReasoningEvent is what the model thought before its text or its calls. It is never part
// of a message.
type ReasoningEvent struct {
	Text string `json:"text"`
	// Void is true if the deltas since the last complete message are this text.
	Void bool `json:"void,omitempty"`
}

// ProgressEvent reports how much of a reply was received, estimated in tokens. It has no
// line of its own in the JSON Lines format.
type ProgressEvent struct {
	Tokens int64 `json:"-"`
}

// ToolCallEvent is a tool call by the model. Arguments is the JSON written by
// the model, or a JSON string with its text if that is invalid.
type ToolCallEvent struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Turn      int             `json:"turn"`

	// Call is the call itself.
	Call ToolCall `json:"-"`
}

// ToolApproval is a decision on a call that needed one.
type ToolApproval struct {
	ID       string `json:"id"`
	Decision string `json:"decision"` // "approved", "denied" or "waiting"
	By       string `json:"by"`       // who decided: "user", "policy", a flag; "nobody" if the run ended or the terminal was closed first
	Reason   string `json:"reason,omitempty"`

	Tool   string  `json:"-"` // the called tool
	Action Summary `json:"-"` // the action as it was decided on
	Hint   string  `json:"-"` // for the user, how to allow the call
}

// ActionEvent says what a call does, before anything is decided about it. It has
// no line of its own in the JSON Lines format: the result of the call has the action.
type ActionEvent struct {
	ID     string
	Action Summary
}

// CallProgressEvent is the progress of a call that is running, as its tool reports it. It has
// no line of its own in the JSON Lines format.
type CallProgressEvent struct {
	ID   string `json:"-"`
	Text string `json:"-"`
}

// ToolResultEvent is the result of a call.
type ToolResultEvent struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	OK         bool   `json:"ok"`
	Output     string `json:"output"`
	Truncated  bool   `json:"truncated"`
	DurationMS int64  `json:"duration_ms"`
	*Process          // nil if no program was run
	*Change           // nil if no file was changed
	// Action is what the call did; its kind is "" for a call that was not prepared.
	Action Summary `json:"action,omitzero"`

	Shown   string `json:"-"` // Output for people, or ""
	Summary string `json:"-"` // summary of a long Output, or ""
	Open    bool   `json:"-"` // the call has no result yet: it waits for an approval, or comes after one
}

// HookEvent is what a program of the user's changed in a step.
type HookEvent struct {
	Hook    string `json:"hook"`             // its command line
	On      string `json:"on"`               // what it ran on, such as "after"
	ID      string `json:"id,omitempty"`     // of the call, if it ran on one
	Change  string `json:"change"`           // what it changed: arguments, result, text, messages, …
	Message string `json:"message"`          // the same for people
	Before  string `json:"before,omitempty"` // what it was; printed in verbose output only
	After   string `json:"after,omitempty"`  // what it is now

	// Private is true if Before and After are for records only: people must not see what
	// was removed.
	Private bool `json:"-"`
}

// HeldEvent announces that a complete reply is held back until a program of the user's
// has decided on it. It has no line of its own in the JSON Lines format.
type HeldEvent struct {
	For string `json:"-"`
}

// UsageEvent holds the token counts of one turn, if the server reports them.
type UsageEvent struct {
	Turn int `json:"turn"`
	Usage
}

// RetryEvent announces that a request is sent again.
type RetryEvent model.Retry

// RefusedEvent is the form of a request that the server refused in the end. It is for
// verbose output: the error itself ends the run.
type RefusedEvent struct {
	Turn   int `json:"turn"`
	Status int `json:"status,omitempty"`
	model.Shape
}

// LoadingEvent announces that the server is loading the model, which is waited for.
type LoadingEvent struct {
	Message string `json:"message"`
}

// WarningEvent is a problem that does not stop the run, for the user.
type WarningEvent struct {
	Message string `json:"message"`
	// Repeated means that the message is repeated on standard error after the run.
	Repeated bool `json:"-"`
}

// NoteEvent is information for the user that is not a problem.
type NoteEvent struct {
	Message string `json:"message"`
}

// EventType returns "ready".
func (ReadyEvent) EventType() string { return "ready" }

// EventType returns "context".
func (ContextEvent) EventType() string { return "context" }

// EventType returns "request".
func (RequestEvent) EventType() string { return "request" }

// EventType returns "message".
func (MessageEvent) EventType() string { return "message" }

// EventType returns "message.delta".
func (MessageDelta) EventType() string { return "message.delta" }

// EventType returns "reasoning".
func (ReasoningEvent) EventType() string { return "reasoning" }

// EventType returns "progress".
func (ProgressEvent) EventType() string { return "progress" }

// EventType returns "tool.call".
func (ToolCallEvent) EventType() string { return "tool.call" }

// EventType returns "tool.approval".
func (ToolApproval) EventType() string { return "tool.approval" }

// EventType returns "action".
func (ActionEvent) EventType() string { return "action" }

// EventType returns "tool.progress".
func (CallProgressEvent) EventType() string { return "tool.progress" }

// EventType returns "tool.result".
func (ToolResultEvent) EventType() string { return "tool.result" }

// EventType returns "hook".
func (HookEvent) EventType() string { return "hook" }

// EventType returns "held".
func (HeldEvent) EventType() string { return "held" }

// EventType returns "usage".
func (UsageEvent) EventType() string { return "usage" }

// EventType returns "retry".
func (RetryEvent) EventType() string { return "retry" }

// EventType returns "refused".
func (RefusedEvent) EventType() string { return "refused" }

// EventType returns "loading".
func (LoadingEvent) EventType() string { return "loading" }

// EventType returns "warning".
func (WarningEvent) EventType() string { return "warning" }

// EventType returns "note".
func (NoteEvent) EventType() string { return "note" }
