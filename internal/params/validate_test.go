package params

import (
	"strings"
	"testing"
)

// TestMismatch checks recursive schemas: validation ends with a match or a message.
func TestMismatch(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for _, tt := range []struct{ schema, text, want string }{
		{`{"type":"number"}`, " 1\n", ""},
		{`{"type":"number"}`, "1 2", "it is not JSON alone"},
		{`{"type":"number"}`, "```json\n1\n```", "it is not JSON alone"},
		{`{"type":"object","required":["a","b"]}`, `{"a":1}`, "at '': missing property 'b'"},
		{`{"properties":{"a":{"type":"number"},"b":{"minLength":2}}}`, `{"a":"x","b":"y"}`, "; at '/"},
		{`{"items":{"$ref":"#"}}`, deep, ""},
		{`{"$ref":"#"}`, "1", `resolve to "file:///schema.json#" causing reference cycle`},
		{`{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 1000) + `!"`, "does not match pattern"},
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
		`{`: "it is not JSON", `[]`: "it is not a JSON object", `{"type":"weight"}`: "", `{"$ref":"file:///etc/passwd"}`: "references to other documents are not followed",
		`{"$ref":"https://example.com/s.json"}`: "references to other documents are not followed", `{"$schema":"https://example.com/s.json"}`: "references to other documents are not followed",
	} {
		if _, err := CompileSchema(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", schema, err, want)
		}
	}
}
