package script

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

// commitLine commits everything with a name of its own.
const commitLine = "git -c user.name=a -c user.email=a@example.com commit -q"

// repositoryRunner returns a runner of a kind in a new repository with one commit.
func repositoryRunner(t *testing.T, kind string) *Runner {
	t.Helper()
	need(t, "git")
	r := sandboxedRunner(t, kind, func(r *Runner) { r.Lines = true })
	filetest.Write(t, r.Dir, map[string]string{"file": "x\n"})
	for _, words := range []string{"init -q -b main --template=", "add file", "-c user.name=a -c user.email=a@example.com commit -q -m first"} {
		c := exec.Command("git", append([]string{"-C", r.Dir}, strings.Fields(words)...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", words, err, out)
		}
	}
	filetest.Write(t, r.Dir, map[string]string{"file": "y\n", ".git/hooks/x.sample": "#!/bin/sh\n", ".git/worktrees/old/gitdir": "/nowhere/.git\n", ".git/objects/info/packs": "", ".git/info/exclude": ""})
	return r
}

// TestHistory: a command line with that grant writes history. What Git takes for settings
// or programs is read-only for it, or does not stay.
func TestHistory(t *testing.T) {
	t.Parallel()
	const gone = " (new; it was removed)"
	for name, row := range map[string]struct{ line, landlock, bubblewrap string }{
		"ordinary work":        {"git add . && " + commitLine + " -m second && git tag v1 && git switch -q -c b && git stash list && git reset -q --hard main && git log --format=%s", "", ""},
		"a tree":               {"git worktree add -q trees/x -b x && cd trees/x && echo z >z && git add z && " + commitLine + " -m z", "", ""},
		"a hook":               {"printf '#!/bin/sh\\ntouch ran\\n' >.git/hooks/post-commit", ".git/hooks/post-commit" + gone, ""},
		"a changed hook":       {"echo 'touch ran' >>.git/hooks/x.sample", ".git/hooks/x.sample (changed; it was restored)", ""},
		"other hooks":          {"mv .git/hooks .git/hooks.old && mkdir .git/hooks", ".git/hooks/x.sample (removed; it was restored)", ""},
		"settings":             {"git config core.hooksPath evil && " + commitLine + " -am x", ".git/config (changed; it was restored)", ""},
		"settings by hand":     {"echo '[core]\nfsmonitor=x' >.git/new && mv -f .git/new .git/config", ".git/config (changed; it was restored)", ""},
		"hooks elsewhere":      {"mv .git/hooks .git/h && echo x >.git/h/post-commit && ln -s h .git/hooks", ".git/hooks" + gone + ", .git/hooks/x.sample (removed; it was restored)", ""},
		"settings of a tree":   {"echo '[core]' >.git/config.worktree", ".git/config.worktree" + gone, ".git/config.worktree" + gone},
		"another directory":    {"echo ../evil >.git/commondir", ".git/commondir" + gone, ".git/commondir" + gone},
		"other objects":        {"echo /x >.git/objects/info/alternates", ".git/objects/info/alternates" + gone, ".git/objects/info/alternates" + gone},
		"attributes":           {"mkdir -p .git/info && echo '* filter=x' >.git/info/attributes", ".git/info/attributes" + gone, ""},
		"a submodule":          {"mkdir -p .git/modules/x && echo x >.git/modules/x/config", ".git/modules" + gone, ".git/modules" + gone},
		"a remote":             {"mkdir .git/remotes && echo 'URL: x' >.git/remotes/origin", ".git/remotes" + gone, ".git/remotes" + gone},
		"a link":               {"ln -sf ../../victim .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG" + gone, ".git/COMMIT_EDITMSG" + gone},
		"a link of a log":      {"mkdir -p .git/logs/refs/heads && ln -s /victim .git/logs/refs/heads/new", ".git/logs/refs/heads/new" + gone, ".git/logs/refs/heads/new" + gone},
		"a link to a folder":   {"mv .git/objects .git/o && ln -s o .git/objects", ".git/objects" + gone, ".git/objects" + gone},
		"a pipe":               {"mkfifo .git/ORIG_HEAD", ".git/ORIG_HEAD" + gone, ".git/ORIG_HEAD" + gone},
		"a false tree":         {"mkdir .git/worktrees/x && cd .git/worktrees/x && echo ../.. >commondir && echo /home/.git >gitdir", ".git/worktrees/x" + gone, ".git/worktrees/x" + gone},
		"a tree with settings": {"git worktree add -q trees/x && echo '[core]' >.git/worktrees/x/config.worktree", ".git/worktrees/x/config.worktree" + gone, ".git/worktrees/x/config.worktree" + gone},
		"an old tree":          {"echo ../evil >.git/worktrees/old/commondir", ".git/worktrees/old/commondir" + gone, ".git/worktrees/old/commondir" + gone},
		"a list of commands":   {"mkdir .git/rebase-merge && echo 'exec touch ran' >.git/rebase-merge/git-rebase-todo", ".git/rebase-merge/git-rebase-todo" + gone, ".git/rebase-merge/git-rebase-todo" + gone},
		"a list of commits":    {"mkdir .git/rebase-merge && echo 'pick abc first' >.git/rebase-merge/git-rebase-todo", "", ""},
		"another repository":   {"mv .git .old && cp -r .old .git", ".git (replaced)", ""},
	} {
		for _, kind := range []string{kindLandlock, kindBubblewrap} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				r := repositoryRunner(t, kind)
				config := filetest.Read(t, filepath.Join(r.Dir, ".git/config"))
				result, err := Workspace{r}.RunLine(t.Context(), Line{Text: row.line, History: true})
				if err != nil {
					t.Fatal(err)
				}
				want, held := row.landlock, false
				if kind == kindBubblewrap {
					want, held = row.bubblewrap, row.landlock != row.bubblewrap
				}
				if got := LeftoverText(result.Left); got != want && !strings.HasPrefix(got, want+", ") {
					t.Errorf("left %q, want %q\n%s", got, want, result.Text())
				}
				if held == result.OK() {
					t.Errorf("held: %v, got\n%s", held, result.Text())
				}
				if name == "ordinary work" && !strings.HasPrefix(result.Stdout, "second\nfirst\n") {
					t.Errorf("got %s", result.Text())
				}
				for _, left := range result.Left {
					_, err := os.Lstat(left.Path)
					if strings.HasSuffix(left.State, "removed") && err == nil && name != "hooks elsewhere" { // they are restored
						t.Errorf("%s exists", left.Path)
					}
				}
				if name != "another repository" && filetest.Read(t, filepath.Join(r.Dir, ".git/config")) != config {
					t.Error("the settings have changed")
				}
			})
		}
	}
}

