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

// sentMessage is a message as it is sent. The library's own types would do the
// same in five times the time; what they send is held by a test.
type sentMessage struct {
	Content   *string    `json:"content,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
	Calls     []sentCall `json:"tool_calls,omitempty"`
	Role      string     `json:"role"`
}

type sentCall struct {
	ID       string `json:"id"`
	Function struct {
		Arguments string `json:"arguments"`
		Name      string `json:"name"`
	} `json:"function"`
	Type  string  `json:"type"`
	Extra RawJSON `json:"extra_content,omitempty"`
}

// wireMessage returns a message in the form that servers take.
func wireMessage(m Message) sentMessage {
	text := validText(m.Text)
	switch m.Role {
	case ToolRole:
		return sentMessage{Role: "tool", Content: &text, CallID: m.CallID}
	case Assistant:
		return assistant(text, validText(m.Reasoning), m.Calls)
	}
	// A system message too: many servers refuse one that is not the first, and
	// the first is the instructions.
	return sentMessage{Role: "user", Content: &text}
}

func assistant(text, reasoning string, calls []ToolCall) sentMessage {
	out := sentMessage{Role: "assistant", Reasoning: reasoning}
	if text != "" || len(calls) == 0 {
		out.Content = &text
	}
	for _, call := range calls {
		sent := sentCall{ID: call.ID, Type: "function", Extra: call.Extra}
		sent.Function.Name, sent.Function.Arguments = wireName(call.Name), wireArguments(call.Arguments)
		out.Calls = append(out.Calls, sent)
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
