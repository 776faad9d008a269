package audit

// What the audit says about each installed skill: where it is, what it holds, and what its
// text and scripts can do. The facts come from one reading of its files, and nothing is
// run.

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/hidden"
	"skills/internal/spec/references"
	"skills/internal/spec/secrets"
)

// Fact is a fact about a file, which a reviewer of a skill should see first: programs
// without source, hosts, downloads that are run, hidden text, hooks. It describes the
// content without judging it.
type Fact struct {
	Kind string `json:"kind"`
	Line int    `json:"line,omitempty"` // 0 for the whole file
	Text string `json:"text"`           // as in the file, or a description; keys are masked
	More int    `json:"more,omitempty"` // number of further occurrences in the file
}

// Kind is a kind of fact.
type Kind struct{ ID, Title string }

// Kinds returns every kind in the order of output.
func Kinds() []Kind {
	return []Kind{
		{"piped-download", "Downloads piped into a program"},
		{"encoded-command", "Encoded text that is decoded and run"},
		{"hidden-text", "Hidden text"},
		{"client-hook", "Commands that a client runs by itself"},
		{"shell-tool", "allowed-tools that grant a shell"},
		{"install-hook", "Install hooks and git hooks"},
		{"start-up", "Lines that change PATH, LD_PRELOAD or start-up files"},
		{"environment", "Environment variables read in a file that uses the network"},
		{"host", "Hosts named in programs and network commands"},
		{"secret", "Keys"},
		{"program", "Compiled programs"},
		{"bytecode", "Bytecode"},
		{"archive", "Archives"},
		{"link", "Links out of the skill"},
		{"special-file", "Files that are neither regular files nor folders"},
		{"unread", "Not read"},
	}
}

// MaxSearched is how many bytes of a file are searched.
const MaxSearched = 8 << 20

// Limits, because all of a file may consist of facts, or look like that.
const (
	maxFacts      = 500      // that are listed of one file
	maxLines      = 1 << 20  // bytes of lines with a word, of one file
	maxSkillLines = 16 << 20 // and of all files of a skill
)

// Searcher searches the files of a skill.
type Searcher struct {
	exists func(name string) bool
	left   int // bytes of lines left to search
}

// NewSearcher returns a searcher for a skill. exists reports whether the skill has a
// file with the given name.
func NewSearcher(exists func(name string) bool) *Searcher { return &Searcher{exists, maxSkillLines} }

// file is a file being searched.
type file struct {
	name    string
	src     []byte
	program bool // source code
	found   []Fact
	known   map[string]int // index in found by kind and text
	at      int            // an offset
	line    int            // and its line
	left    int            // bytes of lines left to search, negative if something was omitted
}

// Find returns the facts of a file, sorted by line. src is its start, at most
// MaxSearched bytes, and size is that of the whole file.
func (s *Searcher) Find(name string, src []byte, size int64) []Fact {
	if kind, what := opaque(name, src, s.exists); kind != "" {
		return []Fact{{Kind: kind, Text: what + ", " + spec.FormatSize(size)}}
	}
	if bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0 { // git's test for binary files
		return nil
	}
	f := &file{name: name, src: src, known: map[string]int{}, line: 1, left: min(s.left, maxLines)}
	f.program = references.Language(name, src) != "" || references.IsScriptName(name) || sourceName().MatchString(name)
	if size > int64(len(src)) {
		f.found = append(f.found, Fact{Kind: "unread", Text: "the first 8 MiB were searched, not the rest"})
	}
	f.addCommands()
	f.addHosts()
	f.addEnvironment()
	f.addHidden()
	f.addPackage()
	f.addClient()
	s.left -= min(s.left, maxLines) - f.left
	if f.left < 0 {
		f.found = append(f.found, Fact{Kind: "unread", Text: "too many facts in this file; the rest is not listed"})
	}
	slices.SortStableFunc(f.found, func(a, b Fact) int { return cmp.Compare(a.Line, b.Line) })
	return f.found
}

// sourceName matches source files that are not scripts.
var sourceName = lazyregexp.New(`(?i)\.(?:[jt]sx|cts|psm1|rs|c|cc|cpp|h|kt|scala|vbs?|sql|exs?|dart|m)$`)

