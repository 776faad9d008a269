package script

// attempt is one row of the suite: something that a sandboxed script must not be
// able to do, in Python. Its body returns where it worked and raises an error
// where it did not. W is the victim, a dictionary of what there is to attack.
type attempt struct {
	name, body string
	// What the attempt ends with in each sandbox: the error's name, because that
	// shows which mechanism prevented it, several with a blank; "open" if it is
	// not enforced.
	landlock, bubblewrap string
	// what the sandbox must report as not enforced if the attempt succeeds
	notEnforced string
	root        bool // only the superuser could do it without a sandbox
}

// Mechanisms, identified by their errors.
const (
	notGranted = "EACCES"        // Landlock: a right that was not granted
	covered    = "EACCES ENOENT" // bubblewrap: a mount over it, or another view of the system
	readOnly   = "EROFS"         // bubblewrap: mounted read-only
	absent     = "EROFS ENOENT"  // bubblewrap: missing, or in a folder that exists only to hold a mount
	refused    = "EPERM"         // the seccomp filter, given-up privileges, Landlock's scope
	noSuch     = "ENOENT ESRCH"  // bubblewrap: other processes are not visible
)

// What the sandbox reports as not enforced.
const (
	protectedRow = "change .git, .claude and the other protected names"
	recordRow    = "read or change the run's session, audit, recording and --env-file files"
	envRow       = "read .env files directly in the working folder"
)

