package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFollowChain checks that every change of what a path leads to is noticed, and no other
// change.
func TestFollowChain(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(errors.Join(os.Mkdir(in("conf"), 0o755), os.Mkdir(in("other"), 0o755)))
	for name, text := range map[string]string{"conf/a": "1", "conf/b": "1", "other/current": "1"} {
		must(os.WriteFile(in(name), []byte(text), 0o600))
	}
	for _, link := range [][2]string{{"a", "conf/current"}, {"conf", "folder"}, {"folder/current", ".env"}, {"loop", "loop"}} {
		if err := os.Symlink(link[0], in(link[1])); err != nil {
			t.Skip(err)
		}
	}
	relink := func(target, name string) error { return errors.Join(os.Remove(in(name)), os.Symlink(target, in(name))) }
	for _, test := range []struct {
		name    string
		do      func() error
		differs bool
	}{
		{"nothing", func() error { return nil }, false},
		{"a file beside it", func() error { return os.WriteFile(in("conf/b"), []byte("2"), 0o600) }, false},
		{"the file", func() error { return os.WriteFile(in("conf/a"), []byte("2"), 0o600) }, true},
		{"the last link", func() error { return relink("b", "conf/current") }, true},
		{"the link of a folder", func() error { return relink("other", "folder") }, true},
		{"the end is removed", func() error { return os.Remove(in("other/current")) }, true},
		{"the first link", func() error { return relink("conf/a", ".env") }, true},
		{"a loop", func() error { return relink("loop", ".env") }, true},
		{"removed", func() error { return os.Remove(in(".env")) }, true},
		{"still missing", func() error { return nil }, false},
	} {
		before := FollowChain(in(".env"))
		must(test.do())
		if after := FollowChain(in(".env")); (after.State != before.State) != test.differs || after.State == "" {
			t.Errorf("%s: %+v, then %+v", test.name, before, after)
		}
	}
}
