// Package report writes diagnostics skill by skill in formats for users,
// scripts and CI services.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Skill is one checked skill.
type Skill struct {
	Kind        Kind   // what it is, if it is not a skill
	Path        string // as given, or as found below the given path
	Name        string // "" if not set
	Lines       int    // lines of SKILL.md
	Tokens      int    // estimate for the body, if the format needs it
	Missing     bool   // the folder has no SKILL.md
	Diagnostics []spec.Diagnostic
	Clients     []clients.Verdict // verdicts of clients, nil if not requested
}

// Kind is what was checked. The zero value is a skill.
type Kind string

// Plugin is a plugin or a marketplace, which is checked besides its skills.
const Plugin Kind = "plugin"

// Valid reports whether the skill has no errors.
func (s Skill) Valid() bool {
	return !slices.ContainsFunc(s.Diagnostics, func(d spec.Diagnostic) bool { return d.Level == spec.Error })
}

// Counts holds the numbers of a report's summary.
type Counts struct {
	Skills   int `json:"skills"`
	Plugins  int `json:"plugins,omitempty"` // and marketplaces
	Valid    int `json:"valid"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Known    int `json:"baseline"` // findings hidden by a baseline

	// Nowhere is the line that says where no skill was found; it may be "".
	Nowhere string `json:"-"`

	fixable int    // shown findings with a fix
	missing int    // folders without a SKILL.md
	first   string // path of the first skill
}

// Add adds the counts of a skill.
func (c *Counts) Add(s Skill, opt Options) {
	if c.Skills == 0 {
		c.first = s.Path
	}
	switch {
	case s.Kind == Plugin:
		c.Plugins++
	case s.Missing:
		c.missing++
	case s.Valid():
		c.Valid++
		fallthrough
	default:
		c.Skills++
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

// Nothing reports whether only folders without a SKILL.md were found.
func (c Counts) Nothing() bool { return c.Skills+c.Plugins == 0 && c.missing > 0 }

// Fail reports whether the findings fail the check.
func (c Counts) Fail(opt Options) bool { return c.Errors > 0 || opt.Strict && c.Warnings > 0 }

// Options configures what a format shows.
type Options struct {
	Quiet   bool // only findings that fail the check
	Strict  bool // warnings fail the check too
	Verbose bool // advice too
	Colour  bool
	Width   int // columns of the terminal, 0 for none
	// Page returns the URL of a rule's page in the documentation, "" for none.
	Page func(rule string) string
	// Links is true if the output is a terminal that supports hyperlinks (OSC
	// 8).
	Links bool
	// Rooted returns a path relative to the root of the repository, for the
	// formats of CI services. A file outside it stays absolute; nil keeps the
	// paths of the findings.
	Rooted func(path string) string
}

// Summary returns the last line of a report, such as "42 skills: 3 errors, 7
// warnings, 12 hints (-v), 44 known findings hidden (baseline)". For a single
// valid skill it is the reference library's line followed by the counts.
// Folders without a SKILL.md count as findings, but not as skills.
func (c Counts) Summary(opt Options) string {
	isOne := c.Skills == 1 && c.Valid == 1 && c.Plugins+c.missing == 0
	if !isOne || opt.Strict && c.Warnings > 0 {
		return c.verdict(opt)
	}
	text := "Valid skill: " + c.first
	if counts := strings.TrimPrefix(strings.TrimPrefix(c.list(opt), "0 errors"), ", "); counts != "" {
		text += ", " + counts
	}
	return printable.Line(text)
}

// verdict returns the summary without paths.
func (c Counts) verdict(opt Options) string {
	counts := c.list(opt)
	switch {
	case c.Skills+c.Plugins+c.missing == 0:
		return "no skills checked"
	case c.Nothing():
		return cmp.Or(printable.Line(c.Nowhere), "no skills found")
	}
	if c.Errors+c.Warnings == 0 {
		counts = strings.TrimSuffix("no errors, no warnings, "+counts, ", ")
	}
	return c.subject() + ": " + counts
}

// subject returns what was checked.
func (c Counts) subject() string {
	skills, plugins := printable.Plural(c.Skills, "skill"), printable.Plural(c.Plugins, "plugin")
	switch {
	case c.Plugins == 0:
		return skills
	case c.Skills == 0:
		return plugins
	}
	return skills + ", " + plugins
}

// list returns the numbers of a summary, or "" if all are 0.
func (c Counts) list(opt Options) string {
	var parts []string
	if c.Errors+c.Warnings > 0 {
		parts = append(parts, printable.Plural(c.Errors, "error"))
		if !opt.Quiet || opt.Strict { // otherwise they may not have been checked
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

// otherPlaces lists the places of a finding after the first one, "" if there are none.
func otherPlaces(d spec.Diagnostic) string {
	const most = 5
	if len(d.Places) == 0 {
		return ""
	}
	var out []string
	for _, p := range d.Places[1:] {
		out = append(out, printable.Line(p.String()))
	}
	return printable.List(out, most)
}

// shown reports whether a format shows findings of a level.
func shown(l spec.Level, opt Options) bool {
	if opt.Quiet {
		return fails(l, opt)
	}
	return l > spec.Info || opt.Verbose
}

// fails reports whether findings of a level fail the check.
func fails(l spec.Level, opt Options) bool {
	return l == spec.Error || l == spec.Warning && opt.Strict
}
