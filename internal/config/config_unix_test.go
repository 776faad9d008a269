//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe must be refused, not waited for.
func TestLoadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestLoadUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may read everything")
		return
	}
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "cannot be read: permission denied") {
		t.Errorf("got %v, want a refusal", err)
	}
}
