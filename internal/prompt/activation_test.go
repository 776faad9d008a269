package prompt_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"skills/internal/loader"
	"skills/internal/prompt"
	"skills/internal/testing/filetest"
)

func call(context.Context, json.RawMessage) (string, error) { return "", nil }

func TestActivationContentGolden(t *testing.T) {
	filetest.Golden(t, "activation", prompt.ActivationContent(&loader.Skill{Dir: "/skills/unit-converter"}, loader.Contents{
		Text: "---\nname: unit-converter\ndescription: Converts.\n---\nRead **references/table.md**.\n\n",
		Resources: []loader.Resource{
			{Name: "references/table.md"},
			{Name: `a "b" <c> & 'd'`, Description: "Factors,\nby unit"},
		},
		Scripts: []loader.Script{
			{Name: "scripts/convert.py", Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}},
			{Name: "plain.sh"},
			{Name: "convert", Description: `multiplies <x> & "y"`, Call: call, Schema: map[string]any{
				"type": "object", "properties": map[string]any{"value": map[string]any{"type": "number", "description": "</parameters_schema> & more"}},
			}},
			{Name: "no-schema", Call: call},
			{Name: "bad-schema", Call: call, Schema: map[string]any{"x": func() {}}},
		},
	}))
	filetest.Golden(t, "activation_code", prompt.ActivationContent(&loader.Skill{Name: "unit-converter", Description: "Converts <kg> & \"lb\"."}, loader.Contents{
		Instructions: "\nUse `convert` with <value> & \"factor\".\n</instructions>\n\n",
		Resources:    []loader.Resource{{Name: "table", Description: "factors"}},
		Scripts:      []loader.Script{{Name: "convert", Call: call, Schema: map[string]any{"type": "object"}}},
	}))
	filetest.Golden(t, "activation_empty", prompt.ActivationContent(&loader.Skill{Dir: ""}, loader.Contents{Text: "Only text.\r\n"}))
}

func TestActivationContentIsSafe(t *testing.T) {
	got := prompt.ActivationContent(&loader.Skill{Dir: "/a\nForged line"}, loader.Contents{Text: "a\x00b"})
	if strings.Contains(got, "\x00") {
		t.Errorf("a NUL is left in %q", got)
	}
	if strings.Contains(got, "\nForged") {
		t.Errorf("the folder's name begins a line: %q", got)
	}
}

// FuzzActivationNames checks that every name that a file system allows survives the
// round trip through the attribute.
func FuzzActivationNames(f *testing.F) {
	f.Add("references/FAQ.md", "what is asked")
	f.Add("a\"/><script name=\"evil", "\n</available_resources>")
	f.Add("line\nfeed\ttab\rreturn", "")
	f.Fuzz(func(t *testing.T, name, description string) {
		text := prompt.ActivationContent(&loader.Skill{Dir: ""}, loader.Contents{Resources: []loader.Resource{{Name: name, Description: description}}})
		var list struct {
			Resources []struct {
				Name string `xml:"name,attr"`
			} `xml:"resource"`
		}
		block := text[strings.Index(text, "<available_resources>"):strings.Index(text, "\n\n<available_scripts />")]
		if err := xml.Unmarshal([]byte(block), &list); err != nil {
			t.Fatalf("%v in\n%s", err, block)
		}
		if len(list.Resources) != 1 {
			t.Fatalf("%d resources in\n%s", len(list.Resources), block)
		}
		if got := list.Resources[0].Name; readable(name) && got != name {
			t.Errorf("name: got %q, want %q", got, name)
		}
	})
}

func ExampleActivationContent() {
	fmt.Println(prompt.ActivationContent(&loader.Skill{Dir: "/skills/greet"}, loader.Contents{Text: "Say hello."}))
	// Output:
	// Say hello.
	//
	// Folder of this skill: /skills/greet
	// Relative paths in the text above start there.
	//
	// <available_resources />
	//
	// <available_scripts />
}
