package loader

// Ignore files as git reads them: patterns of a folder apply below it, the last one that
// matches decides, and what is ignored is not entered. The exclude patterns of a
// configuration have the same syntax and are a chain of their own.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/fault"
	"skills/internal/spec"
)

// ignores is a chain of ignore files, the deepest first. It is immutable, so
// goroutines can share it. A nil chain ignores nothing.
type ignores struct {
	parent   *ignores
	base     string // the absolute folder that the patterns are relative to
	patterns []ignorePattern
}

// ignored reports whether the entry at path is ignored, given that its folder
// is not. The last matching pattern decides; deeper files override higher ones.
func (g *ignores) ignored(path string, isDir bool) bool {
	p := g.decisive(path, isDir)
	return p != nil && !p.negate
}

// decisive returns the last pattern that matches the entry at path, or nil.
func (g *ignores) decisive(path string, isDir bool) *ignorePattern {
	for ; g != nil; g = g.parent {
		rel, ok := below(g.base, path)
		if !ok {
			continue
		}
		for i := len(g.patterns) - 1; i >= 0; i-- {
			if g.patterns[i].matches(rel, isDir) {
				return &g.patterns[i]
			}
		}
	}
	return nil
}

// reaches reports whether path or a folder above it is ignored.
func (g *ignores) reaches(base, path string) bool {
	rel, ok := below(base, path)
	if !ok {
		return false
	}
	for part := range strings.SplitSeq(rel, "/") {
		base = filepath.Join(base, part)
		if g.ignored(base, true) {
			return true
		}
	}
	return false
}

// below returns path relative to base, with slashes; ok is false if it is not
// below base.
func below(base, path string) (rel string, ok bool) {
	base = strings.TrimSuffix(base, string(filepath.Separator)) + string(filepath.Separator)
	rel, ok = strings.CutPrefix(path, base)
	return filepath.ToSlash(rel), ok && rel != ""
}

// ignorePattern is one line of an ignore file.
type ignorePattern struct {
	negate  bool // re-includes what an earlier pattern ignored
	dirOnly bool // ends with a slash
	name    bool // has no slash: it matches the last element of a path
	glob    glob
	text    string // as in the configuration
}

// parseIgnoreFile reads the text of a .gitignore file.
func parseIgnoreFile(text []byte) []ignorePattern {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var out []ignorePattern
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if p, ok := parseIgnore(line); ok {
			out = append(out, p)
		}
	}
	return out
}

// parseIgnore parses one line; ok is false if it can never match.
func parseIgnore(line []byte) (p ignorePattern, ok bool) {
	for bytes.HasSuffix(line, []byte(" ")) && !bytes.HasSuffix(line, []byte(`\ `)) {
		line = line[:len(line)-1]
	}
	if len(line) == 0 || line[0] == '#' {
		return p, false
	}
	line, p.negate = bytes.CutPrefix(line, []byte("!"))
	line, p.dirOnly = bytes.CutSuffix(line, []byte("/"))
	p.name = !bytes.ContainsRune(line, '/')
	line = bytes.TrimPrefix(line, []byte("/"))
	if len(line) == 0 {
		return p, false
	}
	p.glob, ok = compileGlob(line)
	return p, ok
}

