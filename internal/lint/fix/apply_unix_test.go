//go:build unix

package fix

import (
	"os"
	"path/filepath"
	"testing"
)

// TestApplyExecutable sets the bit with and without a new text. A file without one is not
// read, so that it may have any size.
func TestApplyExecutable(t *testing.T) {
	for _, tt := range []struct {
		after      string
		mode, want os.FileMode
	}{{"a\n", 0o644, 0o755}, {"b\n", 0o640, 0o750}, {"a\n", 0o600, 0o700}, {"", 0o644, 0o755}} {
		dir := skillDir(t, "scripts/x.sh", "a\n", tt.mode)
		f := File{Name: "scripts/x.sh", Before: []byte("a\n"), After: []byte(tt.after), Executable: true}
		if tt.after == "" {
			f.Before, f.After, tt.after = nil, nil, "a\n"
		}
		c := Changes{Dir: dir, Files: []File{f}}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "scripts/x.sh"))
		if err != nil || info.Mode().Perm() != tt.want || content(t, dir, "scripts/x.sh") != tt.after {
			t.Errorf("%v: got %v, %v, want %v", tt.mode, info.Mode(), err, tt.want)
		}
	}
}
