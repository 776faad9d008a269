package fix

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// patched makes the change that a diff of one file describes, as strictly as
// it can be read.
func patched(t *testing.T, src []byte, diff string) string {
	t.Helper()
	rest := slices.Collect(strings.Lines(string(src)))
	at := 0 // lines of src that are used up
	var out strings.Builder
	take := func(text string) {
		if at >= len(rest) || rest[at] != text {
			t.Fatalf("line %d is not %q:\n%s", at+1, text, diff)
		}
		at++
	}
	all := slices.Collect(strings.Lines(diff))
	for i := 0; i < len(all); i++ {
		line := all[i]
		if strings.HasPrefix(line, "@@ ") {
			var from int
			if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Fields(line)[1], ",0") {
				from--
			}
			for at < from {
				out.WriteString(rest[at])
				at++
			}
			continue
		}
		if at == 0 && out.Len() == 0 && (strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "--- a/") || strings.HasPrefix(line, "+++ b/") ||
			strings.HasPrefix(line, `--- "a/`) || strings.HasPrefix(line, `+++ "b/`)) {
			continue
		}
		if strings.HasPrefix(line, `\`) {
			continue
		}
		text := line[1:]
		if i+1 < len(all) && strings.HasPrefix(all[i+1], `\ No newline`) {
			text = strings.TrimSuffix(text, "\n")
		}
		switch line[0] {
		case ' ':
			take(text)
			out.WriteString(text)
		case '-':
			take(text)
		case '+':
			out.WriteString(text)
		default:
			t.Fatalf("line %q of the diff:\n%s", line, diff)
		}
	}
	for ; at < len(rest); at++ {
		out.WriteString(rest[at])
	}
	return out.String()
}

// TestHunks compares random texts of few different lines.
func TestHunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteString([]string{"a\n", "b\n", "c\n", "d\n", "\n"}[r.IntN(5)])
		}
		return []byte(b.String() + []string{"", "end"}[r.IntN(2)])
	}
	for range 2000 {
		before, after := text(40), text(40)
		if bytes.Equal(before, after) {
			continue
		}
		var diff bytes.Buffer
		if err := Diff(&diff, Changes{Dir: "x", Files: []File{{Name: "y", Before: before, After: after}}}); err != nil {
			t.Fatal(err)
		}
		if got := patched(t, before, diff.String()); got != string(after) {
			t.Fatalf("got %q, want %q from\n%s", got, after, diff.String())
		}
	}
}

func TestDiffText(t *testing.T) {
	c := Changes{Dir: "a/my skill", Files: []File{
		{Name: "SKILL.md", Before: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"), After: []byte("1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n")},
	}}
	const want = "diff --git a/a/my skill/SKILL.md b/a/my skill/SKILL.md\n" +
		"--- a/a/my skill/SKILL.md\t\n+++ b/a/my skill/SKILL.md\t\n" +
		"@@ -2,11 +2,11 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n\\ No newline at end of file\n+12\n"
	var got bytes.Buffer
	if err := Diff(&got, c); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestGitApply gives diffs to git.
func TestGitApply(t *testing.T) {
	files := func() []Changes {
		return []Changes{
			{Dir: "plain", Files: []File{{Name: "SKILL.md", Before: []byte("a\nb\n"), After: []byte("a\nB\n")}}},
			{Dir: "no end", Files: []File{{Name: "SKILL.md", Before: []byte("a\nb"), After: []byte("a\nB")}}},
			{Dir: "crlf", Files: []File{{Name: "SKILL.md", Before: []byte("a\r\nb\r\nc"), After: []byte("a\r\nB\r\nc\r\n")}}},
			{Dir: "bom", Files: []File{{Name: "SKILL.md", Before: []byte("\uFEFF\n\n---\nx\n"), After: []byte("---\nx\n")}}},
			{Dir: "пдф \"x\"", Files: []File{{Name: "references/ä.md", Before: []byte("a\n"), After: []byte("b\n")}}},
			{Dir: "all gone", Files: []File{{Name: "x.md", Before: []byte("a\n"), After: []byte("")}}},
			{Dir: "renamed", Files: []File{{Name: "skill.md", NewName: "SKILL.md", Before: []byte("a\n"), After: []byte("a\n")}}},
			{Dir: "both", Files: []File{
				{Name: "scripts/x.sh", Before: []byte("#!/bin/sh\n"), After: []byte("#!/bin/sh\n"), Executable: true},
				{Name: "skill.md", NewName: "SKILL.md", Before: []byte("a\nb\n"), After: []byte("a\nc\n")}}},
		}
	}
	dir := t.TempDir()
	put(t, dir, files(), func(f File) (string, []byte) { return f.Name, f.Before })
	var diff bytes.Buffer
	if err := Diff(&diff, files()...); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", "-p1", "-")
	cmd.Dir, cmd.Stdin = dir, &diff
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	text := diff.String()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
	for _, c := range files() {
		for _, f := range c.Files {
			name := f.Name
			if f.NewName != "" {
				name = f.NewName
				if _, err := os.Lstat(filepath.Join(dir, c.Dir, f.Name)); err == nil && !caseless(t) {
					t.Errorf("%s is still there", f.Name)
				}
			}
			got, err := os.ReadFile(filepath.Join(dir, c.Dir, filepath.FromSlash(name)))
			if err != nil || !bytes.Equal(got, f.After) {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, f.After)
			}
		}
	}
}

// put writes files below a folder.
func put(t *testing.T, dir string, all []Changes, of func(File) (name string, text []byte)) {
	t.Helper()
	for _, c := range all {
		for _, f := range c.Files {
			name, text := of(f)
			path := filepath.Join(dir, c.Dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// caseless reports whether this disk takes skill.md for SKILL.md.
func caseless(t *testing.T) bool {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(filepath.Join(dir, "A"))
	return err == nil
}