// matches reports whether the pattern matches a path relative to its folder.
func (p ignorePattern) matches(rel string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if p.name {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	return p.glob.match(rel)
}

// CheckExclude returns a *fault.Error for a pattern of Search.Exclude that can
// never match.
func CheckExclude(pattern string) error {
	_, err := parseExclude(pattern)
	return err
}

// parseExclude parses a pattern of a configuration: a line of a .gitignore file
// in which a leading ./ means the configuration's folder. With Git such
// patterns never match, nor do those with . or .. further on, which are an
// error here.
func parseExclude(pattern string) (ignorePattern, error) {
	line := strings.TrimPrefix(pattern, "!")
	not := strings.TrimSuffix(pattern, line)
	if rest, ok := strings.CutPrefix(line, "./"); ok {
		line = "/" + rest
	}
	p, ok := parseIgnore([]byte(not + line))
	p.text = pattern
	for part := range strings.SplitSeq(line, "/") {
		ok = ok && part != "." && part != ".."
	}
	if !ok {
		return p, &fault.Error{Message: fmt.Sprintf("exclude pattern %q can never match", pattern), Hint: "the syntax is that of a .gitignore file: examples/ or **/vendor"}
	}
	return p, nil
}

// Excluder returns a function that reports whether Exclude matches a folder, given
// by its path, or a folder above it. A search does not check its root, which the
// user named.
func (s Search) Excluder() func(dir string) bool {
	g, err := excludesAt(s.Exclude, s.ExcludeFrom, "")
	if s.ExcludeFrom == "" || err != nil || g == nil {
		return func(string) bool { return false }
	}
	return func(dir string) bool {
		abs, err := filepath.Abs(dir)
		return err == nil && g.reaches(g.base, abs)
	}
}

// excludesAt builds the chain of a configuration's patterns for a search from
// root. If root itself is excluded, nothing below it is, because the user named
// it.
func excludesAt(patterns []string, base, root string) (*ignores, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", base, err)
	}
	g := &ignores{base: base}
	for _, text := range patterns {
		p, err := parseExclude(text)
		if err != nil {
			return nil, err
		}
		g.patterns = append(g.patterns, p)
	}
	if g.reaches(base, root) {
		return nil, nil
	}
	return g, nil
}

// maxIgnoreFile is the maximum size of an ignore file, in bytes.
const maxIgnoreFile = 1 << 20

// ignoresAt returns the ignore files above dir, an absolute path with links
// resolved; nil outside a repository. If dir itself is ignored they are
// disregarded, because the user named it.
func (s Search) ignoresAt(dir string) *ignores {
	repo, ok := Repository(dir)
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
		g = &ignores{g, at, patterns}
		at = filepath.Join(at, part)
		if g.ignored(at, true) {
			return own
		}
	}
	return g
}

// repositoryIgnores returns the patterns of a repository's info/exclude, which
// its .gitignore files override.
func repositoryIgnores(root string) *ignores {
	patterns, _ := readIgnoreFile(filepath.Join(root, ".git", "info", "exclude"))
	return &ignores{nil, root, patterns}
}

// readIgnoreFile reads a file of patterns, at most 1 MiB. A link is an error,
// because git does not follow it either.
func readIgnoreFile(path string) ([]ignorePattern, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("it is a link, which git does not follow")
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is %s, not a file", spec.KindName(info.Mode()))
	case info.Size() > maxIgnoreFile:
		return nil, errors.New("it is larger than 1 MiB")
	}
	text, _, err := readFile(filepath.Dir(path), filepath.Base(path), nil, 0, maxIgnoreFile)
	return parseIgnoreFile(text), err
}

// Ignores decides what Git ignores, folder by folder.
type Ignores struct{ chain *ignores }

// IgnoresAt returns what the ignore files above a folder say about its entries; dir is
// absolute, with links resolved. Outside of a repository they say nothing, but the files
// in the folders themselves still count.
func IgnoresAt(dir string) Ignores {
	g := Search{}.ignoresAt(dir)
	if g == nil {
		g = &ignores{base: dir}
	}
	return Ignores{g}
}

// Enter returns what applies to the entries of a folder, with the text of its own
// .gitignore, or nil.
func (i Ignores) Enter(dir string, text []byte) Ignores {
	if len(text) == 0 {
		return i
	}
	return Ignores{&ignores{i.chain, dir, parseIgnoreFile(text)}}
}

// Ignored reports whether the entry at an absolute path is ignored, given that its folder
// is not.
func (i Ignores) Ignored(path string, isDir bool) bool { return i.chain.ignored(path, isDir) }

// Glob is a pattern with the syntax of ignore files, such as *.go or src/**/*.md.
type Glob struct{ pattern ignorePattern }

// ParseGlob parses a pattern; ok is false if it can never match.
func ParseGlob(text string) (g Glob, ok bool) {
	p, ok := parseIgnore([]byte(strings.TrimPrefix(text, "./")))
	return Glob{p}, ok && !p.negate
}

// Match reports whether the pattern matches a path relative to where it applies, with
// slashes. A pattern without a slash matches names in every folder.
func (g Glob) Match(rel string, isDir bool) bool { return g.pattern.matches(rel, isDir) }
