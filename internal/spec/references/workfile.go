package references

import (
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/markdown"
)

// workVerb precedes a file of the user's that a reader is to read, change or make: a verb at
// the start of a sentence or of a part of one, with few words after it.
var workVerb = lazyregexp.New(`(?:^|[.:;,] |(?:^|[^\pL])(?:then|and|to|must|should|always|first) )[\s>#*_+\-|.):\[\]x0-9]*(?:read|open|edit|update|modify|write|save|store|create|append|put|record|add)(?: [\pL\d'’/-]+){0,6}[ :]*$`)

// workExtensions are those of files that people work on, besides source code.
const workExtensions = ` .md .txt .json .yaml .yml .toml .csv .tsv .html .htm .xml .svg .docx .xlsx .pptx .pdf .ini .cfg .lock .tex .bib .ipynb .rst .log .jsonl `

// fileName matches a path without blanks and signs of a pattern or a placeholder.
var fileName = lazyregexp.New(`^\.?/?[\w.-]+(?:/[\w.-]+)*\.\w{1,8}$`)

// WorkFile returns a file that a skill's text says to read, change or make, and that is none
// of its own, or "". Doubtful words count for "none".
func WorkFile(body, dir string, own func(name string) bool) string {
	p := New(markdown.Parse([]byte(body)), body, dir, own)
	if p.IsGuide() {
		return ""
	}
	for _, c := range p.Code {
		name := strings.TrimSpace(c.Text)
		if c.Block || len(c.Lines) != 1 || !fileName().MatchString(name) {
			continue
		}
		isWork := strings.Contains(workExtensions, " "+strings.ToLower(path.Ext(name))+" ")
		isSkills := isOwn(name, own) || inOwnFolder(name)
		if !isWork || isSkills || IsPlaceholder(name) {
			continue
		}
		s := p.Sentence(c.Start, c.End)
		doubtful := s.isHypothetical() || s.isQualified() || strings.Contains(s.before, "skill")
		if !doubtful && workVerb().MatchString(strings.ReplaceAll(s.last, "*", "")) {
			return name
		}
	}
	return ""
}

// inOwnFolder reports whether a path is below a folder that belongs to skills.
func inOwnFolder(name string) bool {
	top, _, below := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	return path.Base(name) == skillFile || below && slices.Contains(ownFolders, top)
}
