package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// TestOpenPlain checks that links and irregular files are not opened.
func TestOpenPlain(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("12345"), 0o644), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	f, info, err := OpenPlain(file)
	if err != nil || info.Size() != 5 || f.Close() != nil {
		t.Errorf("a file: got %v, %v", info, err)
	}
	for path, want := range map[string]error{link: ErrIrregular, dir: ErrIrregular, file + "x": fs.ErrNotExist} {
		if _, _, err := OpenPlain(path); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	read := func() string { data, _ := os.ReadFile(path); return string(data) }
	if err := Write(t.Context(), path, []byte("one")); err != nil || read() != "one" {
		t.Fatalf("a new file: %q, %v", read(), err)
	}
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink("file", link), Write(t.Context(), link, []byte("two"))); err != nil || read() != "two" {
		t.Fatalf("through a link: %q, %v", read(), err)
	}
	if info, err := os.Lstat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if err := Write(t.Context(), dir, nil); err == nil {
		t.Error("a folder was written")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestTargetChanged checks that a change to a target between opening and writing is
// reported, and that nothing else is written.
func TestTargetChanged(t *testing.T) {
	for name, test := range map[string]struct {
		change func(dir string) error
		want   error
		at     string
	}{
		"unchanged": {func(string) error { return nil }, nil, "a/file"},
		"a link instead": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "a/file")), os.Symlink("../victim", filepath.Join(dir, "a/file")))
		}, ErrOverwritten, "a/file"},
		"emptied": {func(dir string) error { return os.Truncate(filepath.Join(dir, "a/file"), 0) }, ErrOverwritten, "a/file"},
		"moved": {func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")), os.Mkdir(filepath.Join(dir, "a"), 0o755))
		}, ErrMoved, "b/file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a", "file")
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("old"), 0o600), os.WriteFile(filepath.Join(dir, "victim"), []byte("mine"), 0o600)); err != nil {
				t.Fatal(err)
			}
			target, err := OpenTarget(path, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			if err := target.Write(t.Context(), []byte("new")); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if got, err := os.ReadFile(filepath.Join(dir, test.at)); string(got) != "new" {
				t.Errorf("written %q, %v", got, err)
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "victim")); string(got) != "mine" {
				t.Errorf("the victim is %q", got)
			}
			if err := target.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
