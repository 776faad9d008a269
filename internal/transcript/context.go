package transcript

import (
	"bytes"
	"encoding/json"

	"skills/internal/agent"
)

// Tool is a tool as the model is told of it.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"` // JSON Schema of the arguments
}

// Tools returns what a request tells of its tools, [] for none.
func Tools(r agent.Request) []Tool {
	out := []Tool{}
	for _, t := range r.Tools {
		out = append(out, Tool{t.Name, t.Description, t.Schema})
	}
	return out
}

// seen is the context event: what the model is told in every request of a run.
type seen struct {
	System  string    `json:"system"`
	History []Message `json:"history"` // of earlier runs; it stands before the run's own messages
	Tools   []Tool    `json:"tools"`
}

// EventType is "context".
func (seen) EventType() string { return "context" }

func newContext(r agent.Request) seen {
	var history []agent.Message
	for _, m := range r.Messages {
		if m.Source == agent.FromHistory {
			history = append(history, m)
		}
	}
	told := Messages(history)
	for i, m := range history {
		for j, c := range m.Calls {
			of := &told[i].Calls[j]
			of.Sent = otherwise(c, of.Name, of.Arguments)
		}
	}
	return seen{r.Instructions, told, Tools(r)}
}

// request is the request event: the end of one request.
type request struct {
	Turn    int       `json:"turn"`
	Tail    []Message `json:"tail"`
	Closing bool      `json:"closing,omitempty"`
	Stream  bool      `json:"stream,omitempty"` // the body asks for a stream,
	Usage   bool      `json:"usage,omitempty"`  // with stream_options.include_usage
}

// EventType is "request".
func (request) EventType() string { return "request" }

// toolCall is the tool.call event of a verbose run.
type toolCall struct {
	agent.ToolCallEvent
	Sent
}

// EventType is "tool.call".
func (toolCall) EventType() string { return "tool.call" }

// Sent is how requests repeat a call, where that is not how it is told: a name
// with other characters, arguments that are no object or have white space.
type Sent struct {
	SentName      string `json:"sent_name,omitempty"`
	SentArguments string `json:"sent_arguments,omitempty"`
}

// otherwise returns what of a call is sent in another form than it is told.
func otherwise(call agent.ToolCall, name string, arguments json.RawMessage) (s Sent) {
	if call.ID == "" {
		return s // not of a run
	}
	sentName, sentArguments := call.Sent()
	if sentName != name {
		s.SentName = sentName
	}
	var told bytes.Buffer
	if json.Compact(&told, arguments) != nil || told.String() != sentArguments {
		s.SentArguments = sentArguments
	}
	return s
}
