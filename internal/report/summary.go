package report

import (
	"slices"

	"skills/internal/printable"
	"skills/internal/spec"
)

// verdict sums a report up in one line: 42 skills: 3 errors, 7 warnings in 4
// skills.
func (r Report) verdict() string {
	c, touched := r.Count(), 0
	for _, s := range r.Skills {
		if slices.ContainsFunc(s.Diagnostics, func(d spec.Diagnostic) bool { return d.Level >= spec.Warning }) {
			touched++
		}
	}
	text := printable.Plural(c.Skills, "skill") + ": " + printable.Plural(c.Errors, "error") + ", " + printable.Plural(c.Warnings, "warning")
	switch {
	case touched == 0:
		return printable.Plural(c.Skills, "skill") + ": no errors, no warnings"
	case c.Skills > 1:
		text += " in " + printable.Plural(touched, "skill")
	}
	return text
}

// fixable counts the findings that are shown and have a fix.
func (r Report) fixable(opt Options) int {
	n := 0
	for _, s := range r.Skills {
		for _, d := range s.Diagnostics {
			if d.Fix != nil && shown(d.Level, opt) {
				n++
			}
		}
	}
	return n
}

// fails reports whether a level makes the check fail.
func fails(l spec.Level, opt Options) bool {
	return l == spec.Error || l == spec.Warning && opt.Strict
}
