package list

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/loader"
)

// TestSearchOnly checks that a list marks the skills which do not fit into the catalogue of
// a run, and none of a few.
func TestSearchOnly(t *testing.T) {
	for _, n := range []int{3, 300} {
		dir := t.TempDir()
		for i := range n {
			folder := filepath.Join(dir, fmt.Sprintf("skill-%03d", i))
			text := fmt.Sprintf("---\nname: skill-%03d\ndescription: %s\n---\nDo it.\n", i, strings.Repeat("Keeps the minutes of meetings. ", 12))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := Find(t.Context(), Options{Dir: dir, Paths: []string{dir}, Notify: func(loader.Notice) {}, Note: func(string) {}})
		if err != nil || len(rows) != n {
			t.Fatalf("%d skills, %v", len(rows), err)
		}
		marked := 0
		for _, row := range rows {
			if row.SearchOnly {
				marked++
			}
		}
		if first := rows[0].SearchOnly; first || (marked > 0) != (n > 100) || marked == n {
			t.Errorf("%d of %d skills are marked, the first: %t", marked, n, first)
		}
	}
}
