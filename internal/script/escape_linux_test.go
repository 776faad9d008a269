package script

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"skills/internal/testing/filetest"
)

// TestEscapes tries every known way out of every kind of sandbox that works here, and
// ordinary work. Without a sandbox every attempt must succeed, otherwise it would prove
// nothing.
func TestEscapes(t *testing.T) {
	tryEachKind(t, func(t *testing.T, kind, home string) {
		s := newEscapes(t, kind, home, false)
		got := tryRows(t, s.runner, s.script, s.rows, s.world)
		judgeRows(t, s.runner, kind, attempts(), got)
		for _, row := range ordinary() {
			if got := got[row.name]; got != "open" && (kind == kindLandlock || kind == kindBubblewrap || row.name != "write the temporary folder") {
				t.Errorf("ordinary work failed: %s: %s", row.name, got)
			}
		}
		for what, escaped := range s.arrived() {
			if sandboxed := kind == kindLandlock || kind == kindBubblewrap; escaped == sandboxed {
				t.Errorf("%s: arrived %t, want %t", what, escaped, !sandboxed)
			}
		}
	})
}

// suite is what rows are tried with.
type suite struct {
	runner  *Runner
	script  Script // tries all rows
	rows    []attempt
	world   map[string]any
	arrived func() map[string]bool // what reached the victims; nil without any
}

// newEscapes makes the suite of TestEscapes; lines means that the runner also runs command
// lines.
func newEscapes(t *testing.T, kind, home string, lines bool) suite {
	work, allowed := "", t.TempDir()
	r := sandboxedRunner(t, kind, func(r *Runner) {
		// Next to the home folder, so that .. leads from one to the other.
		r.Dir, r.Lines = filepath.Join(filepath.Dir(home), "work"), lines
		work = r.Dir
		populate(t, home, work)
		r.Env = append(r.Env, "HOME="+home)
		r.AllowWrite = []string{allowed}
		r.Protect = []string{filepath.Join(work, "skills"), filepath.Join(work, ".hooks")}
		r.Private = []string{filepath.Join(work, "logs", "audit.jsonl")}
	})
	world, watch := victims(t)
	world["home"], world["outside"], world["allowed"], world["bare"] = home, filepath.Join(home, "outside"), allowed, kind == bare
	rows := append(attempts(), ordinary()...)
	s := attemptScript(t, rows, map[string]string{"scripts/.env": "KEY=1\n"})
	for name, target := range map[string]string{".env": "/", ".env.local": "/proc/self/root"} {
		if err := os.Symlink(target, filepath.Join(s.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return suite{runner: r, script: s, rows: rows, world: world, arrived: watch}
}

// tryEachKind runs a test for each kind of sandbox in parallel, with a home folder, if
// the interpreter of the attempts is here.
func tryEachKind(t *testing.T, test func(t *testing.T, kind, home string)) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the attempts are in Python, which is not installed")
	}
	for _, kind := range []string{bare, off, kindLandlock, kindBubblewrap} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, kind, t.TempDir())
		})
	}
}

// judgeRows compares how rows ended with what is expected of the kind.
func judgeRows(t *testing.T, r *Runner, kind string, rows []attempt, got map[string]string) {
	reported := strings.Join(r.active.status.NotEnforced, "\n")
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) { judge(t, row, kind, reported, got[row.name]) })
	}
}

// judge compares how an attempt ended with what is expected of the kind.
func judge(t *testing.T, row attempt, kind, reported, got string) {
	want := map[string]string{bare: "open", off: "open", kindLandlock: row.landlock, kindBubblewrap: row.bubblewrap}[kind]
	if row.root && os.Getuid() != 0 && want == "open" {
		t.Skip("only the superuser could do this")
	}
	if want == "open" && (kind == bare || kind == off) && unlikely(row.name, got) {
		t.Skipf("this machine closes it to everybody: %s", got)
	}
	if !slices.Contains(strings.Fields(want), got) {
		t.Errorf("ended with %q, want %s", got, want)
	}
	if want == "open" && row.notEnforced != "" && kind != bare && kind != off && !strings.Contains(reported, row.notEnforced) {
		t.Errorf("the attempt succeeded, and %q is not reported as not enforced:\n%s", row.notEnforced, reported)
	}
}

// unlikely reports whether a machine may deny an attempt to all programs.
func unlikely(name, got string) bool {
	switch name {
	case "io_uring", "new user namespace", "new namespace by clone", "kernel keys", "type at a terminal", "mount", "change the root",
		"open a kernel setting for writing", "open the system request key", "make a device", "raw packets", "open by handle", "privileges",
		"trace another process", "read another's memory", "take another's descriptor":
		return got == "EPERM" || got == "EACCES" || got == "ENOSYS" || got == "EIO" || got == "ENOSPC" || got == "EROFS" || got == "ENOENT" || got == "AssertionError"
	case "core files", "privileges that programs may get":
		return got == "AssertionError"
	case "new namespace by clone3", "clone3 without arguments", "programs in the kernel", "faults of memory", "32-bit calls":
		return got == "EPERM" || got == "EACCES" || got == "ENOSYS" || got == "ENOSPC" || got == "SIGSEGV"
	case "change attributes outside":
		return got == "ENOTSUP" || got == "EOPNOTSUPP"
	case "connect to IPv6":
		return got == "EAFNOSUPPORT"
	}
	return false
}

