package suite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
)

// TestSchemas checks that each schema that is printed is a JSON Schema, and that another
// implementation of JSON Schema accepts and refuses the same files as the reader.
func TestSchemas(t *testing.T) {
	for _, tt := range []struct {
		schema, archive, file string
		valid                 bool
	}{
		{"evals", "guide", "evals/evals.json", true},
		{"evals", "skill-creator", "evals/evals.json", true},
		{"evals", "types", "evals/evals.json", false},
		{"checks", "skill-creator", "evals/checks.json", true},
		{"checks", "broken", "evals/checks.json", true}, // its mistakes are beyond a schema
		{"checks", "keys", "evals/checks.json", false},
		{"checks", "types", "evals/checks.json", false},
		{"triggers", "triggers", "evals/triggers.json", true},
		{"triggers", "triggers-broken", "evals/eval_set.json", false},
	} {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(tt.schema)))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(tt.schema, document); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile(tt.schema)
		if err != nil {
			t.Fatal(err)
		}
		archive, err := txtar.ParseFile("testdata/" + tt.archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range archive.Files {
			if f.Name != tt.file {
				continue
			}
			found = true
			instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(f.Data)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(instance); (err == nil) != tt.valid {
				t.Errorf("%s in %s: %v", tt.file, tt.archive, err)
			}
			r := &reader{}
			if r.parse(newFile(tt.file, f.Data), tt.schema); (len(r.problems) == 0) != tt.valid {
				t.Errorf("%s in %s: %v", tt.file, tt.archive, r.problems)
			}
		}
		if !found {
			t.Errorf("no %s in %s", tt.file, tt.archive)
		}
	}
}
