package loader

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
)

func TestResolve(t *testing.T) {
	root := tree{
		".git/HEAD": "", "README.md": "", "docs/guide.md": "",
		"skills/a/SKILL.md": "", "skills/a/scripts/x.py": "", "skills/a/deep/1/2/file": "",
		"skills/a/evals/SKILL.md": "", "skills/a/evals/q.md": "",
		"skills/b/skill.md": "---\nname: b\n---\n", "skills/b/x.md": "",
		"skills/c/SKILL.md/inner": "", "link": "-> skills/a", "file": "-> skills/a/scripts/x.py", "empty/": "",
	}.in(t)
	tests := []struct {
		path, want string // want: Dir of the skill, its entry, whether a tree; several with spaces
	}{
		{"skills/a", "skills/a:SKILL.md"},
		{"skills/a/", "skills/a:SKILL.md"},
		{"skills/a/SKILL.md", "skills/a:SKILL.md"},
		{"skills/a/scripts/x.py", "skills/a:SKILL.md"},
		{"skills/a/deep/1/2/file", "skills/a:SKILL.md"},
		{"skills/a/evals/q.md", "skills/a/evals:SKILL.md"},
		{"skills/a/evals/SKILL.md", "skills/a/evals:SKILL.md"},
		{"skills/b/skill.md", "skills/b:skill.md"},
		{"skills/b/x.md", "skills/b:skill.md"},
		{"skills/c", "skills/c:SKILL.md"},
		{"skills/c/SKILL.md/inner", "skills/c:SKILL.md"},
		{"skills", "tree skills/a:SKILL.md skills/b:skill.md skills/c:SKILL.md"},
		{"link", "link:SKILL.md"},
		{"link/scripts/x.py", "link:SKILL.md"},
		{"file", filepath.ToSlash(root) + "/skills/a:SKILL.md"}, // on the way with links resolved
		{"empty", "empty:"},
		{"docs", "docs:"},
		{"docs/guide.md", "is not part of a skill: Not a directory"},
		{"README.md", "is not part of a skill"},
		{"nothing", "does not exist"},
		{"", `"" does not exist`},
		{"skills/a/nothing.md", "does not exist"},
		{"README.md/x", "Not a directory"},
	}
	t.Chdir(root)
	for _, tt := range tests {
		target, err := Resolve(t.Context(), filepath.FromSlash(tt.path), Search{})
		if err != nil {
			var te *TargetError
			if !errors.As(err, &te) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.path) || fault.Hint(te) == "" {
				t.Errorf("%s: got %v, want an error that says %q and the path", tt.path, err, tt.want)
			}
			continue
		}
		var got []string
		if target.Tree {
			got = append(got, "tree")
		}
		for _, f := range target.Skills {
			got = append(got, filepath.ToSlash(f.Dir)+":"+f.File)
			if !filepath.IsAbs(f.Real) {
				t.Errorf("%s: Real is %q, want an absolute path", tt.path, f.Real)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, s, tt.want)
		}
	}
	t.Chdir(filepath.Join(root, "skills", "a", "deep", "1"))
	target, err := Resolve(t.Context(), filepath.Join("2", "file"), Search{})
	ok(t, err)
	if got := filepath.ToSlash(target.Skills[0].Dir); got != "../.." {
		t.Errorf("from below: got %q, want ../..", got)
	}
}

func TestResolveErrors(t *testing.T) {
	root := tree{"gone": "-> nowhere", "a/SKILL.md": "", "a/f": ""}.in(t)
	_, err := Resolve(t.Context(), filepath.Join(root, "gone"), Search{})
	if err == nil || !strings.Contains(err.Error(), "link to nowhere, which does not exist") {
		t.Errorf("broken link: got %v", err)
	}
	_, err = Resolve(t.Context(), root, Search{readDir: refusing(filepath.Base(root))})
	var te *TargetError
	if !errors.As(err, &te) || te.Problem != TargetUnreadable || fault.Hint(te) == "" || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("unreadable tree: got %v", err)
	}
	_, err = Resolve(t.Context(), filepath.Join(root, "a", "f"), Search{readDir: refusing("a")})
	if !errors.As(err, &te) || te.Problem != TargetUnreadable || errors.Unwrap(err) == nil {
		t.Errorf("a file in an unreadable folder: got %v", err)
	}
	var setting *fault.Error
	_, err = Resolve(t.Context(), root, Search{Exclude: []string{"["}})
	if !errors.As(err, &setting) || setting.Hint == "" {
		t.Errorf("bad exclude: got %v, want a Error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{"a", "a/f"} {
		if _, err := Resolve(ctx, filepath.Join(root, path), Search{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: got %v, want Canceled", path, err)
		}
	}
}
