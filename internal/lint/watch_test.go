package lint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/report"
	"skills/internal/testing/filetest"
)

// TestWatch checks again after each kind of change, and not without one.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{
		".git/HEAD": "", "skills/a/SKILL.md": "---\nname: a\ndescription: Does a. Use when b.\n---\nSee [x](x.md).\n",
		"elsewhere/linked/SKILL.md": "---\nname: linked\ndescription: Does a. Use when b.\n---\nDo it.\n",
	})
	if err := os.Symlink(filepath.Join(dir, "elsewhere", "linked"), filepath.Join(dir, "skills", "linked")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	change := func(name, text string) func() error {
		return func() error {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(text), 0o644)
		}
	}
	steps := []struct {
		name   string
		change func() error
	}{
		{"a file is added", change("skills/a/x.md", "x\n")},
		{"a file is replaced, as editors do", func() error {
			return errors.Join(change("skills/a/x.md~", "another text\n")(), os.Rename(filepath.Join(dir, "skills/a/x.md~"), filepath.Join(dir, "skills/a/x.md")))
		}},
		{"a file behind a link", change("elsewhere/linked/SKILL.md", "---\nname: linked\ndescription: Does c. Use when d.\n---\nDo it.\n")},
		{"a new skill", change("skills/b/c/SKILL.md", "---\nname: c\ndescription: Does a. Use when b.\n---\nDo it.\n")},
		{"a mode", func() error { return os.Chmod(filepath.Join(dir, "skills/a/x.md"), 0o600) }},
		{"a configuration", change("skills/.skills.yaml", "strict: true\n")},
		{"a configuration that is wrong", change("skills/.skills.yaml", "strict: maybe\n")},
		{"a removed configuration", func() error { return os.Remove(filepath.Join(dir, "skills/.skills.yaml")) }},
		{"an ignored folder", change(".gitignore", "c/\n")},
		{"a baseline", change("known.json", `{"version": 1, "findings": []}`)},
		{"a removed skill", func() error { return os.RemoveAll(filepath.Join(dir, "skills/a")) }},
	}
	o := Options{Dir: dir, Input: Input{Paths: []string{filepath.Join(dir, "skills")}}, Comparison: Comparison{Baseline: filepath.Join(dir, "known.json")}}
	looks, checks := 0, 0
	pause := func(context.Context, time.Duration) {
		looks++
		const quiet = 4 // looks without a change
		if looks == quiet {
			if err := steps[checks-1].change(); err != nil {
				t.Fatalf("%s: %v", steps[checks-1].name, err)
			}
		}
		if looks > quiet+maxSettling+2 {
			t.Fatalf("%s was not noticed", steps[checks-1].name)
		}
	}
	err := o.Watch(t.Context(), pause, func() bool {
		if checks > 0 && looks < 4 {
			t.Errorf("checked without a change, before %s", steps[checks-1].name)
		}
		looks = 0
		checks++
		return checks <= len(steps)
	})
	if err != nil || checks != len(steps)+1 {
		t.Errorf("got %v after %d checks", err, checks)
	}
}

// TestWatchEnds ends with its context, without another check.
func TestWatchEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	checks := 0
	err := Options{Dir: t.TempDir()}.Watch(ctx, func(context.Context, time.Duration) { cancel(reason) }, func() bool {
		checks++
		return true
	})
	if !errors.Is(err, reason) || checks != 1 {
		t.Errorf("got %v after %d checks", err, checks)
	}
}

// TestOpen checks a skill with unsaved texts, and fixes what it has.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: Does a. Use when b.\n---\nSee [x](x.md).\n", ".git/HEAD": ""})
	file := filepath.Join(dir, "a", "SKILL.md")
	o := Options{Dir: dir, Input: Input{Paths: []string{file}, Unsaved: map[string][]byte{filepath.Join(dir, "a", "x.md"): []byte("x\n")}}}
	found := func(o Options) string {
		t.Helper()
		opened, err := Open(t.Context(), o)
		if err != nil || opened == nil {
			t.Fatalf("got %v, %v", opened, err)
		}
		var ids []string
		for _, d := range opened.Skill.Diagnostics {
			ids = append(ids, d.Rule)
		}
		return strings.Join(ids, " ")
	}
	if got := found(o); got != "" {
		t.Errorf("with the unsaved file: got %s", got)
	}
	o.Unsaved = nil
	if got := found(o); got != "link-target" {
		t.Errorf("without it: got %s", got)
	}
	o.Unsaved = map[string][]byte{file: []byte("\ufeff---\nname: a\ndescription: Does a. Use when b.\n---\nDo it.\n")}
	opened, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	fixes := opened.Fixes()
	if len(fixes.Files) != 1 || strings.HasPrefix(string(fixes.Files[0].After), "\ufeff") || len(fixes.Files[0].Edits()) == 0 {
		t.Errorf("got %+v", fixes)
	}
	var crashed []any
	o.Crashed = func(rule string, cause any) { crashed = append(crashed, cause) }
	run, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	err = run.Check(t.Context(), func(s report.Skill) error { return nil })
	if err != nil || len(crashed) > 0 {
		t.Errorf("got %v, %v", err, crashed)
	}
}
