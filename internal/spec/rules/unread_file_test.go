package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestUnreadFile checks that files that were checked only in part are reported, unless
// they are data.
func TestUnreadFile(t *testing.T) {
	long := strings.Repeat("A line of text in a long file.\n", 40_000) // 1.2 MiB
	for name, want := range map[string]string{
		"references/a.md":  `references/a.md: "references/a.md" is 1.2 MiB, of which only the first MiB was checked`,
		"references/a.txt": "", "scripts/bundle.js": "", "assets/table.csv": "",
	} {
		got := strings.Join(findings(bodyWith("", map[string]string{name: long}), "unread-file"), "\n")
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	want := []string{`SKILL.md: "SKILL.md" is 1.2 MiB: its links and commands were not checked`}
	for name, d := range map[string]*spec.Document{"folder": bodyWith(long, nil), "input": spec.Scan("my-skill/SKILL.md", "my-skill", []byte(long))} {
		d.File = spec.FileName
		if !slices.Equal(findings(d, "unread-file"), want) {
			t.Errorf("%s: got %q, want %q", name, findings(d, "unread-file"), want)
		}
	}
}
