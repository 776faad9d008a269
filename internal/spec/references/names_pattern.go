package references

import (
	"slices"
	"strings"

	"skills/internal/lazyregexp"
)

// maxPatterns limits the patterns that every file is compared with.
const maxPatterns = 50

// pattern adds a pattern such as references/*.md, {lang}/x.md or <name>.py.
func (m *Names) pattern(w string) {
	w = strings.TrimPrefix(strings.Trim(w, "/"), "./")
	if len(m.patterns) >= maxPatterns || len(w) > 200 || m.patterns[w] != nil {
		return
	}
	if p := patternOf(w); p.namesFiles() {
		m.patterns[w] = p
	}
}

// withoutEmphasis returns a word of prose without Markdown's marks of emphasis at its
// ends: **word** and *word:* are no patterns, **/*.md and references/* are.
func withoutEmphasis(w string) string {
	bare := strings.TrimLeft(w, "*")
	if bare == "" || strings.IndexByte("./_-", bare[0]) >= 0 {
		bare = w
	}
	end := strings.TrimRight(bare, "*")
	opened := len(bare) < len(w) || strings.HasSuffix(w, "**")
	if end == "" || !opened || strings.HasSuffix(end, "/") {
		return bare
	}
	return end
}

// fileEnding matches the extension at the end of a file's name.
var fileEnding = lazyregexp.New(`\.[a-z]\w{0,7}$`)

// namesFiles reports whether the text of a pattern is one of paths: with a folder or an
// extension, unlike "age<18".
func (p pathPattern) namesFiles() bool {
	if strings.Trim(strings.Join(p, ""), "./*") == "" {
		return false
	}
	return slices.ContainsFunc(p, func(part string) bool {
		return strings.Trim(part, "/") != "" && strings.Contains(part, "/") || fileEnding().MatchString(part)
	})
}

// pathPattern holds the parts of a pattern between its placeholders, each of
// which matches anything. There is at least one placeholder.
type pathPattern []string

func patternOf(w string) (p pathPattern) {
	if !strings.ContainsAny(w, "{}<>$") && !strings.Contains(w, "...") {
		for { // most are marks of bold text
			part, rest, found := strings.Cut(w, "*")
			p = append(p, part)
			if !found {
				return p
			}
			w = strings.TrimLeft(rest, "*")
		}
	}
	from := 0
	for _, at := range placeholders().FindAllStringIndex(w, -1) {
		p = append(p, w[from:at[0]])
		from = at[1]
	}
	return append(p, w[from:])
}

// matches reports whether a path, or a sequence of its elements, matches the
// pattern.
func (p pathPattern) matches(name string) bool {
	first, last := p[0], p[len(p)-1]
	for start := 0; ; {
		if rest, ok := strings.CutPrefix(name[start:], first); ok {
			if rest, ok := cutInOrder(rest, p[1:len(p)-1]); ok && (strings.HasSuffix(rest, last) || strings.Contains(rest, last+"/")) {
				return true
			}
		}
		n := strings.IndexByte(name[start:], '/')
		if n < 0 {
			return false
		}
		start += n + 1
	}
}

// cutInOrder returns the text after the parts, which must occur in this order.
func cutInOrder(s string, parts []string) (rest string, ok bool) {
	for _, part := range parts {
		_, s, ok = strings.Cut(s, part)
		if !ok {
			return "", false
		}
	}
	return s, true
}

var placeholders = lazyregexp.New(`\*+|\$?\{[^{}]*\}|<[^<>]*>|\.\.\.|\$\w*|[{}<>]`)
