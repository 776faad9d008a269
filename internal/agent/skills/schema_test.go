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
	"skills/internal/search"
)

// TestSchemasMatchInputs checks that the schemas for the model have the same fields as
// the structs into which its arguments are decoded.
func TestSchemasMatchInputs(t *testing.T) {
	parameters := map[string][]string{
		loadTool: agent.Parameters[loadInput](),
		readTool: agent.Parameters[readInput](),
		runTool:  agent.Parameters[runInput](),
		findTool: agent.Parameters[findInput](),
	}
	required := map[string][]string{
		loadTool: {"skillName"},
		readTool: {"skillName", "resourceName"},
		runTool:  {"skillName", "scriptName"},
		findTool: {"query"},
	}
	p := &Provider{}
	for _, tool := range p.tools(&catalogue{names: []string{"a", "b"}, index: func() *search.Index { return nil }}, true) {
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

// TestSkillNameIsAnEnum checks that the schema lists up to fifty names.
func TestSkillNameIsAnEnum(t *testing.T) {
	raw, err := json.Marshal(loadSchema([]string{"a", "b"}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{"skillName":{"description":"Name of the skill.","enum":["a","b"],"type":"string"}},"required":["skillName"],"type":"object"}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	for names, want := range map[int]bool{50: true, 51: false} {
		raw, err := json.Marshal(loadSchema(make([]string, names)))
		if err != nil || bytes.Contains(raw, []byte("enum")) != want {
			t.Errorf("%d names: %s, %v", names, raw, err)
		}
	}
}
