package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/safefile"
	"skills/internal/spec"
)

// maxIgnoreFile is the size in bytes up to which an ignore file is read.
const maxIgnoreFile = 1 << 20

// ignoresAt returns what is ignored for the entries of dir, an absolute path
// with links resolved, by the ignore files above it; nil outside a repository.
// If dir itself is ignored they are disregarded: it was named explicitly.
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

// repositoryIgnores returns what a repository ignores by its info/exclude, which
// its .gitignore files override.
func repositoryIgnores(root string) *ignores {
	patterns, _ := readIgnoreFile(filepath.Join(root, ".git", "info", "exclude"))
	return (*ignores)(nil).with(root, patterns)
}

// readIgnoreFile reads a file of patterns.
func readIgnoreFile(path string) ([]ignorePattern, error) {
	text, err := readPlain(path)
	return parseIgnoreFile([]byte(text)), err
}

// readPlain reads a regular file of at most 1 MiB. A link is an error: git does
// not follow it either.
func readPlain(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return "", errors.New("it is a link, which git does not follow")
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("it is %s, not a file", spec.KindName(info.Mode()))
	case info.Size() > maxIgnoreFile:
		return "", errors.New("it is larger than 1 MiB")
	}
	text, _, err := readFile(filepath.Dir(path), filepath.Base(path), 0, maxIgnoreFile)
	return string(text), err
}
