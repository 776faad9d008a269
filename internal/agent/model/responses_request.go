package model

// Requests of the Responses API. The server stores nothing: each request has the whole
// conversation, with the reasoning of the model in encrypted form. The system text is sent
// as instructions, which every server of this protocol reads, and which gateways pass on as
// the system message of their models.
//
// The types here are the few that a conversation needs. Those of openai-go describe every
// item of the protocol; encoding the first request with them takes 8 ms, and they add 119 kB
// to the program.

import (
	"encoding/json"
	"slices"
	"strings"
)

// responsesProtocol is the Responses API.
type responsesProtocol struct{}

func (responsesProtocol) path() string { return "responses" }
func (responsesProtocol) name() string { return "Responses" }

func (responsesProtocol) missing() (text, advice string) {
	return "has no Responses API at this address", "pass --api chat, or "
}

type responsesBody struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions,omitempty"`
	Input        []any           `json:"input"`
	Tools        []responsesTool `json:"tools,omitempty"`
	Include      []string        `json:"include,omitempty"`
	Store        *bool           `json:"store,omitempty"`
	Stream       bool            `json:"stream,omitempty"`
}

type responsesTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
	Strict      bool           `json:"strict"` // true if absent, which few schemas allow
}

// inputMessage is a message of the user, or one of the model without an id.
type inputMessage struct {
	Type    string `json:"type"`
	Role    Role   `json:"role"`
	Content any    `json:"content"` // a text, or parts
	Phase   string `json:"phase,omitempty"`
}

// outputMessage is a message of the model with the id of its server.
type outputMessage struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Role    Role         `json:"role"`
	Status  string       `json:"status"`
	Content []outputText `json:"content"`
	Phase   string       `json:"phase,omitempty"`
}

type outputText struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Filename string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

type functionCall struct {
	Type      string `json:"type"`
	ID        string `json:"id,omitempty"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// request returns a request that stores nothing at the server.
func (responsesProtocol) request(r Request, e envelope) (any, []bodyField) {
	body := responsesBody{Model: r.Model, Instructions: ValidText(r.Instructions), Input: []any{}, Stream: e.stream}
	if e.store {
		body.Store = new(bool)
	}
	if e.include {
		body.Include = []string{"reasoning.encrypted_content"}
	}
	for _, m := range fold(withImages(r.Messages)) {
		body.Input = append(body.Input, inputItems(m, r.wire)...)
	}
	for _, t := range r.Tools {
		body.Tools = append(body.Tools, responsesTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schemaOf(t)})
	}
	return body, responsesFields(r)
}

// inputItems returns the items of a message.
func inputItems(m Message, w wire) []any {
	switch m.Role {
	case ToolRole:
		text := ValidText(m.Text)
		if w.noEmpty && strings.TrimSpace(text) == "" {
			text = emptyText
		}
		return []any{functionOutput{Type: "function_call_output", CallID: m.CallID, Output: text}}
	case Assistant:
		return outputItems(m, !w.noItemIDs)
	}
	return []any{inputMessage{Type: messageItem, Role: User, Content: inputContent(m)}}
}

// outputItems returns the items of a message of the model in their order.
func outputItems(m Message, withIDs bool) []any {
	var out []any
	for _, item := range ordered(m) {
		if !withIDs {
			item.ID = ""
		}
		switch item.Type {
		case reasoningItem:
			raw := sentReasoning(item.Reasoning, withIDs)
			if raw == nil {
				withIDs = false // the ids of what follows refer to it
				continue
			}
			out = append(out, raw)
		case messageItem:
			out = append(out, sentMessage(item.Item, ValidText(item.text)))
		case callItem:
			name, arguments := item.call.Sent()
			out = append(out, functionCall{Type: callItem, ID: item.ID, CallID: item.call.ID, Name: name, Arguments: arguments})
		}
	}
	return out
}

// sentMessage returns a message of the model.
func sentMessage(item Item, text string) any {
	if item.ID == "" {
		return inputMessage{Type: messageItem, Role: Assistant, Content: text, Phase: item.Phase}
	}
	content := []outputText{{Type: "output_text", Text: text, Annotations: []struct{}{}}}
	return outputMessage{Type: messageItem, ID: item.ID, Role: Assistant, Status: "completed", Content: content, Phase: item.Phase}
}

// inputContent returns the text of a message of the user, or its parts with the text first.
func inputContent(m Message) any {
	if len(m.Parts) == 0 {
		return ValidText(m.Text)
	}
	content := []inputPart{{Type: "input_text", Text: ValidText(m.Text)}}
	for _, part := range m.Parts {
		switch {
		case part.Type == PlainText:
			content = append(content, inputPart{Type: "input_text", Text: part.asText()})
		case part.IsImage():
			content = append(content, inputPart{Type: "input_image", ImageURL: part.dataURL(), Detail: "auto"})
		default:
			content = append(content, inputPart{Type: "input_file", Filename: part.Name, FileData: part.dataURL()})
		}
	}
	return content
}

// responsesParam says where this protocol has a parameter of chat completions.
type responsesParam struct {
	name, path string
	value      func(json.RawMessage) json.RawMessage // nil for an unchanged value
}

// renamedParams returns the parameters that are elsewhere in this protocol.
func renamedParams() []responsesParam {
	return []responsesParam{
		{name: "max_tokens", path: "max_output_tokens"},
		{name: "max_completion_tokens", path: "max_output_tokens"},
		{name: "reasoning_effort", path: "reasoning.effort"},
		{name: "reasoning_summary", path: "reasoning.summary"},
		{name: "verbosity", path: "text.verbosity"},
		{name: "response_format", path: "text.format", value: flattened("json_schema")},
		{name: "tool_choice", path: "tool_choice", value: flattened("function")},
	}
}

// responsesFields returns the parameters of a request. Those with a place of their own are
// last: the object that they are set in may be a parameter too.
func responsesFields(r Request) []bodyField {
	var fields, inObjects []bodyField
	rows := renamedParams()
	for _, key := range r.keys() {
		i := slices.IndexFunc(rows, func(row responsesParam) bool { return row.name == key })
		if i < 0 {
			fields = append(fields, bodyField{key, r.Params[key]})
			continue
		}
		value := r.Params[key]
		if rows[i].value != nil {
			value = rows[i].value(value)
		}
		inObjects = append(inObjects, bodyField{rows[i].path, value})
	}
	return append(fields, inObjects...)
}

// flattened returns a function that moves the members of an object's member into the
// object: {"type":"function","function":{"name":"f"}} is {"type":"function","name":"f"}.
func flattened(member string) func(json.RawMessage) json.RawMessage {
	return func(value json.RawMessage) json.RawMessage {
		var outer, inner map[string]json.RawMessage
		if json.Unmarshal(value, &outer) != nil || json.Unmarshal(outer[member], &inner) != nil {
			return value
		}
		delete(outer, member)
		for key, v := range inner {
			outer[key] = v
		}
		out, err := json.Marshal(outer)
		if err != nil {
			return value
		}
		return out
	}
}
