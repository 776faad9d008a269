package params

// JSON Schemas that users write, for answers and checks. A schema is examined before it is
// used, because the library reads other documents, and does not end on a reference that
// leads back to itself.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// CompileSchema compiles a JSON Schema. References to other documents are errors.
func CompileSchema(text string) (*jsonschema.Resolved, error) {
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	root, ok := document.(map[string]any)
	if !ok {
		return nil, errors.New("it is not a JSON object")
	}
	delete(root, "$id") // that of the document itself changes nothing
	if err := (schemaCheck{root}).visit(root, nil); err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil, err
	}
	if schema.Schema != "" && !strings.Contains(schema.Schema, "2020-12") {
		schema.Schema = "http://json-schema.org/draft-07/schema#" // the library has no other version
	}
	return schema.Resolve(&jsonschema.ResolveOptions{BaseURI: "file:///schema.json"})
}

// schemaCheck rejects what the library accepts but cannot evaluate: unknown types, and
// references that lead back to themselves, which it would follow forever.
type schemaCheck struct{ root any }

// visit checks a part of the schema. open are the references that led to it and apply
// to the same value; nil means that no reference did.
func (c schemaCheck) visit(part any, open []string) error {
	if list, ok := part.([]any); ok {
		for _, item := range list {
			if err := c.visit(item, open); err != nil {
				return err
			}
		}
	}
	fields, _ := part.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		text, isText := fields[key].(string)
		var err error
		switch {
		case slices.Contains([]string{"enum", "const", "default", "examples"}, key): // data
		case key == "type" && isText && !slices.Contains([]string{"null", "boolean", "object", "array", "number", "integer", "string"}, text):
			err = fmt.Errorf("there is no type %q", text)
		case key == "$ref" && isText && slices.Contains(open, text):
			err = fmt.Errorf("the reference %s leads back to itself", text)
		case key == "$ref" && isLocal(text):
			path, _ := url.PathUnescape(strings.TrimPrefix(text, "#"))
			part, _ := At(c.root, path) // the library reports a part that does not exist
			err = c.visit(part, append(slices.Clip(open), text))
		case isText && slices.Contains([]string{"$ref", "$dynamicRef", "$id"}, key):
			err = fmt.Errorf("%s %s: references to other documents are not followed, and within it only paths such as #/$defs/name", key, text)
		case slices.Contains([]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}, key):
			err = c.visit(fields[key], open)
		case key == "dependentSchemas" || key == "dependencies":
			schemas, _ := fields[key].(map[string]any)
			err = c.visit(slices.Collect(maps.Values(schemas)), open)
		case open == nil: // what a reference leads to is visited elsewhere too
			err = c.visit(fields[key], nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isLocal reports whether a reference leads to a part of its own document.
func isLocal(reference string) bool {
	return reference == "#" || strings.HasPrefix(reference, "#/")
}

// At returns the part of a decoded JSON value that a JSON Pointer (RFC 6901) leads to.
// found is false if there is none.
func At(value any, pointer string) (part any, found bool) {
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		found = false
		switch in := value.(type) {
		case map[string]any:
			value, found = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			found = err == nil && i >= 0 && i < len(in)
			if found {
				value = in[i]
			}
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}

var fence = lazyregexp.New("(?sm)^[ \t]*```+[^`\n]*\n(.*?)```+[ \t\r]*$")

// AnswerJSON returns the content of the first Markdown code block in an answer, or the
// whole answer if it is JSON or has no block. Many models write JSON in a block after a
// sentence.
func AnswerJSON(answer string) string {
	answer = strings.TrimSpace(answer)
	if block := fence().FindStringSubmatch(answer); block != nil && !json.Valid([]byte(answer)) {
		answer = strings.TrimSpace(block[1])
	}
	return answer
}

// maxMismatch is how many characters of what is wrong are repeated.
const maxMismatch = 2 << 10

// Mismatch returns the reason why a text does not match the schema, "" if it does.
func Mismatch(schema *jsonschema.Resolved, text string) string {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return "it is not JSON alone"
	}
	if nested(value, maxNesting) {
		return fmt.Sprintf("it is nested more than %d levels deep", maxNesting)
	}
	err := schema.Validate(value)
	if err == nil {
		return ""
	}
	// Each level of the schema adds its path; the last one is complete.
	at, detail := "", err.Error()
	for rest, more := strings.CutPrefix(detail, "validating "); more; rest, more = strings.CutPrefix(detail, "validating ") {
		at, detail, _ = strings.Cut(rest, ": ")
	}
	if at != "root" {
		detail = "at " + at + ": " + detail
	}
	return printable.Truncate(strings.Join(strings.Fields(detail), " "), maxMismatch)
}

// maxNesting limits how deep an answer is nested, because the library's error repeats
// the path at each level.
const maxNesting = 200

// nested reports whether a value has more levels of lists and objects than most.
func nested(value any, most int) bool {
	var inside []any
	switch v := value.(type) {
	case []any:
		inside = v
	case map[string]any:
		inside = slices.Collect(maps.Values(v))
	default:
		return false
	}
	return most == 0 || slices.ContainsFunc(inside, func(x any) bool { return nested(x, most-1) })
}
