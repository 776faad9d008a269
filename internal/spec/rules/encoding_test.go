package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestEncoding holds what is reported of a file that is not UTF-8.
func TestEncoding(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"caf\xe9", `byte 0xE9 at offset 35 is not valid UTF-8`},
		{"don\x92t", `byte 0x92 at offset 35 is not valid UTF-8`},
	} {
		doc := spec.Scan("SKILL.md", "", []byte("---\nname: my-skill\ndescription: "+tt.text+"\n---\n"))
		var got []string
		for _, f := range doc.Faults {
			got = append(got, f.Message)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
