package loader

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"skills/internal/lazyregexp"
)

// maxPattern is the length of the longest pattern that is compiled: no path is
// longer.
const maxPattern = 4096

// glob is a compiled pattern of an ignore file. Git matches bytes, so patterns
// and texts use one character per byte. Matching takes linear time, so a
// hostile .gitignore cannot stall a search.
type glob struct {
	literal string         // matched literally if pattern is nil
	pattern *regexp.Regexp // over latin1 texts
}

// compileGlob compiles a pattern; ok is false if it can never match: an
// unclosed bracket, an unknown class, a trailing backslash.
func compileGlob(pattern []byte) (g glob, ok bool) {
	if !bytes.ContainsAny(pattern, `*?[\`) {
		return glob{literal: string(pattern)}, true
	}
	if len(pattern) > maxPattern {
		return glob{}, false
	}
	var b strings.Builder
	for i := 0; i < len(pattern); {
		used := 1
		switch c := pattern[i]; c {
		case '?':
			b.WriteString("[^/]")
		case '[':
			class, length := compileClass(pattern[i:])
			if length == 0 {
				return glob{}, false
			}
			b.WriteString(class)
			used = length
		case '*':
			var stars string
			stars, used = compileStars(pattern, i)
			b.WriteString(stars)
		case '\\':
			i++
			if i == len(pattern) {
				return glob{}, false
			}
			b.WriteString(regexp.QuoteMeta(latin1(pattern[i : i+1])))
		default:
			b.WriteString(regexp.QuoteMeta(latin1(pattern[i : i+1])))
		}
		i += used
	}
	re, err := regexp.Compile("(?s)^(?:" + b.String() + ")$")
	return glob{pattern: re}, err == nil
}

// match reports whether the whole text matches.
func (g glob) match(text string) bool {
	if g.pattern == nil {
		return text == g.literal
	}
	return g.pattern.MatchString(latin1([]byte(text)))
}

// latin1 converts each byte to a character.
func latin1(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// compileStars compiles the run of stars at i and returns its length in the
// pattern. Two or more match across folders if they are alone between slashes
// or the pattern's ends; followed by a slash they also match the empty path.
func compileStars(pattern []byte, i int) (expression string, used int) {
	rest := bytes.TrimLeft(pattern[i:], "*")
	stars := len(pattern) - i - len(rest)
	// Git removes a pattern's literal prefix first and ignores it when it
	// compiles the stars: a**/b matches across folders too.
	alone := i == 0 || pattern[i-1] == '/' || !bytes.ContainsAny(pattern[:i], `*?[\`)
	switch {
	case stars < 2 || !alone:
	case bytes.HasPrefix(rest, []byte("/")):
		return "(?:.*/)?", stars + 1
	case len(rest) == 0 || bytes.HasPrefix(rest, []byte(`\/`)):
		return ".*", stars
	}
	return "[^/]*", stars
}

// namedClass matches a class such as [:alpha:] inside a bracket expression.
var namedClass = lazyregexp.New(`^\[:[^\]]+:\]`)

// compileClass compiles the bracket expression at the start; length is 0 if
// there is none.
func compileClass(pattern []byte) (class string, length int) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		b.WriteString("^/") // no class matches a slash
		i++
	}
	// member reads the byte at i, which a backslash may quote.
	member := func() byte {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		i++
		return pattern[i-1]
	}
	for first := i; i < len(pattern); {
		if pattern[i] == ']' && i > first {
			return b.String() + "]", i + 1
		}
		if name := namedClass().Find(pattern[i:]); name != nil {
			b.Write(name)
			i += len(name)
			continue
		}
		from := member()
		to := from
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			i++
			to = member()
		}
		if from <= to {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, from, to)
		}
	}
	return "", 0
}
