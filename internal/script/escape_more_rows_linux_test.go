package script

// moreAttempts are further rows of the suite, in the same form.
func moreAttempts() []attempt {
	return []attempt{
		// Files with keys in other places than the usual.
		{name: "read .env of the repository above", body: `open("../.env").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read .env of the own skill", body: `open(os.environ["SKILL_DIR"] + "/.env").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read .env of another skill", body: `open(W["skills"] + "/b/.env.local").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read prod.env in the working folder", body: `open("prod.env").read()`, landlock: "open", notEnforced: envRow, bubblewrap: covered},
		{name: "read below XDG_CONFIG_HOME", body: `open(W["named"] + "/config/gh/hosts.yml").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read AWS_SHARED_CREDENTIALS_FILE", body: `open(W["named"] + "/aws").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read the second of KUBECONFIG", body: `open(W["named"] + "/kube2").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read in CLOUDSDK_CONFIG", body: `open(W["named"] + "/gcloud/token").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read CARGO_HOME's credentials", body: `open(W["named"] + "/cargo/credentials.toml").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read what a secret folder links to", body: `open(W["home"] + "/dotfiles/aws").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read a key of Kaggle", body: `open(W["home"] + "/.kaggle/kaggle.json").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read a profile of Chrome's next version", body: `open(W["home"] + "/.config/google-chrome-beta/Default/Cookies").read()`, landlock: notGranted, bubblewrap: covered},

		{name: "read beside the .env above", body: `open("../src/file").read()`, landlock: notGranted, bubblewrap: covered},
		{name: "read beside credentials that a variable names", body: `open(W["named"] + "/cargo/config.toml").read()`, landlock: notGranted, bubblewrap: covered},

		// What makes programs do something later.
		{name: "write settings of a nested repository", body: `open("sub/.git/config", "a")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "name another folder with settings of a repository", body: `open("sub/.git/commondir", "x")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "name another folder with settings of a bare repository", body: `open("bare/commondir", "x")`, landlock: "open", notEnforced: protectedRow, bubblewrap: readOnly},
		{name: "write settings of a repository further down", body: `open("far/down/.git/config", "a")`, landlock: "open", bubblewrap: "open"},
		// The sandbox cannot prevent new files in place of missing ones.
		{name: "make a new skill", body: `os.makedirs(".claude/skills/new"); open(".claude/skills/new/SKILL.md", "x")`, landlock: "open", bubblewrap: "open"},

		// What other programs share by number.
		{name: "read shared memory by its number", body: `libc.shmat.restype = ctypes.c_void_p; p = libc.shmat(W["shmid"], None, 0); check(-1 if p == 2**64 - 1 else 0); libc.shmdt(ctypes.c_void_p(p))`, landlock: refused, bubblewrap: refused},
		{name: "look at shared memory by its number", body: `check(libc.shmctl(W["shmid"], 2, ctypes.create_string_buffer(256)))`, landlock: refused, bubblewrap: refused},
		{name: "put a message into a queue by its number", body: `check(libc.msgsnd(W["msqid"], ctypes.create_string_buffer(b"\1" + bytes(31)), 8, 0o4000))`, landlock: refused, bubblewrap: refused},
		{name: "take a message from a queue by its number", body: `check(libc.msgrcv(W["msqid"], ctypes.create_string_buffer(64), 8, 0, 0o4000))`, landlock: refused, bubblewrap: refused},
		{name: "look at a queue by its number", body: `check(libc.msgctl(W["msqid"], 2, ctypes.create_string_buffer(256)))`, landlock: refused, bubblewrap: refused},
		{name: "use semaphores by their number", body: `check(libc.semop(W["semid"], ctypes.create_string_buffer(b"\0\0\1\0\0\0"), 1))`, landlock: refused, bubblewrap: refused},
		{name: "use semaphores with a time limit", body: `check(libc.semtimedop(W["semid"], ctypes.create_string_buffer(b"\0\0\1\0\0\0"), 1, None))`, landlock: refused, bubblewrap: refused},
		{name: "read semaphores by their number", body: `check(libc.semctl(W["semid"], 0, 12))`, landlock: refused, bubblewrap: refused},

		// How other processes are treated.
		{name: "make another process wait", body: `os.setpriority(os.PRIO_PROCESS, W["victim"], 19)`, landlock: refused, bubblewrap: "EPERM ESRCH"},
		{name: "make all of a user's processes wait", body: `lacking(lambda: os.setpriority(os.PRIO_USER, 4242424, 19))`, landlock: refused, bubblewrap: refused},
		{name: "keep another process on a processor", body: `os.sched_setaffinity(W["victim"], os.sched_getaffinity(0))`, landlock: refused, bubblewrap: refused},
		{name: "schedule another process", body: `os.sched_setscheduler(W["victim"], os.SCHED_BATCH, os.sched_param(0))`, landlock: refused, bubblewrap: refused},
		{name: "schedule another process by parameters", body: `os.sched_setparam(W["victim"], os.sched_param(0))`, landlock: refused, bubblewrap: refused},
		{name: "schedule another process by attributes", body: `call("sched_setattr", W["victim"], ctypes.create_string_buffer(b"\x30" + bytes(15) + b"\x13" + bytes(31)), 0)`, landlock: refused, bubblewrap: refused},
		{name: "make another's disk work wait", body: `call("ioprio_set", 1, W["victim"], 2 << 13 | 7)`, landlock: refused, bubblewrap: refused},

		{name: "reach the mounts of the first process", body: `os.listdir("/proc/%d/root/" % first())`, landlock: notGranted, bubblewrap: covered, root: true},
		{name: "open the memory of the first process", body: `os.close(os.open("/proc/%d/mem" % first(), os.O_RDONLY))`, landlock: notGranted, bubblewrap: covered, root: true},

		// What would outlive the script, or its share.
		{name: "allow itself more processes", body: `b = (ctypes.c_ulong * 2)(); check(libc.getrlimit(6, b)); check(libc.setrlimit(6, b))`, landlock: refused, bubblewrap: refused},
		{name: "allow itself more processes the old way", body: `b = (ctypes.c_ulong * 2)(); check(libc.getrlimit(6, b)); call("setrlimit", 6, b)`, landlock: refused, bubblewrap: refused},
		{name: "make a file run as its owner", body: `open("owned", "w"); os.chmod("owned", 0o4755)`, landlock: refused, bubblewrap: refused},
		{name: "make an open file run as its owner", body: `f = open("owned2", "w"); os.fchmod(f.fileno(), 0o4755)`, landlock: refused, bubblewrap: refused},
		{name: "make a file below a folder run as its owner", body: `open("owned3", "w"); os.chmod("owned3", 0o4755, dir_fd=os.open(".", os.O_RDONLY))`, landlock: refused, bubblewrap: refused},
		{name: "make a file run as its owner with flags", body: `open("owned4", "w"); lacking(lambda: call("fchmodat2", -100, b"owned4", 0o4755, 0), errno.ENOSYS)`, landlock: refused, bubblewrap: refused},
		{name: "open a new file that runs as its owner", body: `os.close(os.open("owned5", os.O_CREAT | os.O_WRONLY, 0o4755))`, landlock: refused, bubblewrap: refused},
		{name: "open a nameless file that runs as its owner", body: `os.close(os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o4755))`, landlock: refused, bubblewrap: refused},
		{name: "make a new file that runs as its owner", body: `os.mknod("owned6", 0o104755)`, landlock: refused, bubblewrap: refused},
		{name: "open in a way that no filter sees", body: `os.close(call("openat2", -100, b"owned7", struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24))`, landlock: "ENOSYS", bubblewrap: "ENOSYS"},
		{name: "keep memory in a file without a name", body: `os.close(os.memfd_create("x"))`, landlock: "ENOSYS", bubblewrap: "ENOSYS"},
		{name: "keep memory in /dev", body: `p = "/dev/" + W["abstract"]; open(p, "x").close(); os.remove(p)`, landlock: notGranted, bubblewrap: readOnly, root: true},
		{name: "make a file run as its group", body: `open("grouped", "w"); os.chmod("grouped", 0o2755)`, landlock: "open", bubblewrap: "open"},
	}
}

// moreOrdinary returns further ordinary work that must succeed unless its row says
// otherwise.
func moreOrdinary() []attempt {
	rows := []attempt{
		{name: "copy with permissions and times", body: `program("cp", "-p", "README", "copied")`},
		{name: "copy a tree as it is", body: `os.makedirs("tree/sub"); open("tree/sub/x", "w"); program("cp", "-a", "tree", "tree2")`},
		{name: "install a file", body: `program("install", "-m", "644", "README", "installed")`},
		{name: "read what --allow-read opened", body: `open(W["named"] + "/google").read()`},
		{name: "read the own skill beside its .env", body: `open(os.environ["SKILL_DIR"] + "/SKILL.md").read(); os.listdir(os.environ["SKILL_DIR"])`},
		{name: "read a new version of an example", body: `open("example.env").read()`},
		{name: "work beside a nested repository", body: `open("sub/file", "w"); os.mkdir("sub/dir")`},
		{name: "write beside a skill", body: `open("beside.txt", "w")`},
		{name: "make oneself wait", body: `os.nice(1); os.sched_setaffinity(0, os.sched_getaffinity(0)); os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))`},
		{name: "look at the own limits", body: `resource.getrlimit(resource.RLIMIT_NPROC); resource.setrlimit(resource.RLIMIT_STACK, resource.getrlimit(resource.RLIMIT_STACK))`},
		// What it needs in /dev/shm would be within reach of all other programs there.
		{name: "locks of Python's multiprocessing", body: `import multiprocessing; multiprocessing.Lock()`, landlock: notGranted, bubblewrap: "open"},
		{name: "memory shared with children", body: `m = mmap.mmap(-1, 1 << 20); m[:1] = b"x"`},
		{name: "change permissions", body: `open("mode", "w"); os.chmod("mode", 0o755); os.mkdir("sticky", 0o1777); os.close(os.open("mode2", os.O_CREAT | os.O_WRONLY, 0o644))`},
	}
	for i := range rows {
		if rows[i].landlock == "" {
			rows[i].landlock, rows[i].bubblewrap = "open", "open"
		}
	}
	return rows
}

// morePrelude is the additional code for these rows.
const morePrelude = `import mmap, struct
numbers.update({
    "x86_64": {"sched_setattr": 314, "ioprio_set": 251, "setrlimit": 160, "openat2": 437, "fchmodat2": 452},
    "aarch64": {"sched_setattr": 274, "ioprio_set": 30, "setrlimit": 164, "openat2": 437, "fchmodat2": 452},
}[platform.machine()])

def lacking(f, known=errno.ESRCH):
    try:
        f()
    except OSError as e:
        if e.errno != known:
            raise

def first():
    # The first process that belongs to the sandbox, elsewhere another one of the user.
    return W["victim"] if os.path.exists("/proc/%d" % W["victim"]) else 1

def program(*words):
    p = subprocess.run(words, stderr=subprocess.PIPE, text=True)
    if p.returncode:
        raise OSError(p.stderr.strip())

`
