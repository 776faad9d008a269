// Package transcript prints the events of a run while it happens: as text for users, as
// JSON Lines or one JSON object for programs.
package transcript

import (
	"encoding/json"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/todo"
)

// SchemaVersion is increased when readers of the JSON formats have to change.
const SchemaVersion = 1

// Printer prints a run. Errors are those of the writer.
type Printer interface {
	Event(agent.Event) error // is called for each event in order, never concurrently
	Finish(Result) error     // is called once at the end, even if the run failed
}

// Identity says which run a result is of.
type Identity struct {
	SchemaVersion int    `json:"schema_version"`
	RunID         string `json:"run_id"`
	Model         string `json:"model"`
}

// Started is the first event: the input of the run.
type Started struct {
	Identity
	BaseURL string       `json:"base_url"`
	Cwd     string       `json:"cwd"`
	Params  agent.Params `json:"params,omitempty"` // further parameters of every request
	// Headers are those that the user adds to every request, with masked values.
	Headers       map[string]string `json:"headers,omitempty"`
	ContextWindow int64             `json:"context_window,omitempty"` // tokens at which old results are removed from requests
	Skills        []string          `json:"skills"`
	Tools         []string          `json:"tools"`
	MCPServers    []string          `json:"mcp_servers,omitempty"`  // those that are used
	Sandbox       string            `json:"sandbox"`                // the sandbox backend of scripts, "none" without one
	SandboxGaps   []string          `json:"sandbox_gaps,omitempty"` // what it does not enforce

	// Continued describes the session that is continued: file, messages, open todos. It is
	// "" for a new conversation.
	Continued string `json:"-"`
	// NoSandbox is shown to users instead of the sandbox if no script can run in one.
	NoSandbox string `json:"-"`
}

// EventType returns "run.started".
func (Started) EventType() string { return "run.started" }

// Result is the last event: how the run ended.
type Result struct {
	Identity
	Status agent.Status `json:"status"`
	Limit  string       `json:"limit,omitempty"` // the limit that was reached: turns, time, tokens, cost, tool_calls, repeats
	Text   string       `json:"text"`
	Early
	Error        *string      `json:"error"` // null without one
	Turns        int          `json:"turns"`
	ToolCalls    int          `json:"tool_calls"`
	Usage        *agent.Usage `json:"usage"` // null if the server reported none
	SkillsLoaded []string     `json:"skills_loaded"`
	Denials      []Denial     `json:"denials"`
	TodosOpen    []todo.Item  `json:"todos_open"`
	DurationMS   int64        `json:"duration_ms"`
	Conclusion

	Unprinted `json:"-"`
}

// Unprinted is the part of a result that the run.result event does not have.
type Unprinted struct {
	// Answered is true if Text is the model's answer although the run failed afterwards.
	Answered bool
	// Messages is the whole conversation, which the JSON format prints.
	Messages []agent.Message
}

// Early says what ended an answer or a run before its time.
type Early struct {
	Cut     string `json:"cut,omitempty"`     // why the server ended the text early: length, content_filter
	Stopped string `json:"stopped,omitempty"` // why a hook ended a completed run early
}

// Conclusion is what programs decide by after a run.
type Conclusion struct {
	// Reason is completed, needs_input, stopped, failed, interrupted, or the name of the
	// limit: turns, time, tokens, cost, calls, repeats, loops, approval.
	Reason string   `json:"reason"`
	Cost   *float64 `json:"cost,omitempty"` // of the tokens; nil without prices or usage
	// Waiting are the calls that wait for an approval, in the session.
	Waiting []agent.Waiting `json:"waiting,omitempty"`
}

// EventType returns "run.result".
func (Result) EventType() string { return "run.result" }

// Denial is a denied call.
type Denial struct {
	ID     string `json:"id"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Message is a message in the JSON formats.
type Message struct {
	Role   agent.Role   `json:"role"`
	Source agent.Source `json:"source"`
	Text   string       `json:"text"`

	Reasoning string `json:"reasoning,omitempty"` // what the model thought before it

	Calls  []call `json:"tool_calls,omitempty"`
	CallID string `json:"tool_call_id,omitempty"`
	Name   string `json:"name,omitempty"`

	Provider string `json:"provider,omitempty"` // in the context event, where requests need it

	Attachments []agent.Part `json:"attachments,omitempty"` // without their data
}

type call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Sent                      // in the context event
}

// Messages returns a conversation in the JSON formats, [] if it is empty.
func Messages(in []agent.Message) []Message { return messages(in, false) }

// messages returns a conversation, with the form of calls in requests if sent is true.
func messages(in []agent.Message, sent bool) []Message {
	out := []Message{}
	for _, m := range in {
		o := Message{Role: m.Role, Source: m.Source, Text: m.Text, Reasoning: strings.TrimSpace(m.Reasoning), CallID: m.CallID, Name: m.Name, Attachments: model.Bare(m.Parts)}
		if sent {
			o.Provider = m.Provider
		}
		for _, c := range m.Calls {
			shown := call{ID: c.ID, Name: c.Name, Arguments: model.JSONArguments(c.Arguments)}
			if sent {
				shown.Sent = sentForm(c, shown.Name, shown.Arguments)
			}
			o.Calls = append(o.Calls, shown)
		}
		out = append(out, o)
	}
	return out
}
