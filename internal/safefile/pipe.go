package safefile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// pipePiece is how much is written to a pipe at once.
const pipePiece = 16 << 10

// writePipe writes to something that must not be replaced. Nobody may read what is
// written to a pipe: it is given up where nothing was taken for a grace, or,
// where the context goes on until then, with that. What was written by then
// stays written.
func (t *Target) writePipe(ctx context.Context, data []byte) error {
	taken := make(chan struct{}, 1) // a piece, or the pipe was opened
	done := make(chan error, 1)
	go func() {
		done <- t.pieces(data, func() {
			select {
			case taken <- struct{}{}:
			default:
			}
		})
	}()
	stop := ctx.Done()
	if ctx.Err() != nil {
		stop = nil // it ended before, and what there is by then is written
	}
	timer := time.NewTimer(t.grace)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-taken:
			timer.Reset(t.grace)
		case <-stop:
			return fmt.Errorf("%w: %w", context.Cause(ctx), &UnfinishedError{"writing " + filepath.Base(t.path)})
		case <-timer.C:
			return fmt.Errorf("%w, and it was given up after %s", ErrUnread, t.grace)
		}
	}
}

// pieces writes data to the file, which may wait for ever, and calls taken
// after each step. An error is the file system's, without the path.
func (t *Target) pieces(data []byte, taken func()) error {
	// Looked at before it is opened, because opening alone can do something, or
	// wait.
	if now, err := os.Stat(t.path); err != nil || !os.SameFile(t.info, now) {
		return ErrReplaced
	}
	file, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return Reason(err)
	}
	defer file.Close()
	if now, err := file.Stat(); err != nil || !os.SameFile(t.info, now) {
		return ErrReplaced
	}
	for taken(); len(data) > 0; taken() {
		piece := data[:min(pipePiece, len(data))]
		if _, err := file.Write(piece); err != nil {
			return Reason(err)
		}
		data = data[len(piece):]
	}
	return nil
}
