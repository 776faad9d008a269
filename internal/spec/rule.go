package spec

import "slices"

// Rule is one check: a value with its documentation attached. It holds no state.
type Rule struct {
	ID     string // kebab-case
	Title  string // what it checks, in a few words
	Level  Level  // its level unless the options set another one
	Needs  Needs  // what must have been read for its findings to be true
	Source string // what demands it
	Fix    string // what --fix does, "" if nothing is safe
	// Varies reports whether the findings depend on the options, the machine or
	// other skills, so that none proves nothing; nil if they never do.
	Varies func(Options) bool
	// Check reports findings through the pass. It is nil for rules whose findings
	// are the document's faults.
	Check func(*Pass)
}

// Needs is the part of a document that a rule is about. It decides on which
// documents the rule runs.
type Needs uint8

// What a rule may need. The zero value is right for rules about the frontmatter.
const (
	NeedsFields Needs = iota // a frontmatter that was read as a mapping
	NeedsBody                // a body or files; the frontmatter may be broken
	NeedsText                // the characters of any file, even if it could not be read
)

// runsOn reports whether a rule with these needs runs on a document.
func (n Needs) runsOn(doc *Document) bool {
	return doc.Mapping || n == NeedsText || n == NeedsBody && doc.Body != ""
}

// Options select what is checked and how.
type Options struct {
	Profile Profile
	Clients []string         // clients whose own fields are accepted
	Levels  map[string]Level // rule id to level, instead of the rule's own
	// Least is the lowest level that is wanted: rules below it do not run. Off,
	// the zero value, runs all. A skill with an ignore comment is checked with all
	// of them, because the comment is compared with their findings.
	Least Level
	// Behind adds the findings on lines whose YAML is broken, which are left out
	// otherwise: what will be found once the lines are fixed as they were read.
	Behind bool
}

// Profile is a standard that skills are compared with.
type Profile string

// The profiles.
const (
	// ProfileSpec is the specification at agentskills.io; the default, also for
	// the empty string.
	ProfileSpec Profile = "spec"
	// ProfileReference gives exactly the verdict of the reference library.
	ProfileReference Profile = "skills-ref"
)

// Advice is the level of a rule's findings that are only advice: Info, unless the
// options set a level for the rule.
func (o Options) Advice(rule *Rule) Level {
	if level, ok := o.Levels[rule.ID]; ok {
		return level
	}
	return Info
}

// Level is the level at which a rule runs.
func (o Options) Level(rule *Rule) Level {
	if level, ok := o.Levels[rule.ID]; ok {
		return level
	}
	return rule.Level
}

// Off reports whether a rule does not run.
func (o Options) Off(rule *Rule) bool { return o.Level(rule) == Off }

// Check returns the findings of rules on a document, sorted. Rules at level Off do
// not run. The findings that comments in the body ignore are returned apart, with
// their reasons. On a line whose YAML is broken, only that is reported: other
// findings would be about a guess.
func Check(doc *Document, rules []*Rule, opts Options) ([]Diagnostic, []Ignored) {
	var out []Diagnostic
	ignores := doc.ignores(rules)
	least := opts.Least
	if len(ignores) > 0 {
		least = Off
	}
	pass := &Pass{Doc: doc, Clients: opts.Clients, found: &out, shared: new([]any)}
	for _, rule := range rules {
		level := opts.Level(rule)
		if level == Off || level < least {
			continue
		}
		pass.rule, pass.level, pass.advice, pass.reported = rule, level, opts.Advice(rule), 0
		for _, f := range doc.Faults {
			if f.Rule == rule.ID {
				pass.ReportFix(f.Span, f.Fix, f.Help, "%s", f.Message)
			}
		}
		if rule.Check == nil || !rule.Needs.runsOn(doc) {
			continue
		}
		before := len(out)
		rule.Check(pass)
		if opts.Behind || rule.Needs == NeedsText {
			continue
		}
		out = append(out[:before], slices.DeleteFunc(out[before:], func(x Diagnostic) bool {
			return x.Path == doc.Path && doc.Guessed(x.Span.Start.Line)
		})...)
	}
	found, ignored := doc.applyIgnores(Sort(out), ignores, rules, opts)
	return doc.masked(Sort(found)), ignored
}
