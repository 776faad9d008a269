package script

// What runs is what was loaded and approved: the file of a script, and all files of its
// skill, are opened in the folder from which the skill was loaded, and compared.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
)

const (
	maxHead   = 64 << 10 // bytes searched for the shebang and the metadata
	maxScript = 64 << 20 // size of the largest file that is run

	reviewHint = "review the changes, then run it again"
)

// Digest returns the hexadecimal SHA-256 of a script's file, for
// [Script.Digest]. It returns the same errors as Run.
func Digest(s Script) (string, error) {
	_, _, digest, err := Source(s, 0)
	return digest, err
}

// Source checks that the script is a regular file inside its skill's folder with
// the right digest, and returns up to limit bytes of its text, its size and its
// digest. It returns the same errors as Run.
func Source(s Script, limit int64) (text []byte, size int64, digest string, err error) {
	file, err := open(s)
	if err != nil {
		return nil, 0, "", err
	}
	defer file.Close()
	hash := sha256.New()
	content := io.TeeReader(io.LimitReader(file, maxScript+1), hash)
	text, err = io.ReadAll(io.LimitReader(content, limit))
	if err == nil {
		size, err = io.Copy(io.Discard, content)
	}
	if err != nil {
		return nil, 0, "", fmt.Errorf("reading %s: %w", s, files.Reason(err))
	}
	digest = hex.EncodeToString(hash.Sum(nil))
	if s.Digest != "" && !strings.EqualFold(digest, s.Digest) {
		return nil, 0, "", newError(ErrChanged, reviewHint, "checking %s: %s", s, ErrChanged)
	}
	return text, size + int64(len(text)), digest, nil
}

// open opens a script inside its skill's folder, but never a pipe or a device.
func open(s Script) (*os.File, error) {
	if !filepath.IsAbs(s.Dir) {
		return nil, fmt.Errorf("opening %s: the skill's folder %q is not an absolute path", s, s.Dir)
	}
	// IsLocal rejects names that are special only on this system (device names).
	local := filepath.FromSlash(s.Name)
	if !fs.ValidPath(s.Name) || !filepath.IsLocal(local) {
		return nil, newError(ErrNotScript, "name the script as the skill lists it, for example scripts/convert.py",
			"opening %q: not a path inside the skill's folder", s.Name)
	}
	root, err := openFolder(s)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, _, err := files.OpenIn(root, local, func(info fs.FileInfo) error { return regular(s, info) })
	if err != nil && !errors.Is(err, ErrNotScript) {
		err = fmt.Errorf("opening %s: %w", s, files.Reason(err))
	}
	return file, err
}

// openFolder opens a script's folder, which must be the one that was loaded.
func openFolder(s Script) (*os.Root, error) {
	root, err := files.OpenFolder(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", s, err)
	}
	if s.Folder == nil {
		return root, nil
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(s.Folder, now) {
		root.Close()
		return nil, newError(ErrChanged, reviewHint, "checking %s: the skill's folder was replaced after the skill was loaded", s)
	}
	return root, nil
}

// regular rejects everything except a regular file within the size limit.
func regular(s Script, info fs.FileInfo) error {
	kinds := map[fs.FileMode]string{fs.ModeDir: "a folder", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket"}
	switch {
	case !info.Mode().IsRegular():
		return newError(ErrNotScript, "", "opening %s: it is %s, and only regular files are run", s, cmp.Or(kinds[info.Mode().Type()], "a device"))
	case info.Size() > maxScript:
		return newError(ErrNotScript, "", "opening %s: it has %d bytes, and a script may have %d", s, info.Size(), maxScript)
	}
	return nil
}

// TakeSnapshot describes the files of a script's skill, for [Script.Files].
func TakeSnapshot(ctx context.Context, s Script) (files.Snapshot, error) {
	root, err := openFolder(s)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found, err := files.TakeSnapshotIn(ctx, root)
	if errors.Is(err, files.ErrTooManyFiles) {
		return nil, newError(ErrTooLarge, "keep what the skill does not need out of its folder", "checking the files of the skill %s: %v", s.Skill, err)
	}
	if err != nil {
		return nil, fmt.Errorf("checking the files of the skill %s: %w", s.Skill, err)
	}
	return found, nil
}

// checkFiles returns an error if the skill's files are not the expected ones.
func checkFiles(ctx context.Context, s Script) error {
	if s.Files == nil {
		return nil
	}
	now, err := TakeSnapshot(ctx, s)
	if err != nil {
		return err
	}
	changed := now.Changed(s.Files)
	if s.Covers != nil {
		changed = slices.DeleteFunc(changed, func(name string) bool { return !s.Covers(name) })
	}
	if len(changed) == 0 {
		return nil
	}
	return newError(ErrChanged, reviewHint, "checking %s: files of the skill have changed since it was approved: %s", s, Names(changed))
}

// Check returns an error if the script, or a file of its skill, is not what was approved.
// It returns the same errors as [Runner.Run].
func Check(ctx context.Context, s Script) error {
	if _, err := Digest(s); err != nil {
		return err
	}
	return checkFiles(ctx, s)
}

// Names lists the first names for a message.
func Names(names []string) string {
	const most = 3
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
