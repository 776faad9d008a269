package eval_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"skills/internal/eval"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestInterrupt checks that an interrupted eval is resumed in its iteration.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, sixCases(), nil)
	n := 0
	f.server = newServer(t, func(r request) openaitest.Reply {
		n++
		if n == 5 {
			cancel()
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL, f.o.Jobs = f.server.URL+"/v1", 1
	if _, err := f.runIn(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.must()
	filetest.Read(t, f.iteration("1", "benchmark.json"))
	if f.server.count() > 20 {
		t.Errorf("%d requests, want 18 and those of the interrupted run", f.server.count())
	}
}

// interrupted is a context that is cancelled when it was asked for its error so often.
type interrupted struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

// Err counts, and returns the error of the context.
func (c *interrupted) Err() error {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestInterruptPlan checks that an interrupt ends the planning of many runs, and that a
// number of runs which nobody wants is refused.
func TestInterruptPlan(t *testing.T) {
	files := sixCases()
	files["evals/checks.json"] = `{"schema_version":1,"cases":{"1":{"runs":1000000}}}`
	f := newFixture(t, files, skilful)
	f.o.Runs = 0
	ctx := &interrupted{}
	ctx.Context, ctx.cancel = context.WithCancel(t.Context())
	ctx.left.Store(1000)
	if _, err := eval.New(ctx, f.env(), f.o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the interrupt", err)
	}
	if more := -ctx.left.Load(); more > 1000 {
		t.Errorf("it went on and asked %d times more", more)
	}
	f.o.Runs = 1001
	if _, err := eval.New(t.Context(), f.env(), f.o); exitCode(err) != fault.Misuse || err.Error() != "--runs is more than 1000" {
		t.Errorf("error %v", err)
	}
}

// TestInterruptedVersion checks that runs which an interrupted eval left do not count in
// the one that completes its iteration: those of another text of the skill, of a case
// that is not selected now, and of a higher number.
func TestInterruptedVersion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, sixCases(), nil)
	n := 0
	f.server = newServer(t, func(r request) openaitest.Reply {
		n++
		if n == 30 {
			cancel()
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL, f.o.Jobs, f.o.Runs = f.server.URL+"/v1", 1, 2
	if _, err := f.runIn(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.write("more.md", "more")
	filetest.Write(t, f.iteration("1", ""), map[string]string{"eval-6/notes.txt": "mine", "notes/run-1/notes.txt": "mine"})
	f.o.Runs, f.o.Cases = 1, []string{"1", "2", "3"}
	f.must()
	runs, _, err := store.Read(f.iteration("1", ""))
	if err != nil || len(runs) != 6 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	for name, want := range map[string]bool{"eval-3": true, "eval-4": false, "eval-6/notes.txt": true, "notes/run-1/notes.txt": true} {
		if _, err := os.Stat(f.iteration("1", name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := filetest.Read(t, f.iteration("1", "benchmark.json"))
	f.o.Offline, f.o.Runs = true, 0
	f.must()
	if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestKill checks that an eval that is killed at any moment is resumed without repeating a
// finished run: each kill costs at most the requests of the runs that it ended. The
// temporary folders of killed evals are removed by the next one.
func TestKill(t *testing.T) {
	if dir := os.Getenv("EVAL_TEST_DIR"); dir != "" {
		f := newFixture(t, nil, skilful)
		f.dir, f.o.Paths = dir, []string{dir}
		f.o.Run.Server.BaseURL, f.o.Jobs = os.Getenv("EVAL_TEST_URL"), 2
		f.must()
		return
	}
	f := newFixture(t, sixCases(), nil)
	started, temporary := make(chan struct{}, 1000), t.TempDir()
	f.server = newServer(t, func(r request) openaitest.Reply {
		started <- struct{}{}
		return skilful(r)
	})
	start := func() *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestKill$")
		c.Env = append(os.Environ(), "EVAL_TEST_DIR="+f.dir, "EVAL_TEST_URL="+f.server.URL+"/v1", "TMPDIR="+temporary)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	kills := 0
	for after := 1; after <= 7; after += 2 {
		c := start()
		for range after {
			<-started
		}
		c.Process.Kill()
		if c.Wait() != nil {
			kills++
		}
		for len(started) > 0 {
			<-started
		}
	}
	if err := start().Wait(); err != nil {
		t.Fatal(err)
	}
	const needed, lost = 18, 2 * 2 // two runs at a time of at most two requests
	if n := f.server.count(); n > needed+kills*lost {
		t.Errorf("%d requests after %d kills, want at most %d", n, kills, needed+kills*lost)
	}
	filetest.Read(t, f.iteration("1", filepath.Join("eval-6", "with_skill", "run-1", "grading.json")))
	if _, err := os.Stat(f.iteration("2", "")); err == nil {
		t.Errorf("a killed eval began a second iteration")
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "skills-eval-*")); len(left) > 0 {
		t.Errorf("temporary folders were left: %q", left)
	}
}
