package usage

// The JSON Schema of the arguments. It is plain: one type for each property, no
// alternatives, because many servers and chat templates refuse more.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Schema returns the JSON Schema of the arguments of a call, as an object by [Parameter.Key].
// It is plain, for models and for servers that compile it: one type for each property, a
// description, no alternatives and no references. The parameters of all commands are in
// one object. For a partial usage it is an array of words.
func (u Usage) Schema() map[string]any {
	if u.Partial {
		return map[string]any{
			"type": "array", "items": map[string]any{"type": "string"},
			"description": "The words of the command line.",
		}
	}
	var set propertySet
	required := u.properties(&set, nil)
	properties := map[string]any{}
	for key, p := range set.of {
		properties[key] = p
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// properties adds the properties of the parameters, and of those of the commands below
// path. It returns the required keys.
func (u Usage) properties(to *propertySet, path []string) (required []string) {
	for _, p := range u.parameters() {
		if p.Hidden {
			continue
		}
		if p.Required && !p.hasDefault() {
			required = append(required, p.Key)
		}
		to.add(p.Key, p.property(path))
	}
	if len(u.Commands) == 0 {
		return required
	}
	names := make([]any, len(u.Commands))
	var each [][]string
	for i, c := range u.Commands {
		names[i] = c.Name
		each = append(each, c.Usage.properties(to, append(path[:len(path):len(path)], c.Name)))
	}
	about := "The command to run."
	if len(path) > 0 {
		about = strings.Join(path, " ") + ": the command to run."
	}
	to.add(u.CommandKey, map[string]any{"type": "string", "enum": names, "description": about})
	if u.CommandRequired {
		required = append(required, u.CommandKey)
		for _, key := range each[0] { // what every command requires
			everywhere := !slices.ContainsFunc(each, func(keys []string) bool { return !slices.Contains(keys, key) })
			if everywhere && !slices.Contains(required, key) {
				required = append(required, key)
			}
		}
	}
	return required
}

// parameters returns positionals and options.
func (u Usage) parameters() []Parameter {
	return slices.Concat(u.Positionals, u.Options)
}

// propertySet is the properties of a schema in the order of the script.
type propertySet struct {
	keys []string
	of   map[string]map[string]any
}

// add adds a property. If a command has one of this name already, their types are reduced
// to what both accept.
func (s *propertySet) add(key string, p map[string]any) {
	old, exists := s.of[key]
	if !exists {
		if s.of == nil {
			s.of = map[string]map[string]any{}
		}
		s.keys, s.of[key] = append(s.keys, key), p
		return
	}
	s.of[key] = merge(old, p)
}

// merge returns the schema of what two properties accept.
func merge(old, p map[string]any) map[string]any {
	about := old["description"].(string)
	if more := p["description"].(string); about != more && len(about) < 300 {
		about += " " + more
	}
	kind := func(p map[string]any) string {
		items, _ := p["items"].(map[string]any)
		return fmt.Sprint(p["type"], items["type"])
	}
	merged := maps.Clone(old)
	switch {
	case kind(old) == kind(p):
		if fmt.Sprint(old["enum"]) != fmt.Sprint(p["enum"]) {
			delete(merged, "enum")
		}
		delete(merged, "default")
		if old["items"] != nil {
			merged["items"] = map[string]any{"type": old["items"].(map[string]any)["type"]}
		}
	case old["type"] == "array" || p["type"] == "array":
		merged = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	default:
		merged = map[string]any{"type": "string"}
	}
	merged["description"] = about
	return merged
}

// property returns the schema of one parameter.
func (p Parameter) property(path []string) map[string]any {
	about := p.about()
	if len(path) > 0 {
		about = strings.Join(path, " ") + ": " + about
	}
	if p.Kind == Flag || p.Kind == Count {
		return map[string]any{"type": "boolean", "description": about}
	}
	one := map[string]any{"type": string(p.Type)}
	if choices := p.words(); len(choices) > 0 {
		one["enum"] = choices
	}
	if p.Many() {
		return map[string]any{"type": "array", "items": one, "description": about}
	}
	one["description"] = about
	return one
}

// words returns the choices as values of the parameter's type.
func (p Parameter) words() []any {
	out := make([]any, 0, len(p.Choices))
	for _, c := range p.Choices {
		if _, isText := c.(string); p.Type == String && !isText {
			c, _ = printed(c)
		} else if isText && p.Type != String {
			return nil
		}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// hasDefault reports whether the parameter has a default that means a missing value.
func (p Parameter) hasDefault() bool { return p.Default != nil && p.Positional() && p.Min == 0 }

// about returns a sentence about the parameter: its help and its default.
func (p Parameter) about() string {
	about := p.Help
	switch {
	case about != "":
	case p.Positional():
		about = "Positional argument " + p.Key + "."
	case p.Metavar != "":
		about = "Option " + p.Name() + " " + p.Metavar + "."
	default:
		about = "Option " + p.Name() + "."
	}
	text, ok := p.defaultText()
	if ok && !strings.Contains(strings.ToLower(about), "default") {
		about += " (default: " + text + ")"
	}
	return about
}

// defaultText returns a default that is worth showing.
func (p Parameter) defaultText() (string, bool) {
	switch d := p.Default.(type) {
	case nil, bool:
		return "", false
	case string:
		return d, d != "" && len(d) <= 100
	case int64, float64:
		return fmt.Sprint(d), true
	case []any:
		var words []string
		for _, item := range d {
			words = append(words, fmt.Sprint(item))
		}
		text := strings.Join(words, " ")
		return text, len(d) > 0 && len(text) <= 100
	}
	return "", false
}