// attemptScript makes a skill with files and a script that tries rows.
func attemptScript(t *testing.T, rows []attempt, files map[string]string) Script {
	t.Helper()
	var b strings.Builder
	b.WriteString(prelude + morePrelude)
	for i, row := range rows {
		fmt.Fprintf(&b, "def row%d():\n    %s\nattempt(%q, row%d)\n", i, row.body, row.name, i)
	}
	s := skill(t, "scripts/escape.py", b.String())
	filetest.Write(t, s.Dir, map[string]string{"SKILL.md": "x"})
	filetest.Write(t, s.Dir, files)
	return s
}

// tryRows runs the script of rows and returns how each has ended.
func tryRows(t *testing.T, r *Runner, s Script, rows []attempt, world map[string]any) map[string]string {
	t.Helper()
	words, err := json.Marshal(world)
	if err != nil {
		t.Fatal(err)
	}
	result := run(t, r, s, string(words))
	got := map[string]string{}
	for line := range strings.Lines(result.Stdout) {
		var row [2]string
		if json.Unmarshal([]byte(line), &row) == nil {
			got[row[0]] = row[1]
		}
	}
	if !result.OK() || len(got) != len(rows) {
		t.Fatalf("%d of %d rows tried, %+v", len(got), len(rows), result)
	}
	return got
}

// populate fills a home folder with secrets and a working folder with work.
func populate(t *testing.T, home, work string) {
	t.Helper()
	write := func(path, content string, mode os.FileMode) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(secretFiles(), "notes", ".config/app/settings") {
		write(filepath.Join(home, name), "secret\n", 0o600)
	}
	write(filepath.Join(home, ".ssh/program"), "#!/bin/sh\n", 0o700)
	write(filepath.Join(home, ".ssh/other"), "secret\n", 0o600) // for what moves it
	for name, content := range map[string]string{
		"README": "hello\n", ".env": "KEY=1\n", "config/values": "KEY=1\n", "app/.env.local": "KEY=1\n", "skills/a/run.sh": "echo\n", ".git/hooks/sample": "", ".git/config": "",
		"logs/audit.jsonl": "{}\n", "bare/HEAD": "x", "bare/refs/x": "", "bare/objects/x": "", "bare/hooks/sample": "", ".hooks/sample": "",
	} {
		write(filepath.Join(work, name), content, 0o600)
	}
	outside := filepath.Join(home, "outside")
	for _, name := range []string{"file", "other"} {
		write(filepath.Join(outside, name), "x", 0o600)
	}
	// A link that looks like a .env file widens nothing, wherever it leads.
	for name, target := range map[string]string{".env.root": "/", ".env.usr": "/usr", ".env.here": ".", "link-to-secret": filepath.Join(home, ".ssh/id"), "link-outside": outside, "link-inside": "README", ".env.linked": "config/values"} {
		if err := os.Symlink(target, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(outside, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{work, home} {
		if err := os.Link(filepath.Join(home, ".ssh/id"), filepath.Join(dir, "hard")); err != nil {
			t.Fatal(err)
		}
	}
}

// victims starts the processes and listeners that scripts attack. The returned
// function reports what reached them.
func victims(t *testing.T) (world map[string]any, arrived func() map[string]bool) {
	t.Helper()
	world = map[string]any{}
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sleeper := exec.Command("sleep", "1000")
	sleeper.Env = []string{"OPENAI_API_KEY=sk-victim"}
	must(sleeper.Start())
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })
	world["victim"] = sleeper.Process.Pid

	stream := func(network, address string) net.Listener {
		l, err := net.Listen(network, address)
		if err != nil {
			return nil
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	world["port4"], world["port6"] = stream("tcp4", "127.0.0.1:0").Addr().(*net.TCPAddr).Port, 0
	if l := stream("tcp6", "[::1]:0"); l != nil {
		world["port6"] = l.Addr().(*net.TCPAddr).Port
	}
	name := "skills-test-" + filepath.Base(filepath.Dir(dir)) + filepath.Base(dir) + fmt.Sprint(os.Getpid())
	world["unix"], world["abstract"] = filepath.Join(dir, "stream"), name
	for _, address := range []string{world["unix"].(string), "@" + name} {
		if stream("unix", address) == nil {
			t.Fatalf("nothing listens at %s", address)
		}
	}
	packets := func(network, address string) net.PacketConn {
		c, err := net.ListenPacket(network, address)
		must(err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	udp, dgram := packets("udp4", "127.0.0.1:0"), packets("unixgram", filepath.Join(dir, "dgram"))
	world["udp"], world["dgram"] = udp.LocalAddr().(*net.UDPAddr).Port, filepath.Join(dir, "dgram")

	world["tmp"] = filepath.Join("/tmp", name)
	t.Cleanup(func() { os.Remove(world["tmp"].(string)) })
	world["shm"] = "/dev/shm/" + name
	must(os.WriteFile(world["shm"].(string), []byte("shared"), 0o600))
	t.Cleanup(func() { os.Remove(world["shm"].(string)) })

	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	must(err)
	t.Cleanup(func() { master.Close() })
	must(unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(err)
	world["pts"] = fmt.Sprintf("/dev/pts/%d", number)

	return world, func() map[string]bool {
		_, written := os.Lstat(world["tmp"].(string))
		waiting := func(c net.PacketConn) bool {
			raw, err := c.(syscall.Conn).SyscallConn()
			must(err)
			found := false
			raw.Read(func(fd uintptr) bool {
				n, _, err := unix.Recvfrom(int(fd), make([]byte, 64), unix.MSG_DONTWAIT)
				found = err == nil && n > 0
				return true
			})
			return found
		}
		return map[string]bool{"file in /tmp": written == nil, "datagram by UDP": waiting(udp), "datagram to a Unix socket": waiting(dgram)}
	}
}
