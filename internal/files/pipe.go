package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// PipeTime is how long reading a pipe may take.
const PipeTime = time.Minute

// ErrSilentPipe is the error of WaitForPipe.
var ErrSilentPipe = errors.New("is a pipe that was not written to its end in time")

// WaitForPipe is like Wait for reading the file at path. If that is a pipe, the error is
// ErrSilentPipe after the given time: nobody may ever write to it.
func WaitForPipe[T any](ctx context.Context, what, path string, timeout time.Duration, f func() (T, error)) (T, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return Wait(ctx, what, f)
	}
	soon, cancel := context.WithTimeoutCause(ctx, timeout, ErrSilentPipe)
	defer cancel()
	value, err := Wait(soon, what, f)
	if errors.Is(err, ErrSilentPipe) {
		err = ErrSilentPipe
	}
	return value, err
}
