// Package report writes diagnostics in the formats that people, scripts and
// CI services read. It knows nothing of how they were found.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Report is the outcome of one check over any number of skills.
type Report struct {
	Skills []Skill // sorted by path
	Known  int     // findings that are left out because a baseline has them
}

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
	Known    int `json:"baseline"` // left out because a baseline has them
}

// Count adds the report up.
func (r Report) Count() Counts {
	c := Counts{Known: r.Known}
	for _, s := range r.Skills {
		c.Skills++
		if s.Valid() {
			c.Valid++
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
		}
	}
	return c
}

// Findings is the number of all findings.
func (r Report) Findings() (n int) {
	for _, s := range r.Skills {
		n += len(s.Diagnostics)
	}
	return n
}

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

// Format is one way to write a report.
type Format struct {
	Name  string
	Write func(w io.Writer, r Report, opt Options) error
	// Tokens says that it writes the tokens of a skill, which take time to count.
	Tokens bool
}

// Formats returns all formats, the default first.
func Formats() []Format {
	return []Format{
		{"text", writeText, false},
		{"json", writeJSON, true},
		{"sarif", writeSARIF, false},
		{"github", writeGitHub, false},
		{"junit", writeJUnit, false},
		{"markdown", writeMarkdown, false},
	}
}

// FindFormat returns the format with a name; ok is false if there is none.
func FindFormat(name string) (f Format, ok bool) {
	i := slices.IndexFunc(Formats(), func(f Format) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return Formats()[i], true
}

// Summary is the last line of a report, such as "42 skills: 3 errors, 7 warnings,
// 12 hints (-v), 44 known findings hidden (baseline)". A single valid skill has
// the reference library's line, with the counts behind it. Folders without a
// SKILL.md are findings, but no skills.
func (r Report) Summary(opt Options) string {
	c := r.Count()
	if c.Skills != 1 || c.Valid != 1 || opt.Strict && c.Warnings > 0 {
		return r.verdict(opt)
	}
	text := "Valid skill: " + r.Skills[0].Path
	if counts := strings.TrimPrefix(strings.TrimPrefix(r.counts(opt), "0 errors"), ", "); counts != "" {
		text += ", " + counts
	}
	return printable.Line(text)
}

// verdict is the summary without paths.
func (r Report) verdict(opt Options) string {
	c, counts := r.Count(), r.counts(opt)
	switch {
	case c.Skills == 0:
		return "no skills checked"
	case !slices.ContainsFunc(r.Skills, func(s Skill) bool { return !s.Missing }):
		return "no skills found"
	}
	if c.Errors+c.Warnings == 0 {
		counts = strings.TrimSuffix("no errors, no warnings, "+counts, ", ")
	}
	return printable.Plural(c.Skills, "skill") + ": " + counts
}

// counts are the numbers of a summary, "" if all are 0.
func (r Report) counts(opt Options) string {
	c := r.Count()
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
	if n := r.fixable(opt); n > 0 {
		counts += fmt.Sprintf("; %d fixable with --fix", n)
	}
	return counts
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
