package script

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/safefile"
)

const (
	maxHead   = 64 << 10 // how far into a file the shebang and the metadata are looked for
	maxScript = 64 << 20 // the largest file that is run
)

// inspect checks that the script is a regular file inside its skill's folder and
// has the right digest, and returns its absolute path and the beginning of its
// content.
func inspect(s Script) (path string, head []byte, err error) {
	if !filepath.IsAbs(s.Dir) {
		return "", nil, fmt.Errorf("opening %s: the skill's folder %q is not an absolute path", s, s.Dir)
	}
	file, err := open(s)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	if head, err = io.ReadAll(io.LimitReader(file, maxHead)); err != nil {
		return "", nil, fmt.Errorf("reading %s: %w", s, cause(err))
	}
	if s.Digest != "" {
		got, err := digest(s, file)
		if err != nil {
			return "", nil, err
		}
		if !strings.EqualFold(got, s.Digest) {
			return "", nil, refuse(ErrChanged, "look at what has changed, then start again", "checking %s: %s", s, ErrChanged)
		}
	}
	return filepath.Join(s.Dir, filepath.FromSlash(s.Name)), head, nil
}

// Digest returns the SHA-256 of a script's file in hexadecimal, for
// [Script.Digest]. It refuses what Run refuses.
func Digest(s Script) (string, error) {
	file, err := open(s)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return digest(s, file)
}

func digest(s Script, file *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(file, 0, maxScript+1)); err != nil {
		return "", fmt.Errorf("reading %s: %w", s, cause(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// open opens a script inside its skill's folder. It never blocks on a named pipe
// and never opens a device.
func open(s Script) (*os.File, error) {
	failed := func(err error) error { return fmt.Errorf("opening %s: %w", s, cause(err)) }
	// IsLocal refuses what only this system takes for a way out (device names).
	local := filepath.FromSlash(s.Name)
	if !fs.ValidPath(s.Name) || !filepath.IsLocal(local) {
		return nil, refuse(ErrNotScript, "name the script as the skill lists it, for example scripts/convert.py",
			"opening %q: not a path inside the skill's folder", s.Name)
	}
	root, err := safefile.OpenFolder(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", s, err)
	}
	defer root.Close()
	if s.Folder != nil { // the script may read the whole folder
		if now, err := root.Stat("."); err != nil || !os.SameFile(s.Folder, now) {
			return nil, refuse(ErrChanged, "look at what has changed, then start again", "checking %s: the skill's folder was replaced after the skill was loaded", s)
		}
	}
	// Looked at first, because opening alone can already do something to a
	// device; and again once it is open, because the name can lead elsewhere then.
	info, err := root.Stat(local)
	if err != nil {
		return nil, failed(err)
	}
	if err := regular(s, info); err != nil {
		return nil, err
	}
	file, err := root.OpenFile(local, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, failed(err)
	}
	if info, err = file.Stat(); err == nil {
		err = regular(s, info)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// regular refuses everything but a regular file of a size that scripts have.
func regular(s Script, info fs.FileInfo) error {
	kinds := map[fs.FileMode]string{fs.ModeDir: "a folder", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket"}
	switch {
	case !info.Mode().IsRegular():
		return refuse(ErrNotScript, "", "opening %s: it is %s, and only regular files are run", s, cmp.Or(kinds[info.Mode().Type()], "a device"))
	case info.Size() > maxScript:
		return refuse(ErrNotScript, "", "opening %s: it has %d bytes, and a script may have %d", s, info.Size(), maxScript)
	}
	return nil
}
