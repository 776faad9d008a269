// Package filetest writes the files that tests need, reads those that they make, and
// compares output with golden files.
package filetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files and other expected output")

// Update reports whether the test was started with -update: it should store what it got
// instead of comparing it.
func Update() bool { return *update }

// Golden compares got with testdata/NAME.golden, or stores it there with -update.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	name += ".golden"
	if Update() {
		Write(t, "testdata", map[string]string{name: got})
	}
	path := filepath.Join("testdata", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s cannot be read: write it by running the test with -update: %v", path, err)
	}
	if want := strings.ReplaceAll(Read(t, path), "\r\n", "\n"); got != want {
		t.Errorf("%s differs; if that is right, run the test with -update\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

// Write writes files below dir with all folders that they need, and returns dir. The keys
// are paths with slashes.
func Write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	return write(t, dir, files, 0o644)
}

// File writes one file with all folders that it needs.
func File(t testing.TB, path, content string) {
	t.Helper()
	Write(t, filepath.Dir(path), map[string]string{filepath.Base(path): content})
}

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Programs is like Write and makes the files executable.
func Programs(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	return write(t, dir, files, 0o755)
}

// write starts no process meanwhile: it would inherit the open file, and a program that is
// open for writing cannot be started.
func write(t testing.TB, dir string, files map[string]string, mode os.FileMode) string {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Read returns the content of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
