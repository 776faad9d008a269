package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"skills/internal/agent"
	"skills/internal/printable"
)

// reservedParams are the fields of a request that the run itself sets.
var reservedParams = []string{"model", "messages", "tools", "stream", "stream_options"}

var paramName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// planParams reads --param and --json-schema.
func (r *Runner) planParams(ctx context.Context) error {
	params := agent.Params{}
	for _, text := range r.Params {
		key, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || !paramName.MatchString(key):
			return Refuse("write it as KEY=VALUE, such as temperature=0", "--param %s: not a parameter with a value", text)
		case slices.Contains(reservedParams, key):
			return Refuse("use -m, the prompt or --stream instead", "--param %s: %s is set by the run itself", text, key)
		case r.JSONSchema != "" && key == "response_format":
			return Refuse("use only one of them", "--param response_format cannot be used with --json-schema")
		case json.Valid([]byte(value)):
			params[key] = json.RawMessage(strings.TrimSpace(value))
		default:
			params[key] = json.RawMessage(printable.JSONText(value))
		}
	}
	if r.JSONSchema != "" {
		text, err := r.file(ctx, "--json-schema", r.JSONSchema, maxTextFile)
		if err != nil {
			return err
		}
		if r.schema, err = compileSchema(text); err != nil {
			return Refuse("write a JSON Schema whose references stay in the file", "--json-schema: %s: %w", r.JSONSchema, err)
		}
		// Not strict, for then servers refuse most schemas; the answer is checked here.
		params["response_format"] = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"answer","schema":` + text + `}}`)
	}
	if len(params) > 0 {
		r.config.Params = params
	}
	return nil
}

// noReferences refuses schemas of other files and of the network.
type noReferences struct{}

func (noReferences) Load(url string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

func compileSchema(text string) (*jsonschema.Schema, error) {
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

// answerError says why the answer is not what --json-schema wants.
type answerError struct{ why string }

func (e *answerError) Error() string { return "it does not match --json-schema: " + e.why }

// checkAnswer asks once for an answer that matches the schema.
func (r *Runner) checkAnswer(_ context.Context, c agent.Completion) (string, error) {
	why := r.mismatch(c.Text)
	switch {
	case why == "":
		return "", nil
	case r.reasked:
		return "", &answerError{why}
	}
	r.reasked = true
	return "Your answer does not match the JSON schema that is required: " + why + ". Answer again with JSON that matches it, and nothing else.", nil
}

// maxMismatch is how many characters of what is wrong are repeated.
const maxMismatch = 2 << 10

// mismatch says why a text does not match the schema, "" if it does.
func (r *Runner) mismatch(text string) string {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return "it is not JSON alone"
	}
	if err = r.schema.Validate(value); err == nil {
		return ""
	}
	_, detail, _ := strings.Cut(err.Error(), "\n") // the first line names the schema
	detail = strings.ReplaceAll(strings.TrimPrefix(detail, "- "), "\n- ", "; ")
	return printable.Truncate(strings.Join(strings.Fields(detail), " "), maxMismatch)
}
