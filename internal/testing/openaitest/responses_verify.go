package openaitest

// Requests of the Responses API are checked as strictly as those of chat completions, and
// have the same form in [Request]: items are put together to messages. In addition, each
// item that the server made must come back as it was, with the reasoning that belongs to it.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const responsesPath = "/v1/responses"

type wireResponses struct {
	Model        string            `json:"model"`
	Instructions string            `json:"instructions"`
	Input        []json.RawMessage `json:"input"`
	Tools        []struct {
		Type   string `json:"type"`
		Strict *bool  `json:"strict"`
		Tool
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Include    []string        `json:"include"`
	Store      *bool           `json:"store"`
	Stream     bool            `json:"stream"`
}

// wireItem is an item of the input. Which fields it has depends on its type.
type wireItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Status    string          `json:"status"`
	Encrypted string          `json:"encrypted_content"`
	Summary   json.RawMessage `json:"summary"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Output    *string         `json:"output"`
}

// notOfResponses are fields of chat completions that the Responses API does not have.
var notOfResponses = []string{
	"messages", "stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort", "reasoning_content", "verbosity", "response_format",
}

// issued is what a server remembers of the items that it sent.
type issued struct {
	encrypted map[string]string // encrypted content of a reasoning item, by its id
	reasoning map[string]string // id of the reasoning before an item, by the id of the item
}

// decodeResponses parses a request and returns what a strict server would reject.
func (s *Server) decodeResponses(r *http.Request, body []byte) (request Request, problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	request = Request{Header: r.Header.Clone(), Query: r.URL.RawQuery, Body: body, Responses: true}
	var wire wireResponses
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &wire); err != nil {
		problem("the body cannot be read: %v", err)
		return request, problems
	}
	_ = json.Unmarshal(body, &fields)
	for _, name := range notOfResponses {
		if fields[name] != nil {
			problem("unknown parameter: %q", name)
		}
	}
	request.Model, request.Stream = wire.Model, wire.Stream
	request.ToolChoice = strings.Trim(string(wire.ToolChoice), `"`)
	request.Encrypted = len(wire.Include) == 1 && wire.Include[0] == "reasoning.encrypted_content"
	switch {
	case r.Method != http.MethodPost:
		problem("%s is not POST", r.Method)
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		problem("the body's type is %q", r.Header.Get("Content-Type"))
	case wire.Model == "":
		problem("no model is named")
	case len(wire.Input) == 0:
		problem("there is no input")
	case wire.ToolChoice != nil && len(wire.Tools) == 0:
		problem("tool_choice without tools")
	case len(wire.Include) > 0 && !request.Encrypted:
		problem("include is %q", wire.Include)
	}
	for i, tool := range wire.Tools {
		if tool.Type != "function" {
			problem("tool %d has the type %q", i, tool.Type)
		}
		if tool.Strict == nil || *tool.Strict {
			problem("tool %d is strict, and its schema is not", i)
		}
		request.Tools = append(request.Tools, tool.Tool)
	}
	verifyTools(request.Tools, problem)
	if wire.Instructions != "" {
		request.Messages = append(request.Messages, Message{Role: "system", Text: wire.Instructions})
	}
	s.items(wire, &request, problem)
	verifyMessages(request.Messages, problem)
	return request, problems
}

