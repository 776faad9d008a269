// Package transcript shows a run as it happens: as text for people, as JSON
// Lines or one JSON object for programs. It knows the events of a run and
// nothing of how they came about.
package transcript

import (
	"encoding/json"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/todo"
)

// SchemaVersion grows when a reader of the JSON formats would have to change.
const SchemaVersion = 1

// Printer shows a run. Event is called in order, one call at a time; Finish
// once, last, whatever happened. Errors are those of the writer.
type Printer interface {
	Event(agent.Event) error
	Finish(Result) error
}

// Started is the first event: what the run was given.
type Started struct {
	SchemaVersion int      `json:"schema_version"`
	RunID         string   `json:"run_id"`
	Model         string   `json:"model"`
	BaseURL       string   `json:"base_url"`
	Cwd           string   `json:"cwd"`
	Skills        []string `json:"skills"`
	Tools         []string `json:"tools"`
	Sandbox       string   `json:"sandbox"`                // the confinement that scripts get: "none" for none
	SandboxGaps   []string `json:"sandbox_gaps,omitempty"` // what it leaves open, in words
}

// EventType is "run.started".
func (Started) EventType() string { return "run.started" }

// Result is the last event: what the run came to.
type Result struct {
	Status       agent.Status `json:"status"`
	Limit        string       `json:"limit,omitempty"` // the limit that was reached: turns, time, tokens, tool_calls, repeats
	Text         string       `json:"text"`
	Cut          string       `json:"cut,omitempty"` // why the server ended the text before it was whole: length, content_filter
	Error        *string      `json:"error"`         // null where there is none
	Turns        int          `json:"turns"`
	ToolCalls    int          `json:"tool_calls"`
	Usage        *agent.Usage `json:"usage"` // null where the server never told
	SkillsLoaded []string     `json:"skills_loaded"`
	Denials      []Denial     `json:"denials"`
	TodosOpen    []todo.Item  `json:"todos_open"`
	DurationMS   int64        `json:"duration_ms"`

	// Answered says that Text is the model's answer also where the run failed:
	// what failed came after it.
	Answered bool `json:"-"`

	// Messages is the whole conversation; the JSON format shows it, the event
	// does not repeat it.
	Messages []agent.Message `json:"-"`
}

// EventType is "run.result".
func (Result) EventType() string { return "run.result" }

// Denial is a call that was not allowed.
type Denial struct {
	ID     string `json:"id"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Message is one message as the JSON formats have it.
type Message struct {
	Role   agent.Role   `json:"role"`
	Source agent.Source `json:"source"`
	Text   string       `json:"text"`
	Calls  []call       `json:"tool_calls,omitempty"`
	CallID string       `json:"tool_call_id,omitempty"`
	Name   string       `json:"name,omitempty"`
}

type call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Sent                      // in the context event
}

// Messages returns a conversation as the JSON formats have it, [] for none.
func Messages(in []agent.Message) []Message {
	out := []Message{}
	for _, m := range in {
		o := Message{m.Role, m.Source, m.Text, nil, m.CallID, m.Name}
		for _, c := range m.Calls {
			o.Calls = append(o.Calls, call{c.ID, c.Name, arguments(c.Arguments), Sent{}})
		}
		out = append(out, o)
	}
	return out
}

// arguments is what the model wrote, as JSON: text that is none becomes a JSON
// string, nothing becomes {}.
func arguments(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return json.RawMessage(printable.JSONText(text))
}
