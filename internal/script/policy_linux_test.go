package script

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where the working folder holds everything worth keeping, nothing is confined,
// and the reason is told.
func TestPolicyTooWide(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	inside := filepath.Join(home, "project")
	if err := os.MkdirAll(filepath.Join(inside, "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, write, want string }{
		{home, "", "the working directory " + home + " is a home folder"},
		{filepath.Dir(home), "", "holds a home folder"},
		{"/", "", "is the root of the file system"},
		{inside, home, "the writable folder " + home + " is a home folder"},
		{inside, inside + "/none", "looking at what may be written"},
		{inside, inside + "/out", ""},
	} {
		r := &Runner{Dir: test.dir, Self: self, Env: []string{"HOME=" + home}}
		if test.write != "" {
			r.AllowWrite = []string{test.write}
		}
		_, clean, err := r.policy()
		clean()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s and %s: got %v, want %q", test.dir, test.write, err, test.want)
		}
		if test.want == "" {
			continue
		}
		if test.write != "" {
			if _, err := r.Confinement(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Confinement() = %v, want an error and no confinement that is off: %s", err, test.want)
			}
			continue
		}
		if c, err := r.Confinement(t.Context()); err != nil || c.Name != "none" || !strings.Contains(strings.Join(c.Gaps, ""), test.want) {
			t.Errorf("Confinement() = %+v, %v, want none because %s", c, err, test.want)
		}
		r = &Runner{Dir: test.dir, Self: self, Env: r.Env, AllowWrite: r.AllowWrite, Sandbox: SandboxRequire}
		if _, err := r.Confinement(t.Context()); !errors.Is(err, ErrUnconfined) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("required: got %v, want ErrUnconfined and %q", err, test.want)
		}
	}
}

// The temporary folder is new, outside of what is writable, and gone at the end.
func TestPolicyTemporaryFolder(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &Runner{Dir: dir, Self: self, Env: []string{"HOME=" + home, "TMPDIR=" + dir}}
	p, clean, err := r.policy()
	if err != nil || !within(p.temp, filepath.Join(home, ".cache")) {
		t.Errorf("got %q, %v, want it in the cache, for TMPDIR is writable as a whole", p.temp, err)
	}
	clean()
	if _, err := os.Stat(p.temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left behind: %v", err)
	}
}

// Class by class: what is a secret, what is an example of one.
func TestIsEnvFile(t *testing.T) {
	for name, want := range map[string]bool{
		".env": true, ".ENV": true, ".envrc": true, ".env.local": true, ".env.production": true,
		"prod.env": true, ".env-local": true, ".flaskenv": true, ".dev.vars": true, ".dev.vars.staging": true, "x.env": true,
		".env.example": false, ".env.sample": false, "env": false, ".environment": false, "example.env": false, ".env-template": false, "environment": false,
	} {
		if isEnvFile(name) != want {
			t.Errorf("isEnvFile(%q) = %t", name, !want)
		}
	}
}

// A bind mount is another name of the same files: of the secret itself, of a
// folder above it, of one below.
func TestAliases(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"home/.ssh/keys", "whole/.ssh", "above/me/.ssh", "part", "elsewhere/home/.ssh"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mounts := parseMounts([]byte(strings.ReplaceAll(`20 1 8:1 / / rw - ext4 /dev/a rw
21 20 8:2 /users/me D/home rw - ext4 /dev/b rw
22 20 8:2 /users/me D/whole rw - ext4 /dev/b rw
23 20 8:2 /users D/above rw - ext4 /dev/b rw
24 20 8:2 /users/me/.ssh/keys D/part rw - ext4 /dev/b rw
25 20 8:3 /users/me D/elsewhere/home rw - ext4 /dev/c rw
bad line
26 20 8:2 /a\040b D/with\040blank rw - ext4 /dev/b rw
`, "D", dir)))
	if len(mounts) != 7 || mounts[6].root != "/a b" || !strings.HasSuffix(mounts[6].point, "with blank") {
		t.Fatalf("got %+v", mounts)
	}
	got := aliasesIn(mounts, []string{filepath.Join(dir, "home/.ssh")})
	var want []string
	for _, name := range []string{"above/me/.ssh", "part", "whole/.ssh"} {
		want = append(want, filepath.Join(dir, name))
	}
	if !slices.Equal(got, real(want)) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Nobody else's program is taken for bubblewrap.
func TestFindBubblewrap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	planted := filepath.Join(dir, "bwrap")
	if err := os.WriteFile(planted, []byte("#!/bin/sh\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &Runner{Dir: dir, Env: []string{"PATH=.:relative::" + filepath.Join(dir, "none")}}
	if got := r.findBubblewrap(); got != "" {
		t.Errorf("found %q by an entry that is not absolute", got)
	}
	r.Env = []string{"PATH=" + dir}
	found := bubblewrap{self, r.findBubblewrap()}
	if err := found.suits(policy{write: []string{dir}}); err == nil || !strings.Contains(err.Error(), "a script may have put it there") {
		t.Errorf("in the writable folder: got %v", err)
	}
	// In another place it is tried, and does not hold.
	r = &Runner{Dir: t.TempDir(), Self: self, Env: append(os.Environ(), "PATH="+dir)}
	p, clean, err := r.policy()
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	if err := r.probe(t.Context(), found, p); err == nil {
		t.Error("a program that does nothing was taken for bubblewrap")
	}
}

// A skill among secrets is not run, and a secret that comes to be during the run
// is kept.
func TestPolicyFor(t *testing.T) {
	t.Parallel()
	onEachKind(t, func(r *Runner) { r.Secrets = []string{filepath.Join(filepath.Dir(r.Dir), "session.json")} }, func(t *testing.T, _ string, r *Runner) {
		if err := os.WriteFile(r.Secrets[0], []byte("secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := skill(t, "a.sh", "cat \"$1\" 2>/dev/null || echo kept\n")
		if result := run(t, r, s, r.Secrets[0]); result.Stdout != "kept\n" {
			t.Errorf("got %+v, want it kept", result)
		}
		r.choice.policy.secrets = []string{s.Dir}
		if _, err := r.Run(t.Context(), s, nil); !errors.Is(err, ErrNotScript) {
			t.Errorf("Run() = %v, want ErrNotScript", err)
		}
	}, kindOf, kindBubble)
}

// A folder that was opened by name can be written though it lies in a skill, and
// the rest of the skill cannot.
func TestPolicyOpening(t *testing.T) {
	t.Parallel()
	onEachKind(t, func(r *Runner) {
		out := filepath.Join(r.Dir, "skills", "a", "out")
		if err := os.MkdirAll(out, 0o700); err != nil {
			t.Fatal(err)
		}
		r.AllowWrite, r.Protect = []string{out}, []string{filepath.Join(r.Dir, "skills")}
	}, func(t *testing.T, _ string, r *Runner) {
		result := run(t, r, skill(t, "a.sh", "echo x >skills/a/out/x && echo made; echo x 2>/dev/null >skills/a/x || echo kept\n"))
		if result.Stdout != "made\nkept\n" {
			t.Errorf("got %+v, want one of the two written", result)
		}
	}, kindBubble)
}
