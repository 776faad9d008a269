package script

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEscapesByMechanism tries what only one mechanism prevents, so that the suite
// fails if that mechanism is removed.
func TestEscapesByMechanism(t *testing.T) {
	tryEachKind(t, func(t *testing.T, kind, home string) {
		s := newMechanisms(t, kind, home, false)
		judgeRows(t, s.runner, kind, s.rows, tryRows(t, s.runner, s.script, s.rows, s.world))
	})
}

func newMechanisms(t *testing.T, kind, home string, lines bool) suite {
	r := sandboxedRunner(t, kind, func(r *Runner) {
		r.Dir, r.Lines = filepath.Join(filepath.Dir(home), "work"), lines
		populate(t, home, r.Dir)
		r.Env = append(r.Env, "HOME="+home)
	})
	rows := append(mechanismAttempts(), mechanismOrdinary()...)
	return suite{runner: r, script: attemptScript(t, rows, map[string]string{".env": "KEY=1\n"}), rows: rows, world: mechanismWorld(t, home)}
}

// mechanismWorld returns what these rows compare with: limits and namespaces of the
// test itself.
func mechanismWorld(t *testing.T, home string) map[string]any {
	t.Helper()
	world := map[string]any{"home": home}
	var processes unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &processes); err != nil {
		t.Fatal(err)
	}
	// As Python has it, whose limits are signed.
	world["processes"] = int64(processes.Cur)
	for _, name := range namespaces() {
		link, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil {
			t.Fatal(err)
		}
		world[name] = link
	}
	return world
}

// namespaces are those that bubblewrap creates.
func namespaces() []string { return []string{"ipc", "net", "pid", "uts", "user", "mnt"} }

// mechanismAttempts returns rows of the suite that name the one mechanism that prevents
// them.
func mechanismAttempts() []attempt {
	const none = "AssertionError"
	// An unprivileged process cannot empty the bounding set; the superuser and
	// bubblewrap can.
	bounding := "open"
	if os.Getuid() == 0 {
		bounding = none
	}
	rows := []attempt{
		// The bounding set. TestDropPrivileges in package supervisor checks that no
		// privileges are left, which a started program cannot see.
		{name: "privileges that programs may get", body: `assert any(libc.prctl(23, c, 0, 0, 0) == 1 for c in range(41)), "none"`, landlock: bounding, bubblewrap: none},

		// Limits that nothing else enforces too.
		{name: "core files", body: `assert resource.getrlimit(resource.RLIMIT_CORE)[1], "none"`, landlock: none, bubblewrap: none},
		{name: "processes without number", body: `assert resource.getrlimit(resource.RLIMIT_NPROC)[0] == W["processes"], "fewer"`, landlock: none, bubblewrap: none},

		// The seccomp filter, with invalid arguments: the kernel answers what gets
		// through it with another error.
		{name: "TIOCSTI without a terminal", body: `senseless(lambda: fcntl.ioctl(os.pipe()[0], 0x5412, b"#"))`, landlock: refused, bubblewrap: refused},
		{name: "TIOCLINUX without a terminal", body: `senseless(lambda: fcntl.ioctl(os.pipe()[0], 0x541C, b"#"))`, landlock: refused, bubblewrap: refused},
		{name: "new namespace by clone3", body: `check(new_by_clone3()) or os._exit(0)`, landlock: "ENOSYS", bubblewrap: "ENOSYS"},
		{name: "clone3 without arguments", body: `senseless(lambda: sys_call(435, 435, 0, 0))`, landlock: "ENOSYS", bubblewrap: "ENOSYS"},
		{name: "programs in the kernel", body: `senseless(lambda: sys_call(321, 280, 9999, 0, 0))`, landlock: refused, bubblewrap: refused, root: true},
		{name: "faults of memory", body: `os.close(sys_call(323, 282, 1))`, landlock: refused, bubblewrap: refused},

		{name: "read by a hard link beside secrets", body: `open(W["home"] + "/hard").read()`, landlock: notGranted, bubblewrap: covered},
	}
	if runtime.GOARCH == "amd64" {
		// No error, but the end of the process.
		rows = append(rows, attempt{name: "32-bit calls", body: `thirty_two_bits()`, landlock: "SIGSYS", bubblewrap: "SIGSYS"})
	}
	for _, name := range namespaces() { // bubblewrap's --unshare-…
		rows = append(rows, attempt{name: "the namespace of others: " + name, body: `assert os.readlink("/proc/self/ns/` + name + `") == W["` + name + `"], "another"`, landlock: "open", bubblewrap: none})
	}
	return rows
}

// mechanismOrdinary returns rows that succeed on every kind thanks to one mechanism.
func mechanismOrdinary() []attempt {
	return []attempt{
		// In a namespace of its own, and without bubblewrap's --new-session, it
		// is 0: somebody's outside.
		{name: "a session of its own", body: `assert os.getsid(0) > 0`, landlock: "open", bubblewrap: "open"},
	}
}
