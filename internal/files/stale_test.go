package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"skills/internal/testing/filetest"
)

// TestStaleFiles checks that writing a file removes the temporary files that killed
// programs left, and no other file.
func TestStaleFiles(t *testing.T) {
	dir := t.TempDir()
	const old, fresh = ".a.zip.ABCDEFGHI2.tmp", ".a.zip.ABCDEFGHI3.tmp"
	others := []string{".a.zip.abcdefghij.tmp", ".a.zip.ABCDEFGHI.tmp", ".b.zip.ABCDEFGHI2.tmp", "a.zip.ABCDEFGHI2.tmp", ".a.zip.ABCDEFGHI2"}
	want := append([]string{fresh, "a.zip"}, others...)
	for _, name := range append([]string{old, fresh}, others...) {
		filetest.Write(t, dir, map[string]string{name: "text"})
		if name != fresh {
			past := time.Now().Add(-2 * time.Hour)
			if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Write(t.Context(), filepath.Join(dir, "a.zip"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// The name that is removed is the name that is used.
	if name := temporaryName("a.zip"); len(name) != len(old) {
		t.Errorf("a temporary file is named %s", name)
	}
}