func attempts() []attempt {
	rows := []attempt{
		// Reading.
		{name: "read by link in the working folder", body: `open("link-to-secret").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read by ..", body: `open("../" + os.path.basename(W["home"]) + "/.ssh/id").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read by /proc/self/root", body: `open("/proc/self/root" + W["home"] + "/.ssh/id").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read by /proc/self/cwd", body: `open("/proc/self/cwd/../" + os.path.basename(W["home"]) + "/.ssh/id").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read by another's root", body: `open("/proc/%d/root%s/.ssh/id" % (W["victim"], W["home"])).read()`, landlock: "EACCES EPERM", bubblewrap: noSuch},
		{name: "list a secret folder", body: `os.listdir(W["home"] + "/.ssh")`, landlock: notGranted, bubblewrap: covered},
		{name: "run a secret file", body: `subprocess.run([W["home"] + "/.ssh/program"], check=True)`, landlock: notGranted, bubblewrap: covered},
		{name: "rename a secret into reach", body: `os.rename(W["home"] + "/.ssh/other", "id")`, landlock: "EACCES EXDEV", bubblewrap: "EACCES EROFS EXDEV ENOENT"},
		{name: "link a secret into reach", body: `os.link(W["home"] + "/.ssh/id", "id2")`, landlock: "EACCES EXDEV", bubblewrap: "EACCES EROFS EXDEV ENOENT"},
		{name: "read .env in the working folder", body: `open(".env").read()`, landlock: "open", notEnforced: envRow, bubblewrap: covered},
		{name: "read what a link named .env leads to", body: `open(".env.linked").read()`, landlock: "open", notEnforced: envRow, bubblewrap: covered},
		{name: "read .env further down", body: `open("app/.env.local").read()`, landlock: "open", bubblewrap: "open"},
		{name: "read .env further down in the skill", body: `open(os.environ["SKILL_DIR"] + "/scripts/.env").read()`, landlock: "open", bubblewrap: "open"},
		{name: "read a file of the home folder", body: `open(W["home"] + "/notes").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read settings of the home folder", body: `open(W["home"] + "/.config/app/settings").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read through a link named .env", body: `open(".env.root" + W["home"] + "/notes").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read through the skill's link named .env", body: `open(os.environ["SKILL_DIR"] + "/.env" + W["home"] + "/notes").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read a pipe outside", body: `os.close(os.open(W["outside"] + "/pipe", os.O_RDONLY | os.O_NONBLOCK))`, landlock: notGranted, bubblewrap: covered},
		{name: "write a pipe outside", body: `os.close(os.open(W["outside"] + "/pipe", os.O_RDWR))`, landlock: notGranted, bubblewrap: covered},
		{name: "read the run's audit file", body: `open("logs/audit.jsonl").read()`, landlock: "open", notEnforced: recordRow, bubblewrap: covered},
		{name: "empty the run's audit file", body: `open("logs/audit.jsonl", "w")`, landlock: "open", notEnforced: recordRow, bubblewrap: covered},
		{name: "move the run's audit file away", body: `os.rename("logs", "logs2"); os.rename("logs2", "logs")`, landlock: "open", notEnforced: recordRow, bubblewrap: "EBUSY"},
		{name: "write a hook of a bare repository", body: `open("bare/hooks/post-receive", "w")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "write a hook at core.hooksPath", body: `open(".hooks/pre-commit", "w")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "write settings of Git", body: `open(".git/config", "a")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "stat a secret", body: `os.stat(W["home"] + "/.ssh/id")`, landlock: "open", notEnforced: "see names, sizes and times", bubblewrap: covered},
		{name: "read shared memory of others", body: `open(W["shm"]).read()`, landlock: notGranted, bubblewrap: covered},
		// A file may already have another name.
		{name: "read by a hard link that is there", body: `open("hard").read()`, landlock: "open", bubblewrap: "open"},

		// Writing.
		{name: "make a file outside", body: `open(W["outside"] + "/new", "x")`, landlock: notGranted, bubblewrap: absent},
		{name: "append outside", body: `open(W["outside"] + "/file", "a")`, landlock: notGranted, bubblewrap: absent},
		{name: "cut a file outside", body: `os.truncate(W["outside"] + "/file", 0)`, landlock: notGranted, bubblewrap: absent},
		{name: "write outside by link", body: `open("link-outside/file", "a")`, landlock: notGranted, bubblewrap: absent},
		{name: "rename to the outside", body: `open("mine", "w"); os.rename("mine", W["outside"] + "/mine")`, landlock: "EACCES EXDEV", bubblewrap: "EROFS EXDEV ENOENT"},
		{name: "remove a file outside", body: `os.remove(W["outside"] + "/file")`, landlock: notGranted, bubblewrap: absent},
		{name: "make a folder outside", body: `os.mkdir(W["outside"] + "/dir")`, landlock: notGranted, bubblewrap: absent},
		{name: "make a link outside", body: `os.symlink("x", W["outside"] + "/link")`, landlock: notGranted, bubblewrap: absent},
		{name: "make a pipe outside", body: `os.mkfifo(W["outside"] + "/fifo")`, landlock: notGranted, bubblewrap: absent},
		{name: "write in /tmp", body: `open(W["tmp"], "x")`, landlock: notGranted, bubblewrap: "open"},
		{name: "change permissions outside", body: `os.chmod(W["outside"] + "/other", 0o640)`, landlock: "open", notEnforced: "change permissions and times", bubblewrap: absent},
		{name: "change permissions of a device", body: `os.chmod("/dev/full", os.stat("/dev/full").st_mode & 0o777)`, landlock: "open", notEnforced: "change permissions and times", bubblewrap: readOnly, root: true},
		{name: "write to a device", body: `open("/dev/null", "w").write("x"); open("/dev/zero").read(1)`, landlock: "open", bubblewrap: "open"},
		{name: "change times outside", body: `os.utime(W["outside"] + "/other", (1, 1))`, landlock: "open", notEnforced: "change permissions and times", bubblewrap: absent},
		{name: "change attributes outside", body: `os.setxattr(W["outside"] + "/other", "user.x", b"1")`, landlock: "ENOTSUP EOPNOTSUPP", bubblewrap: "ENOTSUP EOPNOTSUPP"},
		{name: "write the own skill", body: `open(os.environ["SKILL_DIR"] + "/SKILL.md", "a")`, landlock: notGranted, bubblewrap: readOnly},
		{name: "write a skill in the working folder", body: `open("skills/a/run.sh", "a")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "put the skills aside", body: `os.rename("skills", "skills2"); os.rename("skills2", "skills")`, landlock: "open", notEnforced: protectedRow, bubblewrap: "EBUSY"},
		{name: "write a Git hook", body: `open(".git/hooks/pre-commit", "w")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "put .git aside", body: `os.rename(".git", ".git2"); os.rename(".git2", ".git")`, landlock: "open", notEnforced: protectedRow, bubblewrap: "EBUSY"},
		{name: "make a device", body: `os.mknod("device", 0o20666, os.makedev(1, 3))`, landlock: "EACCES EPERM", bubblewrap: refused, root: true},

		// Other processes.
		{name: "signal another process", body: `os.kill(W["victim"], 0)`, landlock: refused, bubblewrap: noSuch},
		{name: "signal the supervisor", body: `os.kill(os.getppid() if W["bare"] or os.getppid() > 2 else W["victim"], 0)`, landlock: refused, bubblewrap: noSuch},
		{name: "signal by descriptor", body: `signal.pidfd_send_signal(os.pidfd_open(W["victim"]), 0)`, landlock: refused, bubblewrap: noSuch},
		{name: "read another's environment", body: `assert b"sk-victim" in open("/proc/%d/environ" % W["victim"], "rb").read()`, landlock: notGranted, bubblewrap: noSuch},
		{name: "read another's command line", body: `open("/proc/%d/cmdline" % W["victim"]).read()`, landlock: notGranted, bubblewrap: noSuch},
		{name: "list another's descriptors", body: `os.listdir("/proc/%d/fd" % W["victim"])`, landlock: notGranted, bubblewrap: noSuch},
		{name: "trace another process", body: `traced(W["victim"])`, landlock: refused, bubblewrap: "EPERM ESRCH"},
		{name: "read another's memory", body: `forked(lambda: call("process_vm_readv", W["victim"], 0, 0, 0, 0, 0))`, landlock: refused, bubblewrap: "EPERM ESRCH"},
		{name: "take another's descriptor", body: `os.close(call("pidfd_getfd", os.pidfd_open(W["victim"]), 0, 0))`, landlock: refused, bubblewrap: noSuch},
		{name: "limit another process", body: `resource.prlimit(W["victim"], resource.RLIMIT_NOFILE)`, landlock: refused, bubblewrap: refused},

		// The network and other ways to talk.
		{name: "connect to IPv4", body: `socket.create_connection(("127.0.0.1", W["port4"]), 5)`, landlock: refused, bubblewrap: refused},
		{name: "listen at IPv4", body: `socket.create_server(("127.0.0.1", 0))`, landlock: refused, bubblewrap: refused},
		{name: "connect to IPv6", body: `socket.create_connection(("::1", W["port6"]), 5) if W["port6"] else socket.socket(socket.AF_INET6)`, landlock: refused, bubblewrap: refused},
		{name: "send by UDP", body: `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"escaped", ("127.0.0.1", W["udp"]))`, landlock: refused, bubblewrap: refused},
		{name: "netlink", body: `socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)`, landlock: refused, bubblewrap: refused},
		{name: "raw packets", body: `socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`, landlock: refused, bubblewrap: refused, root: true},
		{name: "connect to a Unix socket", body: `s = socket.socket(socket.AF_UNIX); s.connect(W["unix"])`, landlock: refused, bubblewrap: refused},
		{name: "connect to an abstract socket", body: `s = socket.socket(socket.AF_UNIX); s.connect("\0" + W["abstract"])`, landlock: refused, bubblewrap: refused},
		{name: "send to a Unix socket from a pair", body: `socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"escaped", W["dgram"])`, landlock: refused, bubblewrap: refused},
		{name: "shared memory by number", body: `libc.shmctl(check(libc.shmget(0, 4096, 0o1600)), 0, None)`, landlock: refused, bubblewrap: refused},
		{name: "messages by number", body: `libc.msgctl(check(libc.msgget(0, 0o1600)), 0, None)`, landlock: refused, bubblewrap: refused},
		{name: "kernel keys", body: `call("keyctl", 0, -3, 0)`, landlock: refused, bubblewrap: refused},

		// Other kernel interfaces.
		{name: "new user namespace", body: `forked(lambda: check(libc.unshare(0x10000000)))`, landlock: refused, bubblewrap: refused},
		{name: "new namespace by clone", body: `os._exit(0) if check(call("clone", 0x10000000 | 17, 0, 0, 0, 0)) == 0 else os.wait()`, landlock: refused, bubblewrap: refused},
		{name: "mount", body: `forked(lambda: call("mount", 0, 0, 0, 0, 0))`, landlock: refused, bubblewrap: refused, root: true},
		{name: "change the root", body: `forked(lambda: os.chroot("/"))`, landlock: refused, bubblewrap: refused, root: true},
		{name: "io_uring", body: `os.close(call("io_uring_setup", 1, ctypes.create_string_buffer(120)))`, landlock: refused, bubblewrap: refused},
		{name: "open by handle", body: `forked(lambda: call("open_by_handle_at", -1, 0, 0))`, landlock: refused, bubblewrap: refused, root: true},
		{name: "open a kernel setting for writing", body: `os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))`, landlock: notGranted, bubblewrap: "EROFS EACCES", root: true},
		{name: "open the system request key", body: `os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY))`, landlock: "EACCES ENOENT", bubblewrap: "EROFS EACCES ENOENT", root: true},
		{name: "privileges", body: `assert any(capabilities()), "none"`, landlock: "AssertionError", bubblewrap: "AssertionError", root: true},
		{name: "new privileges", body: `assert libc.prctl(39, 0, 0, 0, 0) == 0, "none"`, landlock: "AssertionError", bubblewrap: "AssertionError"},

		// Terminals.
		{name: "write to a terminal", body: `os.write(os.open(W["pts"], os.O_WRONLY | os.O_NOCTTY), b"escaped\n")`, landlock: notGranted, bubblewrap: covered},
		{name: "read a terminal", body: `os.close(os.open(W["pts"], os.O_RDONLY | os.O_NOCTTY))`, landlock: notGranted, bubblewrap: covered},
		{name: "type at a terminal", body: `fcntl.ioctl(os.open(W["pts"], os.O_RDWR | os.O_NOCTTY), termios.TIOCSTI, b"#")`, landlock: notGranted, bubblewrap: covered, root: true},
	}
	for _, file := range secretFiles() {
		rows = append(rows, attempt{name: "read " + file, body: `open(W["home"] + "/` + file + `").read()`, landlock: notGranted, bubblewrap: covered})
	}
	return rows
}

// secretFiles are one of each class of secrets, below the home folder.
func secretFiles() []string {
	return []string{
		".ssh/id", ".aws/credentials", ".gnupg/key", ".config/gcloud/token", ".config/gh/hosts.yml", ".netrc", ".npmrc", ".docker/config.json",
		".config/google-chrome/Default/Cookies", ".mozilla/firefox/x/logins.json", ".local/share/keyrings/login", ".bash_history", ".env",
	}
}

// ordinary is work that has to succeed in every sandbox.
func ordinary() []attempt {
	return []attempt{
		{name: "read the working folder", body: `assert open("README").read() == "hello\n"; os.listdir(".")`},
		{name: "read by a link inside", body: `open("link-inside").read()`},
		{name: "read the system", body: `open("/etc/hosts").read(); os.listdir("/usr/bin")`},
		{name: "read the own skill", body: `open(os.environ["SKILL_DIR"] + "/SKILL.md").read()`},
		{name: "write the working folder", body: `open("made", "w").write("x"); os.mkdir("d"); os.rename("made", "d/made"); os.chmod("d/made", 0o600); os.symlink("d", "e"); os.truncate("d/made", 0); os.utime("d/made"); os.remove("e"); os.link("d/made", "made2")`},
		{name: "write the temporary folder", body: `tempfile.NamedTemporaryFile().write(b"x"); assert tempfile.gettempdir() == os.environ["TMPDIR"]`},
		{name: "write what is allowed", body: `open(W["allowed"] + "/made", "w").write("x")`},
		{name: "read the repository", body: `open(".git/config").read(); os.listdir(".git/hooks")`},
		{name: "programs and pipes", body: `assert subprocess.run(["sh", "-c", "cat <<X | tr a-z A-Z\nhere\nX"], capture_output=True, check=True).stdout == b"HERE\n"`},
		{name: "pairs of sockets", body: `socket.socketpair()`},
		{name: "own children", body: `p = subprocess.Popen(["sleep", "100"]); p.kill(); p.wait()`},
		{name: "threads", body: `[t.start() or t.join() for t in [threading.Thread(target=len, args=("x",)) for i in range(8)]]`},
		{name: "memory", body: `bytearray(100 << 20)`},
		{name: "the null device", body: `open("/dev/null", "w").write("x"); open("/dev/urandom", "rb").read(1)`},
		{name: "no terminal", body: `assert not os.isatty(0) and not os.isatty(1)`},
		{name: "who we are", body: `import pwd; pwd.getpwuid(os.getuid())`},
	}
}

// prelude is the code for all rows.
const prelude = `import ctypes, errno, fcntl, json, os, platform, resource, signal, socket, subprocess, sys, tempfile, termios, threading
W = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
numbers = {
    "x86_64": {"keyctl": 250, "clone": 56, "mount": 165, "io_uring_setup": 425, "open_by_handle_at": 304, "process_vm_readv": 310, "pidfd_getfd": 438},
    "aarch64": {"keyctl": 219, "clone": 220, "mount": 40, "io_uring_setup": 425, "open_by_handle_at": 265, "process_vm_readv": 270, "pidfd_getfd": 438},
}[platform.machine()]

