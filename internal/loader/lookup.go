package loader

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/suggest"
)

// maxSuggestions is the maximum number of suggestions for an unknown name.
const maxSuggestions = 3

// Lookup finds name in names: verbatim, as a cleaned path, or ignoring case if
// that is unambiguous. match is one of names, or "" with up to three
// suggestions. Absolute paths and ".." never match.
func Lookup(names []string, name string) (match string, suggestions []string) {
	plain := plainName(name)
	for _, exact := range []string{name, plain} {
		if slices.Contains(names, exact) {
			return exact, nil
		}
	}
	var alike []string
	for _, n := range names {
		if strings.EqualFold(n, plain) {
			alike = append(alike, n)
		}
	}
	switch len(alike) {
	case 0:
		return "", suggestNames(names, plain)
	case 1:
		return alike[0], nil
	}
	slices.Sort(alike)
	return "", alike[:min(len(alike), maxSuggestions)]
}

// plainName cleans a relative path. Paths with ".." are returned unchanged,
// because cleaning would turn them into other names.
func plainName(name string) string {
	slashed := strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if slashed == "" || slices.Contains(strings.Split(slashed, "/"), "..") {
		return name
	}
	return path.Clean(slashed)
}

// suggestNames returns the most likely names: the same file in another folder
// or without its extension, then names with a small edit distance.
func suggestNames(names []string, name string) []string {
	if name == "" {
		return nil
	}
	stem := func(s string) string { return strings.ToLower(strings.TrimSuffix(path.Base(s), path.Ext(s))) }
	out := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return stem(n) == "" || stem(n) != stem(name) })
	if nearest := suggest.Nearest(name, names); nearest != "" && !slices.Contains(out, nearest) {
		out = append(out, nearest)
	}
	return out[:min(len(out), maxSuggestions)]
}

// MatchName reports whether one of the patterns matches the name of a skill. A
// pattern holds * ? and [..] as [path.Match] has them; case does not matter.
func MatchName(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(strings.ToLower(p), strings.ToLower(name))
		return ok
	})
}

// CheckNamePattern returns an *fault.Error for a pattern that MatchName cannot use.
func CheckNamePattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || strings.TrimSpace(pattern) == "" {
		return &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", pattern), Hint: "write a name, with * for any characters: 'pdf-*'"}
	}
	return nil
}
