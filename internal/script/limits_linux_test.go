package script

import (
	"os"
	"strings"
	"testing"
)

// TestKindsLimitsMore checks that every way to get memory, threads and processes is
// limited, and that shared memory counts once.
func TestKindsLimitsMore(t *testing.T) {
	t.Parallel()
	const forks = "import mmap, os, time\nm = mmap.mmap(-1, SIZE << 20)\nfor i in range(0, SIZE << 20, 4096):\n    m[i] = 1\n" +
		"for n in range(3):\n    if os.fork() == 0:\n        sum(m[i] for i in range(0, SIZE << 20, 4096))\n        time.sleep(WAIT)\n        os._exit(0)\n" +
		"while True:\n    try:\n        os.wait()\n    except ChildProcessError:\n        break\nprint('done')\n"
	const fill = "import os, socket, sys, time\nkeep = []\ndef fill(kind, n):\n    for i in range(n):\n" +
		"        for s in (pair := socket.socketpair(socket.AF_UNIX, kind)):\n            s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)\n            s.setblocking(False)\n            try:\n                while True:\n                    s.send(bytes(100 << 10))\n" +
		"            except BlockingIOError:\n                pass\n        keep.append(pair)\n"
	const splits = "import ctypes, os, threading, time\ndef use():\n    b = bytearray(200 << 20)\n    time.sleep(1000)\nthreading.Thread(target=use).start()\nctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)\n"
	type row struct{ name, content, want string }
	rows := []row{
		{"sockets", fill + "fill(socket.SOCK_STREAM, 480)\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"sockets of packets", fill + "fill(socket.SOCK_SEQPACKET, 480)\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"sockets of several, private", fill + "import ctypes\nfor i in range(4):\n    if os.fork() == 0:\n        ctypes.CDLL(None).prctl(4, 0)\n        fill(socket.SOCK_STREAM, 120)\n        time.sleep(1000)\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"pipes", "import fcntl, os, time\nfor i in range(5):\n    if os.fork() == 0:\n        for i in range(400):\n            r, w = os.pipe()\n            os.set_blocking(w, False)\n            try:\n                while os.write(w, bytes(4096)):\n                    pass\n            except BlockingIOError:\n                pass\n        time.sleep(1000)\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"a few sockets and pipes", fill + "fill(socket.SOCK_STREAM, 50)\nfor i in range(4):\n    if os.fork() == 0:\n        time.sleep(1)\n        os._exit(0)\nkeep += [os.pipe() for i in range(50)]\nfor i in range(4):\n    os.wait()\nprint('done')\n", "done\n"},
		{"size of a pipe", "import fcntl, os\nr, w = os.pipe()\nbefore = fcntl.fcntl(w, 1032)\ntry:\n    fcntl.fcntl(w, 1031, 4 * before)\nexcept PermissionError:\n    pass\nprint(before <= 65536 and fcntl.fcntl(w, 1032) == before)\n", "True\n"},
		{"after the end of the first thread", splits, "more than 100 MiB of memory"},
		{"shared memory", "SIZE, WAIT = 150, 1000\n" + forks, "more than 100 MiB of memory"},
		{"shared memory, counted once", "SIZE, WAIT = 60, 1\n" + forks, "done\n"},
		{"threads", "import os, threading, time\nthreading.stack_size(64 << 10)\nfor i in range(1200):\n    try:\n        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n    except RuntimeError:\n        print('refused', flush=True)\n        os._exit(0)\ntime.sleep(1000)\n", "more than 1024 threads"},
		{"files in /tmp", "import time\nf = open('/tmp/x', 'wb', buffering=0)\nfor i in range(200):\n    f.write(bytes(1 << 20))\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"files in /dev/shm", "import time\nf = open('/dev/shm/x', 'wb', buffering=0)\nfor i in range(200):\n    f.write(bytes(1 << 20))\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"links in /dev/shm", "import os, time\nfor i in range(200000):\n    os.symlink('x', '/dev/shm/%d' % i)\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"page tables", "import mmap, time\nkeep = []\nfor i in range(3):\n    m = mmap.mmap(-1, 32 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)\n    m.madvise(15)\n    keep.append(m)\n" +
			"    for at in range(0, 32 << 30, 2 << 20):\n        m[at]\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"many addresses", "import mmap\nm = mmap.mmap(-1, 64 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)\nprint(m[0])\n", "0\n"},
		{"size of /dev/shm", "import os\ntry:\n    open('/dev/shm/x', 'w')\nexcept PermissionError:\n    print('bounded')\nelse:\n    s = os.statvfs('/dev/shm')\n    print('bounded' if s.f_blocks * s.f_frsize <= 1 << 30 else s)\n", "bounded\n"},
	}
	name := func(r row) string { return r.name }
	for _, test := range few(rows, name, "sockets of several, private", "pipes", "after the end of the first thread", "shared memory", "threads", "files in /dev/shm") {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onEachKind(t, nil, func(t *testing.T, kind string, r *Runner) {
				if (strings.HasPrefix(test.name, "files in") || strings.HasPrefix(test.name, "links in")) && kind == kindLandlock {
					t.Skip("Landlock grants neither folder")
				}
				r.active.limits.Memory = 100 << 20
				if test.name == "threads" {
					r.active.limits.Memory = 1 << 30
				}
				result := run(t, r, skill(t, "a.py", test.content))
				if test.name == "threads" && os.Getuid() != 0 && result.Stdout == "refused\n" {
					return // by the kernel's limit, which counts all threads of an ordinary user
				}
				if got := result.Stdout + result.Excess; got != test.want || result.OK() != (result.Excess == "") {
					t.Errorf("got %+v, want %q", result, test.want)
				}
			}, kindLandlock, kindBubblewrap)
		})
	}
}

// TestSocketsInFlight checks the only sockets that no limit counts: those that a script
// has sent through others and closed. SECURITY.md states how much they can hold.
func TestSocketsInFlight(t *testing.T) {
	t.Parallel()
	const send = `import array, os, socket
sent, larger, carriers = 0, 0, [socket.socketpair() for i in range(100)]
for a, b in carriers:
    a.setblocking(False)
try:
    for a, b in carriers:
        for i in range(25):
            pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            for s in pair:
                s.setblocking(False)
                held = 0
                for size in (100 << 10, 207 << 10):
                    try:
                        held += s.send(bytes(size))
                    except BlockingIOError:
                        pass
                larger = max(larger, held)
            a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [s.fileno() for s in pair]))])
            sent += 2
            for s in pair:
                s.close()
except OSError as e:
    print('refused', sent <= 1026 and larger <= 2 * 212992 or (sent, larger), e.strerror)
`
	onEachKind(t, nil, func(t *testing.T, _ string, r *Runner) {
		if result := run(t, r, skill(t, "a.py", send)); result.Stdout != "refused True Too many references: cannot splice\n" {
			t.Errorf("got %+v", result)
		}
	}, kindLandlock, kindBubblewrap)
}
