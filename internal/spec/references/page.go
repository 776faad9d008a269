// Package references finds the paths that a Markdown text mentions in links,
// commands, code spans and prose. The words around a path decide whether the
// file must exist.
package references

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/markdown"
)

// skillFile is the name of the file that defines a skill.
const skillFile = "SKILL.md"

// Page is a Markdown text with its references.
type Page struct {
	*markdown.Page
	Body string // the text that was parsed

	// Mentions returns the paths below ownFolders and below the skill's folders
	// that the page mentions, in prose or as a whole code span.
	Mentions func() []Mention
	// Pages returns the Markdown files in any folder that the page mentions in
	// code spans and in prose. Project files such as README.md are omitted,
	// because the name may refer to that of another project.
	Pages func() []Mention
	// Commands returns the commands in the page's code that may be shell code,
	// in order.
	Commands func() []Command

	dir    string // name of the skill's folder, "" if unknown
	exists func(name string) bool
	guide  bool                    // see IsGuide
	named  func() map[string]named // see countNamed

	captions func() string // see captions
}

// New returns a page of a skill in the folder named dir. exists reports whether
// a file is in the skill's folder, ignoring case.
func New(parsed *markdown.Page, body, dir string, exists func(name string) bool) *Page {
	p := &Page{Page: parsed, Body: body, dir: dir, exists: exists, guide: strings.Count(body, skillFile) >= 3 || showsSkill(body)}
	p.Mentions, p.Pages = sync.OnceValue(p.findMentions), sync.OnceValue(p.findPages)
	p.captions = sync.OnceValue(func() string { return captions(p) })
	p.Commands, p.named = sync.OnceValue(p.findCommands), sync.OnceValue(p.countNamed)
	return p
}

// Mention is a path of the skill that a text mentions without a link.
type Mention struct {
	Path       string // clean, relative to the skill's folder
	Start, End int    // offsets in the body
	Code       bool   // in a code span
}

// IsScript reports whether the path is a script in the scripts folder.
func (m Mention) IsScript() bool {
	return strings.HasPrefix(m.Path, "scripts/") && IsScriptName(m.Path)
}

// maxMentions limits the paths found in one page.
const maxMentions = 1000

// maxSpan is the length in bytes of the longest code span that may be a path.
const maxSpan = 200

var (
	// spanPath matches a path with a folder in a code span. Here and below,
	// characters outside ASCII are letters and numbers: see isLetters and matches.
	// Classes of Unicode take half a millisecond to compile.
	spanPath = lazyregexp.New(`^(?:\./)?[\w[:^ascii:]][\w[:^ascii:].\-]*/[\w[:^ascii:].\-/ ]*[\w[:^ascii:]\-]\.[A-Za-z0-9]{1,8}$`)
	// prosePath matches the same in prose, without spaces.
	prosePath = lazyregexp.New(`(?:\./)?[\w[:^ascii:]][\w[:^ascii:].\-]*/[\w[:^ascii:].\-/]*[\w[:^ascii:]\-]\.[A-Za-z0-9]{1,8}`)
	// prosePage matches the name of a Markdown file in prose.
	prosePage = lazyregexp.New(`[\w[:^ascii:]][\w[:^ascii:]./-]*\.(?:md|MD|markdown)`)
)

// ownFolders are folders that belong to a skill rather than to a project.
var ownFolders = []string{"references", "reference", "scripts", "assets", "templates", "resources", "rules", "workflows", "prompts", "guides"}

