//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLoadPipe checks that a pipe is refused without waiting for a writer.
func TestLoadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(path); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// TestLoadUnreadable checks the error for a file that the system cannot open for
// anybody, not even the superuser.
func TestLoadUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 300))
	if _, err := load(path); err == nil || !strings.Contains(err.Error(), "cannot be read: file name too long") {
		t.Errorf("got %v, want a refusal", err)
	}
}
