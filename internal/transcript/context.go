package transcript

import "skills/internal/agent"

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
	return seen{r.Instructions, Messages(history), Tools(r)}
}

// request is the request event: the end of one request.
type request struct {
	Turn    int       `json:"turn"`
	Tail    []Message `json:"tail"`
	Closing bool      `json:"closing,omitempty"`
}

// EventType is "request".
func (request) EventType() string { return "request" }
