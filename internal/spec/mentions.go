package spec

import (
	"path"
	"strings"
	"unicode"
)

// mentions are the paths, names and patterns that texts name, loosely: what is
// one of them may be meant by it. Case does not count. Of all words only those
// are kept that can name one of the files that will be asked for.
type mentions struct {
	asked    wordsAsked      // what file may look up
	names    map[string]bool // paths, and every end of them: c for a/b/c
	modules  map[string]bool // words of code
	folders  map[string]bool // written with a slash at the end, or named as folders
	patterns map[string]pathPattern
	texts    []string // as they are written, for names with blanks and other rare characters
}

// mentionsFor makes an empty set, to be asked about the files of these names.
func mentionsFor(files []string) *mentions {
	m := &mentions{
		asked: wordsAsked{words: map[string]bool{}}, names: map[string]bool{}, modules: map[string]bool{},
		folders: map[string]bool{}, patterns: map[string]pathPattern{},
	}
	for _, name := range files {
		name = strings.ToLower(name)
		stem := strings.TrimSuffix(name, path.Ext(name))
		for _, s := range []string{name, path.Base(name), stem, path.Base(stem)} {
			m.asked.add(s)
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			m.asked.add(dir)
			m.asked.add(path.Base(dir))
		}
	}
	return m
}

// add takes in a text. In code every word may name a module or a folder.
func (m *mentions) add(src string, code bool) {
	m.texts = append(m.texts, src)
	if strings.Contains(src, " -m ") || strings.Contains(src, " -M ") {
		lower := strings.ToLower(src)
		for _, at := range runModule().FindAllStringSubmatchIndex(lower, -1) {
			m.name(strings.ReplaceAll(lower[at[2]:at[3]], ".", "/"), false)
		}
	}
	for at := 0; ; {
		start, end, plain, ascii := mentionWord(src, at)
		if start == end {
			return
		}
		at = end
		w := src[start:end]
		if !plain { // at the end of a sentence it may be plain all the same
			if bare := strings.TrimRight(w, ".?"); bare != "" && !strings.ContainsAny(bare, meaningMarks) {
				w, plain = bare, true
			}
		}
		if plain && ascii && !m.asked.may(w) {
			continue // most words
		}
		if w = strings.ToLower(w); !plain || m.asked.has(w) {
			m.word(w, src[end:], code)
		}
	}
}

// word takes in a word, and what is behind it.
func (m *mentions) word(w, behind string, code bool) {
	w = strings.Trim(strings.ReplaceAll(w, `\`, "/"), ".,?")
	if strings.Count(w, "<") != strings.Count(w, ">") || strings.HasPrefix(w, "<") && strings.Index(w, ">") == len(w)-1 {
		w = strings.Trim(w, "<>") // of a tag or a link, not a stand-in
	}
	if strings.Count(w, "}") > strings.Count(w, "{") { // the end of ${ROOT:-default}/scripts/x.py
		w = strings.TrimLeft(w[strings.LastIndexByte(w, '}')+1:], "/")
	}
	if w == "" {
		return
	}
	if strings.ContainsAny(w, "*{}<>$") || strings.Contains(w, "...") {
		m.below(w)
		if !code || strings.Contains(w, "*.") {
			m.pattern(w)
		}
		return
	}
	dir := strings.HasSuffix(w, "/")
	w = strings.Trim(strings.TrimPrefix(w, "./"), "/")
	if !dir {
		start, end, _, _ := mentionWord(behind, 0)
		switch strings.Trim(strings.ToLower(behind[start:end]), ".,:") {
		case "folder", "folders", "directory", "directories", "dir", "subfolder", "subdirectory":
			dir = true
		}
	}
	m.name(w, dir)
	if code && len(w) < 200 {
		m.module(w)
	}
}

// runModule is how Python runs a module as a program.
var runModule = newPattern(`\b(?:python[0-9.]*|py|uv run)(?: -[a-z]+)* -m +([a-z_]\w*(?:\.\w+)*)`)

// module takes in a word of code: a.b of Python is the file a/b.
func (m *mentions) module(w string) {
	if base := path.Base(w); m.asked.has(base) {
		m.modules[base] = true
	}
	if strings.Contains(w, ".") && !strings.Contains(w, "/") {
		m.name(strings.ReplaceAll(w, ".", "/"), false)
		for part := range strings.SplitSeq(w, ".") {
			if m.asked.has(part) {
				m.modules[part] = true
			}
		}
	}
}

// name takes in a path with all its ends.
func (m *mentions) name(w string, dir bool) {
	for depth := 0; w != "" && depth < 12; depth++ {
		if m.asked.has(w) {
			m.names[w] = true
			m.folders[w] = m.folders[w] || dir
		}
		_, rest, found := strings.Cut(w, "/")
		if !found {
			return
		}
		w = rest
	}
}

// below takes in $root/scripts/x.py, <skill>/scripts/x.py and the like: what
// the first folder stands for is not known; the rest is.
func (m *mentions) below(w string) {
	dir := strings.HasSuffix(w, "/")
	top, rest, found := strings.Cut(strings.TrimPrefix(strings.Trim(w, "/"), "./"), "/")
	if found && strings.ContainsAny(top, "{}<>$") && !strings.ContainsAny(rest, "*{}<>$") {
		m.name(strings.Trim(rest, "/"), dir)
	}
}

// plainFolders are words that name a folder only with a slash behind them.
var plainFolders = map[string]bool{"scripts": true, "references": true, "reference": true, "assets": true, "examples": true, "docs": true, "data": true, "lib": true, "src": true, "bin": true, "agents": true}

// file reports whether a text names a file: by its path or the end of it, its
// name with or without extension, a folder it is in, or a pattern.
func (m *mentions) file(name string) bool {
	written := strings.TrimSuffix(path.Base(name), path.Ext(name))
	name = strings.ToLower(name)
	stem := strings.TrimSuffix(name, path.Ext(name))
	base := path.Base(stem)
	if m.names[name] || m.names[path.Base(name)] || m.names[stem] || namesFile(written) && m.names[base] || m.modules[base] {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		last := path.Base(dir)
		if m.folders[last] || strings.Contains(dir, "/") && m.names[dir] || len(last) > 2 && !plainFolders[last] && (m.names[last] || m.modules[last]) {
			return true
		}
	}
	for _, p := range m.patterns {
		if p.matches(name) {
			return true
		}
	}
	if strings.ContainsFunc(path.Base(name), func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		for _, t := range m.texts {
			t = strings.ToLower(t)
			if strings.Contains(t, path.Base(name)) || strings.Contains(t, strings.ReplaceAll(path.Base(name), " ", "%20")) {
				return true
			}
		}
	}
	return false
}

// namesFile tells the names of files from words of a language: without its
// extension, "forms" is a word and "form_fields" is a name.
func namesFile(stem string) bool {
	return strings.ContainsAny(stem, "-_0123456789") || stem != strings.ToLower(stem)
}
