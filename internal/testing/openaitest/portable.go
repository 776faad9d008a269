package openaitest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Chat templates of many families of models refuse an order of messages or a schema that
// the reference accepts. These rules are what all of them accept.

// maxNames is the highest number of values that a parameter may list.
const maxNames = 50

// Portable returns what some chat template or server would refuse in the body of a request.
func Portable(body []byte) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var wire struct {
		Messages []message
		Tools    []struct {
			Function struct {
				Name       string
				Parameters map[string]any
			}
		}
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return []string{err.Error()}
	}
	before := ""
	for i, m := range wire.Messages {
		role := m.role()
		switch {
		case i == 0 && role != "system" && role != "user", role == "system" && i > 0:
			problem("message %d: a %s message after %q", i, role, before)
		case role == "user" && (before == "user" || before == "tool"):
			problem("message %d: a user message after %q", i, before)
		case role == "assistant" && before != "user" && before != "tool":
			problem("message %d: an assistant message after %q", i, before)
		}
		if m["content"] == nil {
			problem("message %d: no content", i)
		}
		before = role
	}
	if before != "user" && before != "tool" {
		problem("the last message is of the role %q", before)
	}
	for _, tool := range wire.Tools {
		plain(tool.Function.Parameters, tool.Function.Name, problem)
	}
	return problems
}

// plain checks that a schema and its parts have one type, no alternatives, and a
// description for each parameter.
func plain(schema map[string]any, path string, problem func(format string, args ...any)) {
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "$schema", "const"} {
		if schema[key] != nil {
			problem("%s has %s", path, key)
		}
	}
	if kind, isText := schema["type"].(string); !isText || kind == "" {
		problem("%s has the type %v", path, schema["type"])
	}
	if values, _ := schema["enum"].([]any); len(values) > maxNames {
		problem("%s lists %d values", path, len(values))
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range properties {
		member, _ := value.(map[string]any)
		if text, _ := member["description"].(string); strings.TrimSpace(text) == "" {
			problem("%s.%s has no description", path, name)
		}
		plain(member, path+"."+name, problem)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		plain(items, path+"[]", problem)
	}
}

// Continues returns how the body of a request differs from the beginning of the next one of
// the same conversation, which servers look for in their caches; "" if it does not. The last
// message may differ, because the next request has other text at its end, and a final request
// has no tools.
func Continues(body, next []byte) string {
	type wire struct {
		Messages []json.RawMessage
		Tools    json.RawMessage
	}
	var one, two wire
	for raw, to := range map[*wire][]byte{&one: body, &two: next} {
		if err := json.Unmarshal(to, raw); err != nil {
			return err.Error()
		}
	}
	kept := max(0, len(one.Messages)-1)
	switch {
	case len(one.Tools) > 0 && len(two.Tools) > 0 && string(one.Tools) != string(two.Tools):
		return "the tools differ"
	case len(two.Messages) < kept:
		return fmt.Sprintf("%d messages are followed by %d", len(one.Messages), len(two.Messages))
	}
	for i, m := range one.Messages[:kept] {
		if string(m) != string(two.Messages[i]) {
			return fmt.Sprintf("message %d is %s and then %s", i, m, two.Messages[i])
		}
	}
	return ""
}