// TestRepositoryCleaned: settings are found among any number of files, a repository that is
// none any more is reported, and the list of the user's own unfinished rebase stays.
func TestRepositoryCleaned(t *testing.T) {
	many := map[string]string{"commondir": "/evil", "hooks/x": ""}
	for i := range 30 {
		many[fmt.Sprintf("aa/%d", i)] = ""
	}
	for _, row := range []struct {
		before, after map[string]string
		want          string
	}{
		{nil, many, "hooks (new; it was removed), commondir (new; it was removed), . (changed; it has more than 20 files)"},
		{nil, nil, ". (no repository any more)"},
		{map[string]string{"rebase-merge/git-rebase-todo": "exec make\npick a\nexec make\n"}, map[string]string{"rebase-merge/git-rebase-todo": "exec make\n"}, ""},
		{map[string]string{"rebase-merge/git-rebase-todo": "exec make\n"}, map[string]string{"rebase-merge/git-rebase-todo": "exec make\n exec evil\n"}, "rebase-merge/git-rebase-todo (new; it was removed)"},
	} {
		dir := t.TempDir()
		filetest.Write(t, dir, map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "", "config": ""})
		filetest.Write(t, dir, row.before)
		list, err := guardRepositories(sandbox.Policy{Dir: dir, Repositories: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		list[0].most = 10
		filetest.Write(t, dir, row.after)
		if row.after == nil {
			err := os.Remove(filepath.Join(dir, "HEAD"))
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := LeftoverText(list[0].clean()); got != row.want {
			t.Errorf("%v: left %q, want %q", row.after, got, row.want)
		}
	}
}

// TestHistoryNotGranted: without the grant, and without command lines in the run, Git
// directories are read-only where the sandbox can do that.
func TestHistoryNotGranted(t *testing.T) {
	t.Parallel()
	for _, history := range []bool{false, true} {
		r := repositoryRunner(t, kindBubblewrap)
		r.Lines = !history
		result, err := Workspace{r}.RunLine(t.Context(), Line{Text: "git add file", History: history})
		if err != nil || result.OK() {
			t.Errorf("%v: got %s, %v", history, result.Text(), err)
		}
	}
}

// TestIdentity: commits have the user's name, and no other setting of the user's file.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{kindLandlock, kindBubblewrap} {
		need(t, "git")
		home := t.TempDir()
		filetest.Write(t, home, map[string]string{".gitconfig": "[core]\n\thooksPath = /x\n[user]\n\tname = Ann \\\"A\\\" B # her\n\temail = ann@example.com\n\tsigningKey = KEY\n"})
		r := sandboxedRunner(t, kind, func(r *Runner) {
			r.Lines = true
			r.Env = append(r.Env, "HOME="+home)
		})
		const line = "git init -q . && git commit -q --allow-empty -m x && git log --format='%an <%ae>' && git config --global --list && ! echo x >>$GIT_CONFIG_GLOBAL"
		result, err := Workspace{r}.RunLine(t.Context(), Line{Text: line})
		if err != nil || result.Stdout != "Ann \"A\" B <ann@example.com>\nuser.email=ann@example.com\nuser.name=Ann \"A\" B\n" || !result.OK() {
			t.Errorf("%s: got %+v, %v", kind, result, err)
		}
	}
}
