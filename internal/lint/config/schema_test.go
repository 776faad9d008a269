package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// TestSchema checks that the schema accepts and rejects the same documents as parse.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{
		"", "profile: skills-ref", "profile: other", "strict: true", "strict: maybe", "client: pi", "client: [pi, crush]", "client: [nobody]",
		"rules: {secret: off, name-length: info}", "rules: {secret: loud}", "rules: {nothing: off}", "exclude: x/", "exclude: [a, b]", "exclude: {a: b}", "unknown: 1",
		"banned:", "banned: {gpt-4o: retired, simply: }", "banned: {a: 1}", "banned: [a]", "banned: {' ': x}", "banned: {a: [x]}",
		"run:", "run: {only: [a], script-extensions: [py, .sh]}", "run: {script-extensions: [exe]}", "run: {only: a}", "run: {also: [a]}",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(src), &value); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		_, want := Parse("x", []byte(src))
		if got := schema.Validate(instance); (got == nil) != (want == nil) {
			t.Errorf("%q: the schema says %v, the parser %v", src, got, want)
		}
	}
}
