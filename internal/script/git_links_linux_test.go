package script

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// submodule makes a repository for a submodule, and one to add it to.
const submodule = "export GIT_CONFIG_GLOBAL=$HOME/settings; printf '[user]\\n\\tname = a\\n\\temail = a@example.com\\n[protocol \"file\"]\\n\\tallow = always\\n' >$HOME/settings; " +
	"git init -q ../lib; touch ../lib/f; git -C ../lib add f; git -C ../lib commit -qm a; git init -q; "

// TestGitNames checks that a script cannot change files that Git or other programs use
// because a link in a protected folder, or settings of Git, name them.
func TestGitNames(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, row := range []struct{ name, setup, files, missing string }{
		{"hook", "git init -q; ln -s ../../tools/x .git/hooks/pre-commit", "tools/x", ""},
		{"hook by another link", "git init -q; ln -s ../../tools/l .git/hooks/pre-commit; ln -s ../cfg/x tools/l", "cfg/x", ""},
		{"missing hook", "git init -q; ln -s ../../tools/new .git/hooks/pre-commit", "", "tools/new"},
		{"folder of hooks", "git init -q; rm -r .git/hooks; ln -s ../tools .git/hooks", "tools/x tools/hk/pre-commit", ""},
		{"settings", "git init -q; mv .git/config tools/config; ln -s ../tools/config .git/config", "tools/config", ""},
		{"husky", "mkdir .husky; ln -s ../tools/x .husky/pre-commit", "tools/x", ""},
		{"claude", "mkdir .claude; ln -s ../tools/x .claude/settings.json", "tools/x", ""},
		{"included with a comment", "git init -q; printf '[include]\\n\\tpath = ../cfg/x # team\\n' >>.git/config", "cfg/x", ""},
		{"included on two lines", "git init -q; printf '[include]\\n\\tpath = ../cf\\\\\\ng/x\\n' >>.git/config", "cfg/x", ""},
		{"included by another file", "git init -q; printf '[include]\\n\\tpath = y\\n' >cfg/x; touch cfg/y; git config include.path ../cfg/x", "cfg/x cfg/y", ""},
		{"included in the home folder", "git init -q; git config include.path '~/work/cfg/x'", "cfg/x", ""},
		{"included by the user's settings", "git init -q; printf '[include]\\n\\tpath = ~/work/cfg/x\\n' >../.gitconfig", "cfg/x", ""},
		{"missing included file", "git init -q; git config include.path ../cfg/new", "", "cfg/new"},
		{"included by the repository above", "git init -q ..; git -C .. config include.path ../work/cfg/x", "cfg/x", ""},
		{"git directory of the repository above", "git init -q --separate-git-dir=cfg/meta ..", "cfg/meta/config", ""},
		{"repository behind a link", "git init -q tools/a/repo; ln -s tools/a/repo src", "tools/a/repo/.git/config", ""},
		{"submodule", submodule + "git submodule --quiet add ../lib a/b/lib", "a/b/lib/.git .git/modules/a/b/lib/config", ""},
		{"submodule, fourth format", submodule + "git config index.version 4; git submodule --quiet add ../lib a/b/aaa; git submodule --quiet add ../lib a/b/lib; rm .git/index; git read-tree --empty; git add .; git update-index --index-version 4", "a/b/aaa/.git a/b/lib/.git", ""},
		{"submodule, other hashes", strings.ReplaceAll(submodule, "init -q", "init -q --object-format=sha256") + "git submodule --quiet add ../lib a/b/lib", "a/b/lib/.git", ""},
		{"submodule of a submodule", submodule + "git init -q ../mid; git -C ../mid submodule --quiet add $HOME/lib x/y; git -C ../mid commit -qm a; git submodule --quiet add ../mid a/b/mid; git submodule --quiet update --init --recursive", "a/b/mid/x/y/.git", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []string{off, kindBubblewrap} {
				home := realFolder(t)
				work := filepath.Join(home, "work")
				filetest.Write(t, work, map[string]string{"tools/x": "x\n", "tools/hk/pre-commit": "x\n", "cfg/x": "[x]\n"})
				c := exec.Command("sh", "-ec", row.setup)
				c.Dir, c.Env = work, append(os.Environ(), "HOME="+home, "GIT_CONFIG_SYSTEM=/dev/null")
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				r := sandboxedRunner(t, kind, func(r *Runner) { r.Dir, r.Env = work, append(r.Env, "HOME="+home) })
				if r == nil {
					return
				}
				names := strings.Fields(row.files + " " + row.missing)
				result := run(t, r, skill(t, "a.sh", `for f in "$@"; do (echo PWNED >>"$f") 2>/dev/null; mv "${f%/*}" moved 2>/dev/null && mv moved "${f%/*}"; done; echo done`), names...)
				if result.Stdout != "done\n" {
					t.Fatalf("got %+v", result)
				}
				for _, name := range names {
					text, err := os.ReadFile(filepath.Join(work, name))
					if err != nil && !errors.Is(err, os.ErrNotExist) {
						t.Fatal(err)
					}
					changed := strings.Contains(string(text), "PWNED")
					listed := slices.ContainsFunc(r.active.status.NotEnforced, func(text string) bool { return strings.Contains(text, filepath.Join(work, name)) })
					if want := kind == off || name == row.missing; changed != want || kind != off && listed != want {
						t.Errorf("%s: %s was changed: %t, listed: %t, want %t", kind, name, changed, listed, want)
					}
				}
			}
		})
	}
}
