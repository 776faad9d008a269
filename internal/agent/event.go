package agent

import (
	"encoding/json"

	"skills/internal/agent/model"
)

// Event is something that happened in a run. Other packages add their own
// kinds; a sink tells them apart by type, and the JSON fields of the concrete
// type are those of the JSON Lines format.
type Event interface {
	// EventType is the name in the "type" field, for example "tool.call".
	EventType() string
}

// ReadyEvent is the first event of a run whose providers have all answered:
// the first request as it is going to be sent. It has no line of its own in
// the JSON Lines format; a sink takes the fields of run.started from it.
type ReadyEvent struct {
	Request Request `json:"-"`
}

// RequestEvent comes before each request that asks for a turn: what it holds
// at its end besides the conversation, which the other events report. It is for
// those who want to see what the model saw; a retry repeats the same request
// without another event, unless the server refused its form.
type RequestEvent struct {
	Turn      int       `json:"turn"`              // the turn that is asked for, from 1
	Ephemeral []Message `json:"tail"`              // messages behind the conversation, in this request only
	Closing   bool      `json:"closing,omitempty"` // no tools are offered
	Stream    bool      `json:"stream,omitempty"`  // the reply is asked for as a stream,
	Usage     bool      `json:"usage,omitempty"`   // and its usage with it
}

// MessageEvent is a whole message, when it joined the conversation.
type MessageEvent struct {
	Role   Role   `json:"role"`
	Source Source `json:"source"`
	Text   string `json:"text"`
	// Provider is the context provider that added the message, "" for none.
	Provider string `json:"provider,omitempty"`
	// Attachments are the files with it, without their data.
	Attachments []Part `json:"attachments,omitempty"`
}

// MessageDelta is a piece of an assistant message's text, as it arrives.
type MessageDelta struct {
	Text string `json:"text"`
}

// ToolCallEvent is the model's call of a tool. Arguments is the JSON the model
// wrote, or a JSON string holding its text where that is not JSON.
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
	Decision string `json:"decision"` // "approved" or "denied"
	By       string `json:"by"`       // what decided: "user", "policy", a flag; "nobody" where the run ended before
	Reason   string `json:"reason,omitempty"`

	// Tool and Arguments are the call that was decided on, as a hook or the agent
	// itself saw it; "" for a decision of [Approval].
	Tool, Arguments string `json:"-"`
	Hint            string `json:"-"` // for the person: how to allow it
}

// ToolResultEvent is the one result of a call.
type ToolResultEvent struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	OK         bool   `json:"ok"`
	Output     string `json:"output"`
	Truncated  bool   `json:"truncated"`
	DurationMS int64  `json:"duration_ms"`
	*Process          // nil for a tool that runs no program

	Summary string `json:"-"` // of a long Output, "" for none
}

// UsageEvent is what one turn cost, where the server says.
type UsageEvent struct {
	Turn int `json:"turn"`
	Usage
}

// RetryEvent says that a request is going to be sent again.
type RetryEvent model.Retry

// WarningEvent is something a person should know that does not stop the run.
type WarningEvent struct {
	Message string `json:"message"`
}

// NoteEvent is something a person should know, and nothing to worry about.
type NoteEvent struct {
	Message string `json:"message"`
}

func (ReadyEvent) EventType() string      { return "ready" }
func (RequestEvent) EventType() string    { return "request" }
func (MessageEvent) EventType() string    { return "message" }
func (MessageDelta) EventType() string    { return "message.delta" }
func (ToolCallEvent) EventType() string   { return "tool.call" }
func (ToolApproval) EventType() string    { return "tool.approval" }
func (ToolResultEvent) EventType() string { return "tool.result" }
func (UsageEvent) EventType() string      { return "usage" }
func (RetryEvent) EventType() string      { return "retry" }
func (WarningEvent) EventType() string    { return "warning" }
func (NoteEvent) EventType() string       { return "note" }
