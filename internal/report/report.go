// Package report writes diagnostics in the formats that people, scripts and
// CI services read. It knows nothing of how they were found.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/secrets"
)

// Report is the outcome of one check over any number of skills.
type Report struct {
	Skills []Skill // sorted by path
}

// Skill is one checked skill.
type Skill struct {
	Path        string // as given, or as found below what was given
	Name        string // "" where the file has none
	Lines       int    // lines of SKILL.md
	Tokens      int    // estimate for the body, where a format asks for it
	Diagnostics []spec.Diagnostic
	// Known are findings that are not told, because they were known before or
	// nobody asked for them: nothing is written of them, but a key stays a key.
	Known []spec.Diagnostic
	// Source returns a line (from 1) of a file that a diagnostic names, "" for
	// one that is not at hand.
	Source func(path string, line int) string
	// Locate returns the file and the place that an edit of a finding's fix
	// changes; ok is false for a file that is not at hand. It may be nil.
	Locate func(spec.Edit) (path string, span spec.Span, ok bool)
}

// line is Source where that is not nil.
func (s Skill) line(path string, n int) string {
	if s.Source == nil || n < 1 {
		return ""
	}
	return s.Source(path, n)
}

// holdsSecret reports whether a key was found on a line (from 1) of a file: logs
// of checks are public more often than what they check.
func (s Skill) holdsSecret(path string, line int) bool {
	secret := func(d spec.Diagnostic) bool {
		return d.Rule == "secret" && d.Path == path && d.Span.Start.Line <= line && line <= d.Span.End.Line
	}
	return slices.ContainsFunc(s.Diagnostics, secret) || slices.ContainsFunc(s.Known, secret) || secrets.Contains(s.line(path, line))
}

// Valid reports whether the skill has no errors.
func (s Skill) Valid() bool { return !spec.Faulty(s.Diagnostics) }

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
	Quiet   bool // only what makes the check fail, see Strict
	Strict  bool // warnings make it fail too
	Verbose bool // information as well
	Colour  bool
	// Rooted names a file as services know it, from the root of the repository,
	// for the formats that they read; what lies elsewhere stays absolute. nil
	// keeps the paths of the findings.
	Rooted func(path string) string
}

// rooted is Rooted where that is not nil.
func (o Options) rooted(path string) string {
	if o.Rooted == nil {
		return path
	}
	return o.Rooted(path)
}

// Format is one way to write a report.
type Format struct {
	Name  string
	Help  string // what it is for, a few words
	Write func(w io.Writer, r Report, opt Options) error
	// Tokens tells that it writes the tokens of a skill, which take time to
	// count.
	Tokens bool
}

// Formats returns all formats, the default first.
func Formats() []Format {
	return []Format{
		{"text", "for people: place, source line, help", writeText, false},
		{"json", "for scripts: everything, schema_version 1", writeJSON, true},
		{"sarif", "for code scanning: everything, SARIF 2.1.0", writeSARIF, false},
		{"github", "for GitHub Actions: annotations", writeGitHub, false},
		{"junit", "for CI servers: a test case a skill", writeJUnit, false},
		{"markdown", "for a job summary: tables", writeMarkdown, false},
	}
}

// FindFormat returns the format of that name; the error lists what there is.
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
