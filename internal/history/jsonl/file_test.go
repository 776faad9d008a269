package jsonl

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/testing/filetest"
)

type record struct {
	N int `json:"n"`
}

func opened(t *testing.T, path string, opt Options) *File {
	t.Helper()
	f, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func add(t *testing.T, f *File, n int) {
	t.Helper()
	if err := f.Append(record{n}); err != nil {
		t.Fatal(err)
	}
}

// TestFailedWrites checks that a failed write leaves the previous content.
func TestFailedWrites(t *testing.T) {
	for _, shared := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "f")
		f := opened(t, path, Options{Shared: shared, MaxFile: 40, MaxLine: 20})
		add(t, f, 1)
		before := filetest.Read(t, path)
		for name, fail := range map[string]func() error{
			"the disk": func() error {
				defer func(real func() error) { f.sync = real }(f.sync)
				f.sync = func() error { return errors.New("input/output error") }
				return f.Append(record{2})
			},
			"the line": func() error { return f.Append(strings.Repeat("x", 20)) },
			"the file": func() error { return f.Append("123456789012", "123456789012", "12345678") },
			"encoding": func() error { return f.Append(record{2}, func() {}) },
		} {
			if err := fail(); err == nil || filetest.Read(t, path) != before {
				t.Errorf("shared %t, %s: %v, the file is %q", shared, name, err, filetest.Read(t, path))
			}
		}
		add(t, f, 3)
		if got := filetest.Read(t, path); got != before+"{\"n\":3}\n" {
			t.Errorf("then the file is %q", got)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := f.Append(record{4}); err == nil {
			t.Error("a closed file was written")
		}
	}
}

// TestLockedFile checks that waiting for a locked file is bounded.
func TestLockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, other := opened(t, path, Options{Shared: true}), opened(t, path, Options{Shared: true})
	if err := files.Lock(other.file); err != nil {
		t.Fatal(err)
	}
	f.tries = 2
	if err := f.Append(record{1}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "another run is using it") {
		t.Errorf("got %v", err)
	}
	if err := files.Unlock(other.file); err != nil {
		t.Fatal(err)
	}
	add(t, other, 2)
	add(t, f, 3)
	if got := filetest.Read(t, path); got != "{\"n\":2}\n{\"n\":3}\n" {
		t.Errorf("the file is %q", got)
	}
}

// TestTampered checks that any change to the file during the run is an error of the
// next write, or of the end of the run, and that what was written is saved.
func TestTampered(t *testing.T) {
	join := filepath.Join
	replace := func(path, text string) error {
		return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte(text), 0o600))
	}
	for name, test := range map[string]struct {
		change func(dir, path string) error
		want   string
	}{
		"emptied":  {func(_, path string) error { return os.Truncate(path, 0) }, "it was emptied or cut"},
		"cut":      {func(_, path string) error { return os.Truncate(path, 3) }, "it was emptied or cut"},
		"forged":   {func(_, path string) error { return os.WriteFile(path, []byte("{\"n\":0}\n{\"n\":0}\n"), 0o600) }, "it was rewritten"},
		"replaced": {func(_, path string) error { return replace(path, "{\"n\":1}\n{\"n\":2}\n") }, "it was moved, removed or replaced"},
		"removed":  {func(_, path string) error { return os.Remove(path) }, "it was moved, removed or replaced"},
		"a link": {func(_, path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.Symlink(path+".old", path))
		}, "it was moved, removed or replaced"},
		"moved": {func(dir, path string) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.Mkdir(dir, 0o755), os.WriteFile(path, []byte("{\"n\":1}\n{\"n\":2}\n"), 0o600))
		}, "it was moved, removed or replaced"},
		"folder removed": {func(dir, _ string) error { return os.RemoveAll(dir) }, "it was moved, removed or replaced"},
	} {
		for _, shared := range []bool{false, true} {
			for _, when := range []string{"write", "end"} {
				t.Run(name+"/"+when, func(t *testing.T) {
					t.Setenv("TMPDIR", t.TempDir())
					dir := join(t.TempDir(), "logs")
					path := join(dir, "f")
					if err := os.Mkdir(dir, 0o755); err != nil {
						t.Fatal(err)
					}
					f := opened(t, path, Options{Shared: shared})
					add(t, f, 1)
					add(t, f, 2)
					if err := test.change(dir, path); err != nil {
						t.Fatal(err)
					}
					want := "{\"n\":1}\n{\"n\":2}\n"
					var err error
					if when == "write" {
						err = f.Append(record{3})
						want += "{\"n\":3}\n"
						if again := f.Append(record{4}); again != err {
							t.Errorf("at the next write: %v", again)
						}
						if cerr := f.Close(); cerr != nil {
							t.Errorf("at the end once more: %v", cerr)
						}
					} else {
						err = f.Close()
					}
					var refused *fault.Error
					if !errors.Is(err, ErrTampered) || !errors.As(err, &refused) || refused.Hint == "" || !strings.Contains(err.Error(), test.want+" during the run; what this run wrote is in ") {
						t.Fatalf("got %v", err)
					}
					_, kept, _ := strings.Cut(refused.Message, "what this run wrote is in ")
					if got := filetest.Read(t, kept); got != want {
						t.Errorf("kept was %q, want %q", got, want)
					}
				})
			}
		}
	}
}

// TestSharedFileMayGrow checks that a shared file may grow during a run, and that a private
// one may not.
func TestSharedFileMayGrow(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, shared := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "f")
		f := opened(t, path, Options{Shared: shared})
		add(t, f, 1)
		if err := os.WriteFile(path, []byte("{\"n\":1}\n{\"n\":9}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Append(record{2}); errors.Is(err, ErrTampered) == shared {
			t.Errorf("shared %t: %v", shared, err)
		}
		add2 := filetest.Read(t, path)
		if shared && add2 != "{\"n\":1}\n{\"n\":9}\n{\"n\":2}\n" {
			t.Errorf("the file is %q", add2)
		}
		if err := f.Close(); err != nil {
			t.Errorf("shared %t, at the end: %v", shared, err)
		}
	}
}

// TestRepair checks that the end of the file is repaired so that a line can follow.
func TestRepair(t *testing.T) {
	for _, tt := range []struct{ text, want, warning string }{
		{"", "", ""}, {"{}\n", "{}\n", ""}, {"{}", "{}\n", ""}, {"{}\n{\"a", "{}\n", "its 3 bytes are ignored"},
		{"{}\n\x00\x00", "{}\n", "its 2 bytes are ignored"}, {"{\"" + strings.Repeat("x", 100_000), "", "its 100002 bytes are ignored"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		warning := ""
		f := opened(t, path, Options{Warn: func(message string) { warning = message }})
		if tt.warning == "" && warning != "" || !strings.HasSuffix(warning, tt.warning) {
			t.Errorf("%.20q: warned %q", tt.text, warning)
		}
		add(t, f, 1)
		if got := filetest.Read(t, path); got != tt.want+"{\"n\":1}\n" {
			t.Errorf("%.20q: the file is %.50q", tt.text, got)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
