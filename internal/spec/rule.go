package spec

// Rules are values, and a check runs them one after another on a document. Which run, and
// at which level, is in the options.

import (
	"maps"
	"slices"
)

// Rule is one check with its documentation. It holds no state.
type Rule struct {
	ID     string // kebab-case
	Title  string // what it checks, in a few words
	Level  Level  // default level
	Needs  Needs  // what must have been read for the findings to be valid
	Source string // the document that requires it
	Fix    string // what --fix does, "" if there is no safe fix
	// Varies reports whether findings depend on the options, the machine or
	// other skills. If so, the absence of findings proves nothing. It may be
	// nil.
	Varies func(Options) bool
	// Join returns the message of a finding about several places of one group. It
	// is nil for rules whose findings have no group.
	Join func(places []Place) string
	// Check reports findings through the pass. It is nil for rules whose
	// findings are faults of the document.
	Check func(*Pass)
}

// Needs is the part of a document that a rule checks. It decides which
// documents the rule runs on.
type Needs uint8

// The parts of a document. The zero value suits rules about the frontmatter.
const (
	NeedsFields Needs = iota // a frontmatter that is a mapping
	NeedsBody                // a body or files, even if the frontmatter is invalid
	NeedsText                // the characters of any file, even an unreadable one
)

// runsOn reports whether a rule with these needs runs on a document.
func (n Needs) runsOn(doc *Document) bool {
	return doc.Mapping || n == NeedsText || n == NeedsBody && doc.Body != ""
}

// Options select which rules run and at which levels.
type Options struct {
	Profile Profile
	Clients []string         // clients whose own fields are accepted
	Levels  map[string]Level // rule id to level, overriding defaults
	Banned  []BannedWord     // that the rule banned-word reports
	// Least is the lowest level to report: rules below it do not run. Off, the
	// zero value, runs all rules. On a skill with an ignore comment they run
	// all the same, because the comment is compared with their findings.
	Least Level
	// Ignored reports whether a rule's findings in a file are not wanted, by the file's
	// path in findings; nil for none.
	Ignored func(rule, path string) bool
	// Behind adds findings on lines with invalid YAML, which are otherwise
	// omitted: those that remain once the lines are repaired.
	Behind bool
	// Crashed, if set, receives the cause of a rule's panic, which then costs only the
	// findings of this rule.
	Crashed func(rule string, cause any)
}

// BannedWord is a word, a name or a phrase that a project does not want in skills.
type BannedWord struct {
	Word   string
	Reason string // "" if none is given
}

// Profile is the standard that skills are checked against.
type Profile string

// The profiles.
const (
	// ProfileSpec is the specification at agentskills.io. It is the default,
	// also for the empty string.
	ProfileSpec Profile = "spec"
	// ProfileReference matches the verdict of the reference library exactly.
	ProfileReference Profile = "skills-ref"
)

// Advice returns the level of a rule's findings that are only advice: Info,
// unless the options set a level for the rule.
func (o Options) Advice(rule *Rule) Level {
	if level, ok := o.Levels[rule.ID]; ok {
		return level
	}
	return Info
}

// Level returns the level at which a rule runs.
func (o Options) Level(rule *Rule) Level {
	if level, ok := o.Levels[rule.ID]; ok {
		return level
	}
	return rule.Level
}

// Off reports whether a rule is turned off.
func (o Options) Off(rule *Rule) bool { return o.Level(rule) == Off }

// Check runs rules on a document and returns the sorted findings. Rules at
// level Off do not run. Comments in the body suppress findings. Lines with
// invalid YAML get no other findings, which would be guesses.
func Check(doc *Document, rules []*Rule, opts Options) []Diagnostic {
	var out []Diagnostic
	ignores := doc.ignores(rules)
	var below []string // rules below opts.Least, which only show whether a comment is needed
	pass := &Pass{Doc: doc, Clients: opts.Clients, Banned: opts.Banned, found: &out, shared: new([]any)}
	for _, rule := range rules {
		level := opts.Level(rule)
		if level == Off || level < opts.Least && len(ignores) == 0 {
			continue
		}
		if level < opts.Least {
			below = append(below, rule.ID)
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
		if !opts.run(rule, pass) {
			opts.Levels = maps.Clone(opts.Levels)
			if opts.Levels == nil {
				opts.Levels = map[string]Level{}
			}
			opts.Levels[rule.ID] = Off // it has found nothing that a comment could be compared with
			continue
		}
		if opts.Behind || rule.Needs == NeedsText {
			continue
		}
		out = append(out[:before], slices.DeleteFunc(out[before:], func(x Diagnostic) bool {
			return x.Path == doc.Path && doc.Guessed(x.Span.Start.Line)
		})...)
	}
	out = slices.DeleteFunc(doc.applyIgnores(Sort(out), ignores, rules, opts), func(x Diagnostic) bool { return slices.Contains(below, x.Rule) })
	if opts.Ignored != nil {
		out = slices.DeleteFunc(out, func(x Diagnostic) bool { return opts.Ignored(x.Rule, x.Path) })
	}
	return doc.masked(Sort(out))
}

// run runs a rule, and reports whether it ended by itself. After a panic its findings
// are removed.
func (o Options) run(rule *Rule, pass *Pass) (ended bool) {
	if o.Crashed != nil {
		before := len(*pass.found)
		defer func() {
			if cause := recover(); cause != nil {
				*pass.found = (*pass.found)[:before]
				o.Crashed(rule.ID, cause)
			}
		}()
	}
	rule.Check(pass)
	return true
}
