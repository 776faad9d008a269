package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
)

// repo is a repository of its own in a temporary folder.
type repo struct {
	*testing.T
	dir    string
	client Client
}

func newRepo(t *testing.T) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatalf("these tests need git: %v", err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") }),
		"GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	r := repo{t, dir, Client{Env: env}}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.client.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r repo) write(name, text string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r repo) remove(name string) {
	r.Helper()
	if err := os.Remove(r.path(name)); err != nil {
		r.Fatal(err)
	}
}

func (r repo) commit() {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "x")
}

// changed returns the changes relative to the repository, with slashes.
func (r repo) changed(dir, rev string) []string {
	r.Helper()
	files, err := r.client.ChangedSince(r.Context(), dir, rev)
	if err != nil {
		r.Fatal(err)
	}
	var out []string
	for _, f := range files {
		rel, err := filepath.Rel(r.dir, f)
		if err != nil {
			r.Fatal(err)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

func (r repo) expect(what string, got []string, want ...string) {
	r.Helper()
	if !slices.Equal(got, want) {
		r.Errorf("%s\ngot  %q\nwant %q", what, got, want)
	}
}

func TestChangedSince(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"a/SKILL.md", "b/SKILL.md", "b/old.md", "c/SKILL.md", "d/moved.md", "e/staged.md", "f/both.md", "unchanged.md"} {
		r.write(name, name+" with enough text to be seen as a rename")
	}
	r.write(".gitignore", "*.tmp\n")
	r.commit()
	r.expect("nothing since HEAD", r.changed(r.dir, "HEAD"))

	r.git("checkout", "-q", "-b", "work")
	r.write("a/SKILL.md", "committed")
	r.remove("b/old.md")
	r.commit()
	r.write("c/SKILL.md", "in the working tree")
	r.git("mv", "d/moved.md", "d/renamed.md")
	r.write("e/staged.md", "staged")
	r.git("add", "e/staged.md")
	r.write("f/both.md", "staged, then put back")
	r.git("add", "f/both.md")
	r.write("f/both.md", "f/both.md with enough text to be seen as a rename")
	odd := "new/ü \"q\"\tname.md"
	if runtime.GOOS == "windows" {
		odd = "new/ü name.md" // quotes and tabs cannot be in a name there
	}
	r.write(odd, "untracked")
	r.write("new/x.tmp", "ignored")
	want := []string{"a/SKILL.md", "b/old.md", "c/SKILL.md", "d/moved.md", "d/renamed.md", "e/staged.md", "f/both.md", odd}
	r.expect("since main", r.changed(r.dir, "main"), want...)
	r.expect("asked in a folder further down", r.changed(r.path("a"), "main"), want...)
	r.expect("since the last commit", r.changed(r.dir, "HEAD"), want[2:]...)
	r.expect("an abbreviated commit", r.changed(r.dir, r.git("rev-parse", "--short", "main")), want...)

	// Later changes of main are not changes of this branch.
	r.git("stash", "-q", "-u")
	r.git("checkout", "-q", "main")
	r.write("main-only.md", "x")
	r.commit()
	r.git("checkout", "-q", "work")
	r.expect("after main went on", r.changed(r.dir, "main"), "a/SKILL.md", "b/old.md")
}

func TestChangedSinceFolders(t *testing.T) {
	inner := newRepo(t)
	inner.write("x/SKILL.md", "x")
	inner.commit()
	r := newRepo(t)
	r.write("a.md", "a")
	r.commit()
	r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.dir, "sub")
	r.commit()
	r.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "y")
	r.write("nested/f.md", "a repository inside this one")
	r.git("-C", "nested", "init", "-q")
	r.expect("a submodule and a nested repository", r.changed(r.dir, "HEAD"), "nested", "sub")
}

