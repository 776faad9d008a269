package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindInRepositories(t *testing.T) {
	tests := []struct {
		name string
		tree tree
		from string
		own  bool
		want string
	}{
		{"ignored folders", tree{".git/HEAD": "", ".gitignore": "dist/\n", "dist/a/SKILL.md": "", "b/SKILL.md": ""}, "", false, "b"},
		{"no repository, no ignoring", tree{".gitignore": "a\n", "a/SKILL.md": ""}, "", false, "a"},
		{"rules from above the root", tree{".git/HEAD": "", ".gitignore": "sub/a\n", "sub/a/SKILL.md": "", "sub/b/SKILL.md": ""}, "sub", false, "b"},
		{"a root that is ignored", tree{".git/HEAD": "", ".gitignore": "sub/\n*.x\n", "sub/a.x/SKILL.md": "", "sub/.gitignore": "b\n", "sub/b/SKILL.md": ""}, "sub", false, "a.x"},
		{"a root below one that is", tree{".git/HEAD": "", ".gitignore": "*\n", "x/sub/a/SKILL.md": ""}, "x/sub", false, "a"},
		{"a root that is a skill and ignored", tree{".git/HEAD": "", ".gitignore": "SKILL.md\n", "a/SKILL.md": ""}, "a", false, "."},
		{"an ignored SKILL.md", tree{".git/HEAD": "", ".gitignore": "a/SKILL.md\n", "a/SKILL.md": "", "a/b/SKILL.md": ""}, "", false, "a/b"},
		{"info/exclude", tree{".git/info/exclude": "a\n", "a/SKILL.md": "", "b/SKILL.md": ""}, "", false, "b"},
		{"a repository inside", tree{".git/HEAD": "", ".gitignore": "x\n", "in/.git/info/exclude": "y", "in/x/SKILL.md": "", "in/y/SKILL.md": ""}, "", false, "in/x"},
		{"a link is no folder", tree{".git/HEAD": "", ".gitignore": "l/\nm\n", "l": "-> .z/s", "m": "-> .z/t", ".z/s/SKILL.md": "", ".z/t/SKILL.md": "", ".z/.gitignore": "*\n"}, "", false, "l"},
		{"own ignores alone", tree{".git/HEAD": "", ".gitignore": "sub/a\n", "sub/a/SKILL.md": "", "sub/b/SKILL.md": "", "sub/.gitignore": "b"}, "sub", true, "a"},
		{"own ignores, no repository", tree{"sub/a/SKILL.md": "", "sub/.gitignore": "a"}, "sub", true, "a"},
		{"nested", tree{".git/HEAD": "", ".gitignore": "tmp\n", "a/SKILL.md": "", "a/tmp/SKILL.md": "", "a/t/SKILL.md": ""}, "", false, "a+t/SKILL.md"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filepath.Join(tt.tree.in(t), tt.from)
			found, err := Search{OwnIgnores: tt.own}.Find(t.Context(), root)
			ok(t, err)
			got := relative(t, root, found)
			for i, f := range found {
				if f.nested != nil {
					got[i] = strings.Join(append([]string{got[i]}, f.nested()...), "+")
				}
			}
			same(t, "skills", got, []string{tt.want})
		})
	}
}

func TestDefaultRoots(t *testing.T) {
	repo := tree{"r/.git/HEAD": "", "r/a/b/": "", "home/w/": ""}.in(t)
	p := func(parts ...string) string { return filepath.Join(append([]string{repo}, parts...)...) }
	tests := []struct {
		name, dir, home string
		want            []string
	}{
		{"in a repository", p("r", "a", "b"), p("home"), []string{
			p("r/a/b/skills"), p("r/a/b/.agents/skills"), p("r/a/b/.claude/skills"),
			p("r/a/.agents/skills"), p("r/a/.claude/skills"),
			p("r/.agents/skills"), p("r/.claude/skills"),
			p("home/.agents/skills"), p("home/.claude/skills"),
		}},
		{"outside", p("home", "w"), p("home"), []string{
			p("home/w/skills"), p("home/w/.agents/skills"), p("home/w/.claude/skills"),
			p("home/.agents/skills"), p("home/.claude/skills"),
		}},
		{"at home", p("home"), p("home"), []string{p("home/skills"), p("home/.agents/skills"), p("home/.claude/skills")}},
		{"no home", p("r"), "", []string{p("r/skills"), p("r/.agents/skills"), p("r/.claude/skills")}},
	}
	for _, tt := range tests {
		same(t, tt.name, DefaultRoots(tt.dir, tt.home), tt.want)
	}
	t.Chdir(p("r", "a"))
	var want []string
	for _, s := range []string{"skills", ".agents/skills", ".claude/skills", "../.agents/skills", "../.claude/skills"} {
		want = append(want, filepath.FromSlash(s))
	}
	same(t, "relative", DefaultRoots(".", ""), want)
}

func TestRepository(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"repo/.git/x", "repo/a/b/x", "repo/tree/.git", "repo/tree/c/x"} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"repo": "repo", "repo/a/b": "repo", "repo/not/there": "repo", "repo/tree/c": "repo/tree",
	} {
		got, ok := Repository(filepath.Join(top, filepath.FromSlash(dir)))
		if !ok || got != filepath.Join(top, filepath.FromSlash(want)) {
			t.Errorf("%s: got %s, %t, want %s", dir, got, ok, want)
		}
	}
	if got, ok := Repository(filepath.VolumeName(top) + string(filepath.Separator)); ok {
		t.Errorf("the top of the disk: got %s", got)
	}
}
