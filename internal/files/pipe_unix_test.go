//go:build unix

package files

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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// silentPipe makes a pipe in a folder. Who still waits at it when the test ends
// is released.
func silentPipe(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	t.Cleanup(func() {
		both, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_RDWR|syscall.O_NONBLOCK, 0)
		must(t, err)
		must(t, both.Close())
	})
	return dir
}

// TestSilentPipeWrite checks that Write waits for a reader that stops reading until the
// run is interrupted.
func TestSilentPipeWrite(t *testing.T) {
	dir := silentPipe(t)
	place, err := OpenTarget(filepath.Join(dir, "pipe"), 0o600)
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
		cancel(os.ErrClosed)
		<-over
		reader.Close()
	}()
	err = place.Write(ctx, bytes.Repeat([]byte("much "), 100_000)) // more than a pipe takes
	if !errors.Is(err, os.ErrClosed) || !errors.As(err, new(*UnfinishedError)) {
		t.Errorf("got %v", err)
	}
}

// TestPipeIsGivenUp checks that Write gives up on a pipe that nothing reads within the
// grace period, and that a reader gets everything.
func TestPipeIsGivenUp(t *testing.T) {
	dir := silentPipe(t)
	place, err := OpenTarget(filepath.Join(dir, "pipe"), 0o600)
	must(t, err)
	place.grace = time.Millisecond
	if err := place.Write(t.Context(), []byte("x")); !errors.Is(err, ErrUnread) || !strings.HasPrefix(err.Error(), "nothing is reading from the pipe") {
		t.Errorf("got %v", err)
	}

	dir = silentPipe(t)
	place, err = OpenTarget(filepath.Join(dir, "pipe"), 0o600)
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
	must(t, place.Write(ended, data))
	if read := <-got; !bytes.Equal(read, data) {
		t.Errorf("%d bytes came, of %d", len(read), len(data))
	}
}
