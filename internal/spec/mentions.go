package spec

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// mentions are the paths, names and patterns that texts name, loosely: what is
// one of them may be meant by it. Case does not count. Of all words only those
// are kept that can name one of the files that will be asked for.
type mentions struct {
	asked    map[string]bool // what file may look up
	names    map[string]bool // paths, and every end of them: c for a/b/c
	modules  map[string]bool // words of code
	folders  map[string]bool // written with a slash at the end, or named as folders
	patterns map[string]*regexp.Regexp
	texts    []string // for names with blanks and other rare characters
}

// mentionsFor makes an empty set, to be asked about the files of these names.
func mentionsFor(files []string) *mentions {
	m := &mentions{
		asked: map[string]bool{}, names: map[string]bool{}, modules: map[string]bool{},
		folders: map[string]bool{}, patterns: map[string]*regexp.Regexp{},
	}
	for _, name := range files {
		name = strings.ToLower(name)
		stem := strings.TrimSuffix(name, path.Ext(name))
		for _, s := range []string{name, path.Base(name), stem, path.Base(stem)} {
			m.asked[s] = true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			m.asked[dir], m.asked[path.Base(dir)] = true, true
		}
	}
	return m
}

// maxPatterns bounds the patterns that every file is held against.
const maxPatterns = 50

// add takes in a text. In code every word may name a module or a folder.
func (m *mentions) add(src string, code bool) {
	src = strings.ToLower(src)
	m.texts = append(m.texts, src)
	if strings.Contains(src, " -m ") {
		for _, at := range runModule().FindAllStringSubmatchIndex(src, -1) {
			m.name(strings.ReplaceAll(src[at[2]:at[3]], ".", "/"), false)
		}
	}
	for w, next := range mentionWords(src) {
		if isPlainWord(w) && !m.asked[w] {
			continue // most words
		}
		w = strings.Trim(strings.ReplaceAll(w, `\`, "/"), ".,?")
		if strings.Count(w, "<") != strings.Count(w, ">") || strings.HasPrefix(w, "<") && strings.Index(w, ">") == len(w)-1 {
			w = strings.Trim(w, "<>") // of a tag or a link, not a stand-in
		}
		if strings.Count(w, "}") > strings.Count(w, "{") { // the end of ${ROOT:-default}/scripts/x.py
			w = strings.TrimLeft(w[strings.LastIndexByte(w, '}')+1:], "/")
		}
		if w == "" {
			continue
		}
		if strings.ContainsAny(w, "*{}<>$") || strings.Contains(w, "...") {
			m.below(w)
			if !code || strings.Contains(w, "*.") {
				m.pattern(w)
			}
			continue
		}
		dir := strings.HasSuffix(w, "/")
		w = strings.Trim(strings.TrimPrefix(w, "./"), "/")
		if !dir {
			switch strings.Trim(next, ".,:") {
			case "folder", "folders", "directory", "directories", "dir", "subfolder", "subdirectory":
				dir = true
			}
		}
		m.name(w, dir)
		if code && len(w) < 200 {
			m.module(w)
		}
	}
}

// runModule is how Python runs a module as a program.
var runModule = newPattern(`\b(?:python[0-9.]*|py|uv run)(?: -[a-z]+)* -m +([a-z_]\w*(?:\.\w+)*)`)

// module takes in a word of code: a.b of Python is the file a/b.
func (m *mentions) module(w string) {
	if base := path.Base(w); m.asked[base] {
		m.modules[base] = true
	}
	if strings.Contains(w, ".") && !strings.Contains(w, "/") {
		m.name(strings.ReplaceAll(w, ".", "/"), false)
		for part := range strings.SplitSeq(w, ".") {
			if m.asked[part] {
				m.modules[part] = true
			}
		}
	}
}

// name takes in a path with all its ends.
func (m *mentions) name(w string, dir bool) {
	for depth := 0; w != "" && depth < 12; depth++ {
		if m.asked[w] {
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

// pattern takes in references/*.md, {lang}/x.md, <name>.py and the like.
func (m *mentions) pattern(w string) {
	w = strings.TrimPrefix(strings.Trim(w, "/"), "./")
	if len(m.patterns) >= maxPatterns || len(w) > 200 || m.patterns[w] != nil || strings.Trim(placeholders().ReplaceAllString(w, ""), "./*") == "" {
		return
	}
	var re strings.Builder
	re.WriteString(`(?:^|/)`)
	for at, rest := placeholders().FindStringIndex(w), w; ; at = placeholders().FindStringIndex(rest) {
		if at == nil {
			re.WriteString(regexp.QuoteMeta(rest))
			break
		}
		re.WriteString(regexp.QuoteMeta(rest[:at[0]]) + ".*")
		rest = rest[at[1]:]
	}
	re.WriteString(`(?:$|/)`)
	if compiled, err := regexp.Compile(re.String()); err == nil {
		m.patterns[w] = compiled
	}
}

var placeholders = newPattern(`\*+|\$?\{[^{}]*\}|<[^<>]*>|\.\.\.|\$\w*|[{}<>]`)

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
	for _, re := range m.patterns {
		if re.MatchString(name) {
			return true
		}
	}
	if strings.ContainsFunc(path.Base(name), func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		for _, t := range m.texts {
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
