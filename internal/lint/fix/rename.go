package fix

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// free reports with ErrTaken that a file's new name is in use. The folder's
// list decides: a disk that does not tell cases apart answers to SKILL.md
// where the file is called skill.md.
func free(root *os.Root, f File, info fs.FileInfo) error {
	if !filepath.IsLocal(filepath.FromSlash(f.NewName)) || filepath.Dir(filepath.FromSlash(f.NewName)) != filepath.Dir(filepath.FromSlash(f.Name)) {
		return errors.New("it cannot be moved into another folder")
	}
	dir, err := root.Open(filepath.Dir(filepath.FromSlash(f.NewName)))
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(1000)
		if slices.Contains(names, filepath.Base(filepath.FromSlash(f.NewName))) {
			return ErrTaken
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	there, err := root.Lstat(filepath.FromSlash(f.NewName))
	if err == nil && !os.SameFile(there, info) {
		return ErrTaken
	}
	return nil
}

// rename gives a file a name that no other file has. Where the disk takes the
// new name for the old one, the way leads over a third, for some refuse to
// change nothing but the case.
func rename(root *os.Root, from, to string) error {
	if _, err := root.Lstat(to); err != nil {
		return root.Rename(from, to)
	}
	between := temporaryName(from)
	if err := root.Rename(from, between); err != nil {
		return err
	}
	if _, err := root.Lstat(to); err == nil {
		// It was another file after all: it came up since it was looked for.
		return errors.Join(ErrTaken, root.Rename(between, from))
	}
	if err := root.Rename(between, to); err != nil {
		return errors.Join(err, root.Rename(between, from))
	}
	return nil
}
