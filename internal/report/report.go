// Package report writes diagnostics in the formats that people, scripts and
// CI services read, skill by skill. It knows nothing of how they were found.
package report

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Skill is one checked skill.
type Skill struct {
	Path        string // as given, or as found below the given path
	Name        string // "" if the file has none
	Lines       int    // lines of SKILL.md
	Tokens      int    // estimate for the body, if a format needs it
	Missing     bool   // the folder has no SKILL.md
	Diagnostics []spec.Diagnostic
	Clients     []clients.Verdict // what each client makes of it, nil if that was not asked for
}

// Valid reports whether the skill has no errors.
func (s Skill) Valid() bool {
	return !slices.ContainsFunc(s.Diagnostics, func(d spec.Diagnostic) bool { return d.Level == spec.Error })
}

// Counts are the numbers of a report's summary.
type Counts struct {
	Skills   int `json:"skills"`
	Valid    int `json:"valid"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Known    int `json:"baseline"` // findings that are left out because a baseline has them

	fixable int    // findings that are shown and have a fix
	missing int    // folders without a SKILL.md
	first   string // path of the first skill
}

// Add counts a skill.
func (c *Counts) Add(s Skill, opt Options) {
	if c.Skills == 0 {
		c.first = s.Path
	}
	c.Skills++
	if s.Valid() {
		c.Valid++
	}
	if s.Missing {
		c.missing++
	}
	for _, d := range s.Diagnostics {
		switch d.Level {
		case spec.Error:
			c.Errors++
		case spec.Warning:
			c.Warnings++
		case spec.Info:
			c.Infos++
		}
		if d.Fix != nil && shown(d.Level, opt) {
			c.fixable++
		}
	}
}

// Fail reports whether the findings make the check fail.
func (c Counts) Fail(opt Options) bool { return c.Errors > 0 || opt.Strict && c.Warnings > 0 }

// Options say how much a format shows and whether it is styled.
type Options struct {
	Quiet   bool // only findings that make the check fail
	Strict  bool // warnings make the check fail too
	Verbose bool // advice too
	Colour  bool
	Width   int // columns of the terminal that text is for, 0 for none
	// Page returns the address of a rule's page in the documentation; nil names its
	// path in this repository.
	Page func(rule string) string
	// Links says that the output is a terminal that shows hyperlinks (OSC 8).
	Links bool
	// Rooted names a file from the root of the repository, for the formats that
	// services read. A file outside it stays absolute. nil keeps the paths of the
	// findings.
	Rooted func(path string) string
}

// rooted is Rooted if that is not nil.
func (o Options) rooted(path string) string {
	if o.Rooted == nil {
		return path
	}
	return o.Rooted(path)
}

// page is Page, or the path if that is nil.
func (o Options) page(rule string) string {
	if o.Page == nil {
		return "docs/rules/" + rule + ".md"
	}
	return o.Page(rule)
}

// Summary is the last line of a report, such as "42 skills: 3 errors, 7 warnings,
// 12 hints (-v), 44 known findings hidden (baseline)". A single valid skill has
// the reference library's line, with the counts behind it. Folders without a
// SKILL.md are findings, but no skills.
func (c Counts) Summary(opt Options) string {
	if c.Skills != 1 || c.Valid != 1 || opt.Strict && c.Warnings > 0 {
		return c.verdict(opt)
	}
	text := "Valid skill: " + c.first
	if counts := strings.TrimPrefix(strings.TrimPrefix(c.list(opt), "0 errors"), ", "); counts != "" {
		text += ", " + counts
	}
	return printable.Line(text)
}

// verdict is the summary without paths.
func (c Counts) verdict(opt Options) string {
	counts := c.list(opt)
	switch {
	case c.Skills == 0:
		return "no skills checked"
	case c.missing == c.Skills:
		return "no skills found"
	}
	if c.Errors+c.Warnings == 0 {
		counts = strings.TrimSuffix("no errors, no warnings, "+counts, ", ")
	}
	return printable.Plural(c.Skills, "skill") + ": " + counts
}

// list names the numbers of a summary, "" if all are 0.
func (c Counts) list(opt Options) string {
	var parts []string
	if c.Errors+c.Warnings > 0 {
		parts = append(parts, printable.Plural(c.Errors, "error"))
		if !opt.Quiet || opt.Strict { // else they may not have been looked for
			parts = append(parts, printable.Plural(c.Warnings, "warning"))
		}
	}
	if c.Infos > 0 {
		hints := printable.Plural(c.Infos, "hint")
		if !opt.Verbose {
			hints += " (-v)"
		}
		parts = append(parts, hints)
	}
	if c.Known > 0 {
		parts = append(parts, printable.Plural(c.Known, "known finding")+" hidden (baseline)")
	}
	counts := strings.Join(parts, ", ")
	if c.fixable > 0 {
		counts += fmt.Sprintf("; %d fixable with --fix", c.fixable)
	}
	return counts
}

// fails reports whether a level makes the check fail.
func fails(l spec.Level, opt Options) bool {
	return l == spec.Error || l == spec.Warning && opt.Strict
}
