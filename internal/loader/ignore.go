package loader

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// ignores is a chain of ignore files, the deepest first. It is never changed
// once made, so goroutines share it. A nil chain ignores nothing.
type ignores struct {
	parent   *ignores
	base     string // the absolute folder that the patterns speak of
	patterns []ignorePattern
}

// with returns the chain with a deeper ignore file put before it.
func (g *ignores) with(base string, patterns []ignorePattern) *ignores {
	return &ignores{parent: g, base: base, patterns: patterns}
}

// ignored reports whether the entry at path, an absolute path below every
// base, is ignored, given that its folder is not: the last pattern that
// matches decides, deeper files over higher ones (gitignore, "Pattern
// format").
func (g *ignores) ignored(path string, isDir bool) bool {
	for ; g != nil; g = g.parent {
		rel, ok := below(g.base, path)
		if !ok {
			continue
		}
		for i := len(g.patterns) - 1; i >= 0; i-- {
			if g.patterns[i].matches(rel, isDir) {
				return !g.patterns[i].negate
			}
		}
	}
	return false
}

// reaches reports whether path or one of the folders above it is ignored.
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

// below returns path relative to base, with slashes; ok is false for base
// itself and for what is not below it.
func below(base, path string) (rel string, ok bool) {
	base = strings.TrimSuffix(base, string(filepath.Separator)) + string(filepath.Separator)
	rel, ok = strings.CutPrefix(path, base)
	return filepath.ToSlash(rel), ok && rel != ""
}

// excludesAt makes the chain of a configuration's patterns for a search from
// root. A root that is excluded itself was named on purpose: nothing below it
// is excluded then.
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
