package loader

import (
	"bytes"
	"slices"
)

// glob is a compiled pattern of an ignore file: a small automaton whose states
// are the positions before its tokens. Matching takes time in proportion to
// tokens and text, whatever the pattern, so that a hostile .gitignore cannot
// stall a search.
type glob []globToken

type globKind uint8

const (
	globByte  globKind = iota // exactly one byte
	globOne                   // ?: any byte but a slash
	globClass                 // [...]: one of a set, never a slash
	globStar                  // *: any bytes but slashes
	globDeep                  // ** where it crosses folders
	globFork                  // go on here, or after the next two tokens
)

type globToken struct {
	kind globKind
	byte byte
	set  *byteSet
}

type byteSet [256]bool

// compileGlob compiles a pattern; ok is false where it can match nothing: an
// unclosed bracket, an unknown class, a backslash at the end.
func compileGlob(pattern []byte) (g glob, ok bool) {
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '?':
			g = append(g, globToken{kind: globOne})
		case '[':
			set, length := compileClass(pattern[i:])
			if length == 0 {
				return nil, false
			}
			g = append(g, globToken{kind: globClass, set: set})
			i += length - 1
		case '\\':
			if i++; i == len(pattern) {
				return nil, false
			}
			g = append(g, globToken{kind: globByte, byte: pattern[i]})
		case '*':
			stars := len(pattern[i:]) - len(bytes.TrimLeft(pattern[i:], "*"))
			tokens, used := compileStars(pattern, i, stars)
			g = append(g, tokens...)
			i += used - 1
		default:
			g = append(g, globToken{kind: globByte, byte: c})
		}
	}
	return g, true
}

// compileStars compiles the run of stars at i and returns how much of the
// pattern it used. Two and more cross folders where they stand alone between
// slashes or the pattern's ends; with a slash behind them they also stand for
// no folder at all.
func compileStars(pattern []byte, i, stars int) (tokens []globToken, used int) {
	rest := pattern[i+stars:]
	// Git takes the plain text that a pattern starts with off first and has
	// forgotten it when it comes to the stars: a**/b crosses folders too.
	alone := i == 0 || pattern[i-1] == '/' || !bytes.ContainsAny(pattern[:i], `*?[\`)
	switch {
	case stars < 2 || !alone:
	case bytes.HasPrefix(rest, []byte("/")):
		return []globToken{{kind: globFork}, {kind: globDeep}, {kind: globByte, byte: '/'}}, stars + 1
	case len(rest) == 0 || bytes.HasPrefix(rest, []byte(`\/`)):
		return []globToken{{kind: globDeep}}, stars
	}
	return []globToken{{kind: globStar}}, stars
}

// match reports whether the whole text matches.
func (g glob) match(text string) bool {
	states, next := make([]bool, len(g)+1), make([]bool, len(g)+1)
	g.enter(states, 0)
	for i := range len(text) {
		c := text[i]
		clear(next)
		for at, t := range g {
			if !states[at] {
				continue
			}
			switch {
			case t.kind == globDeep, t.kind == globStar && c != '/':
				g.enter(next, at)
			case t.kind == globByte && c == t.byte, t.kind == globOne && c != '/', t.kind == globClass && c != '/' && t.set[c]:
				g.enter(next, at+1)
			}
		}
		states, next = next, states
		if !slices.Contains(states, true) {
			return false
		}
	}
	return states[len(g)]
}

// enter marks a state and those reached from it without a byte.
func (g glob) enter(states []bool, at int) {
	for !states[at] {
		states[at] = true
		if at == len(g) {
			return
		}
		switch g[at].kind {
		case globFork:
			g.enter(states, at+3)
			at++
		case globStar, globDeep:
			at++
		}
	}
}
