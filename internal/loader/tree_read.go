package loader

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"skills/internal/spec"
)

// Read returns a regular file's content, at most limit bytes of it; links that
// stay in the folder are followed. No byte is read twice. Of all files
// together 16 MiB are read: what comes after that is an error, or cut.
func (t *folderTree) Read(name string, limit int64) ([]byte, error) {
	name = path.Clean(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.read[name]
	if c == nil {
		c = &content{}
		if t.read == nil {
			t.read = map[string]*content{}
		}
		t.read[name] = c
	}
	if !c.whole && c.err == nil && int64(len(c.data)) < limit {
		before := len(c.data)
		c.err = t.extend(c, name, min(limit, int64(before)+t.budget))
		t.budget -= int64(len(c.data) - before)
	}
	if c.err != nil {
		return nil, c.err
	}
	end := min(int64(len(c.data)), max(limit, 0))
	return c.data[:end:end], nil
}

// extend reads a file on, up to limit bytes in all.
func (t *folderTree) extend(c *content, name string, limit int64) error {
	have := int64(len(c.data))
	if have >= limit {
		if have == 0 {
			return fmt.Errorf("reading %s: %w", name, spec.ErrReadEnough)
		}
		return nil
	}
	t.holds++
	defer t.done()
	f, size, err := t.openFile(name)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, reason(err))
	}
	defer f.Close()
	data := make([]byte, have, max(min(size, limit), have)+1)
	copy(data, c.data)
	for int64(len(data)) < limit {
		if len(data) == cap(data) {
			data = slices.Grow(data, 4096)
		}
		to := min(int64(cap(data)), limit)
		if int64(len(data)) < size {
			to = min(to, size) // the end is not read for
		}
		n, err := f.ReadAt(data[len(data):to], int64(len(data)))
		data = data[:len(data)+n]
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", name, reason(err))
		}
		// A file that has its size is not asked for more; one that says it is
		// empty may be of a kind that does not know.
		if c.whole = err != nil || n == 0 || size > 0 && int64(len(data)) == size; c.whole {
			break
		}
	}
	c.data = data
	return nil
}

// opened is a file that is open for reading.
type opened interface {
	io.ReaderAt
	io.Closer
}

// openFile opens a regular file without waiting and returns its size in bytes.
// What the list has as one with something in it is not looked at again: opening
// is contained and does not wait, no more is read than the list says, and most
// files of a skill are read. Any other is looked at once it is open.
func (t *folderTree) openFile(name string) (opened, int64, error) {
	at, listed := slices.BinarySearchFunc(t.files, name, func(f spec.File, name string) int { return cmp.Compare(f.Name, name) })
	listed = listed && t.files[at].Mode.IsRegular()
	if listed {
		if size := t.files[at].Size; size > 0 {
			if f, ok := t.plain.openListed(name); ok {
				return f, size, nil
			}
		} else if f, size, ok := t.plain.open(name); ok {
			return f, size, nil
		}
	}
	root, err := t.open()
	if err != nil {
		return nil, 0, err
	}
	open := openRegular
	if listed {
		open = openUnseen
	}
	f, info, err := open(root, name)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
