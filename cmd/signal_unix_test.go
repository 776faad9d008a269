//go:build unix

package cmd

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestSignals sends the real program each signal that ends it while it waits
// for its server: there is one result, last, no trace of goroutines, and the
// exit code is the one that shells give to the signal.
func TestSignals(t *testing.T) {
	for signal, want := range map[syscall.Signal]struct {
		code    int
		message string
	}{
		syscall.SIGINT:  {130, "interrupted by SIGINT"},
		syscall.SIGTERM: {143, "interrupted by SIGTERM"},
		syscall.SIGHUP:  {129, "interrupted by SIGHUP"},
		syscall.SIGQUIT: {131, "interrupted by SIGQUIT"},
	} {
		t.Run(want.message, func(t *testing.T) {
			server := openaitest.New(t, openaitest.Reply{Quirks: openaitest.Quirks{Waits: openaitest.Waits{Silent: true}}})
			c := exec.Command(program(t), "run", "--format", "jsonl", "--base-url", server.URL, "hello")
			var out, errs bytes.Buffer
			c.Dir, c.Env, c.Stdout, c.Stderr = t.TempDir(), []string{"HOME=" + t.TempDir()}, &out, &errs
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			<-server.Arrived()
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			if got := c.ProcessState.ExitCode(); got != want.code {
				t.Errorf("exit code %d, want %d", got, want.code)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			last := lines[len(lines)-1]
			if !strings.Contains(last, `"type":"run.result"`) || !strings.Contains(last, want.message) || strings.Count(out.String(), `"type":"run.result"`) != 1 {
				t.Errorf("printed\n%s", out.String())
			}
			if errs.String() != "error: "+want.message+"\n" {
				t.Errorf("standard error:\n%s", errs.String())
			}
		})
	}
}

// TestSignalEval checks that the message of an interrupted eval says how it is resumed.
func TestSignalEval(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{
		"colors/SKILL.md":         "---\nname: colors\ndescription: Knows colors. Use when asked for a color.\n---\nRed is carmine.\n",
		"colors/evals/evals.json": `{"skill_name":"colors","evals":[{"id":7,"prompt":"What is red?","assertions":[{"name":"red","type":"contains","value":"red"}]}]}`,
	})
	server := openaitest.New(t, openaitest.Reply{Quirks: openaitest.Quirks{Waits: openaitest.Waits{Silent: true}}})
	c := exec.Command(program(t), "eval", "--jobs", "1", "--base-url", server.URL, "colors")
	var errs bytes.Buffer
	c.Dir, c.Env, c.Stderr = dir, []string{"HOME=" + t.TempDir()}, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-server.Arrived()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	const want = "6 runs: typically about 12 requests, at most 246\n" +
		"error: interrupted by SIGINT\nhint: run the same command again to resume it; finished runs are not repeated\n"
	if got := c.ProcessState.ExitCode(); got != 130 || errs.String() != want {
		t.Errorf("exit code %d, standard error:\n%s", got, errs.String())
	}
}

// TestSignalsInARow checks which signals count, and what each cancels.
func TestSignalsInARow(t *testing.T) {
	s := &signals{open: map[context.Context]context.CancelCauseFunc{}}
	begun := time.Now()
	received := func(sig os.Signal, after time.Duration, want bool) {
		t.Helper()
		if got := s.received(sig, begun.Add(after)); got != want {
			t.Errorf("%v after %v: %t", sig, after, got)
		}
	}
	run, _ := s.until(t.Context())
	hook, _ := s.until(t.Context())
	_, closed := s.until(t.Context())
	closed()
	received(os.Interrupt, 0, true)
	later, _ := s.until(t.Context())
	received(syscall.SIGTERM, 400*time.Millisecond, true) // forwarded by a wrapper
	if run.Err() == nil || hook.Err() == nil || later.Err() != nil || context.Cause(run) != (Interrupt{os.Interrupt}) {
		t.Errorf("cancelled %v, %v, %v", context.Cause(run), context.Cause(hook), later.Err())
	}
	received(syscall.SIGTERM, 1100*time.Millisecond, true)
	if context.Cause(later) != (Interrupt{syscall.SIGTERM}) {
		t.Errorf("cancelled %v", context.Cause(later))
	}
	received(syscall.SIGTERM, 2200*time.Millisecond, false)
}
