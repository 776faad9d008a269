//go:build unix

package script

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// programs is a folder of programs that print what they were given.
func programs(t *testing.T, contents map[string]string) (dir string, r *Runner) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, &Runner{Dir: dir, Env: []string{"PATH=.:relative:" + dir + ":" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-secret"}}
}

// Only programs that are known are asked, with nothing at hand that they could
// take for more than a question.
func TestVersion(t *testing.T) {
	dir, r := programs(t, map[string]string{
		"git":     "[ \"$1\" = --version ] && [ \"$(pwd)\" = / ] && [ -z \"$OPENAI_API_KEY\" ] && [ \"$GOTOOLCHAIN\" = local ] && echo git version 2.39.5\n",
		"java":    "echo 'openjdk version \"17.0.9\" 2023-10-17' >&2\n",
		"jq":      "echo none\n",
		"kubectl": "[ \"$*\" = 'version --client' ] && echo Client Version: v1.29.4\n",
		"ssh":     "[ \"$*\" = -V ] && echo OpenSSH_9.2p1 Debian-2, OpenSSL 3.0.14 >&2\n",
		"rustup":  ": > \"$0.asked\"; echo 1.0.0\n",
	})
	for name, want := range map[string]string{"git": "2.39.5", "java": "17.0.9", "kubectl": "1.29.4", "ssh": "9.2"} {
		path, ok := r.Find(name)
		if !ok || path != filepath.Join(dir, name) {
			t.Fatalf("%s is found at %q", name, path)
		}
		if got, err := r.Version(t.Context(), path); err != nil || got != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "jq"), filepath.Join(dir, "rustup"), "git", "./git"} {
		if got, err := r.Version(t.Context(), path); !errors.Is(err, ErrVersion) {
			t.Errorf("%s: got %q, %v", path, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "rustup.asked")); err == nil {
		t.Error("a program that is not known was run")
	}
	if path, ok := r.Find("no-such-program"); ok {
		t.Errorf("what is not there is found at %s", path)
	}
}
