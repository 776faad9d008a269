package references

// Whether a file is mentioned anywhere is answered leniently, because its absence is
// reported: any suffix of its path, its name without the extension, a folder above it, a
// pattern or a module's name is a mention. All texts of a skill are read for it, so words
// are skipped as early as possible unless they can refer to a wanted file.

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/lazyregexp"
)

// Names is a set of the paths, names and patterns in texts. It answers,
// leniently and ignoring case, whether a file is mentioned. Only words that can
// refer to one of the wanted files are stored.
type Names struct {
	wanted   map[string]bool // words that Has may look up
	shapes   [256]uint64     // by first byte, a bit for each length of the words in wanted
	names    map[string]bool // paths and all their suffixes: c for a/b/c
	modules  map[string]bool // words of code
	folders  map[string]bool // with a trailing slash, or called a folder
	patterns map[string]pathPattern
	texts    []string // verbatim, for names with blanks and other rare characters
}

// NewNames returns an empty set for these files.
func NewNames(files []string) *Names {
	m := &Names{
		wanted: map[string]bool{}, names: map[string]bool{}, modules: map[string]bool{},
		folders: map[string]bool{}, patterns: map[string]pathPattern{},
	}
	for _, name := range files {
		name = strings.ToLower(name)
		stem := strings.TrimSuffix(name, path.Ext(name))
		for _, s := range []string{name, path.Base(name), stem, path.Base(stem)} {
			m.wanted[s] = true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			m.wanted[dir] = true
			m.wanted[path.Base(dir)] = true
		}
	}
	delete(m.wanted, "")
	for w := range m.wanted {
		m.shapes[w[0]] |= shapeBit(w)
	}
	return m
}

func shapeBit(w string) uint64 { return 1 << min(len(w), 63) }

// wants reports whether Has may look up a word in lower case. Few words are wanted,
// and the test by first byte and length is faster than the map.
func (m *Names) wants(w string) bool {
	return w != "" && m.shapes[w[0]]&shapeBit(w) != 0 && m.wanted[w]
}

// wantsFold is wants for a word in any case. Words with a letter whose lower case
// has another length, such as İ, are only found if they start with one.
func (m *Names) wantsFold(w string) bool {
	first := w[0]
	if 'A' <= first && first <= 'Z' {
		first |= 0x20
	}
	return (first >= utf8.RuneSelf || m.shapes[first]&shapeBit(w) != 0) && m.wanted[strings.ToLower(w)]
}

// Add adds a text. In code, every word may be the name of a module or a folder.
func (m *Names) Add(src string, code bool) {
	m.texts = append(m.texts, src)
	for rest := src; ; { // only lines with the option: the expression is slow
		at := strings.Index(rest, " -m ")
		if at < 0 {
			break
		}
		line := rest[strings.LastIndexByte(rest[:at], '\n')+1:]
		line, after, _ := strings.Cut(line, "\n")
		for _, at := range runModule().FindAllStringSubmatch(line, -1) {
			m.name(strings.ReplaceAll(strings.ToLower(at[1]), ".", "/"), false)
		}
		rest = after
	}
	for w, marked, after := nextWord(src); w != ""; w, marked, after = nextWord(after) {
		if marked {
			if bare := strings.TrimRight(w, ".?"); bare != "" && bare != w && !strings.ContainsAny(bare, meaningMarks) {
				w, marked = bare, false // at the end of a sentence
			}
		}
		if marked || m.wantsFold(w) {
			m.word(strings.ToLower(w), after, code)
		}
		if marked && (w[0] >= utf8.RuneSelf || w[len(w)-1] >= utf8.RuneSelf) { // Chinese has no blanks around a path
			for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				m.word(part, "", code)
			}
		}
	}
}

// meaningMarks are the characters that make a word a path or a pattern.
const meaningMarks = `./\*{}<>$?`

// nextWord returns the first word of a text, consisting of letters and the
// marks of paths and patterns, whether it has one of meaningMarks, and the
// rest.
func nextWord(src string) (word string, marked bool, after string) {
	start := 0
	for start < len(src) {
		class, n := classes[src[start]], 1
		if class == wide {
			class, n = wideClass(src[start:])
		}
		if class != blankByte {
			break
		}
		start += n
	}
	end := start
	for end < len(src) {
		class, n := classes[src[end]], 1
		if class == wide {
			class, n = wideClass(src[end:])
		}
		if class == blankByte {
			break
		}
		marked = marked || class == markByte
		end += n
	}
	return src[start:end], marked, src[end:]
}

// wideClass returns the class of the character outside ASCII at the start of a text,
// and its size.
func wideClass(src string) (class uint8, size int) {
	r, size := utf8.DecodeRuneInString(src)
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return nameByte, size
	}
	return blankByte, size
}

