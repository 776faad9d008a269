package git

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
)

// TestWithoutGit checks that a git in the working folder or in the repository is not run.
func TestWithoutGit(t *testing.T) {
	r := newRepo(t)
	r.write("bin/git", "#!/bin/sh\ntouch \"$0.ran\"\n")
	if err := os.Chmod(r.path("bin/git"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("sub/a", "a")
	for path, want := range map[string]string{t.TempDir(): "git is not on PATH", r.path("bin"): "is ignored because it is in the working folder"} {
		for _, c := range []struct{ untrusted, dir string }{{r.dir, t.TempDir()}, {t.TempDir(), r.path("sub")}} {
			_, err := Client{Env: []string{"PATH=" + path}, Untrusted: []string{c.untrusted}}.ChangedSince(t.Context(), c.dir, "main")
			var bad *fault.Error
			if !errors.As(err, &bad) || bad.Hint != "install git" || !strings.Contains(bad.Error(), want) {
				t.Errorf("%s: got %v, want an *fault.Error that %s", c.dir, err, want)
			}
		}
	}
	if _, err := os.Stat(r.path("bin/git.ran")); err == nil {
		t.Error("the repository's git was run")
	}
}

// TestNoTransport checks that a repository cannot allow a transport for what a partial
// clone lacks.
func TestNoTransport(t *testing.T) {
	r := newRepo(t)
	marker := filepath.ToSlash(filepath.Join(t.TempDir(), "ran"))
	r.write("sk/a.md", "a")
	r.commit()
	blob := r.git("rev-parse", "HEAD:sk/a.md")
	r.remove(".git/objects/" + blob[:2] + "/" + blob[2:])
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": "ext::sh -c touch% " + marker, "protocol.ext.allow": "always",
	} {
		r.git("config", key, value)
	}
	if _, err := r.client.Archive(t.Context(), r.path("sk"), "HEAD"); err == nil {
		t.Error("the archive has a file that is missing")
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the repository's transport was run")
	}
	cmd := exec.Command("git", "archive", "HEAD:sk")
	cmd.Dir, cmd.Env = r.dir, r.client.Env
	_ = cmd.Run()
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("the trap does not work, so the test shows nothing: %v", err)
	}
}

// TestEnvironment checks that git's variables for another repository, which a git hook
// inherits, have no effect.
func TestEnvironment(t *testing.T) {
	other := newRepo(t)
	other.write("other.md", "x")
	r := newRepo(t)
	r.write("a.md", "a")
	r.commit()
	r.write("a.md", "b")
	r.client.Env = append(r.client.Env, "GIT_DIR="+other.path(".git"), "GIT_WORK_TREE="+other.dir,
		"GIT_INDEX_FILE="+other.path("index"), "GIT_EXTERNAL_DIFF=false", "LANGUAGE=de", "GIT_PREFIX=x/",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.excludesFile", "GIT_CONFIG_VALUE_0="+other.path("none"))
	r.expect("changes", r.changed(r.dir, "HEAD"), "a.md")
	for _, kv := range environment(r.client.Env) {
		if strings.HasPrefix(kv, "GIT_DIR=") || strings.HasPrefix(kv, "GIT_INDEX_FILE=") || strings.HasPrefix(kv, "LANGUAGE=") {
			t.Errorf("git gets %s", kv)
		}
	}
}

func TestWithSettings(t *testing.T) {
	got := withSettings([]string{"A=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=x.y", "GIT_CONFIG_VALUE_0=1"}, [][2]string{{"filter.a.clean", ""}})
	want := []string{"A=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=x.y", "GIT_CONFIG_VALUE_0=1",
		"GIT_CONFIG_KEY_1=filter.a.clean", "GIT_CONFIG_VALUE_1=", "GIT_CONFIG_COUNT=2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCapped(t *testing.T) {
	c := &capped{most: 3}
	if n, err := c.Write([]byte("abc")); n != 3 || err != nil || c.over {
		t.Errorf("exactly as much as fits: got %d, %v, over %t", n, err, c.over)
	}
	// The output of a program is copied like this.
	if n, err := io.Copy(c, io.LimitReader(strings.NewReader("defg"), 4)); n != 4 || err != nil || !c.over || c.kept.String() != "abc" {
		t.Errorf("more than fits: got %d, %v, %q, over %t", n, err, c.kept.String(), c.over)
	}
}