// add adds a fact at an offset of the file, or counts another occurrence.
func (f *file) add(kind string, at int, text string) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if at < f.at {
		f.at, f.line = 0, 1
	}
	f.line += bytes.Count(f.src[f.at:at], []byte("\n"))
	f.at = at
	i, known := f.known[kind+text]
	switch {
	case known:
		f.found[i].More++
		f.found[i].Line = min(f.found[i].Line, f.line)
	case len(f.known) < maxFacts:
		f.known[kind+text] = len(f.found)
		f.found = append(f.found, Fact{Kind: kind, Line: f.line, Text: secrets.Mask(text, nil)})
	default:
		f.left = -1
	}
}

// each calls use with every match of an expression on the lines that hold one of the
// words, and with the offset of the line.
func (f *file) each(words []string, expr *regexp.Regexp, use func(at int, line []byte, m []int)) {
	done := map[int]bool{} // by the end of the line
	for _, word := range words {
		for i := 0; f.left >= 0; {
			n := bytes.Index(f.src[i:], []byte(word))
			if n < 0 {
				break
			}
			start, line := hidden.JoinedLine(f.src, i, i+n)
			i = start + len(line)
			if done[i] {
				continue
			}
			done[i] = true
			f.left -= len(line)
			if f.left < 0 {
				return
			}
			for _, m := range expr.FindAllSubmatchIndex(line, 100) {
				use(start, line, m)
			}
		}
	}
}

// addHidden adds hidden text, decoded if possible, and keys.
func (f *file) addHidden() {
	for _, h := range hidden.Find(f.src, f.program) {
		r, _ := utf8.DecodeRune(f.src[h.Start:])
		text := printable.Rune(r)
		if payload := h.Payload(f.src); payload != "" {
			text = "spells " + strconv.Quote(payload)
		}
		f.add("hidden-text", h.Start, text)
	}
	for _, s := range hidden.Escapes(f.src) {
		f.add("hidden-text", s.Start, "escape sequence "+strconv.Quote(string(f.src[s.Start:s.End])))
	}
	for _, s := range secrets.Find(f.src) {
		f.add("secret", s.Start, strings.TrimPrefix("possible "+s.Issuer+" key "+string(f.src[s.Start:s.Label])+"…", "possible  key "))
	}
}

// magics are the first bytes of binary files.
var magics = []struct{ start, kind, what string }{
	{"\x7fELF", "program", "ELF program"},
	{"MZ", "program", "Windows program"}, // and a NUL nearby
	{"\xcf\xfa\xed\xfe", "program", "Mach-O program"},
	{"\xce\xfa\xed\xfe", "program", "Mach-O program"},
	{"dex\n", "program", "Android program"},
	{"\x1bLua", "bytecode", "Lua bytecode"},
	{"BC\xc0\xde", "bytecode", "LLVM bitcode"},
	{"\xca\xfe\xba\xbe", "program", "Mach-O program or Java class"},
	{"\x00asm", "program", "WebAssembly program"},
	{"PK\x03\x04", "archive", "zip archive"},
	{"\x1f\x8b", "archive", "gzip archive"},
	{"BZh", "archive", "bzip2 archive"},
	{"\xfd7zXZ\x00", "archive", "xz archive"},
	{"\x28\xb5\x2f\xfd", "archive", "zstd archive"},
	{"7z\xbc\xaf\x27\x1c", "archive", "7-Zip archive"},
	{"Rar!\x1a\x07", "archive", "RAR archive"},
	{"!<arch>\n", "archive", "ar archive"},
}

// opaque returns the kind and a description of a binary file; kind is "" for any other.
func opaque(name string, src []byte, exists func(name string) bool) (kind, what string) {
	dir, base := path.Split(name)
	if ext := path.Ext(base); ext == ".pyc" || ext == ".pyo" {
		base = strings.TrimSuffix(base, ext)
		if above, cached := strings.CutSuffix(dir, "__pycache__/"); cached {
			dir = above
			base, _, _ = strings.Cut(base, ".")
		}
		if exists(dir + base + ".py") {
			return "bytecode", "Python bytecode next to its source " + dir + base + ".py"
		}
		return "bytecode", "Python bytecode without its source " + dir + base + ".py"
	}
	for _, m := range magics {
		if bytes.HasPrefix(src, []byte(m.start)) && (m.start != "MZ" || bytes.IndexByte(src[:min(len(src), 64)], 0) >= 0) {
			return m.kind, m.what + strings.TrimSuffix(" ("+path.Ext(base)+")", " ()")
		}
	}
	if len(src) > 262 && string(src[257:262]) == "ustar" {
		return "archive", "tar archive"
	}
	return "", ""
}
