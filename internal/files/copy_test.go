package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// writer writes to a file while it is read.
type writer struct {
	got   bytes.Buffer
	touch func() error
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.touch(); err != nil {
		return 0, err
	}
	return w.got.Write(p)
}

func TestCopy(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	root, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	grow := func() error {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("more")
		return errors.Join(err, f.Close())
	}
	for title, test := range map[string]struct {
		file  string
		touch func() error
		want  error
	}{
		"unchanged": {"file", func() error { return nil }, nil},
		"grows":     {"file", grow, ErrChanged},
		"shrinks":   {"file", func() error { return os.Truncate(name, 1) }, ErrChanged},
		"large":     {"large", nil, ErrTooLarge},
		"a folder":  {".", nil, ErrIrregular},
		"missing":   {"nothing", nil, fs.ErrNotExist},
		"outside":   {"../x", nil, nil},
	} {
		if err := errors.Join(os.WriteFile(name, []byte("12345"), 0o644), os.WriteFile(filepath.Join(dir, "large"), []byte("123456"), 0o644)); err != nil {
			t.Fatal(err)
		}
		w := &writer{touch: test.touch}
		err := Copy(w, root, test.file, 5)
		if title == "outside" {
			if err == nil {
				t.Error("a file outside was copied")
			}
			continue
		}
		if !errors.Is(err, test.want) || err == nil && w.got.String() != "12345" {
			t.Errorf("%s: got %v, %q", title, err, w.got.String())
		}
	}
}
