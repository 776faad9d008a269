package spec

import (
	"slices"
	"testing"
)

// TestIgnoreEdit checks that the comment has an effect, is a block of its own, and keeps
// the line ends of the file.
func TestIgnoreEdit(t *testing.T) {
	const head = "---\nname: a\n---\n"
	for _, tt := range []struct{ name, source, reason, want string }{
		{"body", head + "# A\n", "sample", "\n<!-- skills: ignore home-path, link-target -- sample -->\n"},
		{"blank line at the end", head + "# A\n\n", "", "<!-- skills: ignore home-path, link-target -->\n"},
		{"no line end", head + "# A", "", "\n\n<!-- skills: ignore home-path, link-target -->\n"},
		{"no body", head, "", "<!-- skills: ignore home-path, link-target -->\n"},
		{"CRLF", "---\r\nname: a\r\n---\r\n# A\r\n", "", "\r\n<!-- skills: ignore home-path, link-target -->\r\n"},
		{"reason ends the comment", head + "# A\n", "a --> b\nc", "\n<!-- skills: ignore home-path, link-target -- a → b c -->\n"},
		{"code without an end", head + "```\ncode\n", "", ""},
	} {
		edit, left := Scan("a/SKILL.md", "a", []byte(tt.source)).IgnoreEdit([]string{"home-path", "link-target", "frontmatter-syntax"}, tt.reason)
		got := ""
		if edit != nil {
			got = edit.Text
			if edit.Start != len(tt.source) || edit.End != edit.Start || !slices.Equal(left, []string{"frontmatter-syntax"}) {
				t.Errorf("%s: edit %+v, left %v", tt.name, edit, left)
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
