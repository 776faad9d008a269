package references

// A path in a text may be one that must exist, an example, an output, or a file of the
// user's project. The words around it decide: expressions (phrases.go) match the sentence
// up to the path, the rest after it, and the lines that introduce its list or block. A
// wrong finding costs more than a missed one, so doubtful words count against it.

import (
	"path"
	"slices"
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

// Sentence is what a page says about a range of its body: the rest of the sentence,
// list item or table cell around it, in lower case.
type Sentence struct {
	page          *Page
	start         int    // of the range
	before, after string // what precedes and follows the range
	last          string // before without the quotes and emphasis at its end
	rest          string // after without those at its start
}

// Sentence returns the sentence around a range of the body.
func (p *Page) Sentence(start, end int) Sentence {
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
	s := Sentence{page: p, start: start, before: plainText(body[from:start]), after: plainText(body[end:to])}
	s.last, s.rest = strings.TrimRight(s.before, opening), strings.TrimLeft(s.after, closing)
	return s
}

// plainText returns a text in lower case and on one line.
func plainText(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// isQualified reports whether the words after the range say that a file is
// optional, or in a project.
func (s Sentence) isQualified() bool {
	return conditional().MatchString(s.rest) || inUserProject().MatchString(s.rest)
}

// isHypothetical reports whether the words before the range are about something that
// need not exist, such as a suggestion or a denial.
func (s Sentence) isHypothetical() bool {
	ofOther := otherOwner().MatchString(s.before)
	if at := skillOwner().FindStringSubmatch(s.before); at != nil {
		ofOther = ofOther || !slices.Contains([]string{"this", "the", "a", "each", "your", "current"}, at[1])
	}
	return ofOther || hypothetical().MatchString(s.before) || examples().MatchString(s.before)
}

// isOutput reports whether the words on either side are about writing a file, or about
// one that need not exist.
func (s Sentence) isOutput() bool {
	return making().MatchString(s.before) || outputPreposition().MatchString(s.last) || making().MatchString(s.after) || hypothetical().MatchString(s.after)
}

// isWritten reports whether the words after the range say that the file is written, or
// that it need not exist.
func (s Sentence) isWritten() bool {
	return written().MatchString(s.rest) || hypothetical().MatchString(s.after)
}

// IsExample reports whether a link is an example, or the sentence says that its
// target is in a project.
func (s Sentence) IsExample() bool {
	return labelled().MatchString(s.before) || inUserProject().MatchString(s.rest)
}

// IsQuoted reports whether the range is in a quotation, as an example of how to write.
func (s Sentence) IsQuoted() bool {
	return quoted(s.before) && strings.ContainsAny(s.after, `"”`)
}

// Explicit reports whether the words before a mention instruct the reader to
// read or use exactly that file.
func (s Sentence) Explicit() bool {
	return s.instructs() || taking().MatchString(s.last)
}

// instructs reports whether the words around a mention say to read, use or run the file.
func (s Sentence) instructs() bool {
	return pointing().MatchString(s.last) || instructionBefore().MatchString(s.last) || instructionAfter().MatchString(s.rest)
}

// IsRunInstruction reports whether the sentence around a range of code instructs the
// reader to run it, alone or after others.
func (s Sentence) IsRunInstruction() bool {
	if s.isHypothetical() || s.isQualified() {
		return false
	}
	return running().MatchString(s.last) ||
		running().MatchString(strings.TrimRight(spans().ReplaceAllString(s.before, ""), opening))
}

// InProject reports whether the text around a script places it in the user's
// project.
func (s Sentence) InProject() bool {
	above := s.page.Introduction(s.start)
	return project().MatchString(s.before) || inUserProject().MatchString(strings.TrimLeft(s.after, "`")) ||
		projectScript().MatchString(above) || fromRoot().MatchString(above)
}

// MaybeInProject is like InProject, but a hint is enough.
func (s Sentence) MaybeInProject() bool {
	above := s.page.Introduction(s.start)
	return s.InProject() || possessive().MatchString(s.before) || project().MatchString(s.after) ||
		project().MatchString(above) || possessive().MatchString(above)
}

// quoted reports whether text ends inside a quotation.
func quoted(text string) bool {
	return strings.Count(text, `"`)%2 == 1 || strings.Count(text, "“") > strings.Count(text, "”")
}

// IsUseInstruction reports whether the sentence around a mention instructs the reader to
// read, run or use the file. In a guide the words must be explicit.
func (p *Page) IsUseInstruction(m Mention) bool {
	s := p.Sentence(m.Start, m.End)
	line := p.Body[lineStart(p.Body, m.Start):m.Start]
	switch points := s.instructs(); {
	case historyLine().MatchString(line), quoted(strings.TrimRight(line, opening)), s.isHypothetical(), interpreted().MatchString(s.last), s.isQualified():
		return false
	case points, p.guide:
		return points
	case m.Code && taking().MatchString(s.last):
		return true
	case !m.Code:
		return false
	}
	top, _, _ := strings.Cut(m.Path, "/")
	isReference := strings.HasPrefix(top, "reference") && p.exists(top) // agents read these, whatever the words
	switch {
	case isReference:
		return !namedTool().MatchString(s.before) && !producing(s.before) && !hypothetical().MatchString(s.after) && !hypothetical().MatchString(p.Introduction(m.Start))
	case s.IsNamed():
		return !s.isWritten() && !introducesOutput(p.Introduction(m.Start))
	}
	return using().MatchString(s.last) && !s.isOutput()
}

// IsNamed reports whether the range is a list item or a table cell of its own, or follows
// a label.
func (s Sentence) IsNamed() bool {
	isLabelled := labelEnd().MatchString(s.last) && !outputLabel().MatchString(s.before)
	return isLabelled || lead().MatchString(s.before)
}

// introducesOutput reports whether the line above a list, a table or a block is about files
// that are written, or that need not exist.
func introducesOutput(above string) bool {
	if hypothetical().MatchString(above) || outputLine().MatchString(above) {
		return true
	}
	at := produced().FindAllStringIndex(above, -1)
	return at != nil && !detour().MatchString(strings.TrimRight(above[at[len(at)-1][1]:], " :：*_"))
}

// Offers reports whether a mention begins an item in a list of the skill's
// scripts, according to the heading or the line above it.
func (p *Page) Offers(m Mention) bool {
	s := p.Sentence(m.Start, m.End)
	return m.Code && lead().MatchString(s.before) && offering().MatchString(p.Introduction(m.Start)) &&
		!hypothetical().MatchString(s.after) && !s.isQualified()
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
	s := p.Sentence(m.Start, m.End)
	explicit := func() bool { return s.Explicit() && !s.isHypothetical() }
	switch {
	case s.isQualified():
		return false
	case (inSkillFolder().MatchString(s.rest) || strings.HasSuffix(p.Body[:m.Start], "@")) && explicit():
		return true
	case n.existing < 2 || !m.Code:
		return n.existing > n.missing && explicit()
	}
	line := p.Body[lineStart(p.Body, m.Start):m.Start]
	inRow := !strings.Contains(m.Path, "/") && strings.Contains(line, "|") && !lead().MatchString(strings.ToLower(line)) // a cell behind the first
	return n.existing > n.missing && (!inRow && itemStart().MatchString(s.before) || explicit())
}

// Produces reports whether the page describes a file as output, or a command
// writes it: then it need not exist yet.
func (p *Page) Produces(name string) bool {
	for _, m := range p.Mentions() {
		if m.Path != name {
			continue
		}
		s := p.Sentence(m.Start, m.End)
		if producing(s.before) && !s.Explicit() && !interpreted().MatchString(s.last) {
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

// producing reports whether the text before a path means that it is written: the path is
// the object of the last verb of writing, or follows a word such as "to" or "as".
func producing(before string) bool {
	at := produced().FindAllStringIndex(before, -1)
	if at == nil {
		return false
	}
	const most = 6 // words between
	rest := before[at[len(at)-1][1]:]
	last := strings.TrimRight(rest, opening)
	switch {
	case source().MatchString(last):
		return false
	case outputPreposition().MatchString(last), strings.HasSuffix(last, "` and"):
		return true
	}
	return strings.Count(rest, "`") < 2 && len(strings.Fields(rest)) <= most && !detour().MatchString(rest)
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
