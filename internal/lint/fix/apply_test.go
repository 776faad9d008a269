package fix

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"skills/internal/fault"
)

// skillDir makes a folder with one file of the given mode.
func skillDir(t *testing.T, name, text string, mode os.FileMode) (dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names lists a folder, so that leftovers are seen.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestApply(t *testing.T) {
	dir := skillDir(t, "SKILL.md", "old\n", 0o640)
	c := Changes{Dir: dir, Files: []File{{Name: "SKILL.md", Before: []byte("old\n"), After: []byte("new\n")}}}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir, "SKILL.md"); got != "new\n" || names(t, dir) != "SKILL.md" {
		t.Errorf("got %q in a folder with %s", got, names(t, dir))
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(filepath.Join(dir, "SKILL.md")); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode: got %v, %v, want 0640", info.Mode(), err)
		}
	}
	if err := c.Apply(); !errors.Is(err, ErrChanged) {
		t.Errorf("a second time: got %v, want ErrChanged", err)
	}
	if err := (Changes{Dir: "no/such/folder"}).Apply(); err != nil {
		t.Errorf("no changes: got %v", err)
	}
}

func TestApplyRename(t *testing.T) {
	dir := skillDir(t, "skill.md", "old\n", 0o644)
	c := Changes{Dir: dir, Files: []File{{Name: "skill.md", NewName: "SKILL.md", Before: []byte("old\n"), After: []byte("new\n")}}}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir, "SKILL.md"); got != "new\n" || names(t, dir) != "SKILL.md" {
		t.Errorf("got %q in a folder with %s", got, names(t, dir))
	}
}

// TestRenameOnCaselessDisk goes the way that is taken where the disk answers
// to the new name with the old file; a second link to it looks the same.
func TestRenameOnCaselessDisk(t *testing.T) {
	dir := skillDir(t, "skill.md", "text\n", 0o644)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("another\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(dir, "skill.md"))
	if err != nil {
		t.Fatal(err)
	}
	if caseless(t) {
		if err := rename(root, "skill.md", "SKILL.md", info); err != nil || names(t, dir) != "SKILL.md" {
			t.Errorf("got %v and %s, want SKILL.md", err, names(t, dir))
		}
		return
	}
	// Here the other file is really another: nothing may be lost.
	if err := rename(root, "skill.md", "SKILL.md", info); !errors.Is(err, ErrTaken) {
		t.Errorf("got %v, want ErrTaken", err)
	}
	if names(t, dir) != "SKILL.md skill.md" || content(t, dir, "skill.md") != "text\n" || content(t, dir, "SKILL.md") != "another\n" {
		t.Errorf("a file is lost: %s", names(t, dir))
	}
}

// TestApplyRefuses shows what is not written to. Nothing changes then, and
// nothing is left behind.
func TestApplyRefuses(t *testing.T) {
	change := func(name string) File { return File{Name: name, Before: []byte("old\n"), After: []byte("new\n")} }
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, dir string)
		files   []File
		want    error // nil for any
	}{
		{"link", func(t *testing.T, dir string) { link(t, "SKILL.md", dir, "link.md") }, []File{change("link.md")}, ErrLink},
		{"link to a folder", func(t *testing.T, dir string) { link(t, ".", dir, "sub") }, []File{change("sub/SKILL.md")}, ErrLink},
		{"link on the way out", func(t *testing.T, dir string) { link(t, t.TempDir(), dir, "out") }, []File{change("out/x")}, ErrLink},
		{"changed", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("old\nand more\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, []File{change("SKILL.md")}, ErrChanged},
		{"gone", nil, []File{change("x.md")}, os.ErrNotExist},
		{"the second is gone", nil, []File{change("SKILL.md"), change("x.md")}, os.ErrNotExist},
		{"folder", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []File{change("sub")}, nil},
		{"outside", nil, []File{change("../x")}, nil},
		{"new name is taken", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "taken.md"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, []File{{Name: "SKILL.md", NewName: "taken.md", Before: []byte("old\n"), After: []byte("old\n")}}, ErrTaken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := skillDir(t, "SKILL.md", "old\n", 0o644)
			if tt.prepare != nil {
				tt.prepare(t, dir)
			}
			text, list := content(t, dir, "SKILL.md"), names(t, dir)
			err := Changes{Dir: dir, Files: tt.files}.Apply()
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if content(t, dir, "SKILL.md") != text || names(t, dir) != list {
				t.Errorf("something changed: %q, %s", content(t, dir, "SKILL.md"), names(t, dir))
			}
		})
	}
}

func link(t *testing.T, to, dir, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// TestWriteChecksAgain changes the file after it was checked.
func TestWriteChecksAgain(t *testing.T) {
	dir := skillDir(t, "SKILL.md", "old\n", 0o644)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := File{Name: "SKILL.md", Before: []byte("old\n"), After: []byte("new\n")}
	info, err := unchanged(root, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "SKILL.md"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := write(root, f, info); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	if names(t, dir) != "SKILL.md" || content(t, dir, "SKILL.md") != "old\n" {
		t.Errorf("something is left behind: %s", names(t, dir))
	}
}

// TestNoRoomForACopy does not change a file if no copy can be created next to it
// because its name has the maximum length.
func TestNoRoomForACopy(t *testing.T) {
	name := strings.Repeat("n", 252) + ".md"
	dir := skillDir(t, name, "old\n", 0o644)
	c := Changes{Dir: dir, Files: []File{{Name: name, Before: []byte("old\n"), After: []byte("new\n")}}}
	var refused *fault.Error
	if err := c.Apply(); !errors.As(err, &refused) || !strings.Contains(refused.Message, filepath.Join(dir, name)) || refused.Hint == "" {
		t.Errorf("got %v, want a refusal that names the file and a hint", err)
	} else if strings.Contains(refused.Error(), ".tmp") {
		t.Errorf("%q names the temporary file", refused)
	}
	if names(t, dir) != name || content(t, dir, name) != "old\n" {
		t.Errorf("something is left behind: %s", names(t, dir))
	}
}
