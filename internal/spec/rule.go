package spec

import (
	"embed"
	"fmt"
	"slices"
)

// Rule is one check: a value with its documentation attached. It holds no
// state.
type Rule struct {
	ID     string // kebab-case; also the name of its page in doc/
	Title  string // what it checks, in a few words
	Level  Level  // its level unless a configuration says otherwise
	Source string // where the demand comes from
	Fix    string // what --fix would do, "" where nothing is safe
	// Check reports findings through the pass. Nil for rules whose findings
	// are the document's faults.
	Check func(*Pass)
}

//go:embed doc/*.md
var pages embed.FS

// Page returns the rule's page: why, a bad and a good example, in Markdown.
func (r *Rule) Page() string {
	text, err := pages.ReadFile("doc/" + r.ID + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// Rules returns all rules in the order in which they are listed.
func Rules() []*Rule {
	return []*Rule{
		skillFile, encoding,
		frontmatterMissing, frontmatterUnclosed, frontmatterSyntax, frontmatterDuplicateKey, frontmatterMapping,
		fieldUnknown,
		nameRequired, nameLength, nameLowercase, nameHyphens, nameCharacters, nameDirectory,
		descriptionRequired, descriptionLength,
		compatibilityType, compatibilityLength,
		licenseType, metadataType, metadataValues,
		fieldClient,
	}
}

// FindRule returns the rule with the given id, or nil.
func FindRule(id string) *Rule {
	i := slices.IndexFunc(Rules(), func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return Rules()[i]
}

// Pass is one rule's look at one document.
type Pass struct {
	Doc     *Document
	Clients []string // clients whose own fields are accepted

	rule     *Rule
	level    Level
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
	switch p.reported++; {
	case p.Full() && p.reported > maxFaults+1:
		return
	case p.Full():
		format += " (there are more of these)"
	}
	*p.out = append(*p.out, Diagnostic{
		Rule: p.rule.ID, Level: p.level, Path: p.Doc.Path, Span: span,
		Message: fmt.Sprintf(format, args...), Help: help,
	})
}

// Options select what is checked and how.
type Options struct {
	Profile Profile
	Clients []string         // clients whose own fields are accepted
	Levels  map[string]Level // rule id to level, over the rule's own
}

// Profile is a standard that skills are held against.
type Profile string

const (
	// ProfileSpec is the specification as agentskills.io has it; the default,
	// also for the empty string.
	ProfileSpec Profile = "spec"
	// ProfileReference gives exactly the verdict of the reference library.
	ProfileReference Profile = "skills-ref"
)

// Check returns the findings on a document, sorted. Rules at level Off do not
// run. On a line whose YAML is broken only that is reported: the rest would
// speak of a guess.
func Check(doc *Document, opts Options) []Diagnostic {
	if opts.Profile == ProfileReference {
		return checkReference(doc)
	}
	var out []Diagnostic
	for _, rule := range Rules() {
		level, ok := opts.Levels[rule.ID]
		if !ok {
			level = rule.Level
		}
		if level == Off {
			continue
		}
		pass := &Pass{Doc: doc, Clients: opts.Clients, rule: rule, level: level, out: &out}
		for _, f := range doc.Faults {
			if f.Rule == rule.ID {
				pass.Report(f.Span, f.Help, "%s", f.Message)
			}
		}
		if rule.Check != nil && doc.Mapping {
			found := len(out)
			rule.Check(pass)
			out = slices.DeleteFunc(out, func(x Diagnostic) bool {
				found--
				return found < 0 && doc.mended[x.Span.Start.Line]
			})
		}
	}
	return Sort(out)
}

// Faulty reports whether any finding is an error.
func Faulty(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Level == Error })
}
