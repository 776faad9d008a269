package script

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/script/sandbox"
)

// The kinds of sandbox that tests run on.
const (
	bare           = "bare" // without a supervisor, as everywhere but on Linux
	off            = "off"
	kindLandlock   = "landlock"
	kindBubblewrap = "bubblewrap"
)

// sandboxedRunner is a runner whose scripts are in the sandbox of the given kind. The
// test is skipped if the machine does not support that. If it does, a sandbox that fails
// its probe is a failure. change is applied to the runner before.
func sandboxedRunner(t testing.TB, kind string, change func(*Runner)) *Runner {
	t.Helper()
	return sandboxedRunnerWith(t, kind, "", change)
}

// sandboxedRunnerWith is sandboxedRunner with the bwrap in a folder, "" for the one that
// is installed.
func sandboxedRunnerWith(t testing.TB, kind, bin string, change func(*Runner)) *Runner {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Dir: dir, Self: self, Sandbox: SandboxOff, Env: append(os.Environ(), "PATH=/usr/local/bin:/usr/bin:/bin")}
	if change != nil {
		change(r)
	}
	switch kind {
	case bare:
		r.Self = ""
		return r
	case off:
		return r
	}
	if err := unsupported(t, kind); err != nil {
		t.Skipf("%s does not work here: %v", kind, err)
	}
	p, err := prober{r}.policy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	backend, err := probedBackend(kind)
	if bin != "" {
		backend, err = probeBackend(t.Context(), r, kind, bin, p)
	}
	if err != nil {
		t.Fatalf("the machine supports %s: %v", kind, err)
	}
	r.Sandbox = SandboxRequire
	r.active.once.Do(func() {
		r.active.backend = backend
		r.active.status = sandbox.Status{Name: kind, NotEnforced: backend.NotEnforced(p)}
		if r.Lines && kind == kindBubblewrap {
			r.active.shared.Store(r.Temp())
		}
	})
	return r
}

// probedBackend is the backend of a kind on this machine. It is probed once: most tests run
// a script with a policy of their own, which would fail as well.
func probedBackend(kind string) (sandbox.Backend, error) {
	if kind == kindLandlock {
		return probedLandlock()
	}
	return probedBubblewrap()
}

var (
	probedLandlock   = sync.OnceValues(func() (sandbox.Backend, error) { return probeInstalled(kindLandlock) })
	probedBubblewrap = sync.OnceValues(func() (sandbox.Backend, error) { return probeInstalled(kindBubblewrap) })
)

func probeInstalled(kind string) (b sandbox.Backend, err error) {
	dir, err := os.MkdirTemp("", "skills-test-probe-")
	if err != nil {
		return b, err
	}
	defer os.RemoveAll(dir)
	r := &Runner{Dir: sandbox.Real(dir), Self: self, Env: os.Environ()}
	defer r.Close()
	p, err := prober{r}.policy(context.Background())
	if err != nil {
		return b, err
	}
	program, _ := findBwrap()
	return probeBackend(context.Background(), r, kind, filepath.Dir(program), p)
}

// probeBackend probes a kind of sandbox with the bwrap in a folder.
func probeBackend(ctx context.Context, r *Runner, kind, bin string, p sandbox.Policy) (sandbox.Backend, error) {
	found, missing := sandbox.Candidates([]string{bin}, nil)
	at := slices.IndexFunc(found, func(b sandbox.Backend) bool { return b.Name == kind })
	if at < 0 {
		return sandbox.Backend{}, fmt.Errorf("it was not found: %q", missing)
	}
	b, err := prober{r}.try(ctx, found[at], p)
	if err != nil {
		err = fmt.Errorf("it fails its probe: %w", err)
	}
	return b, err
}

// onEachKind runs a test in every kind of sandbox that works here.
func onEachKind(t *testing.T, change func(*Runner), test func(t *testing.T, kind string, r *Runner), kinds ...string) {
	t.Helper()
	if len(kinds) == 0 {
		kinds = []string{off, kindLandlock, kindBubblewrap}
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			test(t, kind, sandboxedRunner(t, kind, change))
		})
	}
}

// TestKindsRun checks that every kind of sandbox runs scripts, passes arguments and
// streams on, and reports exit codes and signals.
func TestKindsRun(t *testing.T) {
	t.Parallel()
	onEachKind(t, nil, func(t *testing.T, kind string, r *Runner) {
		result := run(t, r, skill(t, "a.sh", "echo \"$1\"; echo err >&2; pwd; exit 3\n"), "a b")
		if result.ExitCode != 3 || result.Stdout != "a b\n"+r.Dir+"\n" || result.Stderr != "err\n" {
			t.Errorf("got %+v, want both streams and code 3", result)
		}
		if want := map[string]string{off: "none"}[kind]; result.Sandbox != kind && result.Sandbox != want {
			t.Errorf("sandbox %q", result.Sandbox)
		}
		for _, signal := range []string{"KILL", "TERM", "SEGV"} {
			result = run(t, r, skill(t, "a.sh", "kill -"+signal+" $$\n"))
			if result.Signal != "SIG"+signal || result.OK() || result.ExitCode < 129 {
				t.Errorf("got %+v, want SIG%s", result, signal)
			}
		}
		result = run(t, r, skill(t, "a.py", "print(6 * 7)\n"))
		if result.Stdout != "42\n" {
			t.Errorf("python: got %+v", result)
		}
	})
}

