package references

// Documentation shows scripts that nobody is to run: as samples, in lists of what is
// allowed, in full with their code, or for the case that they exist.

import (
	"path"
	"strings"

	"skills/internal/lazyregexp"
)

var (
	// sampleLine is a line that introduces a sample.
	sampleLine = lazyregexp.New(`^[\s>#*_\-+\d.)]*(?:an? )?examples?[*_]*[:：]?[*_]*$`)
	// listLine introduces commands that others run, or that are allowed or forbidden.
	listLine = lazyregexp.New(`(?:^|[^\pL])(?:(?:in|on|for|your) (?:ci|github actions|a pipeline)|allowed|permissions?|permitted|forbidden|denied|red flags?|anti-?patterns?|allow ?list|deny ?list)(?:[^\pL]|$)`)
	// withoutIt follows a script that may be missing.
	withoutIt = lazyregexp.New(`^[^\pL]*(?:or |and )?(?:if|when|otherwise)[^.\n]{0,60}(?:n['’]t|not|missing|unavailable|absent|fails to)(?:[^\pL]|$)`)
	// programLang matches the language of a block that holds the text of a file.
	programLang = lazyregexp.New(`^(?i:py|python\d?|js|javascript|ts|typescript|jsx|tsx|rb|ruby|go|rust|perl|php|lua|r|julia|powershell|ps1|sql)$`)
)

// MaybeMissing reports whether the text after the code with the range says what to do if
// the script is missing.
func (s Sentence) MaybeMissing() bool {
	p := s.page
	if !p.InCode(s.start) {
		return false
	}
	const most = 160
	end := p.Code[p.pieceAt(s.start)].End
	rest := p.Body[end:min(end+most, len(p.Body))]
	text := strings.TrimLeft(plainText(rest), closing+" ~,;:–—-")
	return conditional().MatchString(text) || withoutIt().MatchString(text)
}

// ListsOutput reports whether the line above the list or the table with the range is
// about writing files.
func (s Sentence) ListsOutput() bool { return writing().MatchString(s.page.Introduction(s.start)) }

// IsSample reports whether code is not meant to be run by an agent: it is in the text of a
// script, or in a list of what is allowed. Set bare for a skill without the folder of the
// path, in which an example is one of another project.
func (s Sentence) IsSample(bare bool) bool {
	p := s.page
	if p.InBlock(s.start) && strings.HasPrefix(p.Code[p.pieceAt(s.start)].Text, "#!") {
		return true
	}
	line, _, _ := strings.Cut(p.Introduction(s.start), "\n")
	isListed := listLine().MatchString(line) || listLine().MatchString(s.before)
	return isListed || bare && sampleLine().MatchString(line)
}

// GivenInFull reports whether the page has the text of a file in a block that its name
// introduces.
func (s Sentence) GivenInFull(name string) bool {
	return strings.Contains(s.page.captions(), path.Base(name))
}

// captions returns the lines that introduce blocks with the text of a file, and the first
// lines of these.
func captions(p *Page) string {
	var out strings.Builder
	for _, c := range p.Code {
		isFile := strings.HasPrefix(c.Text, "#!") || programLang().MatchString(c.Lang)
		if !c.Block || !isFile {
			continue
		}
		first, _, _ := strings.Cut(c.Text, "\n")
		if strings.HasPrefix(strings.TrimSpace(first), "#") || strings.HasPrefix(strings.TrimSpace(first), "//") {
			out.WriteString(first + "\n")
		}
		above := strings.TrimRight(p.Body[:p.aboveCode(c.Start, lineStart(p.Body, c.Start))], " \t\r\n>")
		out.WriteString(above[lineStart(above, len(above)):] + "\n")
	}
	return out.String()
}
