package references

import (
	"path"
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
)

// showsSkill reports whether a page shows the beginning of a SKILL.md.
func showsSkill(body string) bool {
	if !strings.Contains(body, "description:") {
		return false
	}
	for at := 0; ; at += len(nameField) { // the expression is slow in a whole page
		n := strings.Index(body[at:], nameField)
		if n < 0 {
			return false
		}
		at += n
		line := strings.LastIndexByte(body[:at], '\n')
		if line < 0 {
			continue
		}
		before := strings.LastIndexByte(body[:line], '\n') + 1
		if at-line < 40 && shownSkill().MatchString(body[before:]) {
			return true
		}
	}
}

const nameField = "name:"

// shownSkill matches the first lines of a SKILL.md.
var shownSkill = lazyregexp.New(`^[ \t>]*---[ \t]*\r?\n[ \t>]*name:.*\r?\n[ \t>]*description:`)

// IsGuide reports whether the page explains how to write skills: such texts
// mention many files of other skills.
func (p *Page) IsGuide() bool { return p.guide }

// opening and closing are the marks that may be between a word and a path.
const (
	opening = "`*_\"'[(<“@ "
	closing = "`*_\"')]>”"
)

// labelled begins an example of how to write, and not to write, something.
var labelled = lazyregexp.New(`^[\s>#+_\-|.):\[\]x0-9*✅❌✓✗]*(?:good|bad|correct|incorrect|wrong|right|better|worse|poor|do|don['’]t|avoid|prefer)[ *_]*[:：]`)

// IsExample reports whether a link is an example, or the sentence says that its
// target is in a project.
func (p *Page) IsExample(start, end int) bool {
	before, after := p.around(start, end)
	return labelled().MatchString(before) || inUserProject().MatchString(strings.TrimLeft(after, closing))
}

// quoted reports whether text ends inside a quotation.
func quoted(text string) bool {
	return strings.Count(text, `"`)%2 == 1 || strings.Count(text, "“") > strings.Count(text, "”")
}

// IsUseInstruction reports whether the sentence around a mention instructs the reader to
// read, run or use the file. In a guide the words must be explicit.
func (p *Page) IsUseInstruction(m Mention) bool {
	before, after := p.around(m.Start, m.End)
	last := strings.TrimRight(before, opening)
	explicit := pointing().MatchString(last)
	rest := strings.TrimLeft(after, closing)
	if quoted(strings.TrimRight(p.Body[lineStart(p.Body, m.Start):m.Start], opening)) || hypothetical().MatchString(before) || interpreted().MatchString(last) || conditional().MatchString(rest) || inUserProject().MatchString(rest) {
		return false
	}
	if explicit || p.guide {
		return explicit
	}
	if m.Code && taking().MatchString(last) {
		return true
	}
	if !m.Code || making().MatchString(before) || outputPreposition().MatchString(last) || making().MatchString(after) || hypothetical().MatchString(after) {
		return false
	}
	if using().MatchString(last) {
		return true
	}
	above := p.Introduction(m.Start)
	return lead().MatchString(before) && !making().MatchString(above) && !hypothetical().MatchString(above)
}

// IsRunInstruction reports whether the sentence around a range of code instructs the
// reader to run it, alone or after others.
func (p *Page) IsRunInstruction(start, end int) bool {
	before, after := p.around(start, end)
	rest := strings.TrimLeft(after, closing)
	if hypothetical().MatchString(before) || conditional().MatchString(rest) || inUserProject().MatchString(rest) {
		return false
	}
	return running().MatchString(strings.TrimRight(before, opening)) ||
		running().MatchString(strings.TrimRight(spans().ReplaceAllString(before, ""), opening))
}

// Offers reports whether a mention begins an item in a list of the skill's
// scripts, according to the heading or the line above it.
func (p *Page) Offers(m Mention) bool {
	before, after := p.around(m.Start, m.End)
	rest := strings.TrimLeft(after, closing)
	return m.Code && lead().MatchString(before) && offering().MatchString(p.Introduction(m.Start)) &&
		!hypothetical().MatchString(after) && !conditional().MatchString(rest) && !inUserProject().MatchString(rest)
}

// Introduced reports whether a mention is a line of its own, and the line above
// it says to run it: "Run the extraction script:".
func (p *Page) Introduced(m Mention) bool {
	line, _, _ := strings.Cut(p.Body[lineStart(p.Body, m.Start):], "\n")
	return strings.TrimSpace(line) == p.Body[m.Start:m.End] && runIntroduction().MatchString(p.Introduction(m.Start))
}

// named counts the files of a folder that a page mentions.
type named struct{ existing, missing int }

// countNamed counts the files that the page mentions by folder.
func (p *Page) countNamed() map[string]named {
	out, seen := map[string]named{}, map[string]bool{}
	for _, m := range p.Named() {
		exists := p.exists(m.Path)
		if seen[m.Path] || !m.Code && !exists {
			continue
		}
		seen[m.Path] = true
		n := out[path.Dir(m.Path)]
		if exists {
			n.existing++
		} else {
			n.missing++
		}
		out[path.Dir(m.Path)] = n
	}
	return out
}