func TestChangedSinceRefuses(t *testing.T) {
	r := newRepo(t)
	empty := newRepo(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r.write("a", "a")
	r.commit()
	r.git("checkout", "-q", "--orphan", "other")
	r.write("b", "b") // else it would be the same commit
	r.commit()
	r.client.Env = append(r.client.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(outside))
	for name, tc := range map[string]struct{ dir, rev, want string }{
		"an option":              {r.dir, "--output=x", `"--output=x" is not a revision`},
		"empty":                  {r.dir, "", `"" is not a revision`},
		"a line break":           {r.dir, "main\nx", `"main\nx" is not a revision`},
		"a NUL":                  {r.dir, "main\x00x", `"main\x00x" is not a revision`},
		"unknown":                {r.dir, "no-such-branch", `unknown revision "no-such-branch"`},
		"a range":                {r.dir, "main..other", `unknown revision "main..other"`},
		"a file":                 {r.dir, "main:a", `unknown revision "main:a"`},
		"no commits":             {empty.dir, "HEAD", `unknown revision "HEAD"`},
		"unrelated":              {r.dir, "main", "main and HEAD have no common ancestor"},
		"no repository":          {outside, "main", outside + " is not in a git repository"},
		"no working tree":        {filepath.Join(r.dir, ".git"), "main", "looking for the repository: git: this operation must be run in a work tree"},
		"a missing folder":       {filepath.Join(outside, "x"), "main", "running git: "},
		"a revision like a path": {r.dir, "../../x", `unknown revision "../../x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.client.ChangedSince(t.Context(), tc.dir, tc.rev)
			var bad *fault.Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *fault.Error", err)
			}
			if !strings.HasPrefix(bad.Error(), tc.want) || strings.Contains(bad.Error(), "\n") {
				t.Errorf("got %q, want %q", bad, tc.want)
			}
			if bad.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	r := newRepo(t)
	r.write("a", "a")
	r.commit()
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := r.client.ChangedSince(ctx, r.dir, "HEAD"); !errors.Is(err, cause) {
		t.Errorf("got %v, want the context's cause", err)
	}
}

// TestRunsNothing checks that no program named by a repository's git configuration runs.
func TestRunsNothing(t *testing.T) {
	r := newRepo(t)
	marker := filepath.ToSlash(filepath.Join(t.TempDir(), "ran"))
	r.write("a.txt", "a\n")
	r.write("b.txt", "b\n")
	r.write("sk/c.txt", "c\n")
	r.write(".gitattributes", "*.txt filter=evil diff=evil\n")
	r.commit()
	r.write(".git/info/attributes", "* filter=evil\n") // also for files of other revisions
	evil := "touch '" + marker + "'; cat"
	for _, name := range []string{"pre-commit", "post-index-change", "post-checkout"} {
		r.write(".git/hooks/"+name, "#!/bin/sh\n"+evil+"\n")
		if err := os.Chmod(r.path(".git/hooks/"+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]string{
		"core.fsmonitor": evil, "core.pager": evil, "pager.diff": "true", "diff.external": evil,
		"filter.evil.clean": evil, "filter.evil.smudge": evil, "filter.evil.required": "true",
		"diff.evil.textconv": evil, "diff.evil.command": evil, "core.sshCommand": evil,
		"filter.evil.process": evil, "tar.zip.command": evil, "tar.tar.command": evil,
	} {
		r.git("config", key, value)
	}
	r.write("a.txt", "other\n")
	r.write("new.txt", "new\n")
	r.expect("changes", r.changed(r.dir, "HEAD"), "a.txt", "new.txt")
	if archive, err := r.client.Archive(t.Context(), r.path("sk"), "HEAD"); err != nil || !bytes.Contains(archive, []byte("c.txt")) {
		t.Errorf("archive: %q, %v", archive, err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program that the repository names was run")
	}
	r.git("config", "--unset", "filter.evil.process") // of another protocol
	for _, args := range [][]string{{"diff", "--stat"}, {"archive", "--format=zip", "HEAD:sk"}} {
		os.Remove(marker)
		r.git(args...) // the traps are real: git by itself falls into them
		if _, err := os.Stat(marker); err != nil {
			t.Errorf("the trap of %s does not work, so the test shows nothing: %v", args[0], err)
		}
	}
}
