//go:build unix

package loader

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// TestFolderOfOddEntries checks that entries of every file type are listed, and that none
// blocks.
func TestFolderOfOddEntries(t *testing.T) {
	root := tree{"s/SKILL.md": skillText("s"), "s/new\nline.md": "x\u200By", "s/esc\x1b[31m.md": "x", "s/back\\slash.md": "x", "s/closed/x.md": "x", "s/zero": "-> /dev/zero"}.in(t)
	dir := filepath.Join(root, "s")
	ok(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	ok(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	if err := os.WriteFile(filepath.Join(dir, "caf\xe9.md"), []byte("x\u200By"), 0o644); err != nil {
		t.Logf("this disk has no names that are not UTF-8: %v", err)
	}
	ok(t, os.Chmod(filepath.Join(dir, "closed"), 0))
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)

	found, err := Search{}.Find(t.Context(), root)
	ok(t, err)
	doc := OpenDocument(found[0])
	var names []string
	for _, f := range doc.Files.List() {
		names = append(names, f.Name)
	}
	for _, want := range []string{"pipe", "pipe.md", "new\nline.md", "esc\x1b[31m.md", "back\\slash.md", "zero"} {
		if !strings.Contains("\x00"+strings.Join(names, "\x00")+"\x00", "\x00"+want+"\x00") {
			t.Errorf("%q is not listed in %q", want, names)
		}
	}
	for _, name := range []string{"pipe", "pipe.md", "zero"} {
		if text, err := doc.Files.Read(name, 9); err == nil {
			t.Errorf("reading %s: got %q", name, text)
		}
	}
	text, err := doc.Files.Read("new\nline.md", 9)
	if err != nil || string(text) != "x\u200By" {
		t.Errorf("got %q, %v", text, err)
	}
	hidden := 0
	for _, d := range rules.Check(doc, spec.Options{}) {
		if d.Rule == "hidden-text" {
			hidden++
		}
	}
	if hidden < 1 {
		t.Error("the hidden characters were not found")
	}
}

// TestFolderSwappedEntries checks that a listed file that becomes a pipe or a link out of
// the skill neither blocks nor is followed.
func TestFolderSwappedEntries(t *testing.T) {
	root := tree{"s/a.md": "a", "s/b.md": "b", "x": "secret"}.in(t)
	files := newFolder(filepath.Join(root, "s"), "", nil)
	files.List()
	a, b := filepath.Join(root, "s", "a.md"), filepath.Join(root, "s", "b.md")
	ok(t, os.Remove(a))
	ok(t, os.Remove(b))
	ok(t, syscall.Mkfifo(a, 0o644))
	ok(t, os.Symlink("../x", b))
	for _, name := range []string{"a.md", "b.md"} {
		if text, err := files.Read(name, 9); err == nil {
			t.Errorf("reading %s: got %q", name, text)
		}
	}
}

// TestFolderIsPipe checks that a skill's folder that was replaced by a pipe is an error
// and does not block.
func TestFolderIsPipe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	ok(t, syscall.Mkfifo(dir, 0o644))
	if _, fault := ReadSkillFile(dir, "SKILL.md"); fault == nil {
		t.Error("ReadSkillFile: no fault")
	}
	if _, err := List(t.Context(), dir, Extensions{}, nil); err == nil {
		t.Error("List: no error")
	}
	if _, _, err := ReadFile(t.Context(), dir, "a.md", 0, 0); err == nil {
		t.Error("ReadFile: no error")
	}
	files := newFolder(dir, "", nil)
	if _, err := files.Read("a.md", 9); err == nil || len(files.List()) > 0 {
		t.Errorf("reading: %v, listed %v", err, files.List())
	}
}
