package loader

import (
	"fmt"
	"path/filepath"
)

// CheckExclude refuses a pattern for Search.Exclude that can never match with a
// *ConfigError.
func CheckExclude(pattern string) error {
	if _, ok := parseIgnore([]byte(pattern)); !ok {
		return &ConfigError{Message: fmt.Sprintf("exclude pattern %q can never match", pattern), Help: "the syntax is that of a .gitignore file: examples/ or **/vendor"}
	}
	return nil
}

// Excludes reports whether Exclude speaks of a folder, as its path is written,
// or of one above it. A search does not ask that of its root, which was named
// on purpose.
func (s Search) Excludes(dir string) (bool, error) {
	if len(s.Exclude) == 0 || s.ExcludeFrom == "" {
		return false, nil
	}
	base, err := filepath.Abs(s.ExcludeFrom)
	if err != nil {
		return false, fmt.Errorf("resolving %s: %w", s.ExcludeFrom, err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false, fmt.Errorf("resolving %s: %w", dir, err)
	}
	g := &ignores{base: base}
	for _, text := range s.Exclude {
		if p, ok := parseIgnore([]byte(text)); ok {
			g.patterns = append(g.patterns, p)
		}
	}
	return g.reaches(base, dir), nil
}
