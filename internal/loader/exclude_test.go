package loader

import (
	"errors"
	"path/filepath"
	"testing"

	"skills/internal/fault"
)

func TestCheckExclude(t *testing.T) {
	for pattern, good := range map[string]bool{"a/": true, "**/vendor": true, "[ab]": true, "!a": true, "[a": false, "": false, "#x": false, "/": false,
		"./a": true, "!./a": true, "././a/": false, "./": false, ".": false, "../a": false, "a/../b": false, "a/./b": false, "./../a": false, ".hidden": true, "a..b": true} {
		err := CheckExclude(pattern)
		var bad *fault.Error
		if good != (err == nil) || !good && (!errors.As(err, &bad) || bad.Hint == "") {
			t.Errorf("%q: got %v, want good: %t and a hint", pattern, err, good)
		}
	}
}

func TestExcludes(t *testing.T) {
	root := tree{"a/SKILL.md": "", "old/b/SKILL.md": "", "link": "-> old/b"}.in(t)
	s := Search{Exclude: []string{"/old/"}, ExcludeFrom: root}
	for dir, want := range map[string]bool{"a": false, "old": true, "old/b": true, "link": false, ".": false} {
		got := s.Excluder()(filepath.Join(root, filepath.FromSlash(dir)))
		if got != want {
			t.Errorf("%s: got %t, want %t", dir, got, want)
		}
	}
	s.Exclude = []string{"./b"} // of the folder itself, not below it
	for dir, want := range map[string]bool{"b": true, "b/c": true, "old/b": false} {
		if got := s.Excluder()(filepath.Join(root, filepath.FromSlash(dir))); got != want {
			t.Errorf("%s of ./b: got %t, want %t", dir, got, want)
		}
	}
	if got := (Search{}).Excluder()(root); got {
		t.Errorf("no patterns: got %t", got)
	}
}
