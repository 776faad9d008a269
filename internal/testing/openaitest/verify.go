package openaitest

// Every request is checked as a strict server would: the form of messages, calls and parts,
// and that each call is answered once, in order. A problem is reported by the test,
// although the scripted reply is sent.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Request is a request as received.
type Request struct {
	Header        http.Header
	Query         string // of the URL, as sent
	Body          []byte
	Model         string
	Messages      []Message
	Tools         []Tool
	ToolChoice    string // or ""
	Stream        bool
	StreamOptions bool // whether usage was requested in the stream

	Responses bool     // over the Responses API,
	Encrypted bool     // with encrypted reasoning, which is
	Reasoned  []string // the content of the reasoning items

	number int // of the request at its server, from 1
}

// Message is a message of a request.
type Message struct {
	Role      string
	Text      string // "" if the content is absent or null
	Reasoning string
	Calls     []Call
	CallID    string
}

// Tool is a tool in a request.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
}

type wireRequest struct {
	Model    string        `json:"model"`
	Messages []wireMessage `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function Tool   `json:"function"`
	} `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Reasoning  string          `json:"reasoning_content"`
	ToolCalls  []*wireCall     `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type wireCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Extra    json.RawMessage `json:"extra_content"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

// goodName matches function names that the reference server accepts.
var goodName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// decode parses a request and returns what a strict server would reject.
func (s *Server) decode(r *http.Request, body []byte) (request Request, problems []string) {
	if r.URL.Path == responsesPath {
		return s.decodeResponses(r, body)
	}
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	request = Request{Header: r.Header.Clone(), Query: r.URL.RawQuery, Body: body}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		problem("%s %s is not POST /v1/chat/completions", r.Method, r.URL.Path)
	}
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		problem("the body's type is %q", kind)
	}
	var wire wireRequest
	if err := json.Unmarshal(body, &wire); err != nil {
		problem("the body cannot be read: %v", err)
		return request, problems
	}
	request.Model, request.Stream = wire.Model, wire.Stream
	request.StreamOptions = wire.StreamOptions != nil && wire.StreamOptions.IncludeUsage
	request.ToolChoice = strings.Trim(string(wire.ToolChoice), `"`)
	if wire.Model == "" {
		problem("no model is named")
	}
	if wire.StreamOptions != nil && !wire.Stream {
		problem("stream_options without stream")
	}
	if wire.ToolChoice != nil && len(wire.Tools) == 0 {
		problem("tool_choice without tools")
	}
	for i, tool := range wire.Tools {
		if tool.Type != "function" {
			problem("tool %d has the type %q", i, tool.Type)
		}
		request.Tools = append(request.Tools, tool.Function)
	}
	verifyTools(request.Tools, problem)
	for i, message := range wire.Messages {
		decoded, err := message.decode()
		if err != nil {
			problem("message %d: %v", i, err)
		}
		request.Messages = append(request.Messages, decoded)
	}
	verifyMessages(request.Messages, problem)
	return request, problems
}

// verifyTools checks that tools have names that differ, and schemas of objects.
func verifyTools(tools []Tool, problem func(format string, args ...any)) {
	names := map[string]bool{}
	for i, tool := range tools {
		switch {
		case !goodName.MatchString(tool.Name):
			problem("tool %d has the name %q", i, tool.Name)
		case names[tool.Name]:
			problem("duplicate tool %q", tool.Name)
		case tool.Parameters["type"] != "object":
			problem("the schema of the tool %q is not an object's", tool.Name)
		}
		names[tool.Name] = true
	}
}

// decode parses one message and checks its form.
func (m wireMessage) decode() (Message, error) {
	out := Message{Role: m.Role, CallID: m.ToolCallID, Reasoning: m.Reasoning}
	if len(m.Content) > 0 && string(m.Content) != "null" {
		if m.Content[0] == '[' && m.Role == "user" {
			err := m.parts(&out)
			return out, err
		}
		if err := json.Unmarshal(m.Content, &out.Text); err != nil {
			return out, fmt.Errorf("content is not a string: %.80s", m.Content)
		}
	} else if m.Role != "assistant" || len(m.ToolCalls) == 0 {
		return out, fmt.Errorf("a message of the role %q needs content", m.Role)
	}
	for i, call := range m.ToolCalls {
		switch {
		case call == nil:
			return out, fmt.Errorf("tool call %d is null", i)
		case call.ID == "":
			return out, fmt.Errorf("tool call %d has no id", i)
		case call.Type != "function":
			return out, fmt.Errorf("tool call %d has the type %q", i, call.Type)
		case !goodName.MatchString(call.Function.Name):
			return out, fmt.Errorf("tool call %d has the name %q", i, call.Function.Name)
		case call.Function.Arguments == nil || !json.Valid([]byte(*call.Function.Arguments)):
			return out, fmt.Errorf("tool call %d has arguments that are not JSON", i)
		}
		out.Calls = append(out.Calls, Call{
			ID: call.ID, Name: call.Function.Name, Arguments: *call.Function.Arguments, Extra: string(call.Extra),
		})
	}
	return out, nil
}

// parts reads content that is a list; its texts are joined.
func (m wireMessage) parts(out *Message) error {
	var parts []struct {
		Type  string  `json:"type"`
		Text  *string `json:"text"`
		Image *struct {
			URL string `json:"url"`
		} `json:"image_url"`
		File *struct {
			Name string `json:"filename"`
			Data string `json:"file_data"`
		} `json:"file"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil || len(parts) == 0 {
		return fmt.Errorf("content is not a list of parts: %.80s", m.Content)
	}
	for i, p := range parts {
		isFile := p.Type == "file" && p.File != nil
		switch {
		case p.Type == "text" && p.Text != nil:
			out.Text += *p.Text
		case p.Type == "image_url" && p.Image != nil && strings.HasPrefix(p.Image.URL, "data:image/"):
		case isFile && p.File.Name != "" && strings.HasPrefix(p.File.Data, "data:"):
		default:
			return fmt.Errorf("part %d of the type %q lacks its value", i, p.Type)
		}
	}
	return nil
}

// verifyMessages checks that every call of an assistant message is answered
// exactly once, in order, by the tool messages right after it.
func verifyMessages(messages []Message, problem func(format string, args ...any)) {
	if len(messages) == 0 {
		problem("there are no messages")
	}
	var open []string // ids without a tool message yet
	ids := map[string]bool{}
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			problem("message %d: the calls %q before it have no answer", i, open)
			open = nil
		}
		switch m.Role {
		case "system", "developer":
			if i != 0 {
				problem("message %d: a %s message that is not the first", i, m.Role)
			}
		case "user":
		case "assistant":
			for _, call := range m.Calls {
				if ids[call.ID] {
					problem("message %d: duplicate call id %q", i, call.ID)
				}
				ids[call.ID] = true
				open = append(open, call.ID)
			}
		case "tool":
			if len(open) == 0 || open[0] != m.CallID {
				problem("message %d: answers the call %q, but %q are open", i, m.CallID, open)
				continue
			}
			open = open[1:]
		default:
			problem("message %d: unknown role %q", i, m.Role)
		}
		if m.Role != "assistant" && len(m.Calls) > 0 {
			problem("message %d: a %s message with tool calls", i, m.Role)
		}
	}
	if len(open) > 0 {
		problem("the calls %q at the end have no answer", open)
	}
}
