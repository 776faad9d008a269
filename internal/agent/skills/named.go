package skills

import (
	"encoding/json"
	"strings"

	"skills/internal/params"
	"skills/internal/printable"
)

// namedValues returns the arguments of a function, which has named parameters, as an
// object: the schema of the tool has command lines, and some servers hold models to it.
// What has no certain meaning is returned unchanged, for the function to refuse.
func namedValues(arguments json.RawMessage, schema map[string]any) json.RawMessage {
	arguments = params.Unwrap(arguments)
	var words []json.RawMessage
	if json.Unmarshal(arguments, &words) != nil || len(words) == 0 {
		return arguments
	}
	if only := params.Unwrap(words[0]); len(words) == 1 && only[0] == '{' {
		return only
	}
	properties, _ := schema["properties"].(map[string]any)
	var members []string
	for len(words) > 0 {
		name, value, rest, ok := nextOption(words)
		property, _ := properties[name].(map[string]any)
		if !ok || property == nil {
			return arguments
		}
		words = rest
		if kind := property["type"]; kind != "string" && kind != nil && json.Valid([]byte(value)) {
			members = append(members, printable.JSONText(name)+":"+value)
			continue
		}
		members = append(members, printable.JSONText(name)+":"+printable.JSONText(value))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

// nextOption reads --name value, --name=value, name=value or --name from the start of a
// command line; --name alone is true.
func nextOption(words []json.RawMessage) (name, value string, rest []json.RawMessage, ok bool) {
	texts := make([]string, min(len(words), 2))
	for i := range texts {
		texts[i] = string(words[i]) // a number, or another value
		_ = json.Unmarshal(words[i], &texts[i])
	}
	word, isOption := strings.CutPrefix(texts[0], "--")
	name, value, assigned := strings.Cut(word, "=")
	switch {
	case assigned:
		return name, value, words[1:], true
	case !isOption:
		return "", "", nil, false
	case len(texts) == 1 || strings.HasPrefix(texts[1], "--"):
		return name, "true", words[1:], true
	}
	return name, texts[1], words[2:], true
}