func (p *Page) findMentions() (out []Mention) {
	add := func(start, end int, code bool) {
		if len(out) >= maxMentions {
			return
		}
		m := Mention{Path: path.Clean(p.Body[start+p.ownPrefix(p.Body[start:end]) : end]), Start: start, End: end, Code: code}
		top, _, _ := strings.Cut(m.Path, "/")
		isOwn := slices.Contains(ownFolders, top) || p.exists(top)
		if isOwn && !IsPlaceholder(m.Path) && !p.inLinkText(end) {
			out = append(out, m)
		}
	}
	for _, c := range p.Code {
		text := strings.TrimSpace(c.Text)
		if c.Block || len(c.Lines) != 1 || len(text) > maxSpan {
			continue
		}
		text, _, _ = strings.Cut(text, "#")
		if !strings.Contains(text, "/") {
			continue
		}
		if strings.Contains(text, " ") && !p.exists(text) {
			continue // a command or several paths
		}
		text = strings.TrimPrefix(text, "@") // as clients load files
		if isLetters(text) && spanPath().MatchString(text[p.ownPrefix(text):]) {
			start := c.Offset(strings.Index(c.Text, text))
			add(start, start+len(text), true)
		}
	}
	for _, s := range p.Prose {
		line := p.Body[s.Start:s.End]
		for _, at := range matches(line, "/", prosePath) {
			start, end := s.Start+at[0]+afterHan(line[at[0]:at[1]]), s.Start+at[1]
			before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
			after, _ := utf8.DecodeRuneInString(line[at[1]:])
			if p.marked(start, end) {
				add(start, end, true)
			} else if !isPathRune(before) && !isPathRune(after) {
				add(start, end, false)
			}
		}
	}
	return out
}

// isLetters reports whether all characters outside ASCII are letters or numbers.
func isLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && breaks(r) })
}

