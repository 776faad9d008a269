package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// daemons is a script that leaves eight processes, each in its own session and without
// a parent, and prints a line when all hold the pipe $1.
const daemons = `import os, signal, sys, time
pipe = os.open(sys.argv[1], os.O_WRONLY)
for i in range(8):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for s in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(s, signal.SIG_IGN)
            if i == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(1000)
        os._exit(0)
    os.wait()
os.write(pipe, b"up\n")
`

// TestDaemonsEndWithScript checks that processes in sessions of their own end with the script.
func TestDaemonsEndWithScript(t *testing.T) {
	t.Parallel()
	path, lines := pipe(t)
	result := run(t, runner(t), skill(t, "a.py", daemons+"print('done')\n"), path)
	if got := allGone(t, lines); got != "up\n" || !result.OK() || result.Stdout != "done\n" {
		t.Errorf("the script wrote %q, result %+v, want success", got, result)
	}
}

// TestDaemonsDieWithUs checks that daemons end even if the runner's process is killed.
func TestDaemonsDieWithUs(t *testing.T) {
	t.Parallel()
	s := skill(t, "a.py", strings.ReplaceAll(daemons, "sys.argv[1]", `os.environ["SCRIPT_TEST_PIPE"]`)+"time.sleep(1000)\n")
	diesWithUs(t, s.Dir, "a.py")
}

// TestRunDescriptors checks that a script gets its three streams, even if the runner's
// process has none.
func TestRunDescriptors(t *testing.T) {
	t.Parallel()
	s := skill(t, "a.py", "import os\nprint(sorted(int(f) for f in os.listdir('/proc/self/fd')))\n")
	file, err := os.Create(filepath.Join(t.TempDir(), "inherited"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, fd := range []int{200, 251} { // without close-on-exec
		if err := syscall.Dup3(int(file.Fd()), fd, 0); err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
	}
	// 3 is the listing's own.
	if result := run(t, runner(t), s); result.Stdout != "[0, 1, 2, 3]\n" {
		t.Errorf("got %q, stderr %q, want the three streams", result.Stdout, result.Stderr)
	}
}

// TestSupervisorKilled checks that a script ends with its supervisor if that is killed.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	path, lines := pipe(t)
	result := run(t, runner(t), skill(t, "a.sh", "exec 3>\"$1\"; echo up >&3; kill -KILL $PPID; sleep 1000\n"), path)
	if got := allGone(t, lines); got != "up\n" || result.OK() || result.Signal != "SIGKILL" {
		t.Errorf("the script wrote %q, result %+v, want it killed", got, result)
	}
}

// TestSupervisorKeepsOn checks that signals other than SIGKILL do not end a supervisor.
func TestSupervisorKeepsOn(t *testing.T) {
	t.Parallel()
	result := run(t, runner(t), skill(t, "a.sh", "for s in HUP INT TERM QUIT PIPE; do kill -$s $PPID; done; echo done\n"))
	if !result.OK() || result.Stdout != "done\n" {
		t.Errorf("got %+v, want success", result)
	}
}

// TestRunNoProgram checks that a program that cannot be started is an error with the
// system's reason.
func TestRunNoProgram(t *testing.T) {
	t.Parallel()
	r := runner(t)
	notProgram := filepath.Join(t.TempDir(), "bash")
	if err := os.WriteFile(notProgram, []byte("\x7fELF nonsense"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.find = func(string) (string, bool) { return notProgram, true }
	if _, err := r.Run(t.Context(), skill(t, "a.sh", "echo\n"), nil); err == nil || !strings.Contains(err.Error(), syscall.ENOEXEC.Error()) {
		t.Errorf("Run() = %v, want %v", err, syscall.ENOEXEC)
	}
}

// TestSuperviseAlone checks that a supervisor without a launch request starts nothing.
func TestSuperviseAlone(t *testing.T) {
	t.Parallel()
	c := exec.Command(os.Args[0], "__supervise", "/bin/echo", "started")
	out, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 2 || strings.Contains(string(out), "started\n") {
		t.Errorf("got %q, %v, want exit code 2", out, err)
	}
}
