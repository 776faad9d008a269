package loader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/safefile"
	"skills/internal/spec"
)

// maxIgnoreFile is how much of an ignore file is read.
const maxIgnoreFile = 1 << 20

var errIgnoreSize = errors.New("it is larger than 1 MiB, only the beginning was read")

// ignoresAt returns what is ignored for the entries of dir, an absolute path
// with links resolved, by the ignore files above it; nil outside a repository.
// Where dir itself is ignored they do not count: it was named on purpose.
func (s Search) ignoresAt(dir string) *ignores {
	repo, ok := safefile.Repository(dir)
	if !ok {
		return nil
	}
	own := &ignores{base: dir}
	if s.OwnIgnores {
		return own
	}
	g := repositoryIgnores(repo)
	rel, _ := below(repo, dir)
	at := repo
	for part := range strings.SplitSeq(rel, "/") {
		if at == dir {
			break
		}
		patterns, _ := readIgnoreFile(filepath.Join(at, ".gitignore"))
		g = g.with(at, patterns)
		at = filepath.Join(at, part)
		if g.ignored(at, true) {
			return own
		}
	}
	return g
}

// repositoryIgnores returns what a repository ignores before its .gitignore
// files have a say: its info/exclude.
func repositoryIgnores(root string) *ignores {
	git := filepath.Join(root, ".git")
	if text, err := readSmall(git); err == nil { // a worktree or a submodule
		git = pointer(strings.TrimPrefix(text, "gitdir:"), root)
	}
	if text, err := readSmall(filepath.Join(git, "commondir")); err == nil {
		git = pointer(text, git)
	}
	patterns, _ := readIgnoreFile(filepath.Join(git, "info", "exclude"))
	return (*ignores)(nil).with(root, patterns)
}

// pointer reads a path out of one of git's files; relative ones start at dir.
func pointer(text, dir string) string {
	path := filepath.FromSlash(strings.TrimSpace(text))
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// readIgnoreFile reads a file of patterns. Of one that is too large the
// beginning is used, and that is an error too.
func readIgnoreFile(path string) ([]ignorePattern, error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	if len(text) > maxIgnoreFile {
		text, err = text[:strings.LastIndexByte(text[:maxIgnoreFile], '\n')+1], errIgnoreSize
	}
	return parseIgnoreFile([]byte(text)), err
}

// readSmall reads the beginning of a regular file. A link is none: git does
// not follow it either.
func readSmall(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", notRegular(info.Mode())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", notRegular(info.Mode())
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile+1))
	return string(text), err
}

// notRegular says what stands in the place of a file.
func notRegular(m fs.FileMode) error {
	if m&fs.ModeSymlink != 0 {
		return errors.New("it is a link, which git does not follow")
	}
	return fmt.Errorf("it is %s, not a file", spec.KindName(m))
}
