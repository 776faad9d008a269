package references

import (
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
	if p := patternOf(w); strings.Trim(strings.Join(p, ""), "./*") != "" {
		m.patterns[w] = p
	}
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
