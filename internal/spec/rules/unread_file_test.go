package rules

import (
	"strings"
	"testing"
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
}
