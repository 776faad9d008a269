package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestEncodingGuess holds what a file that is no UTF-8 is said to be.
func TestEncodingGuess(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"caf\xe9", `byte 0xE9 at offset 35 is not valid UTF-8; it looks like Latin-1 or Windows-1252, where that is 'é'`},
		{"don\x92t", `byte 0x92 at offset 35 is not valid UTF-8; it looks like Windows-1252, where that is '’'`},
		{"a \x96 b", `byte 0x96 at offset 34 is not valid UTF-8; it looks like Windows-1252, where that is '–'`},
		{"\x93x\x94", `byte 0x93 at offset 32 is not valid UTF-8; it looks like Windows-1252, where that is '“'`},
		{"\x80 5", `byte 0x80 at offset 32 is not valid UTF-8; it looks like Windows-1252, where that is '€'`},
		{"na\xefve \x97 \xabd\xe9j\xe0\xbb\x85", `byte 0xEF at offset 34 is not valid UTF-8; it looks like Windows-1252, where that is 'ï'`},
		{"a \x81 b", `byte 0x81 at offset 34 is not valid UTF-8`},
		{"\xcc\xe1\xc8\xa1 PDF \xce\xc4\xbc\xfe\xd6\xd0\xb5\xc4", `byte 0xCC at offset 32 is not valid UTF-8`}, // GBK
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
