package demo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contents reads a folder: paths with slashes to what the files hold.
func contents(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestUnpack compares what is unpacked with the skill that the README shows:
// the demo is the test skill.
func TestUnpack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir, remove, err := Unpack()
	if err != nil {
		t.Fatal(err)
	}
	got := contents(t, os.DirFS(filepath.Join(dir, "unit-converter")))
	want := contents(t, os.DirFS("../../testdata/skills/unit-converter"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the demo is not the test skill (-test skill +demo):\n%s", diff)
	}
	if len(got) != 3 {
		t.Errorf("got %d files, want SKILL.md, the table and the script", len(got))
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestUnpackNowhere(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, _, err := Unpack(); err == nil {
		t.Error("unpacking into a folder that is not there did not fail")
	}
}

func TestConversation(t *testing.T) {
	if !strings.Contains(Conversation, Prompt) {
		t.Error("the recording does not begin with the demo's prompt")
	}
}
