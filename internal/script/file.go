package script

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxHead   = 64 << 10 // how far into a file the shebang and the metadata are looked for
	maxScript = 64 << 20 // the largest file that is run
)

// inspect opens the script inside its skill's folder, checks that it is a
// regular file with the right digest, and returns its absolute path and the
// beginning of its content. It never blocks on a named pipe and never opens a
// device.
func inspect(s Script) (path string, head []byte, err error) {
	if !filepath.IsAbs(s.Dir) {
		return "", nil, fmt.Errorf("opening %s: the skill's folder %q is not an absolute path", s, s.Dir)
	}
	// ValidPath refuses "..", IsLocal what only this system takes for a way
	// out (drive letters, device names).
	local := filepath.FromSlash(s.Name)
	if !fs.ValidPath(s.Name) || !filepath.IsLocal(local) {
		return "", nil, &refusal{
			reason: ErrNotScript,
			text:   fmt.Sprintf("opening %q: not a path inside the skill's folder", s.Name),
			hint:   "name the script as the skill lists it, for example scripts/convert.py",
		}
	}
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return "", nil, fmt.Errorf("opening %s: %w", s, err)
	}
	defer root.Close()
	if err := same(s, root); err != nil {
		return "", nil, err
	}

	// Looked at first, because opening alone can already do something to a
	// device; and again once it is open, because the name can lead elsewhere by
	// then. The open itself does not wait for the other end of a pipe.
	info, err := root.Stat(local)
	if err != nil {
		return "", nil, fmt.Errorf("opening %s: %w", s, cause(err))
	}
	if err := regular(s, info); err != nil {
		return "", nil, err
	}
	file, err := root.OpenFile(local, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return "", nil, fmt.Errorf("opening %s: %w", s, cause(err))
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return "", nil, fmt.Errorf("opening %s: %w", s, cause(err))
	}
	if err := regular(s, info); err != nil {
		return "", nil, err
	}

	head, err = io.ReadAll(io.LimitReader(file, maxHead))
	if err != nil {
		return "", nil, fmt.Errorf("reading %s: %w", s, cause(err))
	}
	if s.Digest != "" {
		if err := verify(s, head, file); err != nil {
			return "", nil, err
		}
	}
	return filepath.Join(s.Dir, local), head, nil
}

// Digest returns the SHA-256 of a script's file in hexadecimal, for
// [Script.Digest]: what a person approves is then what runs. It refuses what
// Run refuses.
func Digest(s Script) (string, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return "", fmt.Errorf("opening the folder of %s: %w", s, cause(err))
	}
	defer root.Close()
	if err := same(s, root); err != nil {
		return "", err
	}
	local := filepath.FromSlash(s.Name)
	info, err := root.Stat(local)
	if err != nil {
		return "", fmt.Errorf("opening %s: %w", s, cause(err))
	}
	if err := regular(s, info); err != nil {
		return "", err
	}
	file, err := root.OpenFile(local, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return "", fmt.Errorf("opening %s: %w", s, cause(err))
	}
	defer file.Close()
	return sum(s, file)
}

// sum is the digest of a script's content.
func sum(s Script, content io.Reader) (string, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(content, maxScript+1))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", s, cause(err))
	}
	if n > maxScript {
		return "", fmt.Errorf("reading %s: more than %d bytes long", s, maxScript)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verify compares the digest of head and the rest of the file with the
// script's.
func verify(s Script, head []byte, rest io.Reader) error {
	got, err := sum(s, io.MultiReader(bytes.NewReader(head), rest))
	if err != nil {
		return err
	}
	if !strings.EqualFold(got, s.Digest) {
		return &refusal{
			reason: ErrChanged,
			text:   fmt.Sprintf("checking %s: %s", s, ErrChanged),
			hint:   "look at what has changed, then start again",
		}
	}
	return nil
}

// same refuses a folder that is not the one it was: another has been put into
// its place, and with it all that the script reads of it.
func same(s Script, root *os.Root) error {
	if s.Folder == nil {
		return nil
	}
	now, err := root.Stat(".")
	if err != nil {
		return fmt.Errorf("opening %s: %w", s, cause(err))
	}
	if !os.SameFile(s.Folder, now) {
		return &refusal{
			reason: ErrChanged,
			text:   fmt.Sprintf("checking %s: the skill's folder is another one since the skill was loaded", s),
			hint:   "look at what has changed, then start again",
		}
	}
	return nil
}

// regular refuses everything but a regular file of a size that scripts have.
func regular(s Script, info fs.FileInfo) error {
	kind := "not a regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() <= maxScript:
		return nil
	case mode.IsRegular():
		return &refusal{reason: ErrNotScript, text: fmt.Sprintf("opening %s: it is %d bytes long, and no script has more than %d", s, info.Size(), maxScript)}
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return &refusal{reason: ErrNotScript, text: fmt.Sprintf("opening %s: it is %s, and only regular files are run", s, kind)}
}

// cause takes the operation and the path off an error: our own text has them.
func cause(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}
