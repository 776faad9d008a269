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
	for _, test := range []struct{ name, content, want string }{
		{"shared memory", "SIZE, WAIT = 150, 1000\n" + forks, "more than 100 MiB of memory"},
		{"shared memory, counted once", "SIZE, WAIT = 60, 1\n" + forks, "done\n"},
		{"threads", "import os, threading, time\nthreading.stack_size(64 << 10)\nfor i in range(1200):\n    try:\n        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n    except RuntimeError:\n        print('refused', flush=True)\n        os._exit(0)\ntime.sleep(1000)\n", "more than 1024 threads"},
		{"files in /tmp", "import time\nf = open('/tmp/x', 'wb', buffering=0)\nfor i in range(200):\n    f.write(bytes(1 << 20))\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"files in /dev/shm", "import time\nf = open('/dev/shm/x', 'wb', buffering=0)\nfor i in range(200):\n    f.write(bytes(1 << 20))\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"size of /dev/shm", "import os\ntry:\n    open('/dev/shm/x', 'w')\nexcept PermissionError:\n    print('bounded')\nelse:\n    s = os.statvfs('/dev/shm')\n    print('bounded' if s.f_blocks * s.f_frsize <= 1 << 30 else s)\n", "bounded\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onEachKind(t, nil, func(t *testing.T, kind string, r *Runner) {
				if strings.HasPrefix(test.name, "files in") && kind == kindLandlock {
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
