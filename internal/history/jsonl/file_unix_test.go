//go:build unix

package jsonl

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestClosedIsUnlocked checks that a closed file can be opened again while another process
// has it open: between its start and its program, each one has.
func TestClosedIsUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f := opened(t, path, Options{})
	add(t, f, 1)
	inherited, err := unix.Dup(int(f.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	opened(t, path, Options{})
}
