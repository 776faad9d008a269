// Package spec says what a skill document is (frontmatter fields with their
// positions, then a body) and how it is checked against rules.
//
// It works on bytes that others have read: it knows no disk, no colour and no
// model. Rules that look at files are handed an [io/fs.FS].
package spec

import (
	"strings"

	"skills/internal/markdown"
	"skills/internal/spec/frontmatter"
)

// Document is one SKILL.md, as it is in the file. Parsing never fails:
// what could not be read is in Faults, and the rest is there.
type Document struct {
	Path string // how findings name the file
	// Dir is the name of the folder that holds the file, "" where it is not
	// known (standard input without a file name).
	Dir string
	// LinkTarget is the name of the folder that Dir is a symbolic link to, ""
	// where it is none: either name may be the skill's.
	LinkTarget string
	// File is the entry's name as the folder lists it, "" where there is none;
	// anything but SKILL.md is a fault.
	File string

	frontmatter.Content

	// Files is the skill's folder, nil where there is none (standard input).
	Files Files
	// Nested returns the SKILL.md files further down in the folder, relative
	// with slashes; nil where there is none.
	Nested func() []string

	tokens *int           // of the body, counted on first use
	page   *markdown.Page // parsed on first use
}

// Scan reads what is around the frontmatter of a SKILL.md: encoding,
// fences, body. The YAML is left to Decode. path names the file in findings;
// dir is the name of its folder, or "".
func Scan(path, dir string, src []byte) *Document {
	return &Document{Path: path, Dir: dir, Content: frontmatter.Scan(src)}
}

// NewDocument returns a document of which nothing was read yet but its lines.
func NewDocument(path string, src []byte) *Document {
	return &Document{Path: path, Content: frontmatter.Content{Source: src}}
}

// What reading a frontmatter gives, under the names by which rules use it.
type (
	Block = frontmatter.Block
	Edit  = frontmatter.Edit
	Fault = frontmatter.Fault
	Field = frontmatter.Field
	Fix   = frontmatter.Fix
	Kind  = frontmatter.Kind
	Pos   = frontmatter.Pos
	Span  = frontmatter.Span
	Style = frontmatter.Style
	Value = frontmatter.Value
)

// The kinds of values, and how they are written.
const (
	Null      = frontmatter.Null
	String    = frontmatter.String
	Bool      = frontmatter.Bool
	Number    = frontmatter.Number
	Timestamp = frontmatter.Timestamp
	Sequence  = frontmatter.Sequence
	Mapping   = frontmatter.Mapping

	Plain        = frontmatter.Plain
	SingleQuoted = frontmatter.SingleQuoted
	DoubleQuoted = frontmatter.DoubleQuoted
	Indented     = frontmatter.Indented
	Flow         = frontmatter.Flow
)

// IsSampleFolder reports whether a folder of this name holds samples or tests, whose
// contents are not the skill's own.
func IsSampleFolder(name string) bool {
	switch strings.ToLower(name) {
	case "testdata", "test", "tests", "__tests__", "spec", "specs", "fixture", "fixtures", "__fixtures__",
		"template", "templates", "example", "examples", "sample", "samples", "assets", "evals", "demo", "demos":
		return true
	}
	return false
}
