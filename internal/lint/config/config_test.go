package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/spec"
)

// tree writes files below a new folder; a name ending in a slash is a folder.
// Paths are returned with links resolved, as find returns them.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	for name, tc := range map[string]struct {
		files    map[string]string
		in, want string // want "" for none
	}{
		"here":                                    {map[string]string{".git/": "", ".skills.yaml": ""}, ".", ".skills.yaml"},
		"the nearest":                             {map[string]string{".git/": "", ".skills.yaml": "", "a/.skills.yaml": "", "a/b/c/": ""}, "a/b/c", "a/.skills.yaml"},
		"at the root of a repository":             {map[string]string{".git/": "", ".skills.yaml": "", "a/b/": ""}, "a/b", ".skills.yaml"},
		"a worktree's .git is a file":             {map[string]string{".git": "gitdir: x", ".skills.yaml": "", "a/": ""}, "a", ".skills.yaml"},
		"not above the repository":                {map[string]string{".skills.yaml": "", "repo/.git/": "", "repo/a/": ""}, "repo/a", ""},
		"none":                                    {map[string]string{".git/": "", "a/": ""}, "a", ""},
		"outside a repository: here":              {map[string]string{"a/.skills.yaml": ""}, "a", "a/.skills.yaml"},
		"outside a repository: above":             {map[string]string{".skills.yaml": "", "a/": ""}, "a", ""},
		"a missing folder":                        {map[string]string{".git/": "", ".skills.yaml": ""}, "a/b", ".skills.yaml"},
		"a file in the folder's place":            {map[string]string{".git/": "", ".skills.yaml": "", "a": ""}, "a/b", ".skills.yaml"},
		"outside: up to where it was started":     {map[string]string{".skills.yaml": "", "here/.skills.yaml": "", "here/a/b/": ""}, "here/a/b", "here/.skills.yaml"},
		"outside: not above that":                 {map[string]string{".skills.yaml": "", "here/a/b/": ""}, "here/a/b", ""},
		"a repository below where it was started": {map[string]string{"here/.skills.yaml": "", "here/a/.git/": ""}, "here/a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, tc.files)
			got, err := find(filepath.Join(root, filepath.FromSlash(tc.in)), filepath.Join(root, "here"))
			want := ""
			if tc.want != "" {
				want = filepath.Join(root, filepath.FromSlash(tc.want))
			}
			if err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestFindLinks(t *testing.T) {
	root := tree(t, map[string]string{"secret": "token: 1", "repo/.git/": "", "repo/shared/config.yaml": "profile: spec", "repo/a/": "", "repo/b/": ""})
	link := func(target, name string) string {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	inside := link("../shared/config.yaml", "repo/a/.skills.yaml")
	link("../../secret", "repo/b/.skills.yaml")
	if got, err := find(filepath.Join(root, "repo", "a"), root); err != nil || got != inside {
		t.Errorf("a link inside the repository: got %q, %v, want %q", got, err, inside)
	}
	_, err := find(filepath.Join(root, "repo", "b"), root)
	var bad *fault.Error
	if !errors.As(err, &bad) || !strings.Contains(bad.Error(), "link out of the repository") {
		t.Errorf("a link out of the repository: got %v, want an *fault.Error", err)
	}
}

func TestLoad(t *testing.T) {
	root := tree(t, map[string]string{".skills.yaml": "profile: skills-ref\n", "folder/": "", "bad.yaml": "rule: {}\n",
		"large.yaml": strings.Repeat("#", maxFile+1), "full.yaml": strings.Repeat("#", maxFile)})
	t.Chdir(root)
	c, err := load(".skills.yaml")
	if err != nil || c.Path != ".skills.yaml" || c.Dir != root || c.Profile != spec.ProfileReference {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := load("full.yaml"); err != nil {
		t.Errorf("a file of exactly the most that is read: %v", err)
	}
	for path, want := range map[string]string{
		"bad.yaml":     `bad.yaml:1:1: unknown key "rule"`,
		"folder":       "folder: is not a regular file",
		"missing.yaml": "missing.yaml: does not exist",
		"large.yaml":   "large.yaml: is larger than 64 KiB",
	} {
		_, err := load(path)
		var bad *fault.Error
		if !errors.As(err, &bad) || bad.Error() != want || bad.Hint == "" {
			t.Errorf("%s: got %v, want %s and a hint", path, err, want)
		}
	}
	_, err = load("missing.yaml")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v does not say so to errors.Is", err)
	}
}
