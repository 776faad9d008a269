package loader

import (
	"fmt"
	"path/filepath"
	"strings"
)

// CheckExclude refuses a pattern for Search.Exclude that can never match with a
// *ConfigError.
func CheckExclude(pattern string) error {
	_, err := parseExclude(pattern)
	return err
}

// parseExclude reads a pattern of a configuration: a line of a .gitignore file,
// but that ./ at its beginning stands for the configuration's folder. Git's
// patterns never match then, nor with . or .. further on, which is an error.
func parseExclude(pattern string) (ignorePattern, error) {
	line, not := pattern, ""
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		line, not = rest, "!"
	}
	for strings.HasPrefix(line, "./") {
		line = "/" + strings.TrimLeft(line[len("./"):], "/")
		if strings.HasPrefix(line, "/./") {
			line = line[1:]
		}
	}
	p, ok := parseIgnore([]byte(not + line))
	for part := range strings.SplitSeq(line, "/") {
		ok = ok && part != "." && part != ".."
	}
	if !ok {
		return p, &ConfigError{Message: fmt.Sprintf("exclude pattern %q can never match", pattern), Help: "the syntax is that of a .gitignore file: examples/ or **/vendor"}
	}
	return p, nil
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
		if p, err := parseExclude(text); err == nil {
			g.patterns = append(g.patterns, p)
		}
	}
	return g.reaches(base, dir), nil
}
