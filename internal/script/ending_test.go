//go:build unix

package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunTimeout(t *testing.T) {
	t.Parallel()
	for signal, trap := range map[string]string{"SIGTERM": "", "SIGKILL": "trap '' TERM; "} {
		t.Run(signal, func(t *testing.T) {
			t.Parallel()
			r := runner(t)
			r.Timeout = 2 * time.Second // long enough for the script to come up
			path, lines := pipe(t)
			result := run(t, r, skill(t, "a.sh", trap+"echo partial; exec 3>\"$1\"; echo up >&3; sleep 1000\n"), path)
			if got := allGone(t, lines); got != "up\n" {
				t.Fatalf("the script wrote %q, want that it was up", got)
			}
			if !result.TimedOut || result.Interrupted || result.OK() || result.Signal != signal || result.Limit != r.Timeout {
				t.Errorf("got %+v, want a time-out and %s", result, signal)
			}
			if want := "partial\nScript timed out after 2s and was terminated"; result.Text() != want {
				t.Errorf("Text() = %q, want %q", result.Text(), want)
			}
		})
	}
}

func TestRunTimeoutCleanExit(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Timeout = 2 * time.Second
	result := run(t, r, skill(t, "a.sh", "trap 'echo bye; exit 0' TERM; sleep 1000 & wait\n"))
	if !result.TimedOut || result.OK() || result.ExitCode != 0 || result.Signal != "" || result.Stdout != "bye\n" {
		t.Errorf("got %+v, want a time-out with its last words", result)
	}
}

func TestRunCancelled(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, signal string }{
		{"child", "echo partial; exec 3>\"$1\"; echo up >&3; sleep 1000\n", "SIGTERM"},
		{"TERM ignored by all", "trap '' TERM; echo partial; exec 3>\"$1\"; echo up >&3; sleep 1000\n", "SIGKILL"},
		{"TERM ignored by a child", "echo partial; (trap '' TERM; exec 3>\"$1\"; echo up >&3; sleep 1000) & sleep 1000\n", "SIGTERM"},
		{"stopped", "echo partial; exec 3>\"$1\"; (kill -STOP $$; echo up >&3; sleep 1000) & wait\n", "SIGTERM"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := runner(t)
			r.Timeout = -1
			path, lines := pipe(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				lines.ReadString('\n')
				cancel()
			}()
			result, err := r.Run(ctx, skill(t, "a.sh", test.content), []string{path})
			if err != nil {
				t.Fatal(err)
			}
			allGone(t, lines)
			if !result.Interrupted || result.TimedOut || result.OK() || result.Signal != test.signal || result.Stdout != "partial\n" {
				t.Errorf("got %+v, want an interrupted script and %s", result, test.signal)
			}
		})
	}
}

func TestRunCancelledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the user has left")
	cancel(reason)
	r := runner(t)
	if result, err := r.Run(ctx, skill(t, "a.sh", "touch x\n"), nil); !errors.Is(err, reason) {
		t.Errorf("Run() = %+v, %v, want %v", result, err, reason)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "x")); err == nil {
		t.Error("the script was started")
	}
}

// TestRunLeftovers checks that background processes end with the script, and do not delay
// its result though they hold its output open.
func TestRunLeftovers(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"child":              "(exec 3>\"$1\"; echo up >&3; sleep 1000) & ",
		"child without TERM": "(trap '' TERM HUP; exec 3>\"$1\"; echo up >&3; sleep 1000) & ",
		"grandchild":         "( (exec 3>\"$1\"; echo up >&3; sleep 1000) & ) ",
	} {
		t.Run(name, func(t *testing.T) {
			leftovers(t, content)
		})
	}
}

func leftovers(t *testing.T, content string) {
	t.Helper()
	path, lines := pipe(t)
	ready := filepath.Join(t.TempDir(), "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	// The script ends once its child is known to be up: it waits for a line in
	// a second pipe, which is written here.
	went := make(chan error, 1)
	go func() {
		if _, err := lines.ReadString('\n'); err != nil {
			went <- err
			return
		}
		went <- os.WriteFile(ready, []byte("go\n"), 0)
	}()
	result := run(t, runner(t), skill(t, "a.sh", content+"\nread line <\"$2\"; echo \"done $line\"\n"), path, ready)
	if err := <-went; err != nil {
		t.Fatal(err)
	}
	allGone(t, lines)
	if !result.OK() || result.Stdout != "done go\n" {
		t.Errorf("got %+v, want success", result)
	}
}

// TestRunEscapedChildHoldsOutput checks that a child in its own session, which survives
// without a supervisor, does not delay the call.
func TestRunEscapedChildHoldsOutput(t *testing.T) {
	t.Parallel()
	path, lines := pipe(t)
	s := skill(t, "a.py", `import os, sys, time
if os.fork() == 0:
    os.setsid()
    with open(sys.argv[1], "w") as pipe:
        print(os.getpid(), file=pipe)
    time.sleep(1000)
os.wait3(os.WNOHANG)
with open(sys.argv[2]) as ready:
    print(ready.read(), end="")
`)
	ready := filepath.Join(t.TempDir(), "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	escaped := make(chan int, 1)
	go func() {
		line, _ := lines.ReadString('\n')
		pid, _ := strconv.Atoi(strings.TrimSpace(line))
		escaped <- pid
		os.WriteFile(ready, []byte("done\n"), 0)
	}()
	r := runner(t)
	r.Self = ""
	result := run(t, r, s, path, ready)
	if pid := <-escaped; pid > 0 {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	if !result.OK() || result.Stdout != "done\n" {
		t.Errorf("got %+v, want success", result)
	}
}
