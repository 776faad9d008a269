//go:build unix

package script

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLeft checks what is named after a script: protected names that are new, changed or
// removed, and nothing else.
func TestLeft(t *testing.T) {
	for _, tt := range []struct{ commands, want string }{
		{"echo x > notes; mkdir sub; echo x > sub/.env; echo x > .env.example; touch .git/index .git/objects/x", ""},
		{": > .env", ".env (new)"},
		{": > .env.local; : > prod.env", ".env.local (new), prod.env (new)"},
		{"mkdir .venv .env", ""},
		{"ln -sf ../conf/b conf/current", ".env.linked (changed)"},
		{"printf B > conf/a", ".env.linked (changed)"},
		{": > .skills.yaml; mkdir .agents .husky; ln -s /etc .github", ".agents (new), .github (new), .husky (new), .skills.yaml (new)"},
		{": > .claude/deep/er", ".claude/deep/er (new)"},
		{"printf B > .claude/deep/settings.json", ".claude/deep/settings.json (changed)"},
		{"chmod +x .claude/deep/settings.json", ".claude/deep/settings.json (changed)"},
		{"rm -r .claude", ".claude (removed)"},
		{"mv .claude old; ln -s old .claude", ".claude (changed), .claude/deep (removed)"},
		{"echo x >> .git/config", ".git/config (changed)"},
		{": > .git/hooks/pre-commit", ".git/hooks/pre-commit (new)"},
		{"rm -r .git/hooks", ".git/hooks (removed)"},
		{": > .git/commondir; : > .git/config.worktree", ".git/commondir (new), .git/config.worktree (new)"},
		{"rm -r .git; echo 'gitdir: meta' > .git", ".git (changed), .git/config (removed), .git/hooks (removed)"},
		{"mkdir -p sub/.git", "sub/.git (new)"},
		{"mkdir -p m/refs m/objects; : > m/HEAD", "m (new)"},
		{"mkdir m; : > m/HEAD; echo ../x > m/commondir", "m (new)"},
		{"mkdir refs objects; : > HEAD; : > config", "config (new)"},
		{"echo x >> bare/config; : > bare/description", "bare/config (changed)"},
		{": > \"$SKILL_DIR/.env\"", "SKILL/.env (new)"},
		{"mkdir .husky; : > \".husky/a\nb\"; : > \".claude/\033[31mred\"", ".claude/\u241b[31mred (new), .husky (new)"},
	} {
		t.Run(tt.commands, func(t *testing.T) {
			work, skill := t.TempDir(), t.TempDir()
			put := func(dir, name, text string) {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{".claude/deep/settings.json", ".git/config", ".git/hooks/x.sample", ".git/objects/a", "bare/HEAD", "bare/refs/a", "bare/objects/a", "bare/config", "conf/a", "conf/b"} {
				put(work, name, "A")
			}
			if err := errors.Join(os.Symlink("a", filepath.Join(work, "conf/current")), os.Symlink("conf/current", filepath.Join(work, ".env.linked"))); err != nil {
				t.Fatal(err)
			}
			put(skill, "run.sh", tt.commands)
			var noted []Leftover
			calls := ""
			r := &Runner{Dir: work, Env: os.Environ(), Sandbox: SandboxOff, Callbacks: Callbacks{OnLeft: func(s Script, left []Leftover) { noted, calls = left, calls+" left" }}}
			initial := takeMarks([]string{work, skill})
			compared := func() string { return LeftoverText(takeMarks([]string{work, skill}).since(initial, work)) }
			r.Around = func() func() {
				calls += "start" + compared()
				return func() {
					if compared() == LeftoverText(nil) && tt.want != "" {
						t.Error("the script has not ended")
					}
					calls += " end"
				}
			}
			result, err := r.Run(t.Context(), Script{Name: "run.sh", Dir: skill}, nil)
			if err != nil || !result.OK() {
				t.Fatalf("%+v, %v", result, err)
			}
			real, err := filepath.EvalSymlinks(skill)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(LeftoverText(result.Left), real, "SKILL"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if want := strings.TrimSuffix("start end left", strings.Repeat(" left", 1-min(len(result.Left), 1))); calls != want {
				t.Errorf("called %q, want %q", calls, want)
			}
			if len(noted) != len(result.Left) {
				t.Errorf("noted %v", noted)
			}
			const line = "\nProtected files appeared or changed while it ran: "
			if strings.Contains(result.Text(), line) != (tt.want != "") {
				t.Errorf("the model gets %q", result.Text())
			}
		})
	}
}

// TestLeftWithoutTrace checks that a change that keeps size and time is noticed.
func TestLeftWithoutTrace(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("there is no time of the last change of state")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, ".env")
	if err := os.WriteFile(path, []byte("A=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	before := takeMarks([]string{dir})
	if err := errors.Join(os.WriteFile(path, []byte("A=2"), 0o600), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if got := LeftoverText(takeMarks([]string{dir}).since(before, dir)); got != ".env (changed)" {
		t.Errorf("got %q", got)
	}
}

// TestLeftoverText checks that a long list is cut.
func TestLeftoverText(t *testing.T) {
	left := make([]Leftover, 12)
	for i := range left {
		left[i] = Leftover{Name: "x", State: "new"}
	}
	if got := LeftoverText(left); !strings.HasSuffix(got, "x (new) and 2 more") || strings.Count(got, "x") != 10 {
		t.Errorf("got %q", got)
	}
}

// TestMarksFolders checks that a folder without a name is none, and that the list of
// folders stays as it is.
func TestMarksFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{".git/hooks", "work"} {
		err := os.MkdirAll(name, 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	dirs := []string{"work", ""}
	for range 2 {
		if got := takeMarks(dirs); len(got) > 0 || dirs[0] != "work" || dirs[1] != "" {
			t.Errorf("got %v of %q", got, dirs)
		}
	}
}
