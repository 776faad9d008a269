package rules

import (
	"fmt"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

// The number of tokens that a reference should stay under, and the estimate
// above which it certainly exceeds that.
const (
	maxReference  = 5000
	sureReference = 6000
)

var referenceLength = &spec.Rule{
	ID:     "reference-length",
	Title:  "linked references stay under about 5,000 tokens",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: `specification, "Progressive disclosure": keep reference files focused`,
	Check: func(p *spec.Pass) {
		for _, in := range skillOf(p).instructions() {
			if in.depth == 0 || len(in.src) < 2*sureReference {
				continue
			}
			if n := tokens.Estimate(string(in.src)); n > sureReference {
				reportFile(p, in.name, "split it by subject, so that an agent reads only what a task needs",
					"the file has about %s tokens, and an agent that opens it reads all of them", printable.Grouped(int64(n)))
			}
		}
	},
}

var inlineProgram = &spec.Rule{
	ID:     "inline-program",
	Title:  "programs are in files, not in SKILL.md",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: long commands belong in a script",
	Check: func(p *spec.Pass) {
		s := skillOf(p)
		for _, c := range p.Doc.Page().Code {
			if !c.Block || !shellLang().MatchString(c.Lang) || strings.HasPrefix(c.Text, "#!") {
				continue
			}
			why := program(c.Text)
			if why == "" || sampleProgram().MatchString(s.body.Introduction(c.Start)) {
				continue
			}
			line, _, _ := strings.Cut(c.Text, "\n")
			p.Report(p.Doc.BodySpan(c.Offset(0), c.Offset(len(line))), "move it to scripts/ and name that file here: an agent that retypes it makes mistakes, and it costs tokens each time",
				"%s in a block of commands", why)
		}
	},
}

var (
	shellLang     = lazyregexp.New(`^(?i:ba|z)?sh$|^(?i)shell$`)
	sampleProgram = lazyregexp.New(`(?i)\b(?:sample|creat|generat|write|save|add (?:to|this)|bad|good|wrong|avoid|never|don't)`)
	shellLoop     = lazyregexp.New(`(?m)^[ \t]*(?:(?:for|while|until)\b[^\n]*(?:;[ \t]*do\b|\n[ \t]*do\b)|[\w-]+[ \t]*\(\)[ \t]*\{)`)
	embedded      = lazyregexp.New(`(?:^|[\s|;&])(?:python3?|node|ruby|perl)[ \t]+(?:-[ \t]*<<|<<|-c[ \t]*["'][ \t]*\r?\n|-e[ \t]*["'][ \t]*\r?\n)`)
	written       = lazyregexp.New(`(?m)(?:^|[\s;&|])(?:cat|tee)\b[^\n]*<<`)
)

// program returns why a block of commands counts as a program, or "".
func program(text string) string {
	const (
		longBlock    = 15 // commands
		longEmbedded = 10
		longPipeline = 7 // programs
	)
	text = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text)
	lines, pipeline := 0, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		lines++
		if line[0] != '|' && strings.Count(line, " | ")+1 >= longPipeline { // a table
			pipeline = max(pipeline, strings.Count(quotedText().ReplaceAllString(line, ""), " | ")+1)
		}
	}
	why := ""
	switch {
	case lines >= longEmbedded && embedded().MatchString(text):
		why = fmt.Sprintf("a program of %d lines", lines)
	case lines >= longBlock && shellLoop().MatchString(text):
		why = fmt.Sprintf("a shell program of %d lines", lines)
	case pipeline >= longPipeline:
		why = fmt.Sprintf("a pipeline of %d programs", pipeline)
	}
	if why != "" && written().MatchString(text) {
		return ""
	}
	return why
}

var quotedText = lazyregexp.New(`'[^']*'|"[^"]*"`)