// The classes of bytes in words.
const (
	blankByte = iota // between words
	nameByte         // in file names, without a meaning of its own
	markByte         // one of meaningMarks
	wide             // outside ASCII
)

var classes = func() (of [256]uint8) {
	for i := range of {
		c := byte(i)
		switch {
		case c >= utf8.RuneSelf:
			of[i] = wide
		case isWordByte(c) || strings.IndexByte("-~+@%", c) >= 0:
			of[i] = nameByte
		case strings.IndexByte(meaningMarks, c) >= 0:
			of[i] = markByte
		}
	}
	return of
}()

// word adds a word; after is the text that follows it.
func (m *Names) word(w, after string, code bool) {
	w = strings.Trim(strings.ReplaceAll(w, `\`, "/"), ".,?")
	if strings.Count(w, "<") != strings.Count(w, ">") || strings.HasPrefix(w, "<") && strings.Index(w, ">") == len(w)-1 {
		w = strings.Trim(w, "<>") // brackets of a tag or a link, not of a placeholder
	}
	if strings.Count(w, "}") > strings.Count(w, "{") { // the end of ${ROOT:-default}/scripts/x.py
		w = strings.TrimLeft(w[strings.LastIndexByte(w, '}')+1:], "/")
	}
	if w == "" {
		return
	}
	if name, ok := strings.CutPrefix(w, "@"); ok { // clients load @path
		m.word(name, after, code)
	}
	if !code && strings.Contains(w, "*") {
		w = withoutEmphasis(w)
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
	if m.name(w, dir) && !dir && startsWithFolder(after) {
		m.name(w, true)
	}
	if code && len(w) < 200 {
		m.module(w)
	}
}

// startsWithFolder reports whether the first word of a text means a folder.
func startsWithFolder(text string) bool {
	next, _, _ := nextWord(text)
	switch strings.Trim(strings.ToLower(next), ".,:") {
	case "folder", "folders", "directory", "directories", "dir", "subfolder", "subdirectory":
		return true
	}
	return false
}

// runModule matches a command that runs a Python module.
var runModule = lazyregexp.New(`(?i)\b(?:python[0-9.]*|py|uv run)(?: -[a-z]+)* -m +([a-z_]\w*(?:\.\w+)*)`)

// module adds a word of code: Python's a.b is the file a/b.
func (m *Names) module(w string) {
	if base := path.Base(w); m.wants(base) {
		m.modules[base] = true
	}
	if strings.Contains(w, ".") && !strings.Contains(w, "/") {
		m.name(strings.ReplaceAll(w, ".", "/"), false)
		for part := range strings.SplitSeq(w, ".") {
			if m.wants(part) {
				m.modules[part] = true
			}
		}
	}
}

// name adds a path and all its suffixes, and reports whether any of them is
// wanted.
func (m *Names) name(w string, dir bool) (wanted bool) {
	for depth := 0; w != "" && depth < 12; depth++ {
		if m.wants(w) {
			m.names[w] = true
			m.folders[w] = m.folders[w] || dir
			wanted = true
		}
		_, w, _ = strings.Cut(w, "/")
	}
	return wanted
}

// below adds paths with an unknown first folder, such as $root/scripts/x.py and
// <skill>/scripts/x.py.
func (m *Names) below(w string) {
	dir := strings.HasSuffix(w, "/")
	top, rest, found := strings.Cut(strings.TrimPrefix(strings.Trim(w, "/"), "./"), "/")
	if found && strings.ContainsAny(top, "{}<>$") && !strings.ContainsAny(rest, "*{}<>$") {
		m.name(strings.Trim(rest, "/"), dir)
	}
}

// plainFolders are words that mean a folder only with a trailing slash.
var plainFolders = map[string]bool{"scripts": true, "references": true, "reference": true, "assets": true, "examples": true, "docs": true, "data": true, "lib": true, "src": true, "bin": true, "agents": true}

// Has reports whether a text mentions a file: by its path or a suffix of it,
// its name with or without extension, a folder that contains it, or a pattern.
func (m *Names) Has(name string) bool {
	written := strings.TrimSuffix(path.Base(name), path.Ext(name))
	name = strings.ToLower(name)
	stem := strings.TrimSuffix(name, path.Ext(name))
	base := path.Base(stem)
	switch {
	case m.names[name], m.names[path.Base(name)], m.names[stem]:
		return true
	case m.modules[base], namesFile(written) && m.names[base]:
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		last := path.Base(dir)
		switch {
		case m.folders[last], strings.Contains(dir, "/") && m.names[dir]:
			return true
		case plainFolders[last], len(last) <= 2: // not the folder without a slash
		case m.names[last], m.modules[last]:
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

// namesFile reports whether a name without extension is not also a common word:
// "form_fields" is a name, "forms" is a word.
func namesFile(stem string) bool {
	return strings.ContainsAny(stem, "-_0123456789") || stem != strings.ToLower(stem)
}
