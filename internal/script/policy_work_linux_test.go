package script

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder that holds secrets, or lies among them, is never opened; and it does
// not open the rest either.
func TestCheckWrite(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{".config/gcloud", ".config/app", ".aws/sso"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ write, want string }{
		{".config", "holds " + home + "/.config/gcloud, which is kept secret"},
		{".aws", "lies in " + home + "/.aws, which is kept secret"},
		{".aws/sso", "lies in " + home + "/.aws, which is kept secret"},
		{".", home + " is a home folder"},
		{".config/app", ""},
	} {
		r := &Runner{Dir: dir, Self: self, Env: append(os.Environ(), "HOME="+home), AllowWrite: []string{filepath.Join(home, test.write)}}
		err := r.CheckWrite(r.AllowWrite[0])
		c, refused := r.Confinement(t.Context())
		r.Close()
		if test.want == "" {
			if err != nil || refused != nil {
				t.Errorf("%s: got %v and %v, want it opened", test.write, err, refused)
			}
			continue
		}
		for _, err := range []error{err, refused} {
			if !errors.Is(err, ErrTooWide) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v (%+v), want ErrTooWide: %s", test.write, err, c, test.want)
			}
		}
	}
}

// Wherever the variable points, there is room for a temporary folder.
func TestPolicyTemporaryFolderElsewhere(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(home, ".ssh")
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{dir, filepath.Join(dir, "none"), secret} {
		r := &Runner{Dir: dir, Self: self, Env: []string{"HOME=" + home, "TMPDIR=" + variable}}
		p, clean, err := r.policy()
		if err != nil || within(p.temp, dir) || within(p.temp, home) {
			t.Errorf("TMPDIR=%s: got %q, %v, want it elsewhere", variable, p.temp, err)
		}
		clean()
	}
	if within(userHome(), "/tmp") {
		return // too wide then
	}
	r := &Runner{Dir: "/tmp", Self: self, Env: []string{"HOME=/nonexistent"}}
	p, clean, err := r.policy()
	if err != nil || within(p.temp, "/tmp") {
		t.Errorf("working in /tmp: got %q, %v, want it elsewhere", p.temp, err)
	}
	clean()
}

// What a script has taken its own rights to is removed all the same.
func TestEscapesLeaveNothing(t *testing.T) {
	t.Parallel()
	onEachKind(t, nil, func(t *testing.T, _ string, r *Runner) {
		result := run(t, r, skill(t, "a.sh", "mkdir -p \"$TMPDIR/a/b\" && ln -s / \"$TMPDIR/a/b/link\" && chmod 0 \"$TMPDIR/a/b\" \"$TMPDIR/a\"\n"))
		if !result.OK() {
			t.Fatalf("got %+v", result)
		}
		r.choice.clean()
		if _, err := os.Lstat(filepath.Dir(r.choice.policy.temp)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is left behind: %v", err)
		}
	}, kindOf, kindBubble)
}

// A variable, or a flag, that names the null device names no secret: it does not
// cost the confinement.
func TestPolicyDevice(t *testing.T) {
	t.Parallel()
	onEachKind(t, func(r *Runner) {
		r.Secrets = []string{"/dev/null"}
		r.Env = append(r.Env, "KUBECONFIG=/dev/null", "PIP_CONFIG_FILE=/dev/null", "HISTFILE=/dev/tty")
	}, func(t *testing.T, kind string, r *Runner) {
		for _, secret := range r.choice.policy.secrets {
			if within(secret, "/dev") {
				t.Errorf("%s is kept secret", secret)
			}
		}
		if result := run(t, r, skill(t, "a.sh", "cat /dev/null && echo read\n")); result.Stdout != "read\n" {
			t.Errorf("got %+v", result)
		}
	}, kindOf, kindBubble)
	r := &Runner{Dir: t.TempDir(), Self: self, Env: append(os.Environ(), "KUBECONFIG=/dev/null"), Secrets: []string{"/dev/null"}}
	defer r.Close()
	if p, clean, err := r.policy(); err != nil || slices.Contains(p.secrets, "/dev/null") {
		t.Errorf("the null device is kept secret, %v", err)
	} else {
		clean()
	}
}