// Listed reports whether a mention starts a list item, and the page mentions
// other files of its folder, most of which exist: then this one should exist
// too.
func (p *Page) Listed(m Mention) bool {
	n := p.named()[path.Dir(m.Path)]
	before, after := p.around(m.Start, m.End)
	rest := strings.TrimLeft(after, closing)
	explicit := func() bool { return p.Explicit(m) && !hypothetical().MatchString(before) }
	switch {
	case conditional().MatchString(rest) || inUserProject().MatchString(rest):
		return false
	case (inSkillFolder().MatchString(rest) || strings.HasSuffix(p.Body[:m.Start], "@")) && explicit():
		return true
	case n.existing < 2 || !m.Code:
		return n.existing > n.missing && explicit()
	}
	return n.existing > n.missing && (itemStart().MatchString(before) || explicit())
}

// Explicit reports whether the words before a mention instruct the reader to
// read or use exactly that file.
func (p *Page) Explicit(m Mention) bool {
	before, _ := p.around(m.Start, m.End)
	last := strings.TrimRight(before, opening)
	return pointing().MatchString(last) || taking().MatchString(last)
}

// Produces reports whether the page describes a file as output, or a command
// writes it: then it need not exist yet.
func (p *Page) Produces(name string) bool {
	for _, m := range p.Mentions() {
		if m.Path != name {
			continue
		}
		before, _ := p.around(m.Start, m.End)
		if last := strings.TrimRight(before, opening); producing(before) && !pointing().MatchString(last) && !interpreted().MatchString(last) && !taking().MatchString(last) {
			return true
		}
	}
	for from := 0; ; {
		i := strings.Index(p.Body[from:], name)
		if i < 0 {
			return false
		}
		before := strings.TrimRight(p.Body[max(from+i-24, 0):from+i], " \"'./=")
		if intoFile().MatchString(before) {
			return true
		}
		from += i + len(name)
	}
}

// producing reports whether the text before a path means that it is written: no
// other file follows the last verb of writing, and the path is not the source.
func producing(before string) bool {
	at := writing().FindAllStringIndex(before, -1)
	if at == nil {
		return false
	}
	rest := before[at[len(at)-1][1]:]
	last := strings.TrimRight(rest, opening)
	return !source().MatchString(last) && (strings.Count(rest, "`") < 2 || strings.HasSuffix(last, "` and") || outputPreposition().MatchString(last))
}

// InProject reports whether the text around a script places it in the user's
// project.
func (p *Page) InProject(start, end int) bool {
	before, after := p.around(start, end)
	above := p.Introduction(start)
	return project().MatchString(before) || inUserProject().MatchString(strings.TrimLeft(after, "`")) || projectScript().MatchString(above) || fromRoot().MatchString(above)
}

// MaybeInProject is like InProject, but a hint is enough.
func (p *Page) MaybeInProject(start, end int) bool {
	before, after := p.around(start, end)
	above := p.Introduction(start)
	return p.InProject(start, end) || possessive().MatchString(before) || project().MatchString(after) || project().MatchString(above) || possessive().MatchString(above)
}

// around returns the rest of the sentence, list item or table cell before and
// after a range of the body, in lower case.
func (p *Page) around(start, end int) (before, after string) {
	const most = 240 // bytes on each side
	body := p.Body
	from := start
	for from > 0 && start-from < most && !sentenceStart(body, from) {
		from--
	}
	to := end
	for to < len(body) && to-end < most && !sentenceEnd(body, to) {
		to++
	}
	for from < start && !utf8.RuneStart(body[from]) {
		from++
	}
	return strings.ToLower(strings.Join(strings.Fields(body[from:start]), " ")), strings.ToLower(strings.Join(strings.Fields(body[end:to]), " "))
}

// sentenceStart reports whether a sentence can start at i.
func sentenceStart(s string, i int) bool {
	switch prev := s[i-1]; {
	case prev == '|' || prev == ';':
		return true
	case prev == '\n':
		rest := strings.TrimLeft(s[i:], " \t>")
		line, _, _ := strings.Cut(rest, "\n")
		return line == "" || strings.ContainsRune("-*+|#<", rune(line[0])) || strings.HasPrefix(line, "```") || line[0] >= '0' && line[0] <= '9' ||
			i > 1 && strings.TrimSpace(s[lineStart(s, i-1):i-1]) == ""
	case s[i] == ' ' || s[i] == '\n':
		return endsSentence(s, i-1)
	}
	return strings.HasSuffix(s[:i], "。")
}

func endsSentence(s string, i int) bool {
	if s[i] == '!' || s[i] == '?' {
		return true
	}
	return s[i] == '.' && !strings.HasSuffix(s[:i], "e.g") && !strings.HasSuffix(s[:i], "i.e") && !strings.HasSuffix(s[:i], "etc")
}

// sentenceEnd reports whether a sentence ends before i.
func sentenceEnd(s string, i int) bool {
	switch s[i] {
	case '|', ';':
		return true
	case '\n':
		return i+1 == len(s) || sentenceStart(s, i+1)
	case '.', '!', '?':
		return (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') && endsSentence(s, i)
	}
	return strings.HasPrefix(s[i:], "。")
}
