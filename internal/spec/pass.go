package spec

import (
	"fmt"
	"path/filepath"

	"skills/internal/spec/secrets"
)

// Pass is one rule's check of one document.
type Pass struct {
	Doc     *Document
	Clients []string // clients whose own fields are accepted
	Banned  []BannedWord

	rule     *Rule
	level    Level
	advice   Level // level of findings that are only advice
	found    *[]Diagnostic
	reported int
	shared   *[]any
}

// NewPass returns a pass for rules about several documents, which [Check] does
// not run.
func NewPass(doc *Document, rule *Rule, opts Options) *Pass {
	return &Pass{Doc: doc, Clients: opts.Clients, Banned: opts.Banned, rule: rule, level: opts.Level(rule), advice: opts.Advice(rule), found: new([]Diagnostic), shared: new([]any)}
}

// Found returns the findings of the pass, with keys masked.
func (p *Pass) Found() []Diagnostic { return p.Doc.masked(*p.found) }

// Shared returns a value of type T that all rules share while a document is
// checked. build creates it on the first call.
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

// maxFaults limits the findings of one rule in one document.
const maxFaults = 100

// More ends the message of a rule's last finding in a document that has too many.
const More = " (there are more of these)"

// Full reports whether the rule has reached the limit of findings for this
// document.
func (p *Pass) Full() bool { return p.reported > maxFaults }

// Reported returns the number of findings the rule has reported for this
// document.
func (p *Pass) Reported() int { return p.reported }

// Report adds a finding at span; the zero Span means the whole file.
func (p *Pass) Report(span Span, help, format string, args ...any) *Diagnostic {
	return p.ReportFix(span, nil, help, format, args...)
}

// ReportFix adds a finding with a fix, which may be nil.
func (p *Pass) ReportFix(span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	return p.ReportIn(p.Doc.Path, span, fix, help, format, args...)
}

// ReportIn adds a finding in the file that findings call path. The caller may
// complete the returned finding until the next one is added.
func (p *Pass) ReportIn(path string, span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	return p.report(p.level, path, span, fix, help, format, args...)
}

// AdviseIn is like ReportIn for a finding that is only advice: its level is
// info unless the options set a level for the rule.
func (p *Pass) AdviseIn(path string, span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	return p.report(p.advice, path, span, fix, help, format, args...)
}

func (p *Pass) report(level Level, path string, span Span, fix *Fix, help, format string, args ...any) *Diagnostic {
	d := Diagnostic{Rule: p.rule.ID, Level: level, Path: path, Span: span, Message: fmt.Sprintf(format, args...), Help: help, Fix: fix}
	p.reported++
	switch {
	case p.reported > maxFaults+1:
		return &d // dropped
	case p.Full():
		d.Message += More
	}
	*p.found = append(*p.found, d)
	return &(*p.found)[len(*p.found)-1]
}

// Path returns the path that findings use for a file of the skill.
func (p *Pass) Path(name string) string {
	return filepath.Join(filepath.Dir(p.Doc.Path), filepath.FromSlash(name))
}

// masked removes keys from the texts of findings, because logs of checks are
// often more public than the files. Edits are not changed. The level of the
// rule "secret" does not matter.
func (d *Document) masked(found []Diagnostic) []Diagnostic {
	if len(found) == 0 {
		return found
	}
	own := d.ownKeys()
	for i := range found {
		f := &found[i]
		f.Message, f.Help = secrets.Mask(f.Message, own), secrets.Mask(f.Help, own)
		for j := range f.Places {
			f.Places[j].Subject = secrets.Mask(f.Places[j].Subject, own)
		}
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

// ownKeys returns the keys with a known issuer in the document.
func (d *Document) ownKeys() []string {
	var own []string
	for _, s := range secrets.Find(d.Source) {
		if s.Issuer != "" {
			own = append(own, string(d.Source[s.Start:s.End]))
		}
	}
	return own
}
