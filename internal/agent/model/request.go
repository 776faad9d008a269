package model

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

// maxName is the longest function name that servers accept.
const maxName = 64

// newParams returns the body of a request. usage asks a stream for its usage.
func newParams(r Request, stream, usage bool) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: r.Model}
	if r.Instructions != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(ValidText(r.Instructions)))
	}
	for _, m := range r.Messages {
		switch m.Role {
		case ToolRole:
			p.Messages = append(p.Messages, openai.ToolMessage(ValidText(m.Text), m.CallID))
		case Assistant:
			p.Messages = append(p.Messages, openai.ChatCompletionMessageParamUnion{OfAssistant: assistantMessage(m)})
		default:
			// A system message too: many servers refuse one that is not the first,
			// and the first is the instructions.
			p.Messages = append(p.Messages, openai.UserMessage(ValidText(m.Text)))
		}
	}
	for _, t := range r.Tools {
		schema := t.Schema
		if schema["type"] == nil {
			schema = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: schema,
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

// assistantMessage returns a reply as it is sent back, with the fields that
// servers of reasoning models require.
func assistantMessage(m Message) *openai.ChatCompletionAssistantMessageParam {
	var out openai.ChatCompletionAssistantMessageParam
	if m.Text != "" || len(m.Calls) == 0 {
		out.Content.OfString = param.NewOpt(ValidText(m.Text))
	}
	if m.Reasoning != "" {
		out.SetExtraFields(map[string]any{"reasoning_content": ValidText(m.Reasoning)})
	}
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
	return &out
}

// sentName returns a called name in the form that servers take back. A model
// can call a tool that does not exist, under any name, and the conversation has
// to go on after it.
func sentName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), maxName)]
}

// ValidText replaces bytes that are not UTF-8.
func ValidText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
