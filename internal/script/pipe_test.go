//go:build unix

package script

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// pipe makes a named pipe and returns its path and its content: what was
// written to it until the last process that had it open for writing has ended.
func pipe(t *testing.T) (path string, lines *bufio.Reader) {
	t.Helper()
	return pipeIn(t, t.TempDir())
}

// pipeIn is pipe in a given folder.
func pipeIn(t *testing.T, dir string) (path string, lines *bufio.Reader) {
	t.Helper()
	path = filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Opened without waiting for a writer, then read through the poller, which
	// reports the end only after a writer has been there.
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	// A writer of our own, so that the end is not reported before there is one.
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); writer.Close() })
	if reader.SetReadDeadline(time.Now().Add(time.Minute)) != nil {
		// Where pipes cannot be polled, wait in the read itself.
		if err := syscall.SetNonblock(int(reader.Fd()), false); err != nil {
			t.Fatal(err)
		}
	}
	return path, bufio.NewReader(&fifo{reader, writer})
}

// fifo closes its own writer once another process has written.
type fifo struct{ reader, writer *os.File }

func (f *fifo) Read(p []byte) (int, error) {
	n, err := f.reader.Read(p)
	if n > 0 {
		f.writer.Close()
	}
	return n, err
}

// allGone waits until no process holds the pipe any more, and returns what is
// left in it. A survivor lets it fail, after a minute.
func allGone(t *testing.T, lines *bufio.Reader) string {
	t.Helper()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}
