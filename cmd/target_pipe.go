package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"skills/internal/disk"
)

// pipePiece is how much is written to a pipe at once.
const pipePiece = 16 << 10

// into writes to something that must not be replaced. Nobody may read what is
// written to a pipe: it is given up where nothing was taken for a grace, or,
// where the context goes on until then, with that. What was written by then
// stays written.
func (t *target) into(ctx context.Context, data []byte) error {
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
			return fmt.Errorf("%w: %w", context.Cause(ctx), &unendedError{"writing " + filepath.Base(t.path)})
		case <-timer.C:
			return fmt.Errorf("%w, and it was given up after %s", errUnread, t.grace)
		}
	}
}

// pieces writes data to the file, which may wait for ever, and calls taken
// after each step. An error is the file system's, without the path.
func (t *target) pieces(data []byte, taken func()) error {
	// Looked at before it is opened, because opening alone can do something, or
	// wait.
	if now, err := os.Stat(t.path); err != nil || !os.SameFile(t.there, now) {
		return errMoved
	}
	file, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return disk.Reason(err)
	}
	defer file.Close()
	if now, err := file.Stat(); err != nil || !os.SameFile(t.there, now) {
		return errMoved
	}
	for taken(); len(data) > 0; taken() {
		piece := data[:min(pipePiece, len(data))]
		if _, err := file.Write(piece); err != nil {
			return disk.Reason(err)
		}
		data = data[len(piece):]
	}
	return nil
}
