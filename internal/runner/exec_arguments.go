package runner

import (
	"encoding/json"
	"slices"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// scriptArguments are the words after -- as the tool takes them. The script of a
// file gets them as they are, a function an object: the one word that is one, or
// what --name value, --name=value and --name mean. A repeated name makes a list.
func scriptArguments(t *skills.Call, words []string) (json.RawMessage, error) {
	if t.Script.Call == nil {
		raw, _ := json.Marshal(words) // strings always can be
		return raw, nil
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
		switch next := i + 1; {
		case given:
			add(object, name, value)
		case next < len(words) && !strings.HasPrefix(words[next], "--"):
			add(object, name, words[next])
			i++
		default:
			add(object, name, true)
		}
	}
	raw, _ := json.Marshal(object)
	return raw, nil
}

// add puts a value under a name, behind those that are there.
func add(object map[string]any, name string, value any) {
	switch old := object[name].(type) {
	case nil:
		object[name] = value
	case []any:
		object[name] = append(old, value)
	default:
		object[name] = []any{old, value}
	}
}

// takes says which arguments a function takes.
func takes(s loader.Script) string {
	properties, _ := s.Schema["properties"].(map[string]any)
	var names []string
	for name := range properties {
		names = append(names, "--"+name+" VALUE")
	}
	if slices.Sort(names); len(names) == 0 {
		return "it takes none"
	}
	return "it takes " + strings.Join(names, ", ") + ", or one JSON object"
}
