package spec

import (
	"fmt"
	"path/filepath"
)

// Pass is one rule's look at one document.
type Pass struct {
	Doc     *Document
	Clients []string // clients whose own fields are accepted

	rule     *Rule
	level    Level
	advice   Level // of findings that are no more than advice
	out      *[]Diagnostic
	reported int
}

// maxFaults bounds what one rule tells of one document: nobody reads more, and
// a file can be made to have millions.
const maxFaults = 100

// Full reports whether the rule has told all that it may of this document.
func (p *Pass) Full() bool { return p.reported > maxFaults }

// Report adds a finding at span; the zero Span speaks of the file as a whole.
func (p *Pass) Report(span Span, help, format string, args ...any) {
	p.ReportFix(span, nil, help, format, args...)
}

// ReportFix adds a finding with the change that mends it; fix may be nil.
func (p *Pass) ReportFix(span Span, fix *Fix, help, format string, args ...any) {
	p.ReportIn(p.Doc.Path, span, fix, help, format, args...)
}

// ReportIn adds a finding about another file of the skill, named by its path
// as findings show it (Pass.Path).
func (p *Pass) ReportIn(path string, span Span, fix *Fix, help, format string, args ...any) {
	p.report(p.level, path, span, fix, help, format, args...)
}

// AdviseIn is ReportIn for findings that are no more than advice: they are of
// the level info, unless the rule was given a level.
func (p *Pass) AdviseIn(path string, span Span, fix *Fix, help, format string, args ...any) {
	p.report(p.advice, path, span, fix, help, format, args...)
}

func (p *Pass) report(level Level, path string, span Span, fix *Fix, help, format string, args ...any) {
	switch p.reported++; {
	case p.Full() && p.reported > maxFaults+1:
		return
	case p.Full():
		format += " (there are more of these)"
	}
	*p.out = append(*p.out, Diagnostic{
		Rule: p.rule.ID, Level: level, Path: path, Span: span,
		Message: fmt.Sprintf(format, args...), Help: help, Fix: fix,
	})
}

// Path returns how findings name a file of the skill: beside its SKILL.md.
func (p *Pass) Path(name string) string {
	return filepath.Join(filepath.Dir(p.Doc.Path), filepath.FromSlash(name))
}
