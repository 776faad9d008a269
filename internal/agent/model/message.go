package model

// Messages, calls and tools in the form of this program, and their form in the protocol.
// What a model wrote is kept as received, and repaired only where later requests contain
// it.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"skills/internal/lazyregexp"
	"skills/internal/params"
	"skills/internal/printable"
)

// Role is the role of a message's author.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Source is the origin of a message, so that a provider can distinguish the
// user's words from those of other providers (framework document on context
// providers, message source types).
type Source string

const (
	FromUser    Source = "user"    // the prompt
	FromContext Source = "context" // added by the context provider in Message.Provider
	FromHistory Source = "history" // loaded from an earlier run
	FromModel   Source = "model"
	FromTool    Source = "tool"
)

// Message is a message of the conversation.
type Message struct {
	Role     Role   `json:"role"`
	Source   Source `json:"source"`
	Provider string `json:"provider,omitempty"` // of the context provider if Source is FromContext; "" for the agent

	Text  string `json:"text"`
	Shown string `json:"-"`                     // Text for people, without what only the model needs; "" for Text
	Parts []Part `json:"attachments,omitempty"` // files attached to a user message, images in the result of a tool
	// Reasoning is what the model thought before an assistant message, which many
	// servers want back with the calls that followed from it. ReasoningField is the
	// field or the opening tag that it came in, "" for reasoning_content.
	Reasoning      string     `json:"reasoning_content,omitempty"`
	ReasoningField string     `json:"reasoning_field,omitempty"`
	Fields         Fields     `json:"fields,omitempty"`     // other fields of an assistant message that are sent back
	Calls          []ToolCall `json:"tool_calls,omitempty"` // tool calls of an assistant message, in order
	Items          []Item     `json:"items,omitempty"`      // order of an assistant message from the Responses API

	CallID string `json:"tool_call_id,omitempty"` // of a tool message: the id of its call
	Name   string `json:"name,omitempty"`         // of a tool message: the name of the tool
}

// ToolCall is a tool call by the model.
type ToolCall struct {
	ID   string `json:"id"` // unique within the conversation; generated if the server sent none
	Name string `json:"name"`
	// Arguments is the JSON text written by the model, or "". It may be invalid
	// JSON; then the result explains that.
	Arguments string `json:"arguments"`
	// Extra is the call's extra_content, such as a signature of the model's
	// thoughts; it is sent back unchanged.
	Extra RawJSON `json:"extra_content,omitempty"`
}

// RawJSON is JSON as received; unlike [json.RawMessage] it is comparable.
type RawJSON string

// MarshalJSON returns the value.
func (r RawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// UnmarshalJSON sets the value.
func (r *RawJSON) UnmarshalJSON(raw []byte) error { *r = RawJSON(raw); return nil }

// Sent returns the name and the arguments for later requests: servers reject
// names with other characters, and arguments that are not an object, for which
// "{}" is sent.
func (c ToolCall) Sent() (name, arguments string) {
	arguments, fault := params.Object(c.Arguments)
	if fault != "" {
		arguments = "{}"
	}
	return sentName(c.Name), ValidText(arguments)
}

// JSONArguments returns arguments as compact JSON, or as a JSON string if they
// are invalid.
func JSONArguments(arguments string) json.RawMessage {
	if arguments == "" {
		return json.RawMessage("{}")
	}
	var out bytes.Buffer
	if json.Compact(&out, []byte(arguments)) == nil && utf8.Valid(out.Bytes()) {
		return out.Bytes()
	}
	return json.RawMessage(printable.JSONText(arguments))
}

// Usage holds the token counts reported by the server.
type Usage struct {
	InputTokens     int64 `json:"input_tokens"`
	OutputTokens    int64 `json:"output_tokens"`
	CachedTokens    int64 `json:"cached_tokens,omitempty"`    // of the input
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"` // of the output
}

// Add returns the sum; nil means unknown and adds nothing.
func (u *Usage) Add(v *Usage) *Usage {
	if v == nil {
		return u
	}
	sum := *v
	if u != nil {
		sum.InputTokens += u.InputTokens
		sum.OutputTokens += u.OutputTokens
		sum.CachedTokens += u.CachedTokens
		sum.ReasoningTokens += u.ReasoningTokens
	}
	return &sum
}

// Tool is a function offered to the model.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"parameters"` // JSON Schema of the arguments; without a type there are no parameters
	// Aliases are names that models call instead of this tool, see [textcalls.Tool].
	Aliases []string `json:"-"`
	// Choices are the forms of arguments that make sense at present; nil for any that the
	// schema allows, and empty if the tool cannot be called. Only constrained calls are
	// held to them.
	Choices []Choice `json:"-"`
	// Ordered means that a call depends on earlier calls of such tools: it is not offered in
	// a list of constrained calls.
	Ordered bool `json:"-"`
	// Next returns what follows a result with constrained calls; may be nil.
	Next func(result string) string `json:"-"`
}

