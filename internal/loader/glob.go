package loader

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// maxPattern is how many bytes of an ignore pattern are compiled; a longer one
// is skipped. No path is that long.
const maxPattern = 4096

// glob is a compiled pattern of an ignore file. Git matches bytes, so patterns
// and texts are written with one character for each byte. Matching takes time
// in proportion to pattern and text: a hostile .gitignore cannot stall a search.
type glob struct {
	literal string         // matched as it is if pattern is nil
	pattern *regexp.Regexp // over latin1 texts
}

// compileGlob compiles a pattern; ok is false if it can match nothing: an
// unclosed bracket, an unknown class, a backslash at the end.
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
			if used = length; length == 0 {
				return glob{}, false
			}
			b.WriteString(class)
		case '*':
			var stars string
			stars, used = compileStars(pattern, i)
			b.WriteString(stars)
		case '\\':
			if i++; i == len(pattern) {
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

// latin1 writes each byte as a character of its own.
func latin1(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// compileStars compiles the run of stars at i and returns how much of the
// pattern it used. Two and more cross folders if they are alone between slashes
// or the pattern's ends; followed by a slash they also match no folder at all.
func compileStars(pattern []byte, i int) (expression string, used int) {
	rest := bytes.TrimLeft(pattern[i:], "*")
	stars := len(pattern) - i - len(rest)
	// Git removes the plain text that a pattern starts with first and disregards
	// it when it comes to the stars: a**/b crosses folders too.
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

// compileClass compiles the bracket expression that pattern starts with and
// returns its length; 0 means that it is not one. No class matches a slash.
func compileClass(pattern []byte) (class string, length int) {
	var set [256]bool
	i, negate := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		negate = true
		i++
	}
	last := -1 // the byte that a following "-" starts a range from
	for first := true; i < len(pattern); first = false {
		c := pattern[i]
		switch {
		case c == ']' && !first:
			return writeClass(set, negate), i + 1
		case c == '[' && bytes.HasPrefix(pattern[i+1:], []byte(":")):
			end := bytes.IndexByte(pattern[i:], ']')
			if end < 3 || pattern[i+end-1] != ':' {
				break // a plain bracket
			}
			members, known := namedClasses()[string(pattern[i+2:i+end-1])]
			if !known {
				return "", 0
			}
			for j := 0; j < len(members); j += 2 {
				addRange(&set, int(members[j]), int(members[j+1]))
			}
			i, last = i+end+1, -1
			continue
		case c == '-' && last >= 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			i++
			if pattern[i] == '\\' {
				i++
			}
			if i >= len(pattern) {
				return "", 0
			}
			addRange(&set, last, int(pattern[i]))
			i, last = i+1, -1
			continue
		case c == '\\':
			if i++; i >= len(pattern) {
				return "", 0
			}
			c = pattern[i]
		}
		set[c] = true
		i, last = i+1, int(c)
	}
	return "", 0
}

func addRange(set *[256]bool, from, to int) {
	for b := from; b <= to; b++ {
		set[b] = true
	}
}

// writeClass writes a set of bytes as a class of a regular expression.
func writeClass(set [256]bool, negate bool) string {
	var b strings.Builder
	b.WriteByte('[')
	for c, in := range set {
		if in != negate && c != '/' {
			fmt.Fprintf(&b, `\x{%x}`, c)
		}
	}
	if b.Len() == 1 {
		return `[^\x{00}-\x{10ffff}]` // matches nothing
	}
	return b.String() + "]"
}

// namedClasses are the classes such as [:alpha:] as pairs of first and last
// byte. Git's idea of space has no vertical tab and no form feed.
func namedClasses() map[string]string {
	return map[string]string{
		"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~", "lower": "az",
		"print": " ~", "punct": "!/:@[`{~", "space": "  \t\n\r\r", "upper": "AZ", "xdigit": "09AFaf",
	}
}
