package todo

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/prompt"
)

// TestSchemasMatchInputs checks that the schemas for the model have the same fields as
// the structs into which its arguments are decoded.
func TestSchemasMatchInputs(t *testing.T) {
	inputs := map[string]any{
		"todos_add": addInput{}, "todos_complete": completeInput{}, "todos_remove": removeInput{},
		"todos_get_remaining": noInput{}, "todos_get_all": noInput{},
	}
	tools := New(Options{}).tools()
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		match(t, tool.Name, tool.Schema, reflect.TypeOf(inputs[tool.Name]))
		if tool.Description != prompt.ToolDescription(tool.Name) || tool.Description == "" {
			t.Errorf("%s: description %q", tool.Name, tool.Description)
		}
	}
	want := []string{"todos_add", "todos_complete", "todos_remove", "todos_get_remaining", "todos_get_all"}
	if !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

func match(t *testing.T, path string, schema map[string]any, in reflect.Type) {
	t.Helper()
	if schema["type"] != "object" {
		t.Errorf("%s: type %v, want object", path, schema["type"])
	}
	properties := schema["properties"].(map[string]any)
	var fields []string
	for field := range in.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields = append(fields, name)
		property, _ := properties[name].(map[string]any)
		if property["type"] != "array" {
			continue
		}
		items := property["items"].(map[string]any)
		if items["type"] == "object" {
			match(t, path+"."+name, items, field.Type.Elem())
		}
	}
	slices.Sort(fields)
	if got := slices.Sorted(maps.Keys(properties)); !slices.Equal(got, fields) {
		t.Errorf("%s: schema %v, fields %v", path, got, fields)
	}
	if required, ok := schema["required"].([]any); ok {
		for _, name := range required {
			if properties[name.(string)] == nil {
				t.Errorf("%s: %q is required and missing", path, name)
			}
		}
	}
}

// TestSchemaShape compares the schemas with those of the framework's document, except for
// descriptions and types that may be null.
func TestSchemaShape(t *testing.T) {
	want := map[string]string{
		"todos_add":           `{"properties":{"todos":{"items":{"properties":{"description":{"type":"string"},"title":{"type":"string"}},"required":["title"],"type":"object"},"type":"array"}},"required":["todos"],"type":"object"}`,
		"todos_complete":      `{"properties":{"items":{"items":{"properties":{"id":{"type":"integer"},"reason":{"type":"string"}},"required":["id","reason"],"type":"object"},"type":"array"}},"required":["items"],"type":"object"}`,
		"todos_remove":        `{"properties":{"ids":{"items":{"type":"integer"},"type":"array"}},"required":["ids"],"type":"object"}`,
		"todos_get_remaining": `{"properties":{},"type":"object"}`,
		"todos_get_all":       `{"properties":{},"type":"object"}`,
	}
	for _, tool := range New(Options{}).tools() {
		raw, err := json.Marshal(bare(tool.Schema))
		if err != nil {
			t.Fatal(err)
		}
		if string(raw) != want[tool.Name] {
			t.Errorf("%s\ngot  %s\nwant %s", tool.Name, raw, want[tool.Name])
		}
	}
}

// bare is a schema without its descriptions.
func bare(schema map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range schema {
		switch inner := value.(type) {
		case map[string]any:
			out[key] = bare(inner)
		default:
			if _, isText := value.(string); key != "description" || !isText {
				out[key] = value
			}
		}
	}
	return out
}

// perform runs a call with its prepared action, as the loop does.
func perform(t *testing.T, inv *agent.Invocation) (agent.ToolResult, error) {
	t.Helper()
	action, err := inv.Prepare(t.Context())
	if err != nil {
		return agent.ToolResult{}, err
	}
	return action.Run(t.Context())
}

// FuzzTools checks that after any call the list can be saved and restored, and shows
// one line an item.
func FuzzTools(f *testing.F) {
	f.Add(0, `{"todos":[{"title":"a\nb","description":null},"c"]}`)
	f.Add(1, `{"items":[{"id":"1","reason":"r"},{"id":99,"reason":"r"}]}`)
	f.Add(2, `{"ids":[1,1,-5,2147483649,"3"]}`)
	f.Add(3, `{}`)
	f.Add(0, `{"todos":{"title":"a"}}`)
	f.Fuzz(func(t *testing.T, which int, arguments string) {
		session := agent.NewSession()
		tools := New(Options{}).tools()
		emit := func(agent.Event) {}
		first, err := perform(t, &agent.Invocation{Tool: &tools[0], Arguments: json.RawMessage(`{"todos":[{"title":"x"},{"title":"y"}]}`), Session: session, Emit: emit})
		if err != nil || first.Failed {
			t.Fatal(first, err)
		}
		tool := tools[uint(which)%uint(len(tools))]
		if _, err := perform(t, &agent.Invocation{Tool: &tool, Arguments: json.RawMessage(arguments), Session: session, Emit: emit}); err != nil {
			t.Fatalf("%s(%s): %v", tool.Name, arguments, err)
		}
		items, err := Items(session)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(listMessage(items), "\n"), max(len(items), 1); got != want {
			t.Errorf("%d lines for %d items", got, want)
		}
		saved, err := session.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Items(agent.RestoreSession(saved))
		if err != nil || len(back) != len(items) {
			t.Errorf("restored %d of %d items: %v", len(back), len(items), err)
		}
	})
}
