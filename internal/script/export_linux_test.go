package script

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Suite is a suite of escapes for tools that work under the same policy, which this package
// cannot import.
type Suite struct {
	Name   string
	Runner *Runner
	Skill  string // folder of the skill with the program
	World  string // its argument
	suite
	kind string
}

// Suites makes the suites in a kind of sandbox, whose runners run command lines too.
func Suites(t *testing.T, kind string) (list []Suite) {
	t.Helper()
	for _, made := range []struct {
		name string
		new  func(t *testing.T, kind, home string, lines bool) suite
	}{{"escapes", newEscapes}, {"mechanisms", newMechanisms}, {"more", newMore}} {
		home := filepath.Join(t.TempDir(), "home")
		err := os.Mkdir(home, 0o755)
		if err != nil {
			t.Fatal(err)
		}
		s := made.new(t, kind, home, true)
		words, err := json.Marshal(s.world)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Suite{Name: made.name, Runner: s.runner, Skill: s.script.Dir, World: string(words), suite: s, kind: kind})
	}
	return list
}

// Results returns how rows ended, from what the program printed.
func (s Suite) Results(t *testing.T, printed string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(printed) {
		var row [2]string
		if json.Unmarshal([]byte(line), &row) == nil {
			got[row[0]] = row[1]
		}
	}
	if len(got) != len(s.rows) {
		t.Fatalf("%d of %d rows tried:\n%s", len(got), len(s.rows), printed)
	}
	return got
}

// Judge compares how the rows ended with what is expected; others has what is expected
// instead, by the name of the row.
func (s Suite) Judge(t *testing.T, got, others map[string]string) {
	t.Helper()
	reported := strings.Join(s.runner.active.status.NotEnforced, "\n")
	for _, row := range s.rows {
		want := map[string]string{kindLandlock: row.landlock, kindBubblewrap: row.bubblewrap}[s.kind]
		if want == "" {
			want = "open" // ordinary work
		}
		if other, ok := others[row.name]; ok {
			want = other
		}
		row.landlock, row.bubblewrap = want, want
		t.Run(row.name, func(t *testing.T) { judge(t, row, s.kind, reported, got[row.name]) })
	}
}

// Arrived returns what reached the victims.
func (s Suite) Arrived() map[string]bool {
	if s.arrived == nil {
		return nil
	}
	return s.arrived()
}

// MayOpen reports whether the strongest sandbox lets a row work.
func (s Suite) MayOpen(name string) bool {
	for _, row := range s.rows {
		if row.name == name {
			return row.bubblewrap == "open" || row.bubblewrap == ""
		}
	}
	return false
}

// Recorder returns a program that prints the paths that the rows would use, without using
// them: the row, read, list, write or folder, and the path.
func (s Suite) Recorder() string {
	var b strings.Builder
	b.WriteString(prelude + morePrelude + recorder)
	for i, row := range s.rows {
		fmt.Fprintf(&b, "def row%d():\n    %s\nrecord(%q, row%d)\n", i, row.body, row.name, i)
	}
	return b.String()
}

// ByKind are the names of the kinds of sandbox that work under a policy.
func ByKind() []string { return []string{kindLandlock, kindBubblewrap} }

// Variables are those of the program.
func (s Suite) Variables() []string {
	return append(s.Runner.Env, "SKILL_DIR="+s.Skill)
}

// Folder is where the rows are tried.
func (s Suite) Folder() string { return filepath.Clean(s.Runner.Dir) }

// recorder puts functions that print in the place of those that open, change and remove
// files.
const recorder = `
import builtins
NAME = ""
def say(op, path):
    if isinstance(path, bytes):
        path = path.decode()
    print(json.dumps([NAME, op, str(path)]), flush=True)

class Nothing:
    def __getattr__(self, name):
        return lambda *a, **k: Nothing()
    def __index__(self):
        return -1
    __int__ = __index__
    def __getitem__(self, key):
        return Nothing()
    def __iter__(self):
        return iter(())
    def __enter__(self):
        return self
    def __exit__(self, *a):
        return False

def op(kinds):
    def f(*args, **keywords):
        for kind, path in zip(kinds, args):
            if kind:
                say(kind, path)
        return Nothing()
    return f

def opened(path, mode="r", *rest, **keywords):
    writes = mode & (os.O_WRONLY | os.O_RDWR) if isinstance(mode, int) else mode.strip("rbt")
    if isinstance(path, (str, bytes)):
        say("write" if writes else "read", path)
    return Nothing()

builtins.open = opened
os.open = opened
for name, kinds in {"listdir": ["list"], "rename": ["read", "write"], "link": ["read", "write"], "truncate": ["write"], "remove": ["write"], "mkdir": ["folder"],
        "makedirs": ["folder"], "symlink": ["", "write"], "mkfifo": ["write"], "chmod": ["write"], "utime": ["write"], "setxattr": ["write"], "stat": ["read"],
        "mknod": ["write"], "close": [], "fchmod": [], "write": [], "kill": [], "nice": [], "chroot": [], "readlink": []}.items():
    setattr(os, name, op(kinds))
def no(*args, **keywords):
    raise OSError(errno.EPERM, "not recorded")
os.fork = no
os.setpriority = no
os.sched_setaffinity = no
os.sched_setscheduler = no
os.sched_setparam = no
signal.pidfd_send_signal = no
resource.setrlimit = no
socket.socket = no
socket.create_connection = no
socket.create_server = no
socket.socketpair = no
subprocess.Popen = no
tempfile.NamedTemporaryFile = no
threading.Thread = no
libc = None
def ran(words, *rest, **keywords):
    if str(words[0]).startswith("/"):
        say("read", words[0])
    raise OSError(errno.EPERM, "not recorded")
subprocess.run = ran

def record(name, f):
    global NAME
    NAME = name
    try:
        f()
    except BaseException:
        pass
`
