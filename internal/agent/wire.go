package agent

import (
	"strings"
	"unicode/utf8"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

// maxName is the longest function name that servers accept.
const maxName = 64

func wireSystem(text string) openai.ChatCompletionMessageParamUnion {
	return openai.SystemMessage(validText(text))
}

func wireMessage(m Message) openai.ChatCompletionMessageParamUnion {
	text := validText(m.Text)
	switch m.Role {
	case System:
		// Many servers refuse a system message that is not the first, and the
		// first is the instructions.
		return openai.UserMessage(text)
	case ToolRole:
		return openai.ToolMessage(text, m.CallID)
	case Assistant:
		return openai.ChatCompletionMessageParamUnion{OfAssistant: assistant(text, m.Calls)}
	}
	return openai.UserMessage(text)
}

// assistant builds an assistant message field by field: what the library makes
// of a server's message loses calls that came without a type.
func assistant(text string, calls []ToolCall) *openai.ChatCompletionAssistantMessageParam {
	out := &openai.ChatCompletionAssistantMessageParam{}
	if text != "" || len(calls) == 0 {
		out.Content.OfString = param.NewOpt(text)
	}
	for _, call := range calls {
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: call.ID, // its type is a constant that the library fills in: function
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      wireName(call.Name),
					Arguments: wireArguments(call.Arguments),
				},
			},
		})
	}
	return out
}

// wireName returns a called name in the form that servers take back. A model
// can call what does not exist, under any name, and the conversation has to go
// on after it.
func wireName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if b.Len() == maxName {
			break
		}
		if r < utf8.RuneSelf && (r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "unnamed"
	}
	return b.String()
}

// wireArguments returns the arguments of an earlier call as an object. Servers
// parse them to render the conversation and fail on anything else; what was
// wrong with them stands in the call's result.
func wireArguments(arguments string) string {
	text, fault := object(arguments)
	if fault != "" {
		return "{}"
	}
	return validText(text)
}

func wireTool(t Tool) openai.ChatCompletionToolUnionParam {
	schema := t.Schema
	if schema["type"] == nil {
		schema = map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name:        t.Name,
		Description: param.NewOpt(t.Description),
		Parameters:  schema,
	})
}
