package report

import (
	"bytes"
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestSecretLineIsNotPrinted checks that a line with a key is not printed, whichever
// rule reports it.
func TestSecretLineIsNotPrinted(t *testing.T) {
	at := spec.Span{Start: spec.Pos{Line: 2, Column: 1}, End: spec.Pos{Line: 2, Column: 4}}
	other := spec.Diagnostic{Rule: "home-path", Level: spec.Warning, Path: "a/SKILL.md", Span: at, Message: "m"}
	other.Snippet = "the key itself"
	for _, sensitive := range []bool{false, true} {
		other.Sensitive = sensitive
		var out bytes.Buffer
		if err := writeReport("text", &out, []Skill{{Path: "a", Diagnostics: []spec.Diagnostic{other}}}, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "the key itself"); got == sensitive {
			t.Errorf("sensitive %v: line printed: %v\n%s", sensitive, got, out.String())
		}
	}
}
