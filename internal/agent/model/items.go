package model

// The Responses API answers with items: reasoning, messages and calls in the order in which
// the model wrote them. Later requests must contain the items in this order with their ids,
// because reasoning belongs to what follows it. A message keeps this order next to its text
// and calls, which remain the only copies of both: when they were changed since, the order
// is void, and the message is sent as one of the user's program would be.

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"skills/internal/printable"
)

// The types of items.
const (
	reasoningItem = "reasoning"
	messageItem   = "message"
	callItem      = "function_call"
)

// Item is an item of a reply.
type Item struct {
	Type  string `json:"type"`
	ID    string `json:"id,omitempty"`    // given by the server
	Phase string `json:"phase,omitempty"` // of a message: whether it is the answer
	Size  int    `json:"size,omitempty"`  // of one of several messages: the length of its text in bytes
	// Reasoning is a reasoning item as received; its text may be encrypted.
	Reasoning RawJSON `json:"reasoning,omitempty"`
}

// betweenMessages separates the texts of several message items of a reply.
const betweenMessages = "\n\n"

// orderedItem is an item with the reply's part that it holds.
type orderedItem struct {
	Item
	text string   // of a message
	call ToolCall // of a call
}

// ordered returns the items of an assistant message as they are sent: in the order of the
// server, if the message still has its text and calls.
func ordered(m Message) []orderedItem {
	out, ok := inOrder(m)
	if ok {
		return out
	}
	out = nil
	if m.Text != "" {
		out = append(out, orderedItem{Item: Item{Type: messageItem}, text: m.Text})
	}
	for _, call := range m.Calls {
		out = append(out, orderedItem{Item: Item{Type: callItem}, call: call})
	}
	return out
}

// inOrder returns the text and the calls of a message in the order of its items, and whether
// they are those of the items. A message without text has no message items.
func inOrder(m Message) (out []orderedItem, ok bool) {
	text, calls := m.Text, m.Calls
	isMessage := func(item Item) bool { return item.Type == messageItem }
	several := slices.ContainsFunc(m.Items[1+slices.IndexFunc(m.Items, isMessage):], isMessage)
	for _, item := range m.Items {
		next := orderedItem{Item: item}
		switch item.Type {
		case messageItem:
			if m.Text == "" {
				continue
			}
			next.text, text, ok = text, "", true
			if several {
				next.text, text, ok = cutMessage(next.text, item.Size, len(m.Text))
			}
			if !ok {
				return nil, false
			}
		case callItem:
			if len(calls) == 0 {
				return nil, false
			}
			next.call, calls = calls[0], calls[1:]
		}
		out = append(out, next)
	}
	return out, len(m.Items) > 0 && text == "" && len(calls) == 0
}

// cutMessage cuts the text of the next of several messages off the rest of a text of a size.
func cutMessage(rest string, size, whole int) (text, after string, ok bool) {
	if len(rest) < whole {
		rest, ok = strings.CutPrefix(rest, betweenMessages)
		if !ok {
			return "", "", false
		}
	}
	if size <= 0 || size > len(rest) {
		return "", "", false
	}
	return rest[:size], rest[size:], true
}

// withoutReasoningItems returns messages for the other protocol, without the reasoning that
// came as items.
func withoutReasoningItems(messages []Message) []Message {
	isReasoning := func(item Item) bool { return item.Type == reasoningItem }
	messages = slices.Clone(messages)
	for i, m := range messages {
		if slices.ContainsFunc(m.Items, isReasoning) {
			messages[i].Reasoning = ""
		}
	}
	return messages
}

// sentReasoning returns a reasoning item for a request, "" if a server cannot read it
// without a stored copy. Members that are null, and the status, are refused in requests.
func sentReasoning(raw RawJSON, withID bool) json.RawMessage {
	v := gjson.Parse(string(raw))
	if v.Get("encrypted_content").Str == "" && v.Get("content.#").Int() == 0 {
		return nil
	}
	without := "id"
	if withID {
		without = ""
	}
	members := map[string]json.RawMessage{"summary": json.RawMessage("[]")}
	v.ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.Null && key.Str != without && key.Str != "status" {
			members[key.Str] = json.RawMessage(value.Raw)
		}
		return true
	})
	out, err := printable.JSON(members)
	if err != nil {
		return nil
	}
	return out
}
