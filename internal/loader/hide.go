package loader

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
)

// CheckHide returns an *fault.Error for a pattern of files that cannot be used. Patterns
// are relative to the skill's folder, with * within a name and ** across folders. One
// without a slash is for a name in any folder, and one with a slash at its end for a folder.
func CheckHide(pattern string) error {
	_, ok := compileHide(pattern)
	if !ok {
		return &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", pattern), Hint: "write a path in the skill's folder, such as 'tests/**' or '*.bak'"}
	}
	return nil
}

// compileHide compiles a pattern of files.
func compileHide(pattern string) (g glob, ok bool) {
	text := strings.TrimPrefix(filepath.ToSlash(strings.TrimSpace(pattern)), "./")
	switch {
	case text == "" || strings.HasPrefix(text, "/"):
		return glob{}, false
	case strings.HasSuffix(text, "/"):
		text += "**"
	}
	if !strings.Contains(text, "/") {
		text = "**/" + text
	}
	return compileGlob([]byte(text))
}

// hides returns the function that reports whether a file is not offered.
func (x Extensions) hides() func(name string) bool {
	var globs []glob
	for _, pattern := range x.Hide {
		if g, ok := compileHide(pattern); ok {
			globs = append(globs, g)
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(globs, func(g glob) bool { return g.match(name) })
	}
}
