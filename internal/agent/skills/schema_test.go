package skills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"skills/internal/agent"
	"skills/internal/prompt"
)

// TestSchemasMatchInputs checks that the schemas for the model have the same fields as
// the structs into which its arguments are decoded.
func TestSchemasMatchInputs(t *testing.T) {
	parameters := map[string][]string{
		loadTool: agent.Parameters[loadInput](),
		readTool: agent.Parameters[readInput](),
		runTool:  agent.Parameters[runInput](),
	}
	required := map[string][]string{
		loadTool: {"skillName"},
		readTool: {"skillName", "resourceName"},
		runTool:  {"skillName", "scriptName"},
	}
	p := &Provider{}
	for _, tool := range p.tools(&catalogue{names: []string{"a", "b"}}, true, false) {
		if tool.Schema["type"] != "object" {
			t.Errorf("%s: type %v, want object", tool.Name, tool.Schema["type"])
		}
		properties := slices.Sorted(maps.Keys(tool.Schema["properties"].(map[string]any)))
		want := slices.Sorted(slices.Values(parameters[tool.Name]))
		if !slices.Equal(properties, want) {
			t.Errorf("%s: properties %v, parameters %v", tool.Name, properties, want)
		}
		if got, want := fmt.Sprint(tool.Schema["required"]), fmt.Sprint(required[tool.Name]); got != want {
			t.Errorf("%s: required %v, want %v", tool.Name, got, want)
		}
		if tool.Description == "" || tool.Description != prompt.ToolDescription(tool.Name) {
			t.Errorf("%s: description %q", tool.Name, tool.Description)
		}
	}
}

// TestSkillNameIsAnEnum checks that the schema lists up to thirty names, and more only if
// the catalogue lacks some.
func TestSkillNameIsAnEnum(t *testing.T) {
	raw, err := json.Marshal(loadSchema([]string{"a", "b"}, false))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{"skillName":{"enum":["a","b"],"type":"string"}},"required":["skillName"],"type":"object"}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	for _, tt := range []struct {
		names         int
		missing, want bool
	}{{30, false, true}, {31, false, false}, {31, true, true}} {
		raw, err := json.Marshal(loadSchema(make([]string, tt.names), tt.missing))
		if err != nil || bytes.Contains(raw, []byte("enum")) != tt.want {
			t.Errorf("%d names, missing in the catalogue %t: %s, %v", tt.names, tt.missing, raw, err)
		}
	}
}
