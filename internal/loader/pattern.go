package loader

import (
	"bytes"
	"strings"
)

// ignorePattern is one line of an ignore file.
type ignorePattern struct {
	negate  bool // brings back what an earlier pattern ignored
	dirOnly bool // ended in a slash
	name    bool // holds no slash: it is held against the last name of a path
	glob    glob
}

// parseIgnore reads one line without its line end; ok is false for blank
// lines, comments and patterns that can match nothing.
func parseIgnore(line []byte) (p ignorePattern, ok bool) {
	line = trimSpaces(line)
	if len(line) == 0 || line[0] == '#' {
		return p, false
	}
	line, p.negate = bytes.CutPrefix(line, []byte("!"))
	line, p.dirOnly = bytes.CutSuffix(line, []byte("/"))
	p.name = !bytes.ContainsRune(line, '/')
	line = bytes.TrimPrefix(line, []byte("/"))
	if len(line) == 0 {
		return p, false
	}
	p.glob, ok = compileGlob(line)
	return p, ok
}

// trimSpaces drops trailing spaces, unless a backslash keeps them. Only spaces
// count, not tabs.
func trimSpaces(line []byte) []byte {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' && i+1 < len(line) {
			i++
			end = i + 1
		} else if line[i] != ' ' {
			end = i + 1
		}
	}
	return line[:end]
}

// matches holds a slash path, relative to the pattern's folder, against it.
func (p ignorePattern) matches(rel string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if p.name {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	return p.glob.match(rel)
}
