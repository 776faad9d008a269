package programs

import (
	"slices"
	"strings"
	"testing"
)

// TestLanguagesComplete checks that every row of the table names an interpreter on every
// system.
func TestLanguagesComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range languages() {
		if row.Extensions == "" || len(row.Commands) == 0 || row.Needs == "" || row.Install == "" {
			t.Errorf("row %q is not complete", row.Extensions)
		}
		for _, extension := range strings.Fields(row.Extensions) {
			if seen[extension] || !strings.HasPrefix(extension, ".") || extension != strings.ToLower(extension) {
				t.Errorf("extension %q: doubled, without a dot or not in lower case", extension)
			}
			seen[extension] = true
		}
		everywhere := func(way Command) bool { return way.GOOS == "" && !way.Metadata }
		if !slices.ContainsFunc(row.Commands, everywhere) {
			t.Errorf("row %q has no command for every system and file", row.Extensions)
		}
	}
}
