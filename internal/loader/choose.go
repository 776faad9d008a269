package loader

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// MatchName reports whether one of the patterns matches the name of a skill. A
// pattern holds * ? and [..] as [path.Match] has them; case does not matter.
func MatchName(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(strings.ToLower(p), strings.ToLower(name))
		return ok
	})
}

// CheckNamePattern returns an *Error for a pattern that MatchName cannot use.
func CheckNamePattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || strings.TrimSpace(pattern) == "" {
		return &Error{Message: fmt.Sprintf("the pattern %q is malformed", pattern), Help: "write a name, with * for any characters: 'pdf-*'"}
	}
	return nil
}

// Extensions narrow what of a skill's folder is offered. An empty list is the
// default: every file as a resource, ScriptExtensions as scripts.
type Extensions struct {
	Resources, Scripts []string // as ParseExtension returns them
}

// ParseExtension reads an extension, with or without its dot, in any case. The
// error is an *Error.
func ParseExtension(text string) (string, error) {
	ext := "." + strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), ".")
	if path.Ext(ext) != ext || ext == "." || strings.ContainsAny(ext, "/*? ") {
		return ext, &Error{Message: fmt.Sprintf("%q is not a file extension", text), Help: "write it as .md or md"}
	}
	return ext, nil
}