// breaks reports whether a path in prose ends before r.
func breaks(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r == '\t'
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// matches returns what expr finds in the words of a line that have a mark, of which no
// match has a break. It is slow in whole lines.
func matches(line, mark string, expr func() *regexp.Regexp) (out [][]int) {
	for end := 0; ; {
		n := strings.Index(line[end:], mark)
		if n < 0 || len(out) >= maxMentions {
			return out
		}
		at := end + n
		start := 0
		if i := strings.LastIndexFunc(line[:at], breaks); i >= 0 {
			_, size := utf8.DecodeRuneInString(line[i:])
			start = i + size
		}
		end = len(line)
		if i := strings.IndexFunc(line[at:], breaks); i >= 0 {
			end = at + i
		}
		for _, at := range expr().FindAllStringIndex(line[start:end], -1) {
			out = append(out, []int{start + at[0], start + at[1]})
		}
	}
}

// marked reports whether a path in prose is marked up like a code span: in
// bold, in <>, after @, or as a heading of its own.
func (p *Page) marked(start, end int) bool {
	before, after := p.Body[max(start-8, 0):start], p.Body[end:min(end+8, len(p.Body))]
	word := before[strings.LastIndexAny(before, " \t\n(")+1:]
	switch line := strings.TrimRight(before, " "); {
	case strings.HasSuffix(line, "#"):
		return after == "" || after[0] == '\n' || after[0] == '\r'
	case word == "@":
		return after == "" || !isPathRune(rune(after[0]))
	case word == "<":
		return after != "" && after[0] == '>'
	}
	return (word == "**" || word == "__") && strings.HasPrefix(strings.TrimPrefix(after, ":"), word)
}

// afterHan returns the offset where a path in Chinese text begins, which has no
// blanks between words: after the ideographs before the first letter of another
// script.
func afterHan(text string) int {
	top, _, _ := strings.Cut(text, "/")
	i := strings.LastIndexFunc(top, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(top[i:])
	i += size
	if i < len(top) && isWordByte(top[i]) {
		return i
	}
	return 0
}

func (p *Page) findPages() (out []Mention) {
	add := func(text string, start int, code bool) {
		name := path.Clean(text)
		base := path.Base(name)
		if IsProjectFile(base) || base == skillFile || isWorkspaceFile(base) {
			return
		}
		if len(out) < maxMentions && !p.inLinkText(start+len(text)) {
			out = append(out, Mention{Path: name, Start: start, End: start + len(text), Code: code})
		}
	}
	for _, c := range p.Code {
		text := strings.TrimSpace(c.Text)
		isSpan := !c.Block && len(c.Lines) == 1
		if isSpan && len(text) <= maxSpan && IsMarkdown(text) {
			add(text, c.Offset(strings.Index(c.Text, text)), true)
		}
	}
	for _, s := range p.Prose {
		line := p.Body[s.Start:s.End]
		if !strings.Contains(line, ".m") && !strings.Contains(line, ".MD") {
			continue
		}
		for _, at := range matches(line, ".", prosePage) {
			at[0] += afterHan(line[at[0]:at[1]])
			start, end := s.Start+at[0], s.Start+at[1]
			add(line[at[0]:at[1]], start, p.marked(start, end))
		}
	}
	return out
}

// Named returns the Mentions, and the Markdown files next to the SKILL.md that
// the page mentions.
func (p *Page) Named() []Mention {
	out := slices.DeleteFunc(slices.Clone(p.Pages()), func(m Mention) bool { return strings.Contains(m.Path, "/") })
	return append(out, p.Mentions()...)
}

// isWorkspaceFile reports whether a file is one that clients keep for the user: memory,
// plans and the like.
func isWorkspaceFile(base string) bool {
	return slices.Contains([]string{"MEMORY.md", "SOUL.md", "USER.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "TODO.md", "PLAN.md", "NOTES.md", "TASKS.md"}, base)
}

// isPathRune reports whether r next to a match makes it part of a longer path,
// URL or template.
func isPathRune(r rune) bool {
	return strings.ContainsRune("/\\-_~@{}<>$*=", r) || r < utf8.RuneSelf && isWordByte(byte(r))
}

// inLinkText reports whether an offset is in the text of a link, whose target
// is checked instead.
func (p *Page) inLinkText(at int) bool {
	const longest = 500 // bytes of a link's text
	i, _ := slices.BinarySearchFunc(p.Links, at, func(l markdown.Link, at int) int { return cmp.Compare(l.Start, at) })
	for ; i < len(p.Links) && p.Links[i].Start-at < longest; i++ {
		between := p.Body[at:p.Links[i].Start]
		if n := strings.Index(between, "]("); n >= 0 {
			return n+2 >= len(strings.TrimRight(between, "< \t\n")) && !strings.Contains(between[:n], "[")
		}
	}
	return false
}

// pieceAt returns the index of the last code span or block that starts at or
// before an offset, or -1.
func (p *Page) pieceAt(at int) int {
	i, _ := slices.BinarySearchFunc(p.Code, at+1, func(c markdown.Code, at int) int { return cmp.Compare(c.Start, at) })
	return i - 1
}

// InBlock reports whether an offset is in a code block.
func (p *Page) InBlock(at int) bool {
	i := p.pieceAt(at)
	return i >= 0 && p.Code[i].Block && at < p.Code[i].End
}

// InCode reports whether an offset is in a code block or a code span.
func (p *Page) InCode(at int) bool {
	i := p.pieceAt(at)
	return i >= 0 && at < p.Code[i].End
}

// IsMarkdown reports whether a file name has the extension of Markdown.
func IsMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// IsProjectFile reports whether a file serves people or tools rather than
// agents, by its base name: README.md, LICENSE, __init__.py.
func IsProjectFile(base string) bool {
	upper := strings.ToUpper(base)
	for _, s := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "README", "CHANGELOG", "CHANGES", "AUTHORS", "CONTRIBUTING", "SECURITY.MD", "CODE_OF_CONDUCT", "VERSION", "THIRD_PARTY", "AGENTS.MD", "CLAUDE.MD", "GEMINI.MD", "ATTRIBUTION", "CREDITS", "ACKNOWLEDG", "CREATION-LOG"} {
		if strings.HasPrefix(upper, s) {
			return true
		}
	}
	return strings.HasPrefix(base, "__init__.") || strings.HasSuffix(base, ".pyc") || base == "py.typed"
}
