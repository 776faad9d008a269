package agent

// Role is the part a message plays for the model.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Source says who put a message into the conversation, so that a provider can
// tell the person's words from what other providers added (framework document
// on context providers, message source types).
type Source string

const (
	FromUser    Source = "user"    // the prompt
	FromContext Source = "context" // added by the context provider named in Message.Provider
	FromHistory Source = "history" // loaded from an earlier run
	FromModel   Source = "model"
	FromTool    Source = "tool"
)

// Message is one entry of the conversation, independent of any provider's wire
// format.
type Message struct {
	Role     Role   `json:"role"`
	Source   Source `json:"source"`
	Provider string `json:"provider,omitempty"` // name of the context provider, where Source is FromContext; "" for the agent itself

	Text string `json:"text"`
	// Reasoning is the reasoning_content of an assistant message, which some
	// servers want back with the calls that it led to.
	Reasoning string     `json:"reasoning_content,omitempty"`
	Calls     []ToolCall `json:"tool_calls,omitempty"` // an assistant message's tool calls, in order

	CallID string `json:"tool_call_id,omitempty"` // a tool message: the call it answers
	Name   string `json:"name,omitempty"`         // a tool message: the tool's name
}

// ToolCall is the model's wish to have a tool run.
type ToolCall struct {
	ID   string `json:"id"` // unique within the conversation; made up where the server sent none
	Name string `json:"name"`
	// Arguments is the JSON text as the model wrote it, or "" for none. It may
	// be invalid JSON: the model is told so in the result.
	Arguments string `json:"arguments"`
	// Extra is the call's extra_content, such as a signature of the model's
	// thoughts; it is sent back as it came.
	Extra RawJSON `json:"extra_content,omitempty"`
}

// RawJSON is a JSON value as it was received; "" is none. Unlike
// [json.RawMessage] it can be compared.
type RawJSON string

// MarshalJSON returns the value.
func (r RawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// UnmarshalJSON keeps the value as it is.
func (r *RawJSON) UnmarshalJSON(raw []byte) error { *r = RawJSON(raw); return nil }

// Sent is the call as the requests after it repeat it: servers refuse names
// with other characters, and arguments that are no object, which are sent as
// "{}".
func (c ToolCall) Sent() (name, arguments string) {
	return wireName(c.Name), wireArguments(c.Arguments)
}

// Usage counts tokens as the server reports them.
type Usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// Add returns the sum; a nil receiver counts as unknown, and unknown plus
// known is known.
func (u *Usage) Add(v *Usage) *Usage {
	switch {
	case v == nil:
		return u
	case u == nil:
		sum := *v
		return &sum
	}
	return &Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}
