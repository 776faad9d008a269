//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// printers is a folder of programs that print what they were given.
func printers(t *testing.T, contents map[string]string) (dir string, d *Doctor) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range contents {
		filetest.Programs(t, dir, map[string]string{name: "#!/bin/sh\n" + text})
	}
	return dir, &Doctor{Runner: &script.Runner{Dir: filepath.Join(dir, "none"), Env: []string{"PATH=.:relative:" + dir + ":" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-secret"}}}
}

// TestVersion checks that only known programs are asked for their version, with no input
// and no other arguments.
func TestVersion(t *testing.T) {
	dir, d := printers(t, map[string]string{
		"git":     "[ \"$1\" = --version ] && [ \"$(pwd)\" = / ] && [ -z \"$OPENAI_API_KEY\" ] && [ \"$GOTOOLCHAIN\" = local ] && echo git version 2.39.5\n",
		"java":    "echo 'openjdk version \"17.0.9\" 2023-10-17' >&2\n",
		"jq":      "echo none\n",
		"kubectl": "[ \"$*\" = 'version --client' ] && echo Client Version: v1.29.4\n",
		"ssh":     "[ \"$*\" = -V ] && echo OpenSSH_9.2p1 Debian-2, OpenSSL 3.0.14 >&2\n",
		"rustup":  ": > \"$0.asked\"; echo 1.0.0\n",
	})
	for name, want := range map[string]string{"git": "2.39.5", "java": "17.0.9", "kubectl": "1.29.4", "ssh": "9.2"} {
		path, ok := d.Runner.Find(name)
		if !ok || path != filepath.Join(dir, name) {
			t.Fatalf("%s is found at %q", name, path)
		}
		if got := d.version(t.Context(), path); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{filepath.Join(dir, "jq"), filepath.Join(dir, "rustup")} {
		if got := d.version(t.Context(), path); got != "" {
			t.Errorf("%s: got %q", path, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "rustup.asked")); err == nil {
		t.Error("a program that is not known was run")
	}
	if path, ok := d.Runner.Find("no-such-program"); ok {
		t.Errorf("a missing program is found at %s", path)
	}
}
