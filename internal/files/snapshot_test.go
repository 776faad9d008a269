package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"skills/internal/files"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func snapshot(t testing.TB, dir string) files.Snapshot {
	t.Helper()
	s, err := files.TakeSnapshot(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSnapshot checks which changes of a folder are noticed, by name, although sizes and
// times stay the same where a program can set them.
func TestSnapshot(t *testing.T) {
	big := make([]byte, 9<<20)
	for name, tt := range map[string]struct {
		change func(path func(string) string) error
		want   []string
	}{
		"nothing":             {func(func(string) string) error { return nil }, nil},
		"content, same times": {func(p func(string) string) error { return rewrite(p("scripts/lib.sh"), "B\n") }, []string{"scripts/lib.sh"}},
		"hidden":              {func(p func(string) string) error { return rewrite(p("scripts/.hidden/x"), "B\n") }, []string{"scripts/.hidden/x"}},
		"compiled": {func(p func(string) string) error { return rewrite(p("scripts/__pycache__/a.pyc"), "B\n") },
			[]string{"scripts/__pycache__/a.pyc"}},
		"new":      {func(p func(string) string) error { return os.WriteFile(p("scripts/new"), nil, 0o644) }, []string{"scripts/new"}},
		"removed":  {func(p func(string) string) error { return os.Remove(p("scripts/lib.sh")) }, []string{"scripts/lib.sh"}},
		"mode":     {func(p func(string) string) error { return os.Chmod(p("scripts/lib.sh"), 0o755) }, []string{"scripts/lib.sh"}},
		"renamed":  {func(p func(string) string) error { return os.Rename(p("scripts/lib.sh"), p("lib.sh")) }, []string{"lib.sh", "scripts/lib.sh"}},
		"big file": {func(p func(string) string) error { return os.WriteFile(p("model.bin"), big, 0o644) }, []string{"model.bin"}},
		"git":      {func(p func(string) string) error { return rewrite(p(".git/index"), "B\n") }, nil},
		"nested":   {func(p func(string) string) error { return rewrite(p("more/.git/index"), "B\n") }, []string{"more/.git/index"}},
		"link": {func(p func(string) string) error {
			return errors.Join(os.Remove(p("link")), os.Symlink("scripts/../scripts/lib.sh", p("link")))
		}, []string{"link"}},
		"behind a link": {func(p func(string) string) error { return rewrite(p("scripts/lib.sh"), "B\n") }, []string{"scripts/lib.sh"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
			for _, file := range []string{"SKILL.md", "scripts/lib.sh", "scripts/.hidden/x", "scripts/__pycache__/a.pyc", ".git/index", "more/.git/index"} {
				write(t, path(file), "A\n")
			}
			write(t, path("model.bin"), string(big))
			if runtime.GOOS == "windows" && (name == "mode" || name == "link") {
				t.Skip("Windows has neither")
			}
			if name == "link" {
				if err := os.Symlink("scripts/lib.sh", path("link")); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshot(t, dir)
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			after := snapshot(t, dir)
			if got := after.Changed(before); !slices.Equal(got, tt.want) {
				t.Errorf("changed: %q, want %q", got, tt.want)
			}
			if same := before.Digest() == after.Digest(); same != (tt.want == nil) {
				t.Errorf("the digests are the same: %t", same)
			}
		})
	}
}

// rewrite changes a file, but neither its size nor its time of modification.
func rewrite(path, text string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, time.Time{}, info.ModTime()))
}

// TestSnapshotOfTooMuch checks that a folder of too many files is an error, and that a
// snapshot ends with its context.
func TestSnapshotOfTooMuch(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := files.TakeSnapshot(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for i := range 5 {
		write(t, filepath.Join(dir, fmt.Sprint(i%2), fmt.Sprint(i)), "")
	}
	for most, want := range map[int]error{6: files.ErrTooManyFiles, 7: nil} {
		if err := files.TakeSmallSnapshot(t.Context(), dir, most); !errors.Is(err, want) {
			t.Errorf("with a limit of %d: %v, want %v", most, err, want)
		}
	}
}

// BenchmarkSnapshot measures a skill of 2,000 files.
func BenchmarkSnapshot(b *testing.B) {
	dir := b.TempDir()
	for i := range 2000 {
		write(b, filepath.Join(dir, "scripts", fmt.Sprint(i%20), fmt.Sprint(i)), "some text of a file that is small\n")
	}
	for b.Loop() {
		if got := len(snapshot(b, dir)); got != 2021 {
			b.Fatal(got)
		}
	}
}
