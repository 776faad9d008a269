package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"skills/internal/printable"
	"skills/internal/testing/filetest"
)

// write writes files below a new folder and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	return filetest.Write(t, filepath.Join(t.TempDir(), "note-taker"), files)
}

// describe returns problems, cases and queries as lines, without the path of dir.
func describe(dir string, s *Suite, problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s (%s)\n", filepath.ToSlash(strings.TrimPrefix(p.Path, dir+string(filepath.Separator))), p.Line, p.Col, p.Level, strings.ReplaceAll(p.Message, dir, "DIR"), p.Help)
	}
	for _, c := range s.Cases {
		checks, files := c.Checks, c.Files
		c.Checks, c.Files, c.Path = nil, nil, filepath.ToSlash(strings.TrimPrefix(c.Path, dir+string(filepath.Separator)))
		fmt.Fprintf(&b, "%+v\n", c)
		for _, file := range files {
			fmt.Fprintf(&b, "  %s from %s\n", file.Path, filepath.ToSlash(strings.TrimPrefix(file.Source, dir)))
		}
		for _, check := range checks {
			fmt.Fprintf(&b, "  %s\n", printable.JSONText(check))
		}
	}
	for _, q := range s.Queries {
		q.Path = filepath.ToSlash(strings.TrimPrefix(q.Path, dir+string(filepath.Separator)))
		fmt.Fprintf(&b, "%+v\n", q)
	}
	return b.String()
}

// eachArchive calls read with the files of each archive that matches a pattern, without the
// section want, and compares what it returns with that section. The flag -update rewrites it.
func eachArchive(t *testing.T, pattern string, read func(t *testing.T, files map[string]string) string) {
	t.Helper()
	archives, err := filepath.Glob(pattern)
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			want := files["want"]
			delete(files, "want")
			got := read(t, files)
			if filetest.Update() {
				archive.Files[len(archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLoad loads each skill in testdata and compares what was read, and the problems.
func TestLoad(t *testing.T) {
	eachArchive(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) string {
		dir := write(t, files)
		s, problems, err := Load(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return describe(dir, s, problems)
	})
}

// FuzzLoad checks that no evals.json and checks.json panics, and that cases without
// errors, written in the forms of both files, are read as the same cases.
func FuzzLoad(f *testing.F) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		texts := map[string][]byte{}
		for _, file := range archive.Files {
			texts[file.Name] = file.Data
		}
		f.Add(texts["evals/evals.json"], texts["evals/checks.json"], texts["evals/triggers.csv"])
	}
	f.Fuzz(func(t *testing.T, evals, checks, table []byte) {
		dir := write(t, map[string]string{"evals/evals.json": string(evals), "evals/checks.json": string(checks), "evals/triggers.csv": string(table), "evals/a/prompt.md": string(table), "evals/a/graders/x.md": string(checks)})
		first, problems, err := Load(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Col < 1 || p.Message == "" || p.Help == "" {
				t.Fatalf("%+v", p)
			}
			if p.Level == Error {
				return
			}
		}
		dir = write(t, rewrite(first))
		second, _, err := Load(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain(first), plain(second)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// rewrite returns the eval files of a suite in one fixed form.
func rewrite(s *Suite) map[string]string {
	type object = map[string]any
	evals, cases := []object{}, object{}
	for _, c := range s.Cases {
		assertions := []object{}
		for _, check := range c.Checks {
			var o object
			_ = json.Unmarshal([]byte(printable.JSONText(check)), &o)
			assertions = append(assertions, o)
		}
		evals = append(evals, object{"id": c.ID, "name": c.Name, "prompt": c.Prompt, "expected_output": c.Expected, "assertions": assertions})
	}
	return map[string]string{"evals/evals.json": printable.JSONText(object{"skill_name": s.Skill, "evals": evals}), "evals/checks.json": printable.JSONText(object{"schema_version": 1, "cases": cases}),
		"evals/triggers.json": printable.JSONText(s.Queries)}
}

// plain returns what rewrite keeps of a suite.
func plain(s *Suite) (out []string) {
	for _, c := range s.Cases {
		out = append(out, c.ID, c.Slug, c.Name, c.Prompt, c.Expected)
		for _, check := range c.Checks {
			out = append(out, printable.JSONText(check))
		}
	}
	return append(out, fmt.Sprint(s.Queries))
}
