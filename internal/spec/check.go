package spec

import "slices"

// CheckRules returns the findings of the rules on a document, sorted, and those
// that are left out because a comment of the body ignores them, with the
// reasons. Rules at level Off do not run. On a line whose YAML is broken only
// that is reported: the rest would be about a guess.
func CheckRules(doc *Document, rules []*Rule, opts Options) ([]Diagnostic, []Ignored) {
	if opts.Profile == ProfileReference {
		return doc.masked(checkReference(doc, rules)), nil
	}
	var out []Diagnostic
	least := opts.Least
	if doc.mayIgnore() {
		least = Off
	}
	for _, rule := range rules {
		level := opts.level(rule)
		if level == Off || level < least {
			continue
		}
		pass := &Pass{Doc: doc, Clients: opts.Clients, rule: rule, level: level, advice: opts.advice(rule), out: &out}
		for _, f := range doc.Faults {
			if f.Rule == rule.ID {
				pass.ReportFix(f.Span, f.Fix, f.Help, "%s", f.Message)
			}
		}
		if rule.Check == nil || !rule.Needs.runsOn(doc) {
			continue
		}
		found := len(out)
		rule.Check(pass)
		if !opts.Behind && rule.Needs != NeedsText {
			out = slices.DeleteFunc(out, func(x Diagnostic) bool {
				found--
				return found < 0 && x.Path == doc.Path && doc.Guessed(x.Span.Start.Line)
			})
		}
	}
	found, ignored := doc.applyIgnores(Sort(out), rules, opts)
	return doc.masked(Sort(found)), ignored
}