// Params holds further parameters of a request by name, such as temperature. Names
// consist of letters, digits, _ and -. The values are sent unchanged.
type Params map[string]json.RawMessage

// keys returns the sorted names of the parameters. Without tools it omits those about
// tools, because servers reject them.
func (r Request) keys() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Params)), func(key string) bool {
		return len(r.Tools) == 0 && (key == "tool_choice" || key == "parallel_tool_calls")
	})
}

// Request is a request to the model.
type Request struct {
	Model        string
	Instructions string // the system text, or ""
	Messages     []Message
	Tools        []Tool
	Params       Params
	// Form converts the request and its reply; nil uses the protocol's tools.
	Form Form
	// Withheld are the tools that the model must not call now: they are not sent, unless
	// the server requires tools because the conversation has calls.
	Withheld []Tool
	// Ephemeral is the number of last messages that are only in this request: a
	// recording omits them.
	Ephemeral int
	// Whole is the conversation in a recording, if Messages is not all of it; nil if it is.
	Whole []Message
	// Aside is true for a request that is not a turn of the conversation: a recording
	// omits it.
	Aside bool

	wire wire
}

// Reply is the model's answer, streamed or not.
type Reply struct {
	Text           string
	Reasoning      string // as in [Message]
	ReasoningField string
	Fields         Fields
	Calls          []ToolCall
	Items          []Item // order of a reply of the Responses API
	Usage          *Usage // nil if missing or implausible
	Apart          int64  // tokens of the input that the server counts apart from Usage
	Finish         string // the server's finish reason, "" if a complete reply has none
}

// maxName is the maximum length of a function name.
const maxName = 64

// newParams returns the body of a request. usage requests the usage of a
// stream.
func newParams(r Request, stream, usage bool) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: r.Model}
	if r.Instructions != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(ValidText(r.Instructions)))
	}
	for _, m := range fold(withImages(r.Messages)) {
		p.Messages = append(p.Messages, messageParam(m, r.wire))
	}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: schemaOf(t),
		}))
	}
	if stream {
		p.SetExtraFields(map[string]any{"stream": true})
	}
	if usage {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	return p
}

// schemaOf returns the schema of a tool's arguments.
func schemaOf(t Tool) map[string]any {
	if t.Schema["type"] == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return t.Schema
}

// messageParam returns a message in the form of the protocol.
func messageParam(m Message, w wire) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case ToolRole:
		return toolMessage(m, w)
	case Assistant:
		return openai.ChatCompletionMessageParamUnion{OfAssistant: assistantMessage(m, w)}
	}
	return userMessage(m)
}

// toolMessage returns the result of a call.
func toolMessage(m Message, w wire) openai.ChatCompletionMessageParamUnion {
	if w.noEmpty && strings.TrimSpace(m.Text) == "" {
		m.Text = emptyText
	}
	out := openai.ToolMessage(ValidText(m.Text), m.CallID)
	if w.names {
		out.OfTool.SetExtraFields(map[string]any{"name": sentName(m.Name)})
	}
	return out
}

// Sent returns the messages of a request, one by one and without the ephemeral ones, as
// JSON in the form of the protocol; nil if the context is not that of a request. Transports
// that compare conversations read it, because what is sent joins messages.
func Sent(ctx context.Context) []json.RawMessage {
	r, ok := ctx.Value(requestKey{}).(Request)
	if !ok {
		return nil
	}
	sent, whole := []json.RawMessage{}, r.Whole
	if whole == nil {
		whole = r.Messages[:max(0, len(r.Messages)-r.Ephemeral)]
	}
	for _, m := range whole {
		raw, err := json.Marshal(messageParam(m, wire{}))
		if err != nil {
			raw = []byte("{}")
		}
		sent = append(sent, raw)
	}
	return sent
}

