package spec

import (
	"fmt"
	"path/filepath"

	"skills/internal/spec/secrets"
)

// Pass is the check of one document by one rule.
type Pass struct {
	Doc     *Document
	Clients []string // clients whose own fields are accepted

	rule     *Rule
	level    Level
	advice   Level // of findings that are only advice
	found    *[]Diagnostic
	reported int
	shared   *[]any
}

// NewPass returns a pass outside of [Check], for rules about several documents.
func NewPass(doc *Document, rule *Rule, opts Options) *Pass {
	return &Pass{Doc: doc, Clients: opts.Clients, rule: rule, level: opts.Level(rule), advice: opts.Advice(rule), found: new([]Diagnostic), shared: new([]any)}
}

// Found returns the findings of the pass, without the keys in their texts.
func (p *Pass) Found() []Diagnostic { return p.Doc.masked(*p.found) }

// Shared returns the value of type T that all rules share in the check of a
// document. build makes it when it is first asked for.
func Shared[T any](p *Pass, build func() T) T {
	for _, v := range *p.shared {
		if t, ok := v.(T); ok {
			return t
		}
	}
	t := build()
	*p.shared = append(*p.shared, t)
	return t
}

// maxFaults bounds the findings of one rule in one document, which can be made to
// have millions.
const maxFaults = 100

// Full reports whether the rule has reported as much as it may of this document.
func (p *Pass) Full() bool { return p.reported > maxFaults }

// Reported returns how many findings the rule has reported of this document.
func (p *Pass) Reported() int { return p.reported }

// Report adds a finding at span; the zero Span is the whole file.
func (p *Pass) Report(span Span, help, format string, args ...any) *Diagnostic {
	return p.ReportFix(span, nil, help, format, args...)
}

// ReportFix adds a finding with a fix, which may be nil.
func (p *Pass) ReportFix(span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	return p.ReportIn(p.Doc.Path, span, fix, help, format, args...)
}

// ReportIn adds a finding in a file of the skill, whose path is that of Path. It
// returns the finding, which may be completed before the next one is added.
func (p *Pass) ReportIn(path string, span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	return p.report(p.level, path, span, fix, help, format, args...)
}

// AdviseIn is ReportIn for a finding that is only advice: its level is info unless
// the options set one for the rule.
func (p *Pass) AdviseIn(path string, span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	return p.report(p.advice, path, span, fix, help, format, args...)
}

func (p *Pass) report(level Level, path string, span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	d := Diagnostic{Rule: p.rule.ID, Level: level, Path: path, Span: span, Message: fmt.Sprintf(format, args...), Help: help, Fix: fix}
	switch p.reported++; {
	case p.reported > maxFaults+1:
		return &d // dropped
	case p.Full():
		d.Message += " (there are more of these)"
	}
	*p.found = append(*p.found, d)
	return &(*p.found)[len(*p.found)-1]
}

// Path returns the path of a file of the skill in findings.
func (p *Pass) Path(name string) string {
	return filepath.Join(filepath.Dir(p.Doc.Path), filepath.FromSlash(name))
}

// masked removes keys from the texts of diagnostics: a message quotes what it is
// about, and logs of checks are often more public than the files. Edits stay as
// they are. It does not depend on the level of the rule secret.
func (d *Document) masked(found []Diagnostic) []Diagnostic {
	if len(found) == 0 {
		return found
	}
	own := d.ownKeys()
	for i := range found {
		f := &found[i]
		f.Message, f.Help = secrets.Mask(f.Message, own), secrets.Mask(f.Help, own)
		if f.Fix != nil {
			if text := secrets.Mask(f.Fix.Description, own); text != f.Fix.Description {
				fix := *f.Fix
				fix.Description = text
				f.Fix = &fix
			}
		}
	}
	return found
}

// ownKeys returns the keys of issuers in the document.
func (d *Document) ownKeys() []string {
	var own []string
	for _, s := range secrets.Find(d.Source) {
		if s.Issuer != "" {
			own = append(own, string(d.Source[s.Start:s.End]))
		}
	}
	return own
}
