package eval

import (
	"os"
	"testing"
)

// TestWriteFails checks that no file is written if its folder cannot be created.
func TestWriteFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := (snapshot{"SKILL.md": {0o644, nil}}).write(""); err == nil {
		t.Error("no error")
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("%v was written, %v", entries, err)
	}
}
