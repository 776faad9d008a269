package rules

// Text of a template that nobody replaced. In a field it is certain: no description is
// "[Insert description]". In a body the same words may be a form that the agent is to fill
// in, so only whole lines outside of code count there. They are advice, as are the lines of
// skills new, whose result is to pass the check.

import (
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var placeholder = &spec.Rule{
	ID:     "placeholder",
	Title:  "the text of a template is replaced",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "the templates of skills new and of other tools, which say that their text is to be replaced",
	Check: func(p *spec.Pass) {
		if isTemplate(p.Doc.Dir+"/"+spec.FileName) || inTemplateFolder().MatchString(p.Doc.Path) {
			return
		}
		for _, key := range []string{"name", "description", "license", "compatibility", "when_to_use"} {
			if f := p.Doc.Field(key); f != nil && spec.HasText(f.Value) {
				checkPlaceholderField(p, f)
			}
		}
		for _, in := range skillOf(p).instructions() {
			checkPlaceholderLines(p, in)
		}
		for _, f := range filesOf(p.Doc) {
			if f.Size > 0 && f.Size < 16<<10 && untouchedFile().MatchString(f.Name) {
				checkUntouched(p, f)
			}
		}
	},
	Join: func(places []spec.Place) string {
		if strings.HasPrefix(places[0].Message, untouched) {
			return untouched + printable.List(quotedSubjects(places), 5)
		}
		return leftText + printable.List(quotedSubjects(places), 5)
	},
}

var (
	inTemplateFolder = lazyregexp.New(`(?i)(?:^|/)[\w-]*(?:templates?|scaffold|skeleton|boilerplate)[\w-]*/`)
	// templateStart matches the beginning of a value that only a template has.
	templateStart = lazyregexp.New(`(?i)^(?:TODO\b|\[(?:TODO|Insert|Add|Describe|Your|Replace|Enter|Fill|Write|Brief|Skill|What)\b[^\]]*\]` +
		`|<(?:your|insert|what|description|describe|brief|replace|name|skill)\b[^>]*>$|<[^<>]*>$` +
		`|(?:replace (?:this )?with |(?:a )?(?:brief|clear|short|one-line|complete) description of (?:what )?(?:this|the|your) skill(?: does)?\b|description of what this skill does|your (?:skill )?description here))`)
	// templatePart matches what only a template has anywhere in a value.
	templatePart = lazyregexp.New(`(?i)\[(?:TODO|Insert|Describe|Replace)\b[^\]]{3,}\]`)
	// leftBlockSign matches the sign of a YAML block that became part of the text.
	leftBlockSign = lazyregexp.New(`^[|>][+-]?[ \t]+\pL|^[|>][+-]?$`)
	// lineTemplate matches a line of a body that a template has.
	lineTemplate = lazyregexp.New(`(?i)^\s{0,3}(?:(?:[-*+]|\d{1,3}[.)]|#{1,6})\s+)?[*_]{0,2}(\[(?:TODO|Insert|Describe|Replace|Fill in|Placeholder)\b[^\]]{2,}\]|TODO:\s.{3,}|\[TODO\])[*_]{0,2}\s*$`)
	// ownTemplate matches the lines that skills new writes.
	ownTemplate = lazyregexp.New(`<(?:what to do first|what to do next|what only some tasks need|what the body sends the reader here for)>|If <something> fails, say so|It prints <what> as JSON`)
	// form matches text about a form that the agent fills in.
	form = lazyregexp.New(`(?i)template|format|output|example|structure|sample|fill|placeholder|skeleton|boilerplate|report|模板|格式|示例|输出`)

	untouchedFile = lazyregexp.New(`^(?:scripts/example\.\w+|references/(?:api_reference|api-reference|example)\.md|assets/example_asset\.txt|scripts/main\.\w+)$`)
	untouchedText = lazyregexp.New(`(?i)replace (?:this )?with actual implementation|this is a placeholder (?:script|for detailed reference documentation|file)|this placeholder represents where`)
)

// checkPlaceholderField reports a field with the text of a template.
func checkPlaceholderField(p *spec.Pass, f *spec.Field) {
	text := spec.Trim(f.Value.Text)
	switch {
	case f.Key == "description" && leftBlockSign().MatchString(text):
		p.Report(f.Value.Span, "delete it: clients show it as part of the description", "the description starts with %s, the sign of a YAML block", printable.Quote(text[:1]))
	default:
		if left := templateText(text); left != "" {
			p.Report(f.Value.Span, "write what the skill does and when to use it", "%s has the text of a template: %s", f.Key, printable.Quote(shorten(left)))
		}
	}
}

// templateText returns the first text of a template in a value, or "".
func templateText(value string) string {
	left := templateStart().FindString(value)
	if left == "" && strings.Contains(value, "[") { // the expression is slow
		left = templatePart().FindString(value)
	}
	return left
}

// checkPlaceholderLines reports the lines of a page that have the text of a template.
func checkPlaceholderLines(p *spec.Pass, in *page) {
	const most = 200 // lines that may be templates
	offset, tried := 0, 0
	for line := range strings.Lines(in.Body) {
		start := offset
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		const longest = 400 // bytes
		if len(line) > longest {
			continue
		}
		if strings.Contains(line, "<what") || strings.Contains(line, "<something>") {
			if at := ownTemplate().FindStringIndex(line); at != nil && !in.InCode(start+at[0]) {
				reportPlaceholder(p, in, start+at[0], start+at[1])
			}
		}
		if !strings.Contains(line, "[") && !strings.Contains(line, "TODO") {
			continue
		}
		if words := strings.TrimLeft(line, " \t\f\r-*+0123456789.)#_"); words == "" || words[0] != '[' && words[0]|0x20 != 't' {
			continue // the expression is slow
		}
		at := lineTemplate().FindStringSubmatchIndex(line)
		if at != nil {
			tried++
		}
		if tried > most || p.Full() {
			return
		}
		if at == nil || in.InCode(start+at[2]) || form().MatchString(in.Introduction(start)+in.heading(start)) {
			continue
		}
		reportPlaceholder(p, in, start+at[2], start+at[3])
	}
}

// The beginnings of messages.
const (
	leftText  = "the text of a template is left: "
	untouched = "nobody changed this file of a template: "
)

func reportPlaceholder(p *spec.Pass, in *page, start, end int) {
	text := shorten(in.Body[start:end])
	found := p.AdviseIn(in.path(p), in.bodySpan(start, end), nil, "write what belongs here, or delete the line", leftText+"%s", printable.Quote(text))
	found.Group = "line"
	found.Places = []spec.Place{{Subject: text}}
}

// checkUntouched reports a file of a template that nobody changed.
func checkUntouched(p *spec.Pass, f spec.File) {
	t := readText(p.Doc, f)
	if t == nil {
		return
	}
	if at := untouchedText().FindIndex(t.src); at != nil {
		found := t.report(p, at[0], at[1], "write the file, or delete it", untouched+"%s", printable.Quote(f.Name))
		found.Group = "file"
		found.Places = []spec.Place{{Subject: f.Name}}
	}
}

// heading returns the text of the last heading before an offset, or "".
func (p *page) heading(at int) string {
	for end := at; end > 0; {
		start := strings.LastIndexByte(p.Body[:end-1], '\n') + 1
		if line := p.Body[start:end]; strings.HasPrefix(line, "#") && !p.InCode(start) {
			return line
		}
		end = start
	}
	return ""
}
