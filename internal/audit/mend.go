package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"skills/internal/safefile"
)

// How long another run may have the file for its line: it writes one, and waits
// for the disk.
const (
	tries = 1000
	pause = 5 * time.Millisecond
)

// maxTail is how far back the beginning of the last line is looked for; none
// that is written here is as long.
const maxTail = 4 << 20

// hold takes the file from the other runs that share it, and returns what gives
// it back. held is false where the file system has no locks: appended lines
// stay whole there, too, but nothing can be cut away.
func (a *file) hold() (release func(), held bool, err error) {
	for range a.wait {
		err := safefile.Lock(a.f)
		if err == nil {
			return func() { safefile.Unlock(a.f) }, true, nil
		}
		if !errors.Is(err, safefile.ErrLocked) {
			return func() {}, false, nil
		}
		time.Sleep(pause)
	}
	return nil, false, &Error{a.path, fmt.Sprintf("another run has kept it for itself for %s", time.Duration(a.wait)*pause), "end that run, or name another file with --audit", nil}
}

// mend makes the end of the file one that a line can follow, and returns where
// that is and what has to stand before the line. A line that a kill has cut is
// cut away, and told; what is no beginning of a line stays.
func (a *file) mend(held bool) (size int64, lead string, err error) {
	info, err := a.f.Stat()
	if err != nil {
		return 0, "", err
	}
	size = info.Size()
	tail, err := lastLine(a.f, size)
	if err != nil {
		return size, "", err
	}
	torn := begins(string(tail)) || len(bytes.Trim(tail, "\x00")) == 0 // zeros are what a crash may leave
	switch {
	case len(tail) == 0:
		return size, "", nil
	case json.Valid(tail):
		return size, "\n", nil
	case !torn || !held:
		if !a.told {
			a.told = true
			a.warn(fmt.Sprintf("the last line of %s is no JSON; it stays there, and what follows begins on a line of its own", a.path))
		}
		return size, "\n", nil
	}
	size -= int64(len(tail))
	if err := safefile.Truncate(a.f, size); err != nil {
		return size, "", err
	}
	a.warn(fmt.Sprintf("the last line of %s was cut in the middle of a write; its %d bytes are left out", a.path, len(tail)))
	return size, "", nil
}

// lastLine returns what stands behind the last line's end, nothing where the
// file ends with it.
func lastLine(f *os.File, size int64) ([]byte, error) {
	for n := int64(1); ; n *= 64 {
		tail := make([]byte, min(n, maxTail, size))
		if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
			return nil, err
		}
		if end := bytes.LastIndexByte(tail, '\n'); end >= 0 {
			return tail[end+1:], nil
		}
		if n >= min(maxTail, size) {
			return tail, nil
		}
	}
}

// takeBack cuts away what a write that failed has left at the end, if nobody
// has written behind it.
func (a *file) takeBack(size int64, written int) {
	if info, err := a.f.Stat(); err == nil && written > 0 && info.Size() == size+int64(written) {
		safefile.Truncate(a.f, size) // the error that matters is that of the write
	}
}
