//go:build unix

package cmd

import (
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"skills/internal/agent/openaitest"
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
			server := openaitest.New(t, openaitest.Reply{Quirks: openaitest.Quirks{Silent: true}})
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
