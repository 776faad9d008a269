package model

import (
	"slices"
	"strings"

	"skills/internal/printable"
)

// EncodeItems returns a reply of the Responses API as its server would send it, in one event,
// so that a recording is read through the same code as a server's reply. It is also read
// where chat completions were requested.
func EncodeItems(r Reply) string {
	output := []any{}
	for _, item := range ordered(Message{Text: r.Text, Calls: r.Calls, Items: r.Items}) {
		switch item.Type {
		case reasoningItem:
			output = append(output, item.Reasoning)
		case messageItem:
			content := []outputText{{Type: "output_text", Text: item.text, Annotations: []struct{}{}}}
			output = append(output, outputMessage{Type: messageItem, ID: item.ID, Role: Assistant, Content: content, Phase: item.Phase})
		case callItem:
			output = append(output, functionCall{Type: callItem, ID: item.ID, CallID: item.call.ID, Name: item.call.Name, Arguments: item.call.Arguments})
		}
	}
	response := map[string]any{"object": "response", "status": "completed", "output": output}
	if r.Finish != "stop" && r.Finish != "tool_calls" {
		response["status"], response["incomplete_details"] = "incomplete", map[string]any{"reason": r.Finish}
	}
	if r.Usage != nil {
		response["usage"] = map[string]any{
			"input_tokens": r.Usage.InputTokens, "output_tokens": r.Usage.OutputTokens,
			"input_tokens_details":  map[string]any{"cached_tokens": r.Usage.CachedTokens},
			"output_tokens_details": map[string]any{"reasoning_tokens": r.Usage.ReasoningTokens},
		}
	}
	var events strings.Builder
	send := func(event map[string]any) { events.WriteString("data: " + printable.JSONText(event) + "\n\n") }
	first := slices.IndexFunc(output, func(item any) bool { _, ok := item.(RawJSON); return ok })
	if first < 0 {
		first = len(output)
	}
	if r.Reasoning != "" { // as it was shown, which may be more than the items have
		send(map[string]any{"type": "response.reasoning_text.delta", "output_index": first, "delta": r.Reasoning})
	}
	send(map[string]any{"type": "response.completed", "response": response})
	return events.String()
}
