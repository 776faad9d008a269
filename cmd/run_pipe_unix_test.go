//go:build unix

package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skills/internal/run"
)

// silentPipe creates a pipe in a folder, and releases blocked readers and writers when
// the test ends.
func silentPipe(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	t.Cleanup(func() {
		both, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_RDWR|syscall.O_NONBLOCK, 0)
		must(t, err)
		must(t, both.Close())
	})
	return dir
}

// TestSilentPipeRead checks that reading from a silent pipe ends with the run's time
// limit.
func TestSilentPipeRead(t *testing.T) {
	for _, flag := range []string{"--replay", "--env-file", "--system", "--prompt-template"} {
		t.Run(flag, func(t *testing.T) {
			name := "pipe"
			if flag == "--system" {
				name = "@pipe"
			}
			dir := silentPipe(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			over := make(chan struct{})
			defer close(over)
			go func() {
				writer, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_WRONLY, 0) // waits for the reader
				if err != nil {
					t.Error(err)
				}
				cancel(context.DeadlineExceeded) // the time is up
				<-over
				writer.Close()
			}()
			var out, errs bytes.Buffer
			env := Env{Env: run.Env{Dir: dir, Environ: []string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1"}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
			code := Run(ctx, env, []string{"run", "--format", "jsonl", flag, name, "hello"})
			want := `"error":"time limit reached (10m0s): ` + flag + `: pipe did not end in time"`
			if got := out.String(); code != exitLimit || !strings.Contains(got, `"status":"limit"`) || !strings.Contains(got, want) {
				t.Errorf("exit code %d, want %s in %s%s", code, want, got, errs.String())
			}
		})
	}
}