// IsAside reports whether the context is that of a request that is not a turn of the
// conversation.
func IsAside(ctx context.Context) bool {
	r, _ := ctx.Value(requestKey{}).(Request)
	return r.Aside
}

// requestKey is the key of the [Request] in a request's context.
type requestKey struct{}

// assistantMessage returns a reply with the fields that reasoning models
// require.
func assistantMessage(m Message, w wire) *openai.ChatCompletionAssistantMessageParam {
	var out openai.ChatCompletionAssistantMessageParam
	out.Content.OfString = param.NewOpt(m.sentContent()) // also with calls: gateways refuse a message without content
	for _, call := range m.Calls {
		name, arguments := call.Sent()
		sent := openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       call.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: name, Arguments: arguments},
		}
		if call.Extra != "" {
			sent.SetExtraFields(map[string]any{"extra_content": json.RawMessage(call.Extra)})
		}
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &sent})
	}
	fields := m.sentFields()
	if w.noEmpty && out.Content.OfString.Value == "" && fields[contentField] == nil {
		fields[contentField] = nil
	}
	if w.reasoning && len(m.Calls) > 0 {
		fields[defaultReasoning] = ValidText(m.Reasoning)
	}
	if len(fields) == 0 {
		return &out
	}
	// Extra fields would come in a random order, and requests must not differ in their
	// beginning, for the caches of servers.
	whole := map[string]any{"role": Assistant, "content": out.Content.OfString.Value}
	if len(out.ToolCalls) > 0 {
		whole["tool_calls"] = out.ToolCalls
	}
	maps.Copy(whole, fields)
	out = param.Override[openai.ChatCompletionAssistantMessageParam](whole)
	return &out
}

// notInName matches a character that servers reject in the name of a function.
var notInName = lazyregexp.New(`[^a-zA-Z0-9_-]`)

// sentName returns a called name in a form that servers accept: a model can
// call a nonexistent tool under any name, and the conversation must go on.
func sentName(name string) string {
	name = cmp.Or(notInName().ReplaceAllString(name, "_"), "unnamed")
	return name[:min(len(name), maxName)]
}

// ValidText replaces invalid UTF-8.
func ValidText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// PlainText is the type of a part that is sent as text.
const PlainText = "text/plain"

// Part is a file attached to a message of the user, or an image that a tool returned.
type Part struct {
	Name string `json:"name"`
	Type string `json:"type"` // PlainText, the type of an image, or another type that servers accept as a file
	Size int    `json:"size"` // of the data, in bytes
	Data []byte `json:"data,omitempty"`
	Tool string `json:"tool,omitempty"` // that returned it, or ""
}

// dataURL returns the data of a part as a URL.
func (p Part) dataURL() string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// asText returns the data of a text file with its name.
func (p Part) asText() string {
	return "<file name=\"" + html.EscapeString(p.Name) + "\">\n" + strings.TrimSuffix(ValidText(string(p.Data)), "\n") + "\n</file>"
}

// Bare returns parts without their data, for display.
func Bare(parts []Part) []Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Data = nil
	}
	return out
}

// userMessage returns a message with its parts after the text.
func userMessage(m Message) openai.ChatCompletionMessageParamUnion {
	if len(m.Parts) == 0 {
		return openai.UserMessage(ValidText(m.Text))
	}
	content := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(ValidText(m.Text))}
	for _, p := range m.Parts {
		switch {
		case p.Type == PlainText:
			content = append(content, openai.TextContentPart(p.asText()))
		case p.IsImage():
			content = append(content, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: p.dataURL()}))
		default:
			file := openai.ChatCompletionContentPartFileFileParam{Filename: param.NewOpt(p.Name), FileData: param.NewOpt(p.dataURL())}
			content = append(content, openai.FileContentPart(file))
		}
	}
	return openai.UserMessage(content)
}
