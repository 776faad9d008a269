package hook

import (
	"errors"
	"fmt"

	"skills/internal/agent"
	"skills/internal/params"
)

// wireMessages returns the messages of a request, the system text first.
func wireMessages(instructions string, messages []agent.Message) []any {
	var out []any
	if instructions != "" {
		out = append(out, map[string]any{"role": "system", "content": instructions})
	}
	for _, m := range messages {
		w := map[string]any{"role": string(m.Role), "content": m.Text}
		if len(m.Calls) > 0 {
			w["tool_calls"] = wireCalls(m.Calls)
		}
		if m.CallID != "" {
			w["tool_call_id"], w["name"] = m.CallID, m.Name
		}
		if len(m.Parts) > 0 {
			files := []any{}
			for _, p := range m.Parts {
				files = append(files, map[string]any{"name": p.Name, "type": p.Type})
			}
			w["attachments"] = files
		}
		out = append(out, w)
	}
	return out
}

// wireCalls returns calls with their arguments as objects.
func wireCalls(calls []agent.ToolCall) []any {
	out := []any{}
	for _, c := range calls {
		object, _ := params.Object(c.Arguments)
		args, err := decodeJSON([]byte(object))
		if err != nil {
			args = c.Arguments
		}
		out = append(out, map[string]any{"id": c.ID, "name": c.Name, "args": args})
	}
	return out
}

// fromMessages reads messages as a hook left them.
func fromMessages(target any) (instructions string, messages []agent.Message, err error) {
	list, ok := target.([]any)
	if !ok {
		return "", nil, errors.New("the messages are no list")
	}
	for i, value := range list {
		w, ok := value.(map[string]any)
		if !ok {
			return "", nil, fmt.Errorf("message %d is no object", i+1)
		}
		if w["role"] == "system" {
			instructions = joined(instructions, asText(w["content"]))
			continue
		}
		m := agent.Message{Role: agent.Role(asText(w["role"])), Text: asText(w["content"]), CallID: asText(w["tool_call_id"]), Name: asText(w["name"])}
		m.Calls, err = fromCalls(w["tool_calls"])
		if err != nil {
			return "", nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		parts, _ := w["attachments"].([]any)
		for _, p := range parts {
			m.Parts = append(m.Parts, agent.Part{Name: textOf(p, "name"), Type: textOf(p, "type")})
		}
		messages = append(messages, m)
	}
	return instructions, messages, checkMessages(beforeModel, messages)
}

// fromCalls reads calls as a hook left them.
func fromCalls(value any) ([]agent.ToolCall, error) {
	if value == nil {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, errors.New("its tool calls are no list")
	}
	var out []agent.ToolCall
	for _, c := range list {
		call, ok := c.(map[string]any)
		if !ok {
			return nil, errors.New("a tool call is no object")
		}
		out = append(out, agent.ToolCall{ID: asText(call["id"]), Name: asText(call["name"]), Arguments: asText(call["args"])})
	}
	return out, nil
}
