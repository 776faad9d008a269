//go:build unix

package fix

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestApplyKeepsOwner checks that a fix leaves a file to its owner, also that of root, who
// alone can give files away.
func TestApplyKeepsOwner(t *testing.T) {
	dir := skillDir(t, "SKILL.md", "a\n", 0o640)
	path := filepath.Join(dir, "SKILL.md")
	if err := os.Chown(path, 12345, 23456); (err == nil) != (os.Getuid() == 0) {
		t.Fatal(err)
	}
	owner := func() (uid, gid uint32, mode os.FileMode) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		at := info.Sys().(*syscall.Stat_t)
		return at.Uid, at.Gid, info.Mode()
	}
	uid, gid, _ := owner()
	c := Changes{Dir: dir, Files: []File{{Name: "SKILL.md", Before: []byte("a\n"), After: []byte("b\n")}}}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if u, g, mode := owner(); u != uid || g != gid || mode != 0o640 || content(t, dir, "SKILL.md") != "b\n" {
		t.Errorf("owner %d, group %d, mode %v, want %d, %d", u, g, mode, uid, gid)
	}
}

// TestApplyReadOnly leaves a file alone that its owner made read-only.
func TestApplyReadOnly(t *testing.T) {
	dir := skillDir(t, "SKILL.md", "a\n", 0o444)
	c := Changes{Dir: dir, Files: []File{{Name: "SKILL.md", Before: []byte("a\n"), After: []byte("b\n")}}}
	if err := c.Apply(); !errors.Is(err, ErrReadOnly) || content(t, dir, "SKILL.md") != "a\n" {
		t.Errorf("got %v", err)
	}
}

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
