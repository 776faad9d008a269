package rules

// The body is loaded whole as soon as a skill is used, so these rules are about its
// length, and about programs in it that would cost less as a script.

import (
	"fmt"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

var bodyLength = &spec.Rule{
	ID:     "body-length",
	Title:  fmt.Sprintf("SKILL.md is at most %d lines and %d tokens long", spec.MaxLines, spec.MaxBodyTokens),
	Level:  spec.Warning,
	Source: fmt.Sprintf("specification, progressive disclosure: under %d lines, fewer than %d tokens recommended", spec.MaxLines, spec.MaxBodyTokens),
	Check: func(p *spec.Pass) {
		const help = "move what is not always needed to files of its own under references/, and say when to read them"
		x := p.Doc.Lines()
		lines, tokens := x.Count(), p.Doc.BodyTokens()
		switch long := tokens > spec.MaxBodyTokens; {
		case lines > spec.MaxLines && long:
			p.Report(x.Line(spec.MaxLines+1), help, "SKILL.md has %d lines and a body of about %d tokens (an estimate, usually within 10 %%), more than the recommended %d and %d",
				lines, tokens, spec.MaxLines, spec.MaxBodyTokens)
		case lines > spec.MaxLines:
			p.Report(x.Line(spec.MaxLines+1), help, "SKILL.md has %d lines, more than the recommended %d", lines, spec.MaxLines)
		case long && tokens <= spec.MaxBodyTokens*11/10:
			p.AdviseIn(p.Doc.Path, x.Line(p.Doc.BodyLine), nil, help, "the body is about %d tokens long, at the limit of the recommended %d; this is an estimate, usually within 10 %%: it may be less",
				tokens, spec.MaxBodyTokens)
		case long:
			p.Report(x.Line(p.Doc.BodyLine), help, "the body is about %d tokens long, more than the recommended %d; this is an estimate, usually within 10 %%",
				tokens, spec.MaxBodyTokens)
		}
	},
}

var bodyEmpty = &spec.Rule{
	ID:     "body-empty",
	Title:  "the body contains instructions",
	Level:  spec.Info,
	Source: "specification, body content: the body holds the skill's instructions",
	Check: func(p *spec.Pass) {
		if p.Doc.BodyLine > 0 && strings.TrimSpace(p.Doc.Body) == "" {
			p.Report(p.Doc.Lines().Line(p.Doc.BodyLine-1), "describe how to do the task: an agent that loads the skill sees nothing else",
				"the body is empty")
		}
	},
}

// maxCatalogue is the most tokens that a skill's catalogue entry should cost.
// The specification estimates about 100. 1024 characters of English take at
// most twice that, so an English description within its limit rarely exceeds
// it; scripts with more tokens per character are reported in time. It is also a
// tenth of the budget that Claude Code reserves for all entries (about 1 % of
// the context, 2,000 tokens), beyond which it shortens them.
const maxCatalogue = 200

var catalogueCost = &spec.Rule{
	ID:     "catalogue-cost",
	Title:  "name and description cost at most about 200 tokens in every request",
	Level:  spec.Info,
	Source: `specification, "Progressive disclosure": about 100 tokens; clients' budgets for the catalogue`,
	Check: func(p *spec.Pass) {
		name, f := p.Doc.Field("name"), p.Doc.Field("description")
		if name == nil || f == nil || !spec.HasText(f.Value) {
			return
		}
		// A text never has more tokens than bytes.
		text := spec.Trim(f.Value.Text)
		if len(name.Value.Text)+len(text) <= maxCatalogue {
			return
		}
		if n := tokens.Estimate(strings.Join([]string{spec.Trim(name.Value.Text), text}, "\n")); n > maxCatalogue {
			p.Report(f.Value.Span, "keep what helps to choose the skill, and move the rest into the body",
				"name and description cost about %d tokens in every request, whether or not the skill is used; clients shorten or drop what does not fit", n)
		}
	},
}

var fenceUnclosed = &spec.Rule{
	ID:     "fence-unclosed",
	Title:  "every code fence is closed",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "CommonMark, fenced code blocks: one that is not closed reaches to the end of the file",
	Check: func(p *spec.Pass) {
		for _, file := range skillOf(p).instructions() {
			if fence := file.Unclosed; fence != nil {
				file.reportBody(p, fence.Start, fence.End, "close it; a fence around others needs more backticks than they have",
					"this code fence is never closed: everything below it is code to a reader")
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
	Join: func(places []spec.Place) string {
		return fmt.Sprintf("%d blocks of commands are programs: %s", len(places), listed(subjects(places)))
	},
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
				"%s in a block of commands", why).In("blocks", why)
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
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
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
