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

// metadataPrefix begins a pattern for a value of the frontmatter's metadata.
const metadataPrefix = "metadata."

// Match reports whether a pattern is for a skill: for its name, or as metadata.KEY=PATTERN
// for a value of its metadata.
func Match(patterns []string, name string, metadata map[string]string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		key, value, ok := metadataPattern(p)
		if !ok {
			return MatchName([]string{p}, name)
		}
		text, has := metadata[key]
		return has && MatchName([]string{value}, text)
	})
}

// metadataPattern splits metadata.KEY=PATTERN.
func metadataPattern(text string) (key, pattern string, ok bool) {
	rest, ok := strings.CutPrefix(text, metadataPrefix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "=")
}

// CheckPattern returns an *fault.Error for a pattern that Match cannot use.
func CheckPattern(pattern string) error {
	key, value, ok := metadataPattern(pattern)
	switch {
	case !ok && strings.HasPrefix(pattern, metadataPrefix), ok && key == "":
		return &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", pattern), Hint: "write metadata.KEY=VALUE, with * for any characters: 'metadata.team=web'"}
	case ok:
		return CheckNamePattern(value)
	}
	return CheckNamePattern(pattern)
}

// CheckNamePattern returns an *fault.Error for a pattern that MatchName cannot use.
func CheckNamePattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || strings.TrimSpace(pattern) == "" {
		return &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", pattern), Hint: "write a name, with * for any characters: 'pdf-*'"}
	}
	return nil
}
