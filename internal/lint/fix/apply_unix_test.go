//go:build unix

package fix

import (
	"os"
	"path/filepath"
	"testing"
)

func TestApplyExecutable(t *testing.T) {
	for _, tt := range []struct {
		after      string
		mode, want os.FileMode
	}{{"a\n", 0o644, 0o755}, {"b\n", 0o640, 0o750}, {"a\n", 0o600, 0o700}} {
		dir := skillDir(t, "scripts/x.sh", "a\n", tt.mode)
		c := Changes{Dir: dir, Files: []File{{Name: "scripts/x.sh", Before: []byte("a\n"), After: []byte(tt.after), Executable: true}}}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "scripts/x.sh"))
		if err != nil || info.Mode().Perm() != tt.want || content(t, dir, "scripts/x.sh") != tt.after {
			t.Errorf("%v: got %v, %v, want %v", tt.mode, info.Mode(), err, tt.want)
		}
	}
}
