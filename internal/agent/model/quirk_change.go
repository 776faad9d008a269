package model

// What the rows of quirks change. Each function returns another request for the same
// conversation, and the same one if there is nothing to change; none keeps a reference to
// what it changes. What depends on a message depends only on it and those before it, so
// that servers find the beginning of a request in their caches.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// wire is how messages are written for a server, beyond what they hold.
type wire struct {
	noEmpty   bool // null for empty content, and a mark for an empty result
	names     bool // results have the name of their tool
	reasoning bool // messages with calls have reasoning_content, also an empty one
	noItemIDs bool // items of the Responses API have no ids
}

// emptyText is sent for a result without text.
const emptyText = "(empty)"

// withoutSystem puts the system text before the first message.
func withoutSystem(r Request) Request {
	if r.Instructions == "" {
		return r
	}
	first := Message{Role: User, Source: FromUser, Text: r.Instructions}
	r.Messages = slices.Concat([]Message{first}, r.Messages)
	r.Instructions = ""
	return r
}

// withSingleCalls gives each call a message of its own, before its result.
func withSingleCalls(r Request) Request {
	var out []Message
	for i, m := range r.Messages {
		if len(m.Calls) < 2 {
			if m.Role != ToolRole || !isSplit(r.Messages[:i]) {
				out = append(out, m)
			}
			continue
		}
		for n, call := range m.Calls {
			one := m
			one.Calls = []ToolCall{call}
			if n > 0 {
				one.Text, one.Reasoning, one.Fields = "", "", nil
			}
			out = append(out, one)
			for _, result := range r.Messages[i+1:] {
				if result.Role != ToolRole {
					break
				}
				if result.CallID == call.ID {
					out = append(out, result)
				}
			}
		}
	}
	r.Messages = out
	return r
}

// isSplit reports whether the calls before a result are those of a message that was split.
func isSplit(before []Message) bool {
	for _, m := range slices.Backward(before) {
		if m.Role != ToolRole {
			return len(m.Calls) > 1
		}
	}
	return false
}

// eachMessage returns a request with changed copies of its messages.
func eachMessage(r Request, change func(*Message)) Request {
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		r.Messages[i].Calls = slices.Clone(r.Messages[i].Calls)
		change(&r.Messages[i])
	}
	return r
}

// shortID is the length of an id that all servers accept.
const shortID = 9

// withShortIDs replaces the ids of calls that are not nine letters and digits.
func withShortIDs(r Request) Request {
	short := func(id string) string {
		isPlain := !strings.ContainsFunc(id, func(c rune) bool {
			return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
		})
		if isPlain && len(id) == shortID {
			return id
		}
		sum := sha256.Sum256([]byte(id))
		return hex.EncodeToString(sum[:])[:shortID]
	}
	return eachMessage(r, func(m *Message) {
		for i := range m.Calls {
			m.Calls[i].ID = short(m.Calls[i].ID)
		}
		if m.Role == ToolRole {
			m.CallID = short(m.CallID)
		}
	})
}

// withoutTextBesideCalls removes the text of messages with calls.
func withoutTextBesideCalls(r Request) Request {
	r.wire.noEmpty = true
	return eachMessage(r, func(m *Message) {
		if len(m.Calls) > 0 {
			m.Text = ""
		}
	})
}

// placeholderSignature is what Google's servers accept for calls of other models.
const placeholderSignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// withSignatures gives the calls of other models a signature. One for the first of
// parallel calls is enough.
func withSignatures(r Request) Request {
	return eachMessage(r, func(m *Message) {
		if len(m.Calls) > 0 && m.Calls[0].Extra == "" {
			m.Calls[0].Extra = placeholderSignature
		}
	})
}

// withoutReasoning removes what another model or server added to its messages.
func withoutReasoning(r Request) Request {
	return eachMessage(r, func(m *Message) {
		if _, tagged := tagOf(m.ReasoningField); !tagged { // else it is a part of the text
			m.Reasoning = ""
		}
		m.Fields, m.Items = nil, nil
		for i := range m.Calls {
			m.Calls[i].Extra = ""
		}
	})
}

// withWithheldTools offers the tools that were withheld, and asks for no call.
func withWithheldTools(r Request) Request {
	if len(r.Tools) > 0 || len(r.Withheld) == 0 {
		return r
	}
	r.Tools = r.Withheld
	r.Params = maps.Clone(r.Params)
	if r.Params == nil {
		r.Params = Params{}
	}
	r.Params["tool_choice"] = json.RawMessage(`"none"`)
	return r
}

// basicKeys are the keywords of schemas that every server knows.
var basicKeys = []string{"type", "description", "properties", "required", "items", "enum"}

// withBasicSchemas reduces the schemas of tools to the basic keywords. A value of any type
// becomes a string.
func withBasicSchemas(r Request) Request {
	r.Tools = slices.Clone(r.Tools)
	for i := range r.Tools {
		r.Tools[i].Schema = basic(r.Tools[i].Schema)
	}
	return r
}

func basic(schema map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range basicKeys {
		if value, ok := schema[key]; ok {
			out[key] = value
		}
	}
	kind, _ := out["type"].(string)
	if kind == "" {
		kind = "string"
	}
	out["type"] = kind
	if kind != "string" {
		delete(out, "enum") // some servers accept only texts
	}
	if properties, ok := out["properties"].(map[string]any); ok {
		all := map[string]any{}
		for name, value := range properties {
			member, _ := value.(map[string]any)
			all[name] = basic(member)
		}
		out["properties"] = all
	}
	if kind == "array" {
		items, _ := out["items"].(map[string]any)
		out["items"] = basic(items)
	}
	return out
}

// without returns a change that removes a parameter.
func without(name string) func(Request) Request {
	return func(r Request) Request {
		if _, ok := r.Params[name]; ok {
			r.Params = maps.Clone(r.Params)
			delete(r.Params, name)
		}
		return r
	}
}

// renamed returns a change that renames a parameter.
func renamed(name, other string) func(Request) Request {
	return func(r Request) Request {
		value, ok := r.Params[name]
		if ok {
			r = without(name)(r)
			r.Params[other] = value
		}
		return r
	}
}

// withoutAnswerSchema requests any JSON object in place of one that matches a schema.
func withoutAnswerSchema(r Request) Request {
	if !bytes.Contains(r.Params["response_format"], []byte(`"json_schema"`)) {
		return r
	}
	r.Params = maps.Clone(r.Params)
	r.Params["response_format"] = json.RawMessage(`{"type":"json_object"}`)
	return r
}
