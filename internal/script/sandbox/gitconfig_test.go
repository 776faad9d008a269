package sandbox

import (
	"path/filepath"
	"slices"
	"testing"

	"skills/internal/testing/filetest"
)

// TestIncludePaths checks the format of Git's settings: comments, quotes, escapes,
// continued lines, blanks and the places of names.
func TestIncludePaths(t *testing.T) {
	for text, want := range map[string]string{
		"[include]\n\tpath = a\n":                                                "a",
		"[include] path = a\n":                                                   "a",
		"[INCLUDE]\nPATH=a":                                                      "a",
		"[include]\n\tpath = a # team\n":                                         "a",
		"[include]\n\tpath = \"a b\" ; team\n":                                   "a b",
		"[include]\n\tpath = \"a # b\"  \n":                                      "a # b",
		"[include]\n\tpath = a\\\nb\n":                                           "ab",
		"[include]\r\n\tpath = a\\\r\nb\r\n":                                     "ab",
		"[include]\n\tpath = a\\tb\\\\c\\\"d\n":                                  "a\tb\\c\"d",
		"[includeIf \"gitdir:/x] y\\\"\"]\n\tpath = a\n":                         "a",
		"[includeIf.onbranch:main]\n\tpath = a\n":                                "a",
		"# [include]\n; path = a\n[core]\npath = a\n[x \"include\"]\npath = b\n": "",
		"[include]\npath\n[include":                                              "",
		"[include]\n\tpath = a\n\tpaths = b\n[core] x = \"[include]\"\n":         "a",
	} {
		got := includePaths(text)
		if joined := filepath.Join(got...); joined != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestIncluded checks that files that settings include are found through others, in the
// home folder, and in a circle.
func TestIncluded(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, dir, map[string]string{
		"git/config": "[include]\npath = ../a\npath = ~/b\npath = /none/c\n",
		"a":          "[include]\npath = sub/d\npath = git/config\n",
		"home/b":     "[includeIf \"x\"]\npath = e\n",
	})
	got := included(filepath.Join(dir, "git/config"), []string{filepath.Join(dir, "home")})
	slices.Sort(got)
	want := []string{"/none/c"}
	for _, name := range []string{"a", "git/config", "home/b", "home/e", "sub/d"} {
		want = append(want, filepath.Join(dir, name))
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
