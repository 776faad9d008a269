package transcript

import (
	"bytes"
	"encoding/json"

	"skills/internal/agent"
)

// Tool is a tool as a request describes it to the model.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"` // JSON Schema of the arguments
}

// Tools returns the tools of a request, [] for none.
func Tools(r agent.Request) []Tool {
	out := []Tool{}
	for _, t := range r.Tools {
		out = append(out, Tool{t.Name, t.Description, t.Schema})
	}
	return out
}

// contextEvent is what every request of a run begins with.
type contextEvent struct {
	System  string    `json:"system"`
	History []Message `json:"history"` // messages of earlier runs, before those of this run
	Tools   []Tool    `json:"tools"`
}

// EventType is "context".
func (contextEvent) EventType() string { return "context" }

func newContext(r agent.Request) contextEvent {
	var history []agent.Message
	for _, m := range r.Messages {
		if m.Source == agent.FromHistory {
			history = append(history, m)
		}
	}
	messages := Messages(history)
	for i, m := range history {
		for j, c := range m.Calls {
			call := &messages[i].Calls[j]
			call.Sent = sentForm(c, call.Name, call.Arguments)
		}
	}
	return contextEvent{r.Instructions, messages, Tools(r)}
}

// requestEvent is the end of one request.
type requestEvent struct {
	Turn    int       `json:"turn"`
	Tail    []Message `json:"tail"`
	Closing bool      `json:"closing,omitempty"`
	Stream  bool      `json:"stream,omitempty"` // the request sets stream
	Usage   bool      `json:"usage,omitempty"`  // the request sets stream_options.include_usage
}

// EventType is "request".
func (requestEvent) EventType() string { return "request" }

// verboseToolCall is the tool.call event of a verbose run.
type verboseToolCall struct {
	agent.ToolCallEvent
	Sent
}

// EventType is "tool.call".
func (verboseToolCall) EventType() string { return "tool.call" }

// Sent is how requests repeat a call where that differs from the event: a name
// with invalid characters, arguments that are not an object or have white space.
type Sent struct {
	SentName      string `json:"sent_name,omitempty"`
	SentArguments string `json:"sent_arguments,omitempty"`
}

// sentForm returns what requests send of a call where it differs from name and
// arguments.
func sentForm(call agent.ToolCall, name string, arguments json.RawMessage) (s Sent) {
	if call.ID == "" {
		return s // not part of a run
	}
	sentName, sentArguments := call.Sent()
	if sentName != name {
		s.SentName = sentName
	}
	var compact bytes.Buffer
	if json.Compact(&compact, arguments) != nil || compact.String() != sentArguments {
		s.SentArguments = sentArguments
	}
	return s
}
