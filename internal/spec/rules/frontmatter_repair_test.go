package rules

import (
	"strings"
	"testing"
)

// TestSyntaxFixes verifies the fixes of broken frontmatters: the value in quotes, its
// lines unchanged, and nothing if it is a guess.
func TestSyntaxFixes(t *testing.T) {
	const name, tail = "---\nname: my-skill\n", "license: MIT\n---\n"
	for _, tt := range []struct{ in, want string }{
		{"description: Use: when\n  it goes on\n", "description: \"Use: when\n  it goes on\"\n"},
		{"description: Use: when  \r\n\r\n  it goes on \r\n", "description: \"Use: when  \r\n\r\n  it goes on\" \r\n"},
		{"description: Extracts.\n  Use when: x\n", "description: \"Extracts.\n  Use when: x\"\n"},
		{"description:\n  Use when: x\n  y\n", "description:\n  \"Use when: x\n  y\"\n"},
		{"description: \"a\n  \"b\" c\"\n", "description: 'a\n  \"b\" c'\n"},
		{"description: 'It's a tool: use when'\n", "description: \"It's a tool: use when\"\n"},
		{"description: 'It''s what it's: use when'\n", "description: \"It's what it's: use when\"\n"},
		{"description: \"Quoted\" then \"more\"\n", "description: '\"Quoted\" then \"more\"'\n"},
		{"description: Use when: x\n\ttab\n", "description: \"Use when: x\n\ttab\"\n"},
		{"description: Use\u2028when: the\u0085user\n", "description: \"Use\u2028when: the\u0085user\"\n"},
		{"description： 处理文件 \r\n", "description: 处理文件 \r\n"},
		{"description:Extracts.\n  More of it.\n", "description: Extracts.\n  More of it.\n"},
		{"description：Extracts.\nversion：Use: x\n", "description: Extracts.\nversion: \"Use: x\"\n"},
		{"see http://example.com\n", ""},
		{"http:x\n", ""},
		{"paths: [\n  **/*.ts\n]\n", ""},
		{"metadata: author: me\n", ""},
		{"hooks:\n  - a\n  b\n", ""},
		{"description: Use when asked:\n  - a\n  - b\n", ""},
		{"description: Use: when\n  example: x\n  y\n", ""},
		{"description: Handles C # and\n  more\n", ""},
		{"description: 用于时使用。license: Apache-2.0\n", ""},
		{"description: Use when asked. version: 2\n", ""},
		{"description: \"Use when asked\"version: 2\n", ""},
		{"allowed-tools: [Read, Bash(git: *)\n", ""},
		{"description: A\n" + strings.Repeat("  line\n", 100) + "  b e: c\n  d\n", "description: \"A\n" + strings.Repeat("  line\n", 100) + "  b e: c\n  d\"\n"},
	} {
		src := name + tt.in + tail
		want := name + tt.want + tail
		if tt.want == "" {
			want = src
		}
		doc := parse(src)
		if len(doc.Faults) == 0 {
			t.Errorf("%q is taken for valid", tt.in)
		}
		if got := fixed(t, doc, "frontmatter-syntax"); got != want {
			t.Errorf("%q: got %q, want %q", tt.in, got, want)
		} else if after := parse(got); tt.want != "" && len(after.Faults) > 0 {
			t.Errorf("repairing %q leaves %v", tt.in, after.Faults)
		}
	}
}
