package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadRegular(full, 5); string(data) != "12345" || err != nil {
		t.Errorf("a file of exactly the most that is read: %q, %v", data, err)
	}
	for name, tc := range map[string]struct {
		path string
		want error
	}{
		"too large": {full, ErrTooLarge},
		"a folder":  {dir, ErrIrregular},
		"nothing":   {filepath.Join(dir, "nothing"), fs.ErrNotExist},
	} {
		if data, err := ReadRegular(tc.path, 4); data != nil || !errors.Is(err, tc.want) {
			t.Errorf("%s: got %q, %v, want %v", name, data, err, tc.want)
		}
	}
	_, err := ReadRegular(filepath.Join(dir, "nothing"), 4)
	if got := Reason(err).Error(); strings.Contains(got, "nothing") {
		t.Errorf("%q names the path", got)
	}
}

func TestRepository(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"repo/.git/x", "repo/a/b/x", "repo/tree/.git", "repo/tree/c/x"} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"repo": "repo", "repo/a/b": "repo", "repo/not/there": "repo", "repo/tree/c": "repo/tree",
	} {
		got, ok := Repository(filepath.Join(top, filepath.FromSlash(dir)))
		if !ok || got != filepath.Join(top, filepath.FromSlash(want)) {
			t.Errorf("%s: got %s, %t, want %s", dir, got, ok, want)
		}
	}
	if got, ok := Repository(filepath.VolumeName(top) + string(filepath.Separator)); ok {
		t.Errorf("the top of the disk: got %s", got)
	}
}