def check(r):
    if r == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return r

def call(name, *args):
    return check(libc.syscall(numbers[name], *args))

def forked(f):
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            f()
        except OSError as e:
            code = e.errno
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    # What is asked for in a way that makes no sense has got through the filter.
    if code not in (0, errno.EFAULT, errno.EBADF, errno.EINVAL):
        raise OSError(code, os.strerror(code))

def traced(pid):
    attach, detach = 16, 17
    check(libc.ptrace(attach, pid, None, None))
    os.waitpid(pid, 0)
    check(libc.ptrace(detach, pid, None, None))

def sys_call(x86_64, aarch64, *args):
    return check(libc.syscall({"x86_64": x86_64, "aarch64": aarch64}[platform.machine()], *args))

def capabilities():
    # Of the kernel itself: /proc may be closed.
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    sys_call(125, 90, header, data)
    return list(data)

def senseless(f):
    # What is asked for in a way that makes no sense has got through the filter.
    try:
        f()
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.ENOTTY):
            raise

def new_by_clone3():
    # struct clone_args: the flags first, the signal of its end fifth.
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, signal.SIGCHLD)
    return libc.syscall(435, arguments, ctypes.sizeof(arguments))

class SIGSYS(Exception):
    pass

class SIGSEGV(Exception):
    pass

def thirty_two_bits():
    import mmap
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3") # getpid in 32 bits
    pid = os.fork()
    if pid == 0:
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise {-signal.SIGSYS: SIGSYS, -signal.SIGSEGV: SIGSEGV}[code]()

def attempt(name, f):
    try:
        f()
        got = "open"
    except OSError as e:
        got = errno.errorcode.get(e.errno, str(e))
    except BaseException as e:
        got = type(e).__name__
    print(json.dumps([name, got]), flush=True)

`
