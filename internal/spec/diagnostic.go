package spec

import (
	"cmp"
	"fmt"
	"slices"
)

// Level is the severity of a finding.
type Level uint8

const (
	Off     Level = iota
	Info          // advice
	Warning       // breaks a recommendation, or clients disagree
	Error         // breaks the specification
)

var levelNames = [...]string{"off", "info", "warning", "error"}

// String returns the level's name as used in flags and output.
func (l Level) String() string { return levelNames[l] }

// ParseLevel returns the level with the given name; ok is false if there is
// none.
func ParseLevel(name string) (l Level, ok bool) {
	i := slices.Index(levelNames[:], name)
	return Level(max(i, 0)), i >= 0
}

// Diagnostic is one finding.
type Diagnostic struct {
	Rule    string
	Also    string // ids of other rules with the same cause, separated by spaces
	Level   Level
	Path    string // the file, as given by the user
	Span    Span   // zero for a finding about the whole file
	Message string // what is wrong, with the offending value
	Help    string // what to write instead
	Fix     *Fix   // nil if the user has to decide
	// Digest identifies the finding when neither the message nor the line may
	// contain all of what was found, as with a key. It is "" for other findings.
	Digest string
	// Bytes holds the columns of Span in bytes; zero if the file cannot be read.
	// Package lint sets it.
	Bytes ByteColumns
	// Snippet is the line on which Span starts, possibly truncated, or "" if
	// unknown. Sensitive is true if the line contains a key and must not be
	// shown. Package lint sets both.
	Snippet   string
	Sensitive bool
	// Group is the habit that the finding is an example of. Findings of a rule and
	// level with the same group are one finding in a report. It is "" for findings
	// of which each counts.
	Group string
	// Places are the places of a finding about several, in order; the first is that
	// of the finding itself. A finding about one place has none.
	Places []Place
}

// Place is one of the places of a finding.
type Place struct {
	Path      string
	Span      Span
	Subject   string // what is there, as [Rule.Join] lists it
	Message   string // what is wrong at this place alone
	Snippet   string
	Sensitive bool
}

// String returns path:line:col, or only the path for a whole file.
func (p Place) String() string { return Diagnostic{Path: p.Path, Span: p.Span}.Place() }

// In puts a finding into a group, and names what is at its place.
func (d *Diagnostic) In(group, subject string) {
	d.Group, d.Places = group, []Place{{Subject: subject}}
}

// String returns the finding on one line: path:line:col: level: message [rule].
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s [%s]", d.Place(), d.Level, d.Message, d.Rule)
}

// Place returns path:line:col, or only the path for a finding about a whole
// file.
func (d Diagnostic) Place() string {
	if d.Span.Start.Line == 0 {
		return d.Path
	}
	return fmt.Sprintf("%s:%d:%d", d.Path, d.Span.Start.Line, d.Span.Start.Column)
}

// Sort orders findings by file, position, level (errors first), rule and message.
func Sort(ds []Diagnostic) []Diagnostic {
	slices.SortFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Span.Start.Line, b.Span.Start.Line),
			cmp.Compare(a.Span.Start.Column, b.Span.Start.Column),
			cmp.Compare(b.Level, a.Level),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return ds
}
