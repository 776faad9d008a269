package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/lazyregexp"
	"skills/internal/params"
	"skills/internal/printable"
)

// reservedParams are the fields of a request that the run itself sets.
var reservedParams = []string{"model", "messages", "input", "instructions", "previous_response_id", "tools", "stream", "stream_options"}

var paramName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]*$`)

// answer holds what is required of the answer.
type answer struct {
	schema  *jsonschema.Resolved // nil for any answer
	reasked bool                 // whether the model was asked for an answer that matches it
}

// requestParams reads --param and --json-schema. The answer has no schema without one.
func requestParams(ctx context.Context, env Env, o Request) (agent.Params, *answer, error) {
	fields := agent.Params{}
	for _, text := range o.Params {
		key, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || !paramName().MatchString(key):
			return nil, nil, fault.Usage("write it as KEY=VALUE, such as temperature=0", "--param %s: not a parameter with a value", text)
		case slices.Contains(reservedParams, key):
			return nil, nil, fault.Usage("use -m, the prompt or --stream instead", "--param %s: %s is set by the run itself", text, key)
		case o.JSONSchema != "" && key == "response_format":
			return nil, nil, fault.Usage("use only one of them", "--param response_format cannot be used with --json-schema")
		case json.Valid([]byte(value)):
			fields[key] = json.RawMessage(strings.TrimSpace(value))
		default:
			fields[key] = json.RawMessage(printable.JSONText(value))
		}
	}
	wanted := &answer{}
	if o.JSONSchema != "" {
		text, err := env.file(ctx, "--json-schema", o.JSONSchema, maxTextFile)
		if err != nil {
			return nil, nil, err
		}
		wanted.schema, err = params.CompileSchema(text)
		if err != nil {
			return nil, nil, fault.Usage("write a JSON Schema whose references stay in the file", "--json-schema: %s: %w", o.JSONSchema, err)
		}
		// Without "strict", with which servers refuse most schemas: the answer is checked here.
		fields["response_format"] = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"answer","schema":` + text + `}}`)
	}
	if len(fields) == 0 {
		fields = nil
	}
	return fields, wanted, nil
}

// answerError is the error for an answer that does not match --json-schema.
type answerError struct{ why string }

func (e *answerError) Error() string { return "it does not match --json-schema: " + e.why }

// matches reports whether a text is a JSON value that matches the schema.
func (r *answer) matches(text string) bool {
	return params.Mismatch(r.schema, params.AnswerJSON(text)) == ""
}

// check asks once for an answer that matches the schema.
func (r *answer) check(_ context.Context, c agent.Completion) (string, error) {
	why := params.Mismatch(r.schema, params.AnswerJSON(c.Text))
	switch {
	case why == "":
		return "", nil
	case r.reasked:
		return "", &answerError{why}
	}
	r.reasked = true
	return "Your answer does not match the JSON schema that is required: " + why + ". Answer again with JSON that matches it, and nothing else.", nil
}

// around takes the answer of a run out of its Markdown fence, and checks that of
// a run which a hook has stopped too.
func (r *answer) around(next agent.RunHandler) agent.RunHandler {
	return func(ctx context.Context, run *agent.RunRequest) (agent.Result, error) {
		result, err := next(ctx, run)
		if err != nil {
			return result, err
		}
		text := params.AnswerJSON(result.Text)
		if why := params.Mismatch(r.schema, text); why != "" {
			result.Status = agent.Failed
			return result, fmt.Errorf("checking the answer: %w", &answerError{why})
		}
		result.Text = text
		return result, nil
	}
}