// items adds the messages that the input consists of.
func (s *Server) items(wire wireResponses, request *Request, problem func(string, ...any)) {
	before := "" // reasoning that waits for its item
	seen := map[string]bool{}
	for i, raw := range wire.Input {
		var item wireItem
		if err := json.Unmarshal(raw, &item); err != nil {
			problem("item %d cannot be read: %v", i, err)
			return
		}
		owner := s.issued.reasoning[item.ID] // "" without an id
		if owner != "" && !seen[owner] {
			problem("item %d: Item %q of type %q was provided without its required 'reasoning' item: %q", i, item.ID, item.Type, owner)
		}
		seen[item.ID] = true
		byModel := item.Type == "function_call" || item.Type == "message" && item.Role == "assistant"
		if before != "" && item.Type != "reasoning" && !byModel {
			problem("item %d: Item %q of type 'reasoning' was provided without its required following item", i, before)
		}
		if byModel {
			before = ""
		}
		switch item.Type {
		case "reasoning":
			before = fmt.Sprintf("%s at %d", item.ID, i)
			if want := s.issued.encrypted[item.ID]; item.ID != "" && item.Encrypted != want {
				problem("item %d: the encrypted content is %q, not %q", i, item.Encrypted, want)
			}
			if len(item.Summary) == 0 || item.Status != "" {
				problem("item %d: a reasoning item without summary, or with a status", i)
			}
			request.Reasoned = append(request.Reasoned, item.Encrypted)
		default:
			message, err := item.decode()
			if err != nil {
				problem("item %d: %v", i, err)
			}
			request.addItem(message)
		}
	}
	if before != "" {
		problem("Item %q of type 'reasoning' was provided without its required following item", before)
	}
}

// addItem adds a message. The calls of the model belong to its message before them.
func (q *Request) addItem(m Message) {
	last := len(q.Messages) - 1
	continues := len(m.Calls) > 0 && last >= 0
	if continues && q.Messages[last].Role == "assistant" {
		q.Messages[last].Calls = append(q.Messages[last].Calls, m.Calls...)
		return
	}
	q.Messages = append(q.Messages, m)
}

// decode parses one item and checks its form.
func (m wireItem) decode() (Message, error) {
	switch m.Type {
	case "message":
		out := Message{Role: m.Role}
		if m.ID != "" && (m.Role != "assistant" || m.Status != "completed") {
			return out, fmt.Errorf("a message of the role %q and the status %q has an id", m.Role, m.Status)
		}
		return out, m.content(&out)
	case "function_call":
		out := Message{Role: "assistant"}
		switch {
		case m.CallID == "":
			return out, fmt.Errorf("a call without call_id")
		case !goodName.MatchString(m.Name):
			return out, fmt.Errorf("a call has the name %q", m.Name)
		case m.Arguments == nil || !json.Valid([]byte(*m.Arguments)):
			return out, fmt.Errorf("a call has arguments that are not JSON")
		}
		out.Calls = []Call{{ID: m.CallID, Name: m.Name, Arguments: *m.Arguments}}
		return out, nil
	case "function_call_output":
		if m.Output == nil {
			return Message{Role: "tool", CallID: m.CallID}, fmt.Errorf("an output that is not a string")
		}
		return Message{Role: "tool", CallID: m.CallID, Text: *m.Output}, nil
	}
	return Message{Role: m.Role}, fmt.Errorf("unknown item type %q", m.Type)
}

// content reads the content of a message: a string, or a list of parts whose texts are
// joined.
func (m wireItem) content(out *Message) error {
	if json.Unmarshal(m.Content, &out.Text) == nil && m.ID == "" {
		return nil
	}
	var parts []struct {
		Type        string          `json:"type"`
		Text        *string         `json:"text"`
		Annotations json.RawMessage `json:"annotations"`
		Image       string          `json:"image_url"`
		Name        string          `json:"filename"`
		Data        string          `json:"file_data"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil || len(parts) == 0 {
		return fmt.Errorf("content is not a list of parts: %.80s", m.Content)
	}
	for i, p := range parts {
		of := map[bool]string{true: "input_", false: "output_"}[m.Role != "assistant"]
		isFile := p.Type == "input_file" && p.Name != ""
		switch {
		case !strings.HasPrefix(p.Type, of):
			return fmt.Errorf("part %d of the type %q is not of the role %q", i, p.Type, m.Role)
		case p.Type == "input_text" && p.Text != nil:
			out.Text += *p.Text
		case p.Type == "output_text" && p.Text != nil && p.Annotations != nil:
			out.Text += *p.Text
		case p.Type == "input_image" && strings.HasPrefix(p.Image, "data:image/"):
		case isFile && strings.HasPrefix(p.Data, "data:"):
		default:
			return fmt.Errorf("part %d of the type %q lacks its value", i, p.Type)
		}
	}
	return nil
}
