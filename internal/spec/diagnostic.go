package spec

import (
	"cmp"
	"fmt"
	"slices"
)

// Level says how much a finding weighs.
type Level uint8

const (
	Off     Level = iota
	Info          // advice
	Warning       // a recommendation is broken, or clients disagree
	Error         // the specification is broken
)

var levelNames = [...]string{"off", "info", "warning", "error"}

// String returns the level's name as flags and output spell it.
func (l Level) String() string { return levelNames[l] }

// ParseLevel reads a level's name; ok is false for anything else.
func ParseLevel(name string) (l Level, ok bool) {
	i := slices.Index(levelNames[:], name)
	return Level(max(i, 0)), i >= 0
}

// Diagnostic is one finding.
type Diagnostic struct {
	Rule    string
	Also    string // ids of other rules that the same cause breaks, with a space between them
	Level   Level
	Path    string // the file, as given
	Span    Span   // zero where the finding is about the file as a whole
	Message string // what is wrong, with the offending value
	Help    string // what to write instead
	Fix     *Fix   // nil where a person has to decide
	// Digest identifies what was found where the message must not repeat it and
	// its line need not contain all of it: a key. "" for other findings.
	Digest string
	// Snippet is the line on which Span starts, or its beginning, "" where it is
	// not known. Sensitive says that there is a key on it: it must not be shown.
	// Both are filled in by package lint.
	Snippet   string
	Sensitive bool
}

// String is the finding's one-line form: path:line:col: level: message [rule].
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s [%s]", d.Place(), d.Level, d.Message, d.Rule)
}

// Place is path:line:col, or the path alone for a finding about a whole file.
func (d Diagnostic) Place() string {
	if d.Span.Start.Line == 0 {
		return d.Path
	}
	return fmt.Sprintf("%s:%d:%d", d.Path, d.Span.Start.Line, d.Span.Start.Column)
}

// Sort orders findings by file, place, rule and message, and drops repeats.
func Sort(ds []Diagnostic) []Diagnostic {
	slices.SortFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Span.Start.Line, b.Span.Start.Line),
			cmp.Compare(a.Span.Start.Column, b.Span.Start.Column),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool {
		a.Fix, b.Fix = nil, nil
		return a == b
	})
}
