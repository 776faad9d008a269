package runner

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/loader"
	"skills/internal/printable"
)

// scriptArguments are the words after -- as the tool takes them. The script of a
// file gets them as they are, a function an object: the one word that is one, or
// what --name value, --name=value and --name mean.
func scriptArguments(t *skills.Call, words []string) (json.RawMessage, error) {
	if t.Script.Call == nil {
		return json.RawMessage(printable.JSONText(words)), nil
	}
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		if !json.Valid([]byte(words[0])) {
			return nil, Refuse(takes(t.Script), "the arguments of %s are no JSON object", t.Script.Name)
		}
		return json.RawMessage(words[0]), nil
	}
	object := map[string]any{}
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		if name = strings.TrimPrefix(name, "--"); name == words[i] || name == "" {
			return nil, Refuse(takes(t.Script), "%s takes its arguments by their names, got %q", t.Script.Name, words[i])
		}
		object[name] = true
		if given {
			object[name] = value
		} else if i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			object[name] = words[i]
		}
	}
	return json.RawMessage(printable.JSONText(object)), nil
}

// takes says which arguments a function takes.
func takes(s loader.Script) string {
	properties, _ := s.Schema["properties"].(map[string]any)
	if len(properties) == 0 {
		return "it takes none"
	}
	names := slices.Sorted(maps.Keys(properties))
	return "it takes --" + strings.Join(names, " VALUE, --") + " VALUE, or one JSON object"
}