// TestKindsEnd checks on every sandbox that all processes of a script are gone
// afterwards, whether it ended by itself, at a limit or by cancellation.
func TestKindsEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, end, signal string
		timeout           time.Duration
	}{
		{"by itself", "", "", time.Minute},
		{"limit", "time.sleep(1000)\n", "SIGTERM", 5 * time.Second},
		{"limit, TERM ignored", "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.write(pipe, b'deaf\\n')\ntime.sleep(1000)\n", "SIGKILL", 5 * time.Second},
		{"cancelled", "time.sleep(1000)\n", "SIGTERM", -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onEachKind(t, func(r *Runner) { r.Timeout = test.timeout }, func(t *testing.T, _ string, r *Runner) {
				t.Parallel()
				path, lines := pipeIn(t, r.Dir)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.timeout < 0 {
					go func() {
						lines.ReadString('\n')
						cancel()
					}()
				}
				result, err := r.Run(ctx, skill(t, "a.py", daemons+"print('done', flush=True)\n"+test.end), []string{path})
				if err != nil {
					t.Fatal(err)
				}
				allGone(t, lines)
				if result.Stdout != "done\n" && test.timeout > 0 || result.Signal != test.signal || result.Interrupted != (test.timeout < 0) || result.TimedOut != strings.HasPrefix(test.name, "limit") {
					t.Errorf("got %+v, want %q", result, test.signal)
				}
			})
		})
	}
}

// TestKindsLimits checks that exceeding a limit ends a script, in every kind of
// sandbox.
func TestKindsLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, content, want string }{
		{"processes", "import os, time\nfor i in range(400):\n    if os.fork() == 0:\n        time.sleep(1000)\ntime.sleep(1000)\n", "more than 256 processes"},
		{"memory of one", "try:\n    bytearray(5 << 30)\nexcept MemoryError:\n    print('refused')\n", "refused\n"},
		{"memory of all", "import os, time\nfor i in range(3):\n    if os.fork() == 0:\n        b = bytearray(40 << 20)\n        time.sleep(1000)\ntime.sleep(1000)\n", "more than 100 MiB of memory"},
		{"size of a file", "try:\n    with open('big', 'wb') as f:\n        f.seek(2 << 30)\n        f.write(b'x')\nexcept OSError as e:\n    print('refused')\n", "refused\n"},
		{"open files", "import os\ntry:\n    fds = [os.open('/', 0) for i in range(5000)]\nexcept OSError:\n    print('refused')\n", "refused\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onEachKind(t, nil, func(t *testing.T, _ string, r *Runner) {
				if test.name == "memory of all" {
					r.active.limits.Memory = 100 << 20
				}
				result := run(t, r, skill(t, "a.py", test.content))
				if got := result.Stdout + result.Excess; got != test.want || result.OK() != (result.Excess == "") {
					t.Errorf("got %+v, want %q", result, test.want)
				}
				if result.Excess != "" && result.Text() != "(no output)\nScript had "+test.want+" and was terminated" {
					t.Errorf("the text for the model is %q", result.Text())
				}
			}, kindLandlock, kindBubblewrap)
		})
	}
}

// TestKindsOutput checks in every sandbox that long output is cut in the middle and
// contains no control sequences.
func TestKindsOutput(t *testing.T) {
	t.Parallel()
	onEachKind(t, nil, func(t *testing.T, _ string, r *Runner) {
		r.OutputLimit = 1000
		result := run(t, r, skill(t, "a.sh", "printf 'first\\033[2J\\033]0;title\\007\\n'; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last\n"))
		if !result.OK() || !result.Truncated || len(result.Stdout) > 1100 {
			t.Errorf("ok %t, truncated %t, %d bytes", result.OK(), result.Truncated, len(result.Stdout))
		}
		if !strings.HasPrefix(result.Stdout, "first") || !strings.HasSuffix(result.Stdout, "x\nlast\n") || strings.ContainsAny(result.Stdout, "\x1b\x07") {
			t.Errorf("got %.40q … %q", result.Stdout, result.Stdout[max(0, len(result.Stdout)-20):])
		}
	}, kindLandlock, kindBubblewrap)
}
