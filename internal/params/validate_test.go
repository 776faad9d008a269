package params

import (
	"strings"
	"testing"
)

// TestMismatch: the reason for a text that does not match has the place and the cause; a schema that cannot be
// checked is refused before the run, above all one whose references lead back to themselves.
func TestMismatch(t *testing.T) {
	for _, tt := range []struct{ schema, text, want string }{
		{`{"type":"number"}`, " 1\n", ""},
		{`{"type":"number"}`, "1 2", "it is not JSON alone"},
		{`{"type":"number"}`, "```json\n1\n```", "it is not JSON alone"},
		{`{"type":"object","required":["a","b"]}`, `{"a":1}`, `required: missing properties: ["b"]`},
		{`{"properties":{"a":{"properties":{"b":{"minLength":2}}}}}`, `{"a":{"b":"y"}}`, "at /properties/a/properties/b: minLength: \"y\""},
		{`{"properties":{"a":{"$ref":"#/$defs/a~1b"}},"$defs":{"a/b":{"type":"null"}}}`, `{"a":1}`, "at /$defs/a~1b: type: 1"},
		{`{"items":{"$ref":"#"}}`, strings.Repeat("[", 200) + strings.Repeat("]", 200), ""},
		{`{"items":{"$ref":"#"}}`, strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "it is nested more than 200 levels deep"},
		{`{"$schema":"http://json-schema.org/draft-07/schema","items":[{"type":"null"}]}`, `[1]`, "at /items/0: type: 1"},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"null"}]}`, `[1]`, "at /prefixItems/0: type: 1"},
		{`{"properties":{"type":{"enum":[{"type":"weight"}]}}}`, `{"type":{"type":"weight"}}`, ""},
		{`{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 1000) + `!"`, "does not match regular expression"},
	} {
		schema, err := CompileSchema(tt.schema)
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		if got := Mismatch(schema, tt.text); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %.40s: got %q, want %q", tt.schema, tt.text, got, tt.want)
		}
	}
	for schema, want := range map[string]string{
		`{`: "it is not JSON", `[]`: "it is not a JSON object", `{"items":{"type":"weight"}}`: `there is no type "weight"`, `{"$ref":"file:///etc/passwd"}`: "references to other documents are not followed",
		`{"$ref":"https://example.com/s.json"}`: "references to other documents are not followed", `{"$ref":"#name"}`: "only paths such as",
		`{"$ref":"#"}`: "the reference # leads back to itself", `{"items":{"anyOf":[{"$ref":"#/items"}]}}`: "the reference #/items leads back to itself",
		`{"dependentSchemas":{"a":{"$ref":"#"}}}`: "the reference # leads back to itself",
		`{"$ref":"#/$defs/missing"}`:              "missing", `{"items":{"$id":"file:///b","allOf":[{"$ref":"#"}]}}`: "$id file:///b: references",
	} {
		if _, err := CompileSchema(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", schema, err, want)
		}
	}
}

func TestAnswerJSON(t *testing.T) {
	for answer, want := range map[string]string{
		" 1\n": "1", "```json\n{\n 1}\n```\n": "{\n 1}", "```\n1```": "1", "Here it is:\n\n```json\n1\n```\nDone.": "1",
		"{\"a\": \"```b```\"}": "{\"a\": \"```b```\"}", "```json\n\"```\"\n```": "\"```\"", "```json\n1": "```json\n1",
		"{\n \"a\": \"```sh ls```\",\n \"b\": \"```sh ls```\"\n}":       "{\n \"a\": \"```sh ls```\",\n \"b\": \"```sh ls```\"\n}",
		"Result:\n```json\n{\"a\": \"```b```\"}\n```\nand\n```\n2\n```": "{\"a\": \"```b```\"}", "````\r\n1\r\n````\r\n": "1",
	} {
		if got := AnswerJSON(answer); got != want {
			t.Errorf("%q: got %q, want %q", answer, got, want)
		}
	}
}
