//go:build unix

package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// silentPipe makes a pipe in a folder. Who still waits at it when the test ends
// is let go.
func silentPipe(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	fifo(t, filepath.Join(dir, "pipe"))
	t.Cleanup(func() {
		both, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_RDWR|syscall.O_NONBLOCK, 0)
		must(t, err)
		must(t, both.Close())
	})
	return dir
}

// A pipe that nobody writes to is waited for as long as the run may take.
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
			env := Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: dir, Environ: []string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1"}}
			code := Run(ctx, env, []string{"run", "--format", "jsonl", flag, name, "hello"})
			last := lastLine(t, out.String())
			if code != exitLimit || last.Status != "limit" {
				t.Errorf("exit code %d, %s%s", code, out.String(), errs.String())
			}
			if want := "stopped at the limit of time (10m0s): " + flag + ": pipe had not ended by then"; last.Error != want {
				t.Errorf("told %q, want %q", last.Error, want)
			}
		})
	}
}

// A reader that stops reading is waited for until the run is interrupted.
func TestSilentPipeWrite(t *testing.T) {
	dir := silentPipe(t)
	place, err := openTarget(filepath.Join(dir, "pipe"))
	must(t, err)
	place.grace = time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	over := make(chan struct{})
	defer close(over)
	go func() {
		reader, err := os.Open(filepath.Join(dir, "pipe")) // waits for the writer
		if err == nil {
			_, err = io.ReadFull(reader, make([]byte, 10))
		}
		if err != nil {
			t.Error(err)
		}
		cancel(Interrupt{os.Interrupt})
		<-over
		reader.Close()
	}()
	err = place.write(ctx, "", bytes.Repeat([]byte("much "), 100_000)) // more than a pipe takes
	if !errors.As(err, new(Interrupt)) || !errors.As(err, new(*unendedError)) {
		t.Errorf("told %v", err)
	}
}

// A pipe that nobody reads is given up; one that is read gets everything.
func TestPipeIsGivenUp(t *testing.T) {
	dir := silentPipe(t)
	place, err := openTarget(filepath.Join(dir, "pipe"))
	must(t, err)
	place.grace = time.Millisecond
	if err := place.write(t.Context(), "", []byte("x")); err == nil || err.Error() != "nobody reads it, and it was given up after 1ms" {
		t.Errorf("told %v", err)
	}

	dir = silentPipe(t)
	place, err = openTarget(filepath.Join(dir, "pipe"))
	must(t, err)
	place.grace = time.Hour
	data := bytes.Repeat([]byte("0123456789"), 20_000)
	got := make(chan []byte)
	go func() {
		read, _ := os.ReadFile(filepath.Join(dir, "pipe"))
		got <- read
	}()
	ended, cancel := context.WithCancel(t.Context())
	cancel() // as after an interrupt
	must(t, place.write(ended, "", data))
	if read := <-got; !bytes.Equal(read, data) {
		t.Errorf("%d bytes came, of %d", len(read), len(data))
	}
}
