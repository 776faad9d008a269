package spec

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"skills/internal/markdown"
)

// mention is a path of the skill that a text names without a link.
type mention struct {
	path       string // relative to the skill
	start, end int    // in the page's text
	code       bool   // in a code span
}

// isScript reports a script in the folder for them: it is script-target's.
func (m mention) isScript() bool {
	return strings.HasPrefix(m.path, "scripts/") && isScriptName(m.path)
}

// barePath is what a path in one of the format's own folders looks like.
var barePath = newPattern(`(?:\./)?(?:references?|scripts|assets)/[\pL\pN_.\-/ ]*[\pL\pN_\-]\.[A-Za-z0-9]{1,6}\b`)

// maxBare is how many of them are looked at in one page.
const maxBare = 1000

// bareReferences returns the paths below references/, scripts/ and assets/
// that a page names in code spans on their own, or in prose.
func (in *page) bareReferences() []mention {
	if in.bare == nil {
		in.bare = in.findBare()
	}
	return in.bare
}

func (in *page) findBare() []mention {
	out := []mention{}
	body := in.body()
	add := func(start, end int, code bool) {
		m := mention{path.Clean(body[start:end]), start, end, code}
		if len(out) < maxBare && isInside(m.path) && !isPlaceholder(m.path) {
			out = append(out, m)
		}
	}
	for _, c := range in.Code {
		text := strings.TrimSpace(c.Text)
		if c.Block || len(c.Lines) != 1 || len(text) > 200 {
			continue
		}
		text, _, _ = strings.Cut(text, "#")
		if at := barePath().FindStringIndex(text); at != nil && at[0] == 0 && at[1] == len(text) {
			if strings.Contains(text, " ") && !in.names(text) {
				continue // a command with its arguments, or several paths
			}
			if start := c.Offset(strings.Index(c.Text, text)); !inLinkText(in, body, start+len(text)) {
				add(start, start+len(text), true)
			}
		}
	}
	for _, s := range in.Prose {
		line := body[s.Start:s.End]
		if !strings.Contains(line, "/") {
			continue
		}
		for from := 0; ; {
			at := prosePath().FindStringIndex(line[from:])
			if at == nil {
				break
			}
			start, end := from+at[0], from+at[1]
			before, after := lastRune([]byte(line[:start])), firstRune([]byte(line[end:]))
			if !isPathRune(before) && !isPathRune(after) && !inLinkText(in, body, s.Start+start) {
				add(s.Start+start, s.Start+end, false)
			}
			from = end
		}
	}
	return out
}

// namedPages returns the Markdown files of the skill that a page names by their
// path in code spans and in sentences, wherever they are. Read-me files and their kin are left
// out: such a name is as often that of the project's.
func (in *page) namedPages() []mention {
	var out []mention
	for _, c := range in.Code {
		text := strings.TrimSpace(c.Text)
		if c.Block || len(c.Lines) != 1 || len(text) > 200 || !isMarkdown(text) || excused(path.Base(text)) || len(out) == maxBare {
			continue
		}
		if name := path.Clean(text); in.names(name) {
			start := c.Offset(strings.Index(c.Text, text))
			out = append(out, mention{name, start, start + len(text), true})
		}
	}
	for _, s := range in.Prose {
		line := in.body()[s.Start:s.End]
		if !strings.Contains(line, ".m") && !strings.Contains(line, ".MD") {
			continue // nearly all, and a search by pattern is dear
		}
		for _, at := range prosePage().FindAllStringIndex(line, maxBare) {
			start, end := s.Start+at[0], s.Start+at[1]
			if name := path.Clean(in.body()[start:end]); len(out) < maxBare && !excused(path.Base(name)) && in.names(name) {
				out = append(out, mention{name, start, end, false})
			}
		}
	}
	return out
}

// prosePage is the name of a Markdown file in a sentence.
var prosePage = newPattern(`[\pL\pN_][\pL\pN_./-]*\.(?:md|MD|markdown)`)

// names reports whether a path is that of a file in the skill's folder, maybe
// in another case.
func (in *page) names(name string) bool {
	f := in.doc.folder()
	if f == nil {
		return false
	}
	actual, _ := f.find(name)
	return actual != ""
}

// prosePath is barePath without spaces.
var prosePath = newPattern(`(?:\./)?(?:references?|scripts|assets)/[\pL\pN_.\-/]*[\pL\pN_\-]\.[A-Za-z0-9]{1,6}`)

// isPathRune reports characters that make a match a part of something longer:
// another path, an address, a template.
func isPathRune(r rune) bool {
	return r != 0 && strings.ContainsRune("/\\-_~@{}<>$*=", r) || isASCIILetter(byte(min(r, 127))) && r < 128 || r >= '0' && r <= '9'
}

// inLinkText reports whether a place is in a link's text: what it names is the
// link's to say.
func inLinkText(in *page, body string, at int) bool {
	const most = 500
	i, _ := slices.BinarySearchFunc(in.Links, at, func(l markdown.Link, at int) int { return cmp.Compare(l.Start, at) })
	for ; i < len(in.Links) && in.Links[i].Start-at < most; i++ {
		between := body[at:in.Links[i].Start]
		if n := strings.Index(between, "]("); n >= 0 {
			return n+2 >= len(strings.TrimRight(between, "< \t\n")) && !strings.Contains(between[:n], "[")
		}
	}
	return false
}

// checkBareReferences reports what the SKILL.md tells the reader to read, run
// or use, by its path, and is not there. Much of what texts name so is an
// example, is made by the skill, or lies in somebody's project: only where the
// sentence leaves no doubt is it reported.
func checkBareReferences(p *Pass, f *folder) {
	in := f.pages[""]
	told, guide := map[string]bool{}, isGuide(in.body())
	for _, m := range in.bareReferences() {
		if p.Full() {
			return
		}
		actual, known := f.find(m.path)
		if told[m.path] || !known || f.has(m.path) || m.isScript() {
			continue
		}
		if actual != "" {
			told[m.path] = true
			p.Report(in.place(m.start, m.end), "write it as it is on disk: "+show(actual),
				"%s is called %s on disk, which is another file where upper and lower case differ", quote(m.path), quote(actual))
			continue
		}
		top, _, _ := strings.Cut(m.path, "/")
		if !f.isDir(top) && !strings.HasPrefix(top, "reference") || !demanded(in, m, guide) || produced(in, m.path) || ofExample(in, m.path) {
			continue
		}
		told[m.path] = true
		help := "correct the path, or take it out"
		if name := f.guess(m.path); name != "" {
			help = "did you mean " + show(name) + "?"
		}
		p.Report(in.place(m.start, m.end), help, "%s does not exist in the skill's folder", quote(m.path))
	}
}
