package params

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"skills/internal/printable"
)

// noReferences refuses schemas of other files and of the network.
type noReferences struct{}

func (noReferences) Load(url string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// CompileSchema compiles a JSON Schema. References to other documents are errors.
func CompileSchema(text string) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, ok := document.(map[string]any); !ok {
		return nil, errors.New("it is not a JSON object")
	}
	const name = "file:///schema.json" // messages do not depend on the folder
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noReferences{})
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

// maxMismatch is how many characters of what is wrong are repeated.
const maxMismatch = 2 << 10

// Mismatch says why a text does not match the schema, "" if it does.
func Mismatch(schema *jsonschema.Schema, text string) string {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return "it is not JSON alone"
	}
	if err = schema.Validate(value); err == nil {
		return ""
	}
	_, detail, _ := strings.Cut(err.Error(), "\n") // the first line names the schema
	detail = strings.ReplaceAll(strings.TrimPrefix(detail, "- "), "\n- ", "; ")
	return printable.Truncate(strings.Join(strings.Fields(detail), " "), maxMismatch)
}
