package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// aliasWord is what the test binary has in its environment where it stands in a
// tree of mounts of its own.
const aliasWord = "SCRIPT_TEST_MOUNTS"

// A secret is kept under the names that bind mounts give it, too: the test runs
// itself where it can mount.
func TestAliasesOfSecrets(t *testing.T) {
	if os.Getenv(aliasWord) != "" {
		keepAliases(t)
		return
	}
	c := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^TestAliasesOfSecrets$", "-test.v")
	c.Env = append(os.Environ(), aliasWord+"=yes")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := c.CombinedOutput()
	if c.Process == nil {
		t.Logf("NOT TESTED: mounts of its own, which this machine gives to no test: %v", err)
		return
	}
	for line := range strings.Lines(string(out)) {
		if err != nil || strings.Contains(line, "NOT TESTED") {
			t.Log(strings.TrimRight(line, "\n"))
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// keepAliases mounts a home folder a second time and looks for its secret there.
func keepAliases(t *testing.T) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Logf("NOT TESTED: mounts of its own cannot be changed: %v", err)
		return
	}
	home, other := t.TempDir(), t.TempDir()
	furnish(t, home, filepath.Join(t.TempDir(), "furnished"))
	if err := unix.Mount(home, other, "", unix.MS_BIND, ""); err != nil {
		t.Logf("NOT TESTED: nothing can be mounted: %v", err)
		return
	}
	t.Cleanup(func() { unix.Unmount(other, unix.MNT_DETACH) })
	onEachKind(t, func(r *Runner) { r.Env = append(r.Env, "HOME="+home) }, func(t *testing.T, kind string, r *Runner) {
		got := run(t, r, skill(t, "a.sh", "for f in .ssh/id .netrc notes; do cat \"$1/$f\" 2>/dev/null || echo kept; done\n"), other).Stdout
		want := "kept\nkept\nsecret\n"
		if kind == off {
			want = "secret\nsecret\nsecret\n"
		}
		if got != want {
			t.Errorf("by the other name: got %q, want %q", got, want)
		}
	})
}
