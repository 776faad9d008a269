// Package report writes diagnostics in the formats that people, scripts and
// CI services read. It knows nothing of how they were found.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// Report is the outcome of one check over any number of skills.
type Report struct {
	Skills []Skill // sorted by path
}

// Skill is one checked skill.
type Skill struct {
	Path        string // as given, or as found below the given path
	Name        string // "" if the file has none
	Lines       int    // lines of SKILL.md
	Tokens      int    // estimate for the body, if a format needs it
	Diagnostics []spec.Diagnostic
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
}

// Count adds the report up.
func (r Report) Count() Counts {
	var c Counts
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

// Options say how much a format shows and whether it is styled.
type Options struct {
	Quiet   bool // only findings that make the check fail
	Strict  bool // warnings make the check fail too
	Verbose bool // advice too
	Colour  bool
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

// FindFormat returns the format of that name; the error lists all names.
func FindFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q: choose one of %s", name, strings.Join(names, ", "))
}

// verdict is the summary in one line: 42 skills: 3 errors, 7 warnings in 4 skills.
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
