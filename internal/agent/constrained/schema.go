package constrained

// The schema of a reply. It uses what the grammars of servers share: objects whose
// properties are in a fixed order, with the name of the tool first, one constant or a list
// of names where only these make sense, and anyOf for the alternatives.

import (
	"encoding/json"
	"slices"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/params"
)

// object is a JSON object with its members in order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON returns the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// closed returns the schema of an object with exactly these properties.
func closed(required []string, properties ...member) object {
	return []member{
		{name: "type", value: "object"},
		{name: "properties", value: object(properties)},
		{name: "required", value: required},
		{name: "additionalProperties", value: false},
	}
}

// responseFormat returns the parameter of the request.
func (f *Form) responseFormat(answer json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(object{
		{"type", "json_schema"},
		{"json_schema", object{{"name", "reply"}, {"strict", f.isStrict(answer)}, {"schema", f.schema(answer)}}},
	})
	if err != nil {
		return json.RawMessage(`{"type":"json_object"}`)
	}
	return raw
}

// isStrict reports whether the schema is one that servers with strict schemas accept: there
// all properties are required, and all objects closed.
func (f *Form) isStrict(answer json.RawMessage) bool {
	if answer != nil {
		return false
	}
	for _, t := range f.Tools {
		for _, choice := range t.Possible() {
			if slices.ContainsFunc(choice, func(field model.Field) bool { return !field.Required || !isStrict(field.Schema) }) {
				return false
			}
		}
	}
	return true
}

func isStrict(schema map[string]any) bool {
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] == "object" {
		if schema["additionalProperties"] != false || len(params.Texts(schema["required"])) != len(properties) {
			return false
		}
	}
	if items, ok := schema["items"].(map[string]any); ok && !isStrict(items) {
		return false
	}
	for _, p := range properties {
		if p, ok := p.(map[string]any); ok && !isStrict(p) {
			return false
		}
	}
	return schema["type"] != nil
}

// schema returns the schema of the reply.
func (f *Form) schema(answer json.RawMessage) any {
	var text any = object{{"type", "string"}}
	if answer != nil {
		text = answer
	}
	final := closed([]string{answerName}, member{answerName, text})
	calls, lists := f.calls()
	if len(calls) == 0 {
		return final
	}
	return object{{"anyOf", slices.Concat(calls, lists, []any{final})}}
}

// maxCalls is the highest number of calls in one reply: small models list them without end.
const maxCalls = 8

// maxTwice is up to how many alternatives are repeated for a list of calls: servers compile
// the schema for each request.
const maxTwice = 40

// calls returns the schemas of the calls that make sense at present, and of lists of several.
// A list has calls of one tool: those of others often depend on their results, which small
// models guess.
func (f *Form) calls() (single, lists []any) {
	if f.Closing {
		return nil, nil
	}
	for _, t := range f.Tools {
		var calls []any
		for _, choice := range t.Possible() {
			calls = append(calls, closed([]string{"name", "arguments"},
				member{"name", object{{"type", "string"}, {"enum", []string{t.Name}}}},
				member{"arguments", arguments(choice)}))
		}
		single = append(single, calls...)
		if t.Ordered || len(calls) == 0 || len(calls) > maxTwice {
			continue
		}
		lists = append(lists, closed([]string{"calls"}, member{"calls", object{
			{"type", "array"}, {"items", object{{"anyOf", calls}}}, {"maxItems", maxCalls},
		}}))
	}
	return single, lists
}

// arguments returns the schema of a call's arguments.
func arguments(choice model.Choice) any {
	var properties []member
	required := []string{}
	for _, field := range choice {
		properties = append(properties, member{field.Name, ordered(field.Schema)})
		if field.Required {
			required = append(required, field.Name)
		}
	}
	return closed(required, properties...)
}

// ordered returns a schema with the required properties of its objects first.
func ordered(schema map[string]any) any {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return schema
	}
	out := object{}
	choice := model.ChoiceOf(schema)
	var members []member
	for _, f := range choice {
		members = append(members, member{f.Name, ordered(f.Schema)})
	}
	for _, key := range []string{"type", "description", "required", "additionalProperties"} {
		if value, found := schema[key]; found {
			out = append(out, member{key, value})
		}
	}
	if len(properties) == 0 {
		return out
	}
	return append(out, member{"properties", object(members)})
}

// answerSchema returns the schema that is required of the answer, or nil. Schemas with
// references are left to the check of the answer: their pointers would lead elsewhere.
func answerSchema(format json.RawMessage) json.RawMessage {
	var wanted struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	}
	if format == nil || json.Unmarshal(format, &wanted) != nil {
		return nil
	}
	switch {
	case wanted.Type == "json_object":
		return json.RawMessage(`{"type":"object"}`)
	case wanted.Type != "json_schema" || strings.Contains(string(wanted.JSONSchema.Schema), `"$`):
		return nil
	}
	return wanted.JSONSchema.Schema
}
